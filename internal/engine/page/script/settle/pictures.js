// Pictures that an action inserted: what only holds one has no size before it has arrived.

import { ELEMENT, attached, firstElement, nodeType, selectAllIn } from '../dom/dom.js';
import { isLoading } from '../dom/pictures.js';
import { frame } from '../dom/timers.js';
import { actionRecord, drain } from './mutations.js';

const PICTURE_TIME = 500; // ms
const MAX_ELEMENTS = 300;

// waitForPictures waits for the pictures without a size, briefly.
export async function waitForPictures() {
  drain();
  /** @type {El[]} */ let loading = [];
  let left = MAX_ELEMENTS;
  for (const { addedNodes } of actionRecord?.records ?? []) {
    for (const n of addedNodes) {
      if (left <= 0 || nodeType(n) !== ELEMENT || !attached(n)) continue;
      const all = [n, ...selectAllIn(n, '*')].filter((el) => !firstElement(el)).slice(0, left);
      left -= all.length;
      loading.push(...all.filter(isLoading));
    }
  }
  for (const until = performance.now() + PICTURE_TIME; loading.length && performance.now() < until;) {
    await frame();
    loading = loading.filter((el) => attached(el) && isLoading(el));
  }
}
