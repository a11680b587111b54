// Scroll: which elements a page added because the person scrolled it. A replay scrolls every other element
// into view without such a step.

import { ELEMENT, localName, parentOf } from '../../../engine/page/script/dom/dom.js';
import { HOST } from './target.js';

const SCROLL_TIME = 3000; // ms after a scroll in which what the page adds belongs to it
const BATCH_TIME = 500; // ms without an addition that end one

let scrolledAt = -Infinity, addedAt = -Infinity; // times of the latest scroll and addition
let batches = 0, reported = 0; // additions so far, and how many of them steps have scrolled for
export const batchOf = new WeakMap(); // element that was added → number of its addition

export const noteScroll = () => { scrolledAt = performance.now(); };

export const additions = new MutationObserver((all) => {
  const now = performance.now();
  if (now - scrolledAt > SCROLL_TIME) return;
  for (const { addedNodes } of all) {
    for (const node of /** @type {Iterable<El>} */ (/** @type {unknown} */ (addedNodes))) {
      if (node.nodeType !== ELEMENT || localName(node) === HOST) continue;
      if (now - addedAt > BATCH_TIME) batches++;
      addedAt = now;
      batchOf.set(node, batches);
    }
  }
});
additions.observe(document, { childList: true, subtree: true });

// scrollsFor returns how often to scroll to the end before an element can be there.
/** @param {El} el */
export function scrollsFor(el) {
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) {
    const number = batchOf.get(up);
    if (!number) continue;
    const missing = Math.max(0, number - reported);
    reported = Math.max(reported, number);
    return missing;
  }
  return 0;
}
