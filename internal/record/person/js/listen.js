// Listen: hears what a person does, before the page does.

import { roleAndName } from '../../../engine/page/script/document/registry.js';
import { ELEMENT, composedContains, localName, parentOf } from '../../../engine/page/script/dom/dom.js';
import { isSliderHandle } from '../../../engine/page/script/dom/drawn_slider.js';
import { isControl } from '../../../engine/page/script/dom/hit_test.js';
import { roleOf } from '../../../engine/page/script/dom/role.js';
import { Candidate, allCandidates } from '../../../engine/page/script/locate/identity.js';
import { forgetShown, hoveredFor, onPointerOver } from './hover.js';
import { noteScroll, scrollsFor } from './scroll.js';
import { HOST, describeElement, editingHost, fieldKind, fieldValue, holdsSecret, identityOf, innermost, isCompleted, isOurs } from './target.js';

const report = globalThis.callsheetPerson;
/** @param {string} kind @param {object} data */
export const send = (kind, data) => {
  try { report(JSON.stringify({ kind, ...data })); } catch { /* the recorder has gone */ }
};
export const ended = new AbortController(); // ends every listener
/** @param {string} type @param {(e: PersonEvent) => void} fn */
export const hear = (type, fn) => window.addEventListener(type, (e) => { if (e.isTrusted && !isOurs(e)) fn(/** @type {PersonEvent} */ (e)); }, { capture: true, signal: ended.signal });

/** @param {KeyPress} e */
const modifiersOf = (e) => [['Control', e.ctrlKey], ['Alt', e.altKey], ['Shift', e.shiftKey], ['Meta', e.metaKey]].filter(([, on]) => on).map(([name]) => name);

// Clicks.

/** @type {Press | null} */
let press = null; // the latest press of a button
let submitting = false; // Enter is held in a field, and the browser may click a button for it

hear('mousedown', (e) => {
  const el = innermost(e);
  press = { el, x: e.clientX, y: e.clientY, button: e.button, target: e.button === 0 && el ? describeElement(el) : null, native: false };
});

/** @param {PersonEvent} e */
function onClick(e) {
  const el = innermost(e);
  if (!el || e.button !== 0 || e.detail === 0 && submitting) return;
  if (press?.moved) { press = null; return; }
  const label = labelAround(el);
  if (label) return; // the browser clicks its control next
  if (localName(el) === 'option' || localName(el) === 'select' || localName(el) === 'input' && el.type === 'file') return;
  const hovered = hoveredFor(el);
  const field = editingHost(el), kind = fieldKind(field);
  const found = kind && field ? identityOf(candidateOf(field)) : press?.el === el && press.target || describeElement(el);
  forgetShown();
  if (found) send('click', { target: found.id, n: found.n, field: kind, count: e.detail, hovered, modifiers: modifiersOf(e), scrolls: scrollsFor(el) });
}
hear('click', onClick);

/** @param {El} el */
const candidateOf = (el) => allCandidates().find((o) => o.el === el) ?? new Candidate(el, roleAndName(el).role);

/** @param {El} el @returns {El | null} */
function labelAround(el) {
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) {
    if (localName(up) === 'label') return up.control && up.control !== el ? up : null;
    if (isControl(up)) return null;
  }
  return null;
}

hear('auxclick', (e) => {
  if (e.button !== 1) return;
  const found = describeElement(innermost(e));
  if (found) send('click', { target: found.id, n: found.n, field: '', count: 1, button: 'middle', hovered: [], modifiers: [] });
});

// A file input that a script clicks opens a chooser for the click before.
window.addEventListener('click', (e) => {
  const el = e.composedPath()[0];
  if (!e.isTrusted && el.nodeType === ELEMENT && localName(el) === 'input' && el.type === 'file') send('chooser', {});
}, { capture: true, signal: ended.signal });

// Fields.

const begun = new WeakMap(); // field → its identity and value before the person changed it
/** @param {El} el */
function beginField(el) {
  const known = begun.get(el);
  if (known) return known;
  const now = { ...identityOf(candidateOf(el)), before: fieldKind(el) === 'text' ? String(fieldValue(el)).trim() : '' };
  begun.set(el, now);
  return now;
}

hear('focusin', (e) => { const el = editingHost(innermost(e)); if (el && fieldKind(el)) holdsSecret(el); });
hear('beforeinput', (e) => { const el = editingHost(innermost(e)); if (el && fieldKind(el) === 'text') beginField(el); });
hear('focusout', (e) => { const el = editingHost(innermost(e)); if (el) begun.delete(el); });

/** @param {El} el */
function sendField(el) {
  const { id, n, before } = beginField(el), value = fieldValue(el);
  forgetShown();
  send('field', { scrolls: scrollsFor(el), target: id, n, field: fieldKind(el), secret: holdsSecret(el), completed: isCompleted(el) && before === '', value });
}
hear('input', (e) => { const el = editingHost(innermost(e)); const kind = fieldKind(el); if (el && (kind === 'text' || kind === 'chosen')) sendField(el); });
hear('change', (e) => { const el = innermost(e); const kind = fieldKind(el); if (el && ['toggle', 'select', 'file', 'chosen'].includes(kind)) { sendField(el); begun.delete(el); } });

// Keys.

