// What an element is called, and where it stands, for a person who has to tell it from others.

import { composedContains, cut, parentOf } from '../dom/dom.js';
import { nameOf } from '../dom/name.js';
import { CONTEXT, roleOf } from '../dom/role.js';
import { clickableName } from '../dom/scan.js';
import { GridRow, cellText, gridOf, partsOf } from './grid.js';
import { labelIn } from './identity.js';

/** @param {El} el @param {string} role */
export const displayName = (el, role) => (role === 'clickable' ? clickableName(el) : nameOf(el, role));

const PATH = new Set([...CONTEXT, 'listitem', 'row', 'group', 'article']);

// pathOf describes where an element is, by its nearest named ancestors.
/** @param {El} el */
export function pathOf(el) {
  const parts = [];
  for (let up = parentOf(el); up && parts.length < 3; up = parentOf(up)) {
    const role = roleOf(up);
    if (!PATH.has(role)) continue;
    const name = role === 'row' ? rowLabel(up, el) : role === 'listitem' ? labelIn(up, el) : nameOf(up, role);
    parts.unshift(name ? `${role} ${JSON.stringify(cut(name, 40))}` : role);
  }
  return parts.join(' > ').toWellFormed();
}

// rowLabel returns the first text of a row, unless the element is in it.
/** @param {El} row @param {El} el */
function rowLabel(row, el) {
  const grid = gridOf(row);
  const parts = grid ? partsOf(row, grid) : [row];
  for (const cell of Object.assign(new GridRow(row), { parts }).cells) {
    if (roleOf(cell) === 'columnheader') return '';
    const text = cellText(cell);
    if (/\p{L}/u.test(text)) return composedContains(cell, el) ? '' : text;
  }
  return '';
}
