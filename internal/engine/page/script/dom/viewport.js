// What the viewport and the scroll containers show of an element.

import { localName, ownerDocument, parentOf, rectOf, scrollIntoView } from './dom.js';
import { frameOffset } from './frames.js';
import { boxOf, hasArea, isBoxless } from './state.js';

/** @param {El} el */
export function bringIntoView(el) {
  const r = boxOf(el), off = frameOffset(ownerDocument(el));
  const inTop = r.top * off.scale + off.y >= 0 && r.left * off.scale + off.x >= 0 &&
    r.bottom * off.scale + off.y <= innerHeight && r.right * off.scale + off.x <= innerWidth;
  if (inTop && !scrolledAway(el, r)) return false;
  if (isHuge(r) && hasArea(visiblePart(el, r))) return false;
  scrollIntoView(boxed(el), { block: 'center', inline: 'center', behavior: 'instant' });
  return true;
}

// boxed returns the element, or the nearest around it with a box, as one without a box is not scrolled to.
/** @param {El} el */
export function boxed(el) {
  while (isBoxless(el)) el = /** @type {El} */ (parentOf(el));
  return el;
}

// isHuge reports a box that no viewport shows as a whole, as of a layer in a code editor.
/** @param {Size} r */
export const isHuge = (r) => r.width > 2 * innerWidth || r.height > 2 * innerHeight;

// visiblePart returns what the scroll containers and the viewport of its document show of a box.
/** @param {El} el @param {DOMRect} r */
export function visiblePart(el, r) {
  const view = ownerDocument(el).defaultView;
  let left = Math.max(r.left, 0), top = Math.max(r.top, 0), right = Math.min(r.right, view.innerWidth), bottom = Math.min(r.bottom, view.innerHeight);
  for (let up = parentOf(el); up && ownerDocument(up) === ownerDocument(el); up = parentOf(up)) {
    if (getComputedStyle(up).overflowX === 'visible' || localName(up) === 'body') continue;
    const u = rectOf(up);
    left = Math.max(left, u.left); top = Math.max(top, u.top);
    right = Math.min(right, u.right); bottom = Math.min(bottom, u.bottom);
  }
  return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
}

// scrolledAway reports that a scroll container or a frame does not show the centre.
/** @param {El} el @param {{ left: number, top: number } & Size} r */
export function scrolledAway(el, r) {
  const x = r.left + r.width / 2, y = r.top + r.height / 2;
  const doc = ownerDocument(el);
  if (doc !== document && (x < 0 || y < 0 || x > doc.defaultView.innerWidth || y > doc.defaultView.innerHeight)) return true;
  for (let up = parentOf(el); up && ownerDocument(up) === doc; up = parentOf(up)) {
    if (getComputedStyle(up).overflowY === 'visible') continue;
    const u = rectOf(up);
    if (x < u.left || x > u.right || y < u.top || y > u.bottom) return true;
  }
  return false;
}
