// Actionability: an element is ready for the pointer when it is attached, visible, enabled, stable
// and in view, and a hit test at the point finds the element itself.

import {
  ELEMENT, TEXT, attached, clientRects, composedContains, eachChild, frameElementOf, localName, matches, nodeType, nodeValue,
  ownerDocument, parentOf, rectOf, scrollIntoView, textContent, tidy,
} from '../dom/dom.js';
import { drawnEditor } from '../dom/drawn_editor.js';
import { EngineError } from '../dom/error.js';
import { IN_SPACE, frameKeyOf, frameMatrix, frameOffset, isDrawnInSpace, isRemoteFrame } from '../dom/frames.js';
import {
  coveringElement, drawnAround, elementAt, isControl, isHitTarget, isInOtherControl, textRects,
} from '../dom/hit_test.js';
import { areaPoints } from '../dom/image_map.js';
import { playButton, playerPressed } from '../dom/player.js';
import { CLIPPED_TO_NOTHING, paintsNothing } from '../dom/scan.js';
import {
  boxOf, boxesOf, hasArea, hiddenReason, inertReason, isDisabled, isDisguised, isOptionsInput, isVisible,
} from '../dom/state.js';
import { frame } from '../dom/timers.js';
import { boxed, bringIntoView, isHuge, visiblePart } from '../dom/viewport.js';
import { describe, entries, resolve } from '../document/registry.js';
import { leadOf } from './aim_ahead.js';
import { controlAt, expectHover, followPress, interceptInput } from '../settle/input_interceptor.js';
import { actionCount, beginRecord, countAction, drain, lastChange } from '../settle/mutations.js';
import { expectToggle } from '../settle/read_back.js';
import { isAtRest } from '../settle/rest.js';

const STILL_TIME = 40; // ms: longer than two frames, the time in which a moving box would have shown it.

// LEAST_PATIENCE (ms) is for what a script does next without a timer, as after a message.
export const LEAST_PATIENCE = 100;

// waitActionable waits until the element is ready and returns the point. On a page at rest the
// first refusal is final.
/** @param {{ n: number, limit: number, enabled: boolean, press: boolean, hover: boolean, toggle: boolean, through: boolean, ahead: boolean }} o */
export async function waitActionable({ n, limit, enabled, press, hover, toggle, through, ahead }) {
  const el = resolve(n);
  const shownRole = entries.get(n)?.role;
  const begun = performance.now(), until = begun + limit;
  const state = { box: null, scrolled: false, edges: 0, through, ahead };
  const action = countAction();
  /** @type {Reach} */
  let why;
  for (;;) {
    resolve(n);
    why = await checkActionable(el, state, enabled);
    if (action !== actionCount) throw new EngineError('internal', { reason: 'another action began meanwhile' });
    if (why.point) break;
    const rest = !why.passing && performance.now() - begun > LEAST_PATIENCE && isAtRest();
    if (rest || performance.now() > until) throw new EngineError('notActionable', { reason: why.reason, cause: why.cause, covering: why.covering && describe(why.covering), rest });
    await frame();
  }
  beginRecord(el, shownRole);
  if (press) playerPressed(el);
  if (toggle) expectToggle(el);
  if (press) Object.assign(interceptInput('pointer', el, why.own, why.through), { certain: !why.uncertain, moving: why.moving });
  else if (hover && !why.uncertain) expectHover(el, why.through);
  return { ...why.point, element: describe(el, shownRole) };
}

