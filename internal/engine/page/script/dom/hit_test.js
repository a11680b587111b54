// Hit tests: which element is at a point, and whether input at that element reaches another one.

import {
  TEXT, closedRoots, closedSlot, closest, composedContains, firstChild, frameDocument, hasAttr, isFrame, localName, matches,
  nextSibling, nodeType, nodeValue, ownerDocument, parentOf, pointIn, rectOf, selectAllIn, shadowRootOf, slotOfNode,
} from './dom.js';
import { drawnEditor, editorAround } from './drawn_editor.js';
import { innerMatrix } from './frames.js';
import { isFloating } from './popup.js';
import { CONTEXT, NATIVE_CONTROLS, WIDGETS, roleOf } from './role.js';
import { tabIndex } from './scan.js';
import { isOptionsInput } from './state.js';

/** @param {Node} node */
export function textRects(node) {
  const range = ownerDocument(node).createRange();
  range.selectNodeContents(node);
  return range.getClientRects();
}

// isInOtherControl reports that the found element belongs to another control in the element or in
// its label.
/** @param {El} el @param {El} found */
export function isInOtherControl(el, found) {
  let another = false;
  for (let up = /** @type {El | null} */ (found); up; up = parentOf(up)) {
    if (up === el || localName(up) === 'label' && up.control === el) return another;
    another ||= isControl(up);
  }
  return false;
}

/** @param {El} el */
export const isControl = (el) => WIDGETS.has(roleOf(el)) || NATIVE_CONTROLS.has(localName(el)) || hasAttr(el, 'onclick') || hasAttr(el, 'tabindex') && tabIndex(el) >= 0;

// elementAt descends into shadow trees and frames.
/** @param {number} x @param {number} y @returns {El | null} */
export function elementAt(x, y) {
  /** @type {Root} */ let root = document;
  /** @type {El | null} */ let el = null;
  for (;;) {
    const found = pointIn(root, x, y);
    if (!found || found === el) return el;
    el = found;
    const shadow = shadowRootOf(el);
    if (shadow) {
      const inner = pointIn(shadow, x, y);
      if (inner && inner !== el) { root = shadow; continue; }
      return slotOfText(el, x, y) ?? el;
    }
    const doc = isFrame(el) ? frameDocument(el) : null;
    if (!doc) return el;
    ({ x, y } = innerMatrix(el).inverse().transformPoint({ x, y }));
    root = doc;
  }
}

// slotOfText returns the slot that shows text of a host at a point. The hit test names the host for
// such text, as if it covered the button in its tree that renders the slot.
/** @param {El} host @param {number} x @param {number} y @returns {El | null} */
function slotOfText(host, x, y) {
  for (let n = firstChild(host); n; n = nextSibling(n)) {
    if (nodeType(n) !== TEXT || !/\S/.test(nodeValue(n))) continue;
    const hit = [...textRects(n)].some((r) => x >= r.left && x < r.right && y >= r.top && y < r.bottom);
    if (hit) return slotOfNode(n) ?? (closedRoots.has(host) ? closedSlot(host, n) : null);
  }
  return null;
}

/** @param {El} el @param {El} found */
export function isHitTarget(el, found) {
  if (composedContains(el, found)) return true;
  for (let up = /** @type {El | null} */ (found); up; up = parentOf(up)) if (localName(up) === 'label' && up.control === el) return true;
  // The text of a drawn editor lies below other layers of it.
  const editor = drawnEditor(el) ?? (isControl(el) ? null : editorAround(el));
  if (editor) return composedContains(editor, found);
  const parent = isOptionsInput(el) && parentOf(el); // what it has chosen may be drawn over it
  if (parent && closest(found, '[role=option]') && isFloating(found)) return false; // of its open list
  return parent !== null && parent !== false && (composedContains(drawnAround(el), found) || composedContains(parent, found) && !isControl(found));
}

// drawnAround returns the box that a custom select draws around its input: the outermost of its near
// ancestors that contains no other field.
export const MAX_WRAPPERS = 4;

/** @param {El} el */
export function drawnAround(el) {
  let wrapper = el;
  for (let up = parentOf(el), level = 0; up && level < MAX_WRAPPERS; up = parentOf(up), level++) {
    if (selectAllIn(up, 'input:not([type=hidden]),textarea').length > 1 || matches(up, 'form,body,dialog,[role=dialog]')) break;
    if (rectOf(up).height > 4 * Math.max(rectOf(el).height, 16)) break;
    wrapper = up;
  }
  return wrapper;
}

// coveringElement returns the outermost element that does not contain the target: the dialog, not
// the paragraph in it.
/** @param {El} found @param {El} el */
export function coveringElement(found, el) {
  let cover = found;
  for (let up = /** @type {El | null} */ (found); up && !composedContains(up, el); up = parentOf(up)) {
    cover = up;
    if (CONTEXT.has(roleOf(up))) break;
  }
  return cover;
}
