// The surface over the picture of a tab: it turns the mouse, the keyboard and touches of a person into
// events of the page, and drags into areas of it.

import { h, text } from './dom.js';

/** @typedef {{ kind: string, x?: number, y?: number, button?: string, clicks?: number, deltaX?: number, deltaY?: number, modifiers?: number, key?: string, code?: string, keyCode?: number, location?: number, repeat?: boolean, text?: string }} InputEvent */
/** @typedef {{ x: number, y: number, width: number, height: number }} Area */
/** @typedef {{ screen: HTMLElement, frame: { width: number, height: number, top: number } | null }} Picture */
/** @typedef {{ input: (events: InputEvent[]) => void, marked: (area: Area) => void, leave: () => void }} Handlers */
/** @typedef {'off' | 'act' | 'mark'} Mode */

const BUTTONS = ['left', 'middle', 'right'];
const TAP_DISTANCE = 10; // CSS pixels between a tap and a swipe
const LONG_PRESS = 550; // ms
const STEP = 10; // CSS pixels by which an arrow key moves a mark
const HELP = {
  off: '',
  act: 'Keys go to the page while the picture has the focus. Shift+Escape leaves it. A swipe scrolls, a long press is a right click.',
  mark: 'Drag over the place. Or move the mark by the arrow keys, resize it with Shift, and press Enter. Escape leaves the picture.',
};

export class Surface {
  /** @param {Picture} picture @param {Handlers} handlers */
  constructor(picture, handlers) {
    this.picture = picture;
    this.handlers = handlers;
    /** @type {Mode} */
    this.mode = 'off';
    this.help = h('p', { id: 'surface-help', class: 'quiet' });
    this.outline = h('div', { class: 'box marking', hidden: true });
    this.root = h('div', { class: 'surface', tabindex: '0', role: 'application', 'aria-label': 'Page', 'aria-describedby': 'surface-help', hidden: true }, this.outline);
    picture.screen.append(this.root);
    /** @type {Map<string, KeyboardEvent>} */
    this.keys = new Map();
    /** @type {Set<number>} */
    this.buttons = new Set();
    /** @type {Area | null} */
    this.area = null;
    /** @type {{ id: number, at: { x: number, y: number }, last: { x: number, y: number }, swipes: boolean, timer: number } | null} */
    this.touch = null;
    this.#listen();
  }

  /** @param {Mode} mode */
  setMode(mode) {
    if (mode === this.mode) return;
    this.mode = mode;
    this.root.hidden = mode === 'off';
    this.outline.hidden = true;
    this.area = null;
    text(this.help, HELP[mode]);
    this.keys.clear(); // the server releases what is held down
    this.buttons.clear();
  }

  focus() { this.root.focus(); }