/** @param {El} el @param {PointerState} state @param {boolean} enabled @returns {Promise<Reach>} */
async function checkActionable(el, state, enabled) {
  const aimed = pointerTarget(el);
  const hidden = hiddenReason(aimed) || inertReason(el);
  if (hidden) return { reason: hidden };
  if (ownerDocument(el) !== document && isDrawnInSpace(frameElementOf(ownerDocument(el)))) return { reason: IN_SPACE };
  if (enabled && isDisabled(el)) return { reason: 'it is disabled', cause: 'disabled' };
  if (!state.scrolled && bringIntoView(aimed)) { state.scrolled = true; state.box = null; }
  const moving = await isMoving(aimed, state);
  if (moving && !state.ahead) return { reason: 'it keeps moving; moving: true has a click hit where it will be', cause: 'moving', passing: true };
  const lead = moving ? await leadOf(aimed) : { x: 0, y: 0 };
  if (!lead) return { reason: 'it keeps moving', passing: true };
  const found = hitPoint(el, aimed, state.through);
  if (moving) return { ...ahead(found, lead), passing: true, moving };
  if (!found.point && state.edges < EDGES.length) {
    // Sticky content may cover it at this edge: try the others.
    scrollIntoView(boxed(aimed), { block: EDGES[state.edges++], inline: 'nearest', behavior: 'instant' });
    state.box = null;
    found.passing = true;
  }
  return found;
}

// ahead moves the point of an element to where it will be. A place outside of the viewport cannot be pressed.
/** @param {Reach} found @param {Point} lead @returns {Reach} */
function ahead(found, lead) {
  const x = (found.point?.x ?? -1) + lead.x, y = (found.point?.y ?? -1) + lead.y;
  if (!found.point) return found;
  return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight ? { reason: 'it moves out of the viewport' } : { ...found, point: { x, y } };
}

/** @type {ScrollLogicalPosition[]} */
export const EDGES = ['end', 'start', 'center'];

// pointerTarget returns the label of a control that is drawn by its label.
/** @param {El} el */
function pointerTarget(el) {
  const editor = drawnEditor(el);
  if (editor) return editor;
  if (isOptionsInput(el) && (rectOf(el).width < 8 || rectOf(el).right + scrollX <= 0)) return drawnAround(el);
  if (!isDisguised(el) || localName(el) === 'select' || !el.labels || !el.labels.length) return el;
  const r = rectOf(el), cs = getComputedStyle(el);
  if (r.width > 1 && r.height > 1 && !hiddenReason(el) && !CLIPPED_TO_NOTHING.test(cs.clip)) return el;
  return [...el.labels].find(isVisible) ?? el;
}

// isMoving compares boxes over two frames, unless the page is known to be stable: no mutation, no
// scroll and no running animation for STILL_TIME.
/** @param {El} el @param {PointerState} state */
async function isMoving(el, state) {
  drain();
  const still = performance.now() - lastChange > STILL_TIME && ownerDocument(el) === document &&
    document.readyState !== 'loading' && !isAnimated(el);
  if (still) return false;
  let before = state.box ?? boxOf(el);
  for (let frames = 0, late = 0; frames < 2; frames++) {
    // On a busy machine a frame is late, and nothing moves before it.
    while (!await frame() && !document.hidden && late < LATE_FRAMES) late++;
    if (!attached(el)) return true;
    const now = boxOf(el);
    state.box = now;
    if (!sameBox(before, now)) return true;
    before = now;
  }
  return false;
}

// How often a frame of a visible tab is awaited again (60 ms each).
const LATE_FRAMES = 8;

/** @param {Rect} a @param {Rect} b */
const sameBox = (a, b) => Math.abs(a.x - b.x) < 0.5 && Math.abs(a.y - b.y) < 0.5 &&
  Math.abs(a.width - b.width) < 0.5 && Math.abs(a.height - b.height) < 0.5;

const MOVERS = new Set(['transform', 'translate', 'scale', 'rotate', 'left', 'right', 'top', 'bottom', 'width', 'height', 'inset',
  'margin', 'marginTop', 'marginLeft', 'marginRight', 'marginBottom', 'maxHeight', 'padding', 'offsetDistance']);

// isAnimated reports an animation on the element or an ancestor that can move boxes.
/** @param {El} el */
function isAnimated(el) {
  const running = document.getAnimations().filter((a) => a.playState === 'running');
  return running.some((a) => {
    const effect = /** @type {KeyframeEffect | null} */ (a.effect), target = effect?.target;
    if (!target || !composedContains(/** @type {El} */ (target), el)) return false;
    return effect.getKeyframes().some((k) => Object.keys(k).some((p) => MOVERS.has(p)));
  });
}

