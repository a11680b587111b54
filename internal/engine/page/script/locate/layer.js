// Layers: dialogs and popovers on top of the page, and what they cover.

import { closest, composedContains, hasAttr, matches, ownerDocument, parentOf, queryAll } from '../dom/dom.js';
import { elementAt, isHitTarget } from '../dom/hit_test.js';
import { isFloating } from '../dom/popup.js';
import { roleOf } from '../dom/role.js';
import { paintOf } from '../dom/scan.js';
import { hasArea, isVisible, topBox } from '../dom/state.js';

const OVERLAY = ':modal,:popover-open,[aria-modal=true]';

/** @param {El} el */
function isOverlay(el) {
  if (matches(el, OVERLAY)) return true;
  const role = roleOf(el);
  return (role === 'dialog' || role === 'alertdialog') && isFloating(el);
}

/** @param {El} el */
function overlayOf(el) {
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) if (isOverlay(up)) return up;
  return null;
}

// layerOf ranks where an element is: 2 in a dialog or popover on top, 1 in the page, 0 behind another layer.
/** @param {El} el */
export function layerOf(el) {
  const overlay = overlayOf(el);
  if (isCovered(el)) return 0;
  if (overlay) return 2;
  return paintOf(ownerDocument(el), visibleModals).some((modal) => !composedContains(modal, el)) ? 0 : 1;
}

/** @param {Doc} doc */
const visibleModals = (doc) => [...queryAll(doc, ':modal,[aria-modal=true]')].filter(isVisible);

// mainPart returns the topmost dialog of the page, else its main element, or null.
export function mainPart() {
  const dialogs = [...queryAll(document, OVERLAY + ',dialog,[role=dialog],[role=alertdialog]')].filter((el) => isVisible(el) && isOverlay(el));
  return dialogs.findLast((el) => !isCovered(el)) ?? [...queryAll(document, 'main,[role=main]')].find(isVisible) ?? null;
}

// isCovered reports an element in the viewport that the pointer does not reach.
/** @param {El} el */
function isCovered(el) {
  if (hasAttr(el, 'inert') || closest(el, '[inert]')) return true;
  const box = topBox(el), x = box.x + box.width / 2, y = box.y + box.height / 2;
  if (!hasArea(box) || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
  const found = elementAt(x, y);
  return found !== null && !isHitTarget(el, found) && !composedContains(found, el);
}
