// Popups: lists that float over the page, and the combobox that controls one.

import { parentOf } from './dom.js';
import { referredBy } from './referred.js';

export const LISTS = '[role=listbox],[role=menu],[role=tree],[role=grid]';

// listOf returns the list that a combobox controls, or null.
/** @param {El} el */
export function listOf(el) {
  return [...referredBy(el, 'aria-controls'), ...referredBy(el, 'aria-owns')][0] ?? null;
}

const MAX_POPUP_LEVELS = 12;

/** @param {El} el */
export function isFloating(el) {
  for (let up = /** @type {El | null} */ (el), level = 0; up && level < MAX_POPUP_LEVELS; up = parentOf(up), level++) {
    if (/^(?:absolute|fixed)$/.test(getComputedStyle(up).position)) return true;
  }
  return false;
}
