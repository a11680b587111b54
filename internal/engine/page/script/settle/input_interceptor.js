// The input interceptor: between the hit test and the input that the browser delivers, a page can
// move another element to the same point. The first event of the input shows its real hit target.
// If that is another element, the interceptor stops this event and all that follow before the page
// sees them.

import { ELEMENT, attached, composedContains, isConnected, localName, nodeType, ownerDocument } from '../dom/dom.js';
import { frameOffset } from '../dom/frames.js';
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

/** @type {Interceptor | null} */
let interceptor = null;

// interceptInput checks the next input of the kind; stopIntercepting ends that and returns another
// element that was hit. An input that arrived nowhere is no wrong target. With `own`, a control
// inside the element counts as another element: the click point lies beside all of them.
/** @param {'pointer' | 'keys'} kind @param {El} el @param {boolean} [own] */
export function interceptInput(kind, el, own) {
  stopIntercepting();
  const views = readableWindows(window, []);
  /** @type {Interceptor} */
  const current = { kind, el, until: performance.now() + INTERCEPT_LIFE, onTarget: undefined, hit: null, certain: false, presses: pressCount(views), views, off: () => {} };
  /** @param {InputEventOfPage} e */
  const intercept = (e) => {
    if (!e.isTrusted) return;
    if (performance.now() > current.until) { stopIntercepting(); return; }
    if (current.onTarget === undefined && e.type === 'keyup') return; // follows text that arrived nowhere
    if (current.onTarget === undefined) {
      const hit = e.composedPath()[0] ?? /** @type {El} */ (e.target);
      current.onTarget = nodeType(hit) !== ELEMENT || isIntended(el, hit, e) && !(own && isInOtherControl(el, hit));
      if (!current.onTarget) current.hit = hit;
    }
    // The second press of a double click is checked again: the first may have moved or removed the target.
    if (e.type === 'pointerdown' && current.pressed) current.rejectPress = current.releaseMissed = !isIntended(el, e.composedPath()[0] ?? /** @type {El} */ (e.target), e);
    current.pressed ||= e.type === 'pointerdown';
    if (current.onTarget && !current.rejectPress && !checkRelease(current, e)) return;
    e.stopImmediatePropagation();
    if (e.cancelable) e.preventDefault();
  };
  for (const view of views) for (const type of INTERCEPTED[kind]) view.addEventListener(type, intercept, { capture: true });
  current.off = () => {
    for (const view of views) for (const type of INTERCEPTED[kind]) view.removeEventListener(type, intercept, { capture: true });
  };
  interceptor = current;
  return current;
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
    current.releaseMissed = nodeType(hit) === ELEMENT && !isIntended(current.el, hit, e) && !composedContains(current.el, hit);
    if (current.releaseMissed && current.generation === generation) current.hit = hit;
  }
  return current.releaseMissed && e.type.endsWith('click');
}

// isIntended uses the point where the event names only the host of a closed tree.
/** @param {El} el @param {El} hit @param {InputEventOfPage} e */
function isIntended(el, hit, e) {
  if (isHitTarget(el, hit)) return true;
  if (!composedContains(hit, el)) return false;
  if (e.clientX === undefined || e.clientY === undefined) return hit !== ownerDocument(el).body;
  const off = frameOffset(ownerDocument(hit));
  const found = elementAt(e.clientX * off.scale + off.x, e.clientY * off.scale + off.y);
  return !!found && found !== hit && isHitTarget(el, found);
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
  const arrived = was.onTarget !== undefined || was.kind === 'pointer' && pressCount(was.views) !== was.presses;
  if (!arrived && was.certain && actionRecord) actionRecord.noInput = was;
  return was.hit && isConnected(was.hit) ? coveringElement(was.hit, was.el) : was.hit;
}