  #listen() {
    const on = (/** @type {string} */ name, /** @type {(e: any) => void} */ fn, /** @type {EventTarget} */ target = this.root) => target.addEventListener(name, fn, { passive: false });
    on('mousedown', (/** @type {MouseEvent} */ e) => this.#mouseDown(e));
    on('mousemove', (/** @type {MouseEvent} */ e) => this.#mouseMove(e), window);
    on('mouseup', (/** @type {MouseEvent} */ e) => this.#mouseUp(e), window);
    on('contextmenu', (/** @type {Event} */ e) => e.preventDefault());
    on('wheel', (/** @type {WheelEvent} */ e) => this.#wheel(e));
    on('keydown', (/** @type {KeyboardEvent} */ e) => this.#key(e, 'keydown'));
    on('keyup', (/** @type {KeyboardEvent} */ e) => this.#key(e, 'keyup'));
    on('blur', () => this.#releaseKeys());
    on('paste', (/** @type {ClipboardEvent} */ e) => { e.preventDefault(); this.#text(e.clipboardData?.getData('text/plain') ?? ''); });
    on('pointerdown', (/** @type {PointerEvent} */ e) => this.#touchDown(e));
    on('pointermove', (/** @type {PointerEvent} */ e) => this.#touchMove(e));
    on('pointerup', (/** @type {PointerEvent} */ e) => this.#touchUp(e));
    on('pointercancel', () => { clearTimeout(this.touch?.timer); this.touch = null; });
  }

  /** place turns a point of the window into one of the page. @param {{ clientX: number, clientY: number }} e */
  place(e) {
    const f = this.picture.frame, box = this.root.getBoundingClientRect();
    if (!f?.width || !box.width) return null;
    return { x: (e.clientX - box.left) * f.width / box.width, y: (e.clientY - box.top) * (f.height + f.top) / box.height - f.top };
  }

  /** @param {MouseEvent} e */
  #mouseDown(e) {
    e.preventDefault();
    this.focus();
    const at = this.place(e);
    if (!at || !BUTTONS[e.button]) return;
    this.buttons.add(e.button);
    if (this.mode === 'mark') this.#drawArea({ ...at, width: 0, height: 0 });
    else this.#send({ kind: 'move', ...at, modifiers: bits(e) }, { kind: 'down', ...at, button: BUTTONS[e.button], clicks: Math.min(e.detail || 1, 3), modifiers: bits(e) });
  }

  /** @param {MouseEvent} e */
  #mouseMove(e) {
    if (this.mode === 'off' || !this.buttons.size && e.target !== this.root) return;
    const at = this.place(e);
    if (!at) return;
    if (this.mode === 'act') this.#send({ kind: 'move', ...at, modifiers: bits(e) });
    else if (this.buttons.size && this.area) this.#drawArea({ ...this.area, width: at.x - this.area.x, height: at.y - this.area.y });
  }

  /** @param {MouseEvent} e */
  #mouseUp(e) {
    if (!this.buttons.delete(e.button)) return;
    e.preventDefault();
    const at = this.place(e);
    if (this.mode === 'mark') this.#mark();
    else if (at) this.#send({ kind: 'up', ...at, button: BUTTONS[e.button], modifiers: bits(e) });
  }

  /** @param {WheelEvent} e */
  #wheel(e) {
    if (this.mode !== 'act') return;
    e.preventDefault();
    const at = this.place(e), unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
    if (at) this.#send({ kind: 'wheel', ...at, deltaX: e.deltaX * unit, deltaY: e.deltaY * unit, modifiers: bits(e) });
  }

  /** @param {KeyboardEvent} e @param {'keydown' | 'keyup'} kind */
  #key(e, kind) {
    if (this.mode === 'mark') {
      if (kind === 'keydown') this.#moveMark(e);
      return;
    }
    if (e.key === 'Escape' && e.shiftKey) {
      e.preventDefault();
      if (kind === 'keydown') this.handlers.leave();
      return;
    }
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'v') return; // the paste event has the text
    e.preventDefault();
    if (kind === 'keydown') this.keys.set(e.code, e);
    else if (!this.keys.delete(e.code)) return;
    this.#send(keyEvent(e, kind));
  }

  #releaseKeys() {
    const held = [...this.keys.values()];
    this.keys.clear();
    if (held.length && this.mode === 'act') this.#send(...held.map((e) => keyEvent(e, 'keyup')));
  }

  /** @param {string} value */
  #text(value) {
    if (value && this.mode === 'act') this.#send({ kind: 'text', text: value.slice(0, 10000) });
  }

  /**
   * forwardTextOf sends what is entered into a field: an on-screen keyboard and an input method need one.
   * @param {HTMLInputElement} field
   */
  forwardTextOf(field) {
    let composes = false;
    const take = () => {
      if (composes) return;
      this.#text(field.value);
      field.value = '';
    };
    field.addEventListener('compositionstart', () => { composes = true; });
    field.addEventListener('compositionend', () => { composes = false; take(); });
    field.addEventListener('input', take);
    field.addEventListener('keydown', (e) => {
      if (composes || !['Enter', 'Backspace', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].includes(e.key)) return;
      e.preventDefault(); // of the page, not of this form
      const code = e.code || e.key; // on-screen keyboards send none
      if (this.mode === 'act') this.#send({ ...keyEvent(e, 'keydown'), code }, { ...keyEvent(e, 'keyup'), code });
    });
  }

  /** @param {PointerEvent} e */
  #touchDown(e) {
    if (e.pointerType === 'mouse' || this.touch) return;
    e.preventDefault(); // no mouse events
    this.root.setPointerCapture(e.pointerId);
    const at = { x: e.clientX, y: e.clientY };
    this.touch = { id: e.pointerId, at, last: at, swipes: false, timer: window.setTimeout(() => this.#longPress(), LONG_PRESS) };
    const place = this.place(e);
    if (this.mode === 'mark' && place) this.#drawArea({ ...place, width: 0, height: 0 });
  }

  #longPress() {
    const touch = this.touch;
    if (!touch || touch.swipes || this.mode !== 'act') return;
    this.touch = null;
    this.#click({ clientX: touch.at.x, clientY: touch.at.y }, 'right');
  }

  /** @param {PointerEvent} e */
  #touchMove(e) {
    const touch = this.touch;
    if (!touch || e.pointerId !== touch.id) return;
    const at = this.place(e);
    if (!at) return;
    if (this.mode === 'mark' && this.area) {
      this.#drawArea({ ...this.area, width: at.x - this.area.x, height: at.y - this.area.y });
      return;
    }
    touch.swipes ||= Math.hypot(e.clientX - touch.at.x, e.clientY - touch.at.y) > TAP_DISTANCE;
    if (!touch.swipes) return;
    const before = this.place({ clientX: touch.last.x, clientY: touch.last.y });
    touch.last = { x: e.clientX, y: e.clientY };
    if (before && this.mode === 'act') this.#send({ kind: 'wheel', ...at, deltaX: before.x - at.x, deltaY: before.y - at.y });
  }

  /** @param {PointerEvent} e */
  #touchUp(e) {
    const touch = this.touch;
    if (!touch || e.pointerId !== touch.id) return;
    clearTimeout(touch.timer);
    this.touch = null;
    if (this.mode === 'mark') this.#mark();
    else if (!touch.swipes) this.#click(e, 'left');
  }

  /** @param {{ clientX: number, clientY: number }} e @param {string} button */
  #click(e, button) {
    const at = this.place(e);
    if (at) this.#send({ kind: 'move', ...at }, { kind: 'down', ...at, button, clicks: 1 }, { kind: 'up', ...at, button });
  }

