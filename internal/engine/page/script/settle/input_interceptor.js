// The input interceptor: between the hit test and the input that the browser delivers, a page can
// move another element to the same point. The first event of the input shows its real hit target.
// If that is another element, the interceptor stops this event and all that follow before the page
// sees them.

import { ELEMENT, attached, closest, composedContains, isConnected, localName, matches, nodeType, ownerDocument, rootNode, textContent, tidy } from '../dom/dom.js';
import { frameMatrix } from '../dom/frames.js';
import { coveringElement, elementAt, isHitTarget, isInOtherControl } from '../dom/hit_test.js';
import { roleOf } from '../dom/role.js';
import { boxOf, isField, isVisible } from '../dom/state.js';
import { actionRecord, drain, generation } from './mutations.js';

const INTERCEPTED = {
  pointer: ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'dragstart'],
  keys: ['keydown', 'keypress', 'keyup', 'beforeinput'],
};

// An input that has not come after this time (ms) was cancelled, and later input comes from a
// person. On a busy machine an input can take seconds.
const INTERCEPT_LIFE = 15000;
const MAX_DELAY = 200;

/** @type {Interceptor | null} */
let interceptor = null;

// pressDelay returns the time (ms) from the interceptor to the press that it was for, as the last one took.
let lastDelay = 20;
export const pressDelay = () => lastDelay;

// interceptInput checks the next input of the kind; stopIntercepting ends that and returns another
// element that was hit. An input that arrived nowhere is no wrong target. With `own`, a control
// inside the element counts as another element: the click point lies beside all of them.
// through is an element around one that takes no pointer, which gets the input in its place.
/** @param {'pointer' | 'keys'} kind @param {El} el @param {boolean} [own] @param {El} [through] */
export function interceptInput(kind, el, own, through) {
  stopIntercepting();
  const views = readableWindows(window, []);
  /** @type {Interceptor} */
  const current = { kind, el, until: performance.now() + INTERCEPT_LIFE, onTarget: undefined, hit: null, through, certain: false, presses: pressCount(views), views, sent: performance.now(), off: () => {} };
  /** @param {InputEventOfPage} e */
  const intercept = (e) => {
    if (!e.isTrusted) return;
    if (performance.now() > current.until) { stopIntercepting(); return; }
    if (current.onTarget === undefined && e.type === 'keyup') return; // follows text that arrived nowhere
    if (kind === 'pointer' && isStray(current, e)) { suppress(e); return; }
    if (current.onTarget === undefined) {
      if (kind === 'pointer') lastDelay = Math.min(performance.now() - current.sent, MAX_DELAY);
      const hit = e.composedPath()[0] ?? /** @type {El} */ (e.target);
      current.onTarget = nodeType(hit) !== ELEMENT || isIntended(el, hit, e, through) && !(own && isInOtherControl(el, hit));
      if (!current.onTarget) current.hit = hit;
    }
    // The second press of a double click is checked again: the first may have moved or removed the target.
    if (e.type === 'pointerdown' && current.pressed) current.rejectPress = current.releaseMissed = !isIntended(el, e.composedPath()[0] ?? /** @type {El} */ (e.target), e, through);
    current.pressed ||= e.type === 'pointerdown';
    current.released ||= current.pressed && e.type !== 'pointerdown' && e.type !== 'mousedown';
    if (current.onTarget && !current.rejectPress && !checkRelease(current, e)) return;
    suppress(e);
  };
  for (const view of views) for (const type of INTERCEPTED[kind]) view.addEventListener(type, intercept, { capture: true });
  current.off = () => {
    for (const view of views) for (const type of INTERCEPTED[kind]) view.removeEventListener(type, intercept, { capture: true });
  };
  interceptor = current;
  return current;
}

/** @param {Event} e */
function suppress(e) {
  e.stopImmediatePropagation();
  if (e.cancelable) e.preventDefault();
}

