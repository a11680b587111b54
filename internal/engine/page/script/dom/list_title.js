// The title of a list beside another one, as of a transfer list.

import { cut, matches, selectAllIn, selectIn, tidy } from './dom.js';
import { NAME_LIMIT, nameOf } from './name.js';
import { roleOf } from './role.js';
import { isVisible } from './state.js';
import { ownText } from './text.js';

export const MOVER = 'button,[role=button],input[type=button]';
const ITEM_LISTS = 'select,[role=listbox],ul,ol,[role=list],[role=group],[role=grid],table,[role=tree]';

/** @param {El} part */
export const listIn = (part) => (matches(part, ITEM_LISTS) ? part : selectIn(part, ITEM_LISTS));

// listTitle returns the title of one side: its own name, or the first text before its items that is no count.
const COUNT = /^\d+\s*(?:\/\s*\d+)?\s*(?:items?|selected)?$/i;

/** @param {El} part */
export function listTitle(part) {
  const list = listIn(part), named = [part, list].map((el) => el && nameOf(el, roleOf(el))).find((name) => name && name !== 'checkbox-group');
  if (list === part && named) return named;
  for (const el of selectAllIn(part, '*')) {
    if (el === list) break;
    const text = tidy(ownText(el));
    if (/\p{L}/u.test(text) && !COUNT.test(text) && !matches(el, MOVER) && isVisible(el)) return cut(text, NAME_LIMIT);
  }
  return named ?? '';
}