const EDITING = new Set(['a', 'c', 'v', 'x', 'y', 'z']), BROWSER = new Set(['f', 'l', 'n', 'p', 'r', 't', 'w', '+', '-', '0', 'Tab', 'PageUp', 'PageDown']);
const MOVING = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown']);
const NAMES = new Map([[' ', 'Space']]);

/** @param {KeyPress} e @param {El | null} el */
function sendKey(e, el) {
  const at = el && localName(el) !== 'body' && localName(el) !== 'html' ? describeElement(el) : null;
  forgetShown();
  const keys = [...modifiersOf(e).filter((name) => name !== 'Shift' || e.key.length > 1), NAMES.get(e.key) ?? e.key];
  send('key', { target: at?.id, n: at?.n ?? 0, keys: keys.join('+') });
}

hear('keydown', (e) => {
  if (e.isComposing || ['Control', 'Shift', 'Alt', 'Meta', 'CapsLock', 'Dead', 'Process', 'Unidentified'].includes(e.key)) return;
  const el = editingHost(innermost(e)), kind = fieldKind(el), chord = e.ctrlKey || e.metaKey || e.altKey;
  if (e.key === 'Enter' && kind === 'text' && el && localName(el) === 'input') { submitting = true; return sendKey(e, el); }
  if (e.key === 'Escape') return sendKey(e, el);
  if (chord) {
    if (!EDITING.has(e.key.toLowerCase()) && !BROWSER.has(e.key) && !(e.altKey && MOVING.has(e.key)) && !(kind === 'text' && MOVING.has(e.key)) && !['Backspace', 'Delete'].includes(e.key)) sendKey(e, el);
    return;
  }
  if (e.key === 'Tab') return;
  if (kind === 'text') {
    if (e.key === 'Enter' || el && isCompleted(el) && MOVING.has(e.key)) whenPrevented(e, el);
    return;
  }
  if (kind || el && localName(el) === 'option') return;
  const plain = !el || localName(el) === 'body' || localName(el) === 'html';
  if (plain ? MOVING.has(e.key) || e.key === ' ' : ['Enter', ' '].includes(e.key) && clicksItself(el)) return;
  if (e.key.length === 1 || e.key === 'Enter' || MOVING.has(e.key) || /^F([2-46-9]|10)$|^Delete$|^Backspace$/.test(e.key)) whenPrevented(e, el, e.key === 'Enter' || !plain);
});
hear('keyup', (e) => { if (e.key === 'Enter') submitting = false; });

// clicksItself reports an element that the browser clicks for Enter or Space.
/** @param {El} el */
const clicksItself = (el) => ['button', 'a', 'summary', 'input', 'select', 'option'].includes(localName(el));

// whenPrevented sends a key that the page took for itself, or any.
/** @param {PersonEvent} e @param {El | null} el @param {boolean} [always] */
function whenPrevented(e, el, always = false) {
  if (always) return sendKey(e, el);
  const copy = { key: e.key, ctrlKey: e.ctrlKey, altKey: e.altKey, shiftKey: e.shiftKey, metaKey: e.metaKey };
  const at = el && localName(el) !== 'body' && localName(el) !== 'html' ? el : null;
  queueMicrotask(() => setTimeout(() => { if (e.defaultPrevented) sendKey(copy, at); }, 0));
}

// Drags.

const MIN_DRAG = 10; // CSS pixels
/** @type {Target | null} */
let dragged = null;

hear('dragstart', (e) => { if (press) press.native = true; dragged = press?.target ?? describeElement(innermost(e)); });
hear('drop', (e) => {
  const to = describeElement(innermost(e));
  if (dragged && to) send('drag', { target: dragged.id, to: to.id });
  dragged = null;
  forgetShown();
});
hear('dragend', () => { dragged = null; });

hear('mouseup', (e) => {
  if (press) press.released = true;
  if (!press || press.native || press.button !== 0 || e.button !== 0 || fieldKind(editingHost(press.el))) return;
  const dx = e.clientX - press.x, dy = e.clientY - press.y;
  if (Math.hypot(dx, dy) < MIN_DRAG || !getSelection()?.isCollapsed || press.x >= document.documentElement.clientWidth || !press.target) return;
  press.moved = true;
  const source = /** @type {El} */ (press.el);
  const below = document.elementsFromPoint(e.clientX, e.clientY).find((o) => !composedContains(source, o) && !composedContains(o, source) && localName(o) !== HOST);
  const to = below && !sliderAround(source) ? describeElement(below) : null;
  send('drag', { target: press.target.id, to: to?.id, offset: [Math.round(dx), Math.round(dy)] });
  forgetShown();
});

/** @param {El} el */
function sliderAround(el) {
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) if (roleOf(up) === 'slider' || isSliderHandle(up)) return true;
  return false;
}

// Pointer, wheel and history.

for (const type of ['wheel', 'touchmove']) hear(type, noteScroll);
hear('scroll', () => { if (press && !press.released) noteScroll(); }); // by the scroll bar
hear('keydown', (e) => { if (MOVING.has(e.key) || e.key === ' ') noteScroll(); });

hear('mouseover', onPointerOver);
if (window === window.top && globalThis.navigation) {
  navigation.addEventListener('navigate', (e) => {
    const from = navigation.currentEntry?.index ?? -1, to = e.destination.index;
    send('navigate', { type: e.navigationType, byPerson: e.userInitiated, delta: e.navigationType === 'traverse' && from >= 0 && to >= 0 ? to - from : 0 });
  }, { signal: ended.signal });
}
