// Owned elements: aria-owns puts an element below another one than its parent.

import { composedContains, isRendered, localName, queryAll } from '../dom/dom.js';
import { referredBy } from '../dom/referred.js';
import { isVisible } from '../dom/state.js';

// ownersIn returns the owner of each owned element that is drawn. A field for text owns nothing: its list is a
// popup of its own.
/** @param {El} root @returns {Map<El, El>} */
export function ownersIn(root) {
  /** @type {Map<El, El>} */ const out = new Map();
  if (root !== document.documentElement) return out;
  for (const owner of queryAll(document, '[aria-owns]')) {
    if (!isRendered(owner) || localName(owner) === 'input') continue;
    for (const el of referredBy(owner, 'aria-owns')) if (!composedContains(el, owner) && !composedContains(owner, el) && isVisible(el)) out.set(el, owner);
  }
  return out;
}