// isStray reports a part of a press whose other part another document got: the browser sends an event to the frame that it
// last knew at the point, and learns late where a frame is drawn that was scrolled or turned. Around the frame of the
// element, an event on that frame was to go into it; inside, an event without a press follows one that did not come.
/** @param {Interceptor} current @param {InputEventOfPage} e */
function isStray(current, e) {
  if (current.around) {
    if (current.onTarget !== undefined || (e.composedPath()[0] ?? e.target) !== current.el) return false;
    if (e.type === 'pointerdown') current.pressLost = true;
    else if (!current.pressLost && actionRecord) actionRecord.releaseMissed = 'strayed';
    return true;
  }
  current.pressLost ||= current.onTarget === undefined && e.type !== 'pointerdown' && pressCount(current.views) === current.presses;
  return current.pressLost;
}

// pressCount counts the presses that the browser dispatched, also those that the page's own listeners
// stopped before the interceptor.
/** @param {Win[]} views */
const pressCount = (views) => views.reduce((sum, view) => sum + (view.performance.eventCounts.get('pointerdown') ?? 0), 0);

// readableWindows lists a window and all readable windows below it: a frame may cover the target,
// and its events do not leave it.
const MAX_FRAMES = 60;
/** @param {Window} view @param {Win[]} out */
export function readableWindows(view, out) {
  out.push(/** @type {Win} */ (view));
  for (let i = 0; i < view.length && out.length < MAX_FRAMES; i++) {
    try {
      if (view[i].document) readableWindows(view[i], out);
    } catch { /* a document of another origin */ }
  }
  return out;
}

// checkRelease detects that the button goes up over another element although the page has not
// changed since it went down, as when a hover menu closes and the content below it moves. No click
// results, so the action can be retried. It returns true for the click on the common ancestor,
// which must be stopped.
/** @param {Interceptor} current @param {InputEventOfPage} e */
function checkRelease(current, e) {
  drain();
  if (e.type === 'pointerdown') { current.generation = generation; current.place = boxOf(current.el); }
  if (e.type === 'pointerup') {
    const hit = e.composedPath()[0] ?? /** @type {El} */ (e.target);
    current.releaseMissed = nodeType(hit) === ELEMENT && !isIntended(current.el, hit, e, current.through) && !composedContains(current.el, hit);
    if (current.releaseMissed && (current.generation === generation || current.moving)) current.hit = hit;
  }
  return current.releaseMissed && e.type.endsWith('click');
}

// isIntended uses the point where the event names only the host of the element's shadow tree. Of another element
// around the target the point tells nothing: the press itself may have brought the target back under the pointer.
/** @param {El} el @param {El} hit @param {InputEventOfPage} e @param {El} [through] */
function isIntended(el, hit, e, through) {
  if (isHitTarget(el, hit) || through && isHitTarget(through, hit)) return true;
  if (!composedContains(hit, el)) return false;
  if (e.clientX === undefined || e.clientY === undefined) return hit !== ownerDocument(el).body;
  if (!isHostAround(hit, el)) return false;
  const at = frameMatrix(ownerDocument(hit)).transformPoint({ x: e.clientX, y: e.clientY }), found = elementAt(at.x, at.y);
  return !!found && found !== hit && isHitTarget(el, found);
}

// isHostAround reports that an element is in the shadow tree of a host.
/** @param {El} host @param {El} el */
function isHostAround(host, el) {
  for (let up = /** @type {El | null | undefined} */ (el); up; up = /** @type {Partial<El>} */ (/** @type {unknown} */ (rootNode(up))).host) if (up === host) return true;
  return false;
}

// isSuccessor reports that another element with the text of one that left the page stands in its place.
/** @param {Rect} place @param {El} left */
function isSuccessor(place, left) {
  const found = elementAt(place.x + place.width / 2, place.y + place.height / 2), now = found && controlAt(found);
  return !!now && localName(now) === localName(left) && tidy(textContent(now)) === tidy(textContent(left));
}

