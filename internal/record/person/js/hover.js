// Hover: which elements appeared because the pointer entered another one.

import { attached, composedContains, localName, nextElement, parentOf } from '../../../engine/page/script/dom/dom.js';
import { byPiercing } from '../../../engine/page/script/locate/query.js';
import { batchOf } from './scroll.js';
import { MAX_OUTER, identityOf, innermost, means } from './target.js';

const HOVERED = 'a,button,input,select,textarea,summary,li,[role],[tabindex],[onclick]';
const MAX_ELEMENTS = 8000; // a page with more is not looked at, which costs some milliseconds for each element that the pointer enters
const REVEAL_TIMES = [150, 400]; // ms after the pointer entered an element, in which its script shows others
const NEAR = 3; // levels above a hovered element whose style shows others

/** @type {Set<El> | null} */
let shown = null; // the visible elements at the latest sample; null when the page may have changed since
/** @type {El | null} */
let trail = null; // the element that the pointer is on
/** @type {WeakMap<El, El>} */
const revealedBy = new WeakMap(); // element → the element whose hover revealed it

function visibleSet() {
  if (document.getElementsByTagName('*').length > MAX_ELEMENTS) return null;
  return new Set(byPiercing(HOVERED).filter((el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true })));
}

// What another action changes is no effect of a hover.
export function forgetShown() {
  shown = null;
  setTimeout(() => { shown ??= visibleSet(); }, 0);
}

// noteRevealed notes what is visible now and was not before as revealed by the hover of el.
/** @param {El} el @param {boolean} near */
function noteRevealed(el, near) {
  const now = visibleSet();
  if (now && shown) for (const o of now) if (!shown.has(o) && !composedContains(o, el) && (!near || isNear(o, el))) revealedBy.set(o, el);
  shown = now;
}

/** @param {El} o @param {El} el */
function isNear(o, el) {
  for (let up = /** @type {El | null} */ (el), level = 0; up && level <= NEAR; up = parentOf(up), level++) {
    const next = nextElement(up);
    if (composedContains(up, o) || next && composedContains(next, o)) return localName(up) !== 'body';
  }
  return false;
}

/** @param {PersonEvent} e */
export function onPointerOver(e) {
  const el = innermost(e);
  if (!el || el === trail) return;
  const before = trail, now = before && shown ? visibleSet() : null;
  // What lies under the pointer and was not there, the element before has shown since.
  if (now) for (const o of now) if (before && shown && !shown.has(o) && composedContains(o, el) && !composedContains(o, before)) revealedBy.set(o, before);
  trail = el;
  noteRevealed(el, true); // by its style, which holds already
  const look = () => { if (trail === el && shown) noteRevealed(el, false); };
  requestAnimationFrame(look);
  for (const time of REVEAL_TIMES) setTimeout(look, time);
}

// hoveredFor returns the identities of the elements to hover before an element can be clicked, the outermost first.
/** @param {El} el */
export function hoveredFor(el) {
  /** @type {(Target | null)[]} */
  const out = [];
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) if (batchOf.has(up)) return out; // a scroll has added it
  for (let at = el, n = 0; at && n < 4; n++) {
    let by = null;
    for (let up = /** @type {El | null} */ (at), level = 0; up && !by && level < MAX_OUTER; up = parentOf(up), level++) by = revealedBy.get(up);
    if (!by || !attached(by)) break;
    const found = means(by);
    if (!found || found.el === el || composedContains(el, found.el)) break;
    out.unshift(identityOf(found));
    at = found.el;
  }
  return out.filter((o) => o !== null).map((o) => o.id);
}

for (const type of ['DOMContentLoaded', 'load']) window.addEventListener(type, forgetShown, { capture: true });