  /** @param {...InputEvent} events */
  #send(...events) {
    if (this.mode === 'act') this.handlers.input(events);
  }

  /** @param {KeyboardEvent} e */
  #moveMark(e) {
    const f = this.picture.frame;
    if (e.key === 'Escape') {
      e.preventDefault();
      this.handlers.leave();
      return;
    }
    const [dx, dy] = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[e.key] ?? [0, 0];
    if (!f || !dx && !dy && e.key !== 'Enter') return;
    e.preventDefault();
    const area = this.area ?? { x: f.width / 2 - 40, y: f.height / 2 - 20, width: 80, height: 40 };
    if (e.key === 'Enter') {
      this.area = area;
      this.#mark();
    } else if (e.shiftKey) this.#drawArea({ ...area, width: Math.max(1, area.width + dx), height: Math.max(1, area.height + dy) });
    else this.#drawArea({ ...area, x: area.x + dx, y: area.y + dy });
  }

  /** @param {Area} area */
  #drawArea(area) {
    this.area = area;
    const f = this.picture.frame;
    if (!f) return;
    const { x, y, width, height } = upright(area), all = f.height + f.top, style = this.outline.style;
    style.left = `${100 * x / f.width}%`;
    style.top = `${100 * (y + f.top) / all}%`;
    style.width = `${100 * width / f.width}%`;
    style.height = `${100 * height / all}%`;
    this.outline.hidden = false;
  }

  #mark() {
    if (!this.area) return;
    const area = upright(this.area);
    this.handlers.marked(area.width < 4 || area.height < 4 ? { ...area, width: 0, height: 0 } : area);
  }
}

/** upright turns an area that was drawn to the left or upwards. @param {Area} a */
const upright = ({ x, y, width, height }) => ({ x: Math.min(x, x + width), y: Math.min(y, y + height), width: Math.abs(width), height: Math.abs(height) });

/** bits are the modifiers of an event as the protocol has them. @param {MouseEvent | KeyboardEvent} e */
const bits = (e) => (e.altKey ? 1 : 0) | (e.ctrlKey ? 2 : 0) | (e.metaKey ? 4 : 0) | (e.shiftKey ? 8 : 0);

/** @param {KeyboardEvent} e @param {string} kind */
const keyEvent = (e, kind) => ({ kind, key: e.key, code: e.code, keyCode: e.keyCode, location: e.location, repeat: e.repeat, modifiers: bits(e) });