// hitPoint picks a point of the element that the pointer reaches: the centre, else one of four
// points around it, else a point of its own content or at its edge. A point in a nested control is
// the last choice: a tree row contains the rows below it.
// With around, an element around one that takes no pointer is taken for it.
/** @param {El} el @param {El} aimed @param {boolean} around @returns {Reach} */
function hitPoint(el, aimed, around) {
  const toView = frameMatrix(ownerDocument(aimed));
  /** @type {El | null} */ let cover = null;
  /** @type {Point | null} */ let within = null;
  /** @type {Reach | null} */ let through = null;
  for (const p of clickPoints(el, aimed, () => within !== null || cover !== null)) {
    const { x, y } = toView.transformPoint(p);
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const found = elementAt(x, y);
    if (found && around && (takesFor(found, el) || isHitArea(found, el))) through ??= { point: { x, y }, through: found, uncertain: true };
    else if (!found || !isHitTarget(el, found)) cover ??= found;
    else if (isInOtherControl(el, found)) within ??= { x, y };
    else return { point: { x, y }, own: true, uncertain: isRemoteFrame(found) };
  }
  if (within) return { point: within, uncertain: true };
  if (through) return through;
  if (!cover) return { reason: 'it is outside of the viewport' };
  return { reason: 'another element covers it', covering: coveringElement(cover, el) };
}

// takesFor reports that an element takes the pointer for one in it that takes none, as the frame of a field does.
/** @param {El} found @param {El} el */
const takesFor = (found, el) => composedContains(found, el) && found !== el && getComputedStyle(el).pointerEvents === 'none' &&
  !matches(found, 'html,body,form,main,[role=dialog]') && rectOf(found).height <= 4 * Math.max(rectOf(el).height, 16);

// isHitArea reports an element that draws nothing over a text beside it, so that a press on the text reaches it.
/** @param {El} found @param {El} el */
function isHitArea(found, el) {
  const around = parentOf(found);
  if (isControl(el) || !around || !composedContains(around, el) || matches(around, 'svg,html,body,form,main,[role=dialog]')) return false;
  return !tidy(textContent(found)) && !found.childElementCount && paintsNothing(found);
}

// clickPoints yields points in the viewport of the element's own document. Points of the content
// are computed on demand.
const MAX_OWN_NODES = 60, EDGE = 3;
/** @param {El} el @param {El} aimed @param {() => boolean} needed */
export function* clickPoints(el, aimed, needed) {
  /** @param {DOMRect} r @param {number} fx @param {number} fy */
  const middle = (r, fx, fy) => ({ x: r.left + r.width * fx, y: r.top + r.height * fy });
  const off = frameOffset(ownerDocument(aimed));
  const rects = boxesOf(aimed);
  const whole = rects.find((c) => c.bottom * off.scale + off.y > 0 && c.top * off.scale + off.y < innerHeight) ?? rects[0] ?? boxOf(aimed);
  const r = isHuge(whole) ? visiblePart(aimed, whole) : whole;
  const button = playButton(aimed, r);
  if (button) yield button;
  if (localName(aimed) === 'area') yield* areaPoints(r);
  for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75]]) yield middle(r, fx, fy);
  const todo = needed() ? [aimed] : [];
  for (let looked = 0; looked < todo.length && looked < MAX_OWN_NODES; looked++) {
    const node = todo[looked], isText = nodeType(node) === TEXT;
    if (!isText && nodeType(node) !== ELEMENT || node !== aimed && !isText && isControl(node) || isText && !/\S/.test(nodeValue(node))) continue;
    if (!isText) eachChild(node, (n) => { if (todo.length < MAX_OWN_NODES) todo.push(n); });
    if (node !== aimed) for (const c of isText ? textRects(node) : clientRects(node)) if (hasArea(c)) yield middle(c, 0.5, 0.5);
  }
  if (!needed()) return;
  const dx = EDGE / Math.max(r.width, 2 * EDGE), dy = EDGE / Math.max(r.height, 2 * EDGE);
  for (const [fx, fy] of [[0.5, dy], [0.5, 1 - dy], [dx, 0.5], [1 - dx, 0.5], [dx, dy], [1 - dx, dy], [dx, 1 - dy], [1 - dx, 1 - dy]]) yield middle(r, fx, fy);
}