export function stopIntercepting() {
  const was = interceptor;
  interceptor = null;
  if (!was) return null;
  was.off();
  // An element that the press removed or hid has done its work on the press, and so has a field over
  // which the press opened a popup.
  if (was.releaseMissed && !was.hit && actionRecord && attached(was.el) && isVisible(was.el)) {
    const now = boxOf(was.el), moved = !was.place || Math.abs(now.left - was.place.left) > 2 || Math.abs(now.top - was.place.top) > 2;
    if (moved) actionRecord.releaseMissed = 'moved'; else if (!isField(localName(was.el), roleOf(was.el))) actionRecord.releaseMissed = 'covered';
  }
  if (was.releaseMissed && !was.hit && actionRecord && was.place && !attached(was.el) && isSuccessor(was.place, was.el)) actionRecord.releaseMissed = 'replaced';
  const arrived = was.onTarget !== undefined || was.kind === 'pointer' && pressCount(was.views) !== was.presses;
  if ((was.pressLost || !arrived && was.certain || isUnreleased(was)) && actionRecord) actionRecord.noInput = was;
  return was.hit && isConnected(was.hit) ? coveringElement(was.hit, was.el) : was.hit;
}

// isUnreleased reports a press in a frame of another process whose release another document got, and that changed nothing.
// The release of a select is that of its list.
/** @param {Interceptor} was */
function isUnreleased(was) {
  drain();
  return window !== window.top && was.pressed && !was.released && was.generation === generation && localName(was.el) !== 'select';
}

// controlAt returns the control that an element is part of, or the element itself.
/** @param {El} found */
export const controlAt = (found) => closest(found, 'a,button,input,select,textarea,label,summary,[role]') ?? found;

// followPress makes the element that the next press reaches the one that its action reports: the pointer's arrival may
// have brought another to the point.
/** @param {(el: El) => Described} describe */
export function followPress(describe) {
  const record = actionRecord, views = readableWindows(window, []), until = performance.now() + INTERCEPT_LIFE;
  /** @param {InputEventOfPage} e */
  const follow = (e) => {
    if (!e.isTrusted) return;
    for (const view of views) view.removeEventListener('pointerdown', follow, { capture: true });
    const hit = e.composedPath()[0];
    if (!record || record !== actionRecord || performance.now() > until || nodeType(hit) !== ELEMENT) return;
    const el = controlAt(hit);
    if (el === record.el) return;
    record.el = el;
    record.shownRole = undefined;
    record.pressed = describe(el);
  };
  for (const view of views) view.addEventListener('pointerdown', follow, { capture: true });
}

// expectHover notes whether a pointer that moves arrives at an element, or at one that takes the pointer for it.
const HOVERS = ['pointerover', 'pointermove', 'mouseover', 'mousemove'];
/** @param {El} el @param {El} [through] */
export function expectHover(el, through) {
  const record = actionRecord, views = readableWindows(window, []), until = performance.now() + INTERCEPT_LIFE;
  if (!record) return;
  /** @param {InputEventOfPage} e */
  const note = (e) => {
    const hit = e.composedPath()[0];
    if (e.isTrusted && nodeType(hit) === ELEMENT && isIntended(el, hit, e, through)) record.hovered = true;
    if (record.hovered || performance.now() > until) off();
  };
  const off = () => { for (const view of views) for (const type of HOVERS) view.removeEventListener(type, note, { capture: true }); };
  for (const view of views) for (const type of HOVERS) view.addEventListener(type, note, { capture: true, passive: true });
  record.hovered = false;
  record.endHover = off;
}

// hoverMissed reports that no pointer arrived at the element that was to be hovered. A pointer that was there already
// sends no event.
export function hoverMissed() {
  const was = actionRecord;
  if (was?.hovered !== false || !was.el || !attached(was.el)) return false;
  was.endHover?.();
  return !matches(was.el, ':hover') && ![...was.el.labels ?? []].some((l) => matches(l, ':hover'));
}
