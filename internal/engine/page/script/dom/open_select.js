// Customizable selects (appearance: base-select): the page draws the list while it is open, and a person presses its
// options.

import { closest, localName, matches, parentElement } from './dom.js';

/** @param {El} el */
export const isOpenSelect = (el) => localName(el) === 'select' && matches(el, ':open') && getComputedStyle(el).appearance === 'base-select';

/** @param {El} option */
export const isShownOption = (option) => { const select = closest(option, 'select'); return !!select && isOpenSelect(select); };

// isOffered reports an option that the list of a select shows.
/** @param {El} option */
export function isOffered(option) {
  const group = parentElement(option);
  return getComputedStyle(option).display !== 'none' && !(group && localName(group) === 'optgroup' && getComputedStyle(group).display === 'none');
}