// elementAtPoint returns the element at a point, so that an effect can name it.
/** @param {{ x?: number, y?: number, press?: boolean }} o */
export function elementAtPoint({ x = innerWidth / 2, y = innerHeight / 2, press }) {
  if (window === window.top && (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight)) {
    throw new EngineError('outsideViewport', { x, y, width: innerWidth, height: innerHeight });
  }
  const found = elementAt(x, y);
  const el = found && controlAt(found);
  beginRecord(el, undefined);
  if (press) followPress(describe);
  return { x, y, element: el ? describe(el) : null, frameKey: found && isRemoteFrame(found) ? frameKeyOf(found) : 0 };
}

// wheelMoved reports what the last wheel event scrolled, how far, and where that is now. Where something can
// scroll, it waits: the browser scrolls beside the page's scripts, and smoothly.
const MAX_WHEEL_DELAY = 500; // ms
/** @type {[Element, number, number][]} */
let wheelChain = [];
let wheelOnCanvas = false;
/** @param {{ x: number, y: number }} o */
export async function wheelMoved({ x, y }) {
  const moved = () => wheelChain.find(([el, left, top]) => el.scrollLeft !== left || el.scrollTop !== top);
  /** @param {number} at @param {number} most @param {number} by */
  const room = (at, most, by) => by < 0 ? at > 0.5 : by > 0 && at < most - 0.5;
  const able = wheelChain.some(([el]) => room(el.scrollLeft, el.scrollWidth - el.clientWidth, x) || room(el.scrollTop, el.scrollHeight - el.clientHeight, y));
  const until = performance.now() + MAX_WHEEL_DELAY;
  while (able && !moved() && performance.now() < until) await frame();
  const found = moved();
  if (!found) return { moved: false, canvas: wheelOnCanvas };
  const [el, left, top] = found;
  for (let was = NaN; was !== el.scrollTop + el.scrollLeft && performance.now() < until;) {
    was = el.scrollTop + el.scrollLeft;
    await frame();
  }
  const sideways = Math.abs(el.scrollLeft - left) > Math.abs(el.scrollTop - top);
  return {
    moved: true, sideways, by: Math.round(sideways ? el.scrollLeft - left : el.scrollTop - top),
    at: Math.round(sideways ? el.scrollLeft : el.scrollTop), of: sideways ? el.scrollWidth : el.scrollHeight,
  };
}

// wheelStep returns how far one wheel event may scroll here: the browser limits it to seven eighths
// of the scroll container.
/** @param {{ x: number, y: number }} o */
export function wheelStep({ x, y }) {
  wheelChain = [];
  wheelOnCanvas = document.elementsFromPoint(x, y).some((el) => localName(el) === 'canvas');
  for (let up = elementAt(x, y); up; up = parentOf(up)) wheelChain.push([up, up.scrollLeft, up.scrollTop]);
  const page = document.scrollingElement;
  if (page) wheelChain.push([page, page.scrollLeft, page.scrollTop]);
  for (let up = elementAt(x, y); up; up = parentOf(up)) {
    const cs = getComputedStyle(up);
    const scrolls = /auto|scroll/.test(cs.overflowY) && up.scrollHeight > up.clientHeight ||
      /auto|scroll/.test(cs.overflowX) && up.scrollWidth > up.clientWidth;
    if (scrolls) return { x: 0.8 * up.clientWidth, y: 0.8 * up.clientHeight };
  }
  return { x: 0.8 * innerWidth, y: 0.8 * innerHeight };
}

/** @param {{ n: number }} o */
export function reveal({ n }) {
  const el = resolve(n);
  beginRecord(el, entries.get(n)?.role);
  const before = rectOf(el);
  scrollIntoView(el, { block: 'center', inline: 'nearest', behavior: 'instant' });
  const after = rectOf(el);
  return { element: describe(el, entries.get(n)?.role), moved: before.left !== after.left || before.top !== after.top };
}
