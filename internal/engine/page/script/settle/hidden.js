// Hidden elements: a rule that shows an element leaves no record at the element itself (a class far
// above it, a checkbox beside it, the pointer over it), so the hidden elements are listed before an
// action and checked again after it.

import {
  ELEMENT, SILENT, firstChild, isConnected, localName, method, nextSibling, nodeType, parentOf, shadowRootOf,
} from '../dom/dom.js';
import { roleOf } from '../dom/role.js';
import { isVisible } from '../dom/state.js';
import { visibleText } from '../dom/text.js';
import { POPUPS, label } from './effect.js';
import { generation } from './mutations.js';

// The walk over a large page stops at this time (ms), so that the report does not slow the action
// down.
const HIDDEN_TIME = 3, MAX_HIDDEN = 300;

const SHOWN = { visibilityProperty: true, opacityProperty: true };
/** @type {(el: Element, options: CheckVisibilityOptions) => boolean} */
const isShown = method(Element.prototype, 'checkVisibility');

/** @type {El[]} */
let hiddenList = [];
let hiddenGeneration = -1;

// hiddenElements lists the outermost hidden elements in document order. Without a mutation only the
// pointer can have changed them, and it can only show elements of the list.
export function hiddenElements() {
  if (hiddenGeneration === generation) return hiddenList.filter((el) => !isShown(el, SHOWN) || isCollapsed(el));
  const until = performance.now() + HIDDEN_TIME;
  /** @type {El[]} */
  const out = [];
  let visited = 0;
  /** @param {El} el @param {number} depth @returns {void} */
  const go = (el, depth) => {
    if (out.length >= MAX_HIDDEN || depth > 500 || (++visited & 63) === 0 && performance.now() > until) return;
    if (SILENT.has(localName(el))) return;
    if (!isShown(el, SHOWN) || isCollapsed(el)) { if (localName(el) !== 'option') out.push(el); return; }
    const shadow = shadowRootOf(el);
    for (let n = firstChild(shadow ?? el); n; n = nextSibling(n)) if (nodeType(n) === ELEMENT) go(n, depth + 1);
  };
  if (document.body) go(/** @type {El} */ (document.body), 0);
  hiddenList = out;
  hiddenGeneration = generation;
  return out;
}

// isCollapsed reports a box without height that clips its content, as of an accordion.
/** @param {El} el */
const isCollapsed = (el) => el.clientHeight === 0 && el.scrollHeight > 0 && firstChild(el) !== null &&
  el.offsetHeight === 0 && getComputedStyle(el).overflowY !== 'visible' && getComputedStyle(el).display !== 'inline';

// reportRevealed reports a listed element that a person can see now.
/** @param {El} el @param {(line: string) => void} say @param {Set<El | null>} reported */
export function reportRevealed(el, say, reported) {
  if (!isConnected(el) || reported.has(el) || !isShown(el, SHOWN) || isCollapsed(el) || !isVisible(el)) return;
  for (let up = parentOf(el); up; up = parentOf(up)) if (reported.has(up)) return;
  reported.add(el);
  const role = roleOf(el);
  if (POPUPS.has(role) && role !== 'alert' && role !== 'status') return say(`${label(el, role)} shown`);
  const text = visibleText(el);
  if (text) say(`+ ${text}`);
}
