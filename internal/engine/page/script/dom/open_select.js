// Customizable selects (appearance: base-select): the page draws the list while it is open, and a person presses its
// options.

import { closest, localName, matches } from './dom.js';

/** @param {El} el */
export const isOpenSelect = (el) => localName(el) === 'select' && matches(el, ':open') && getComputedStyle(el).appearance === 'base-select';

/** @param {El} option */
export const isShownOption = (option) => { const select = closest(option, 'select'); return !!select && isOpenSelect(select); };
