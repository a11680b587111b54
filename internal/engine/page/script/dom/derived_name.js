// Derived names: controls without a name that a person tells by their place or their colour.

import {
  attr, closest, firstChild, firstElement, hasAttr, localName, nextElement, parentElement, rectOf, selectAllIn, textContent, tidy,
} from './dom.js';
import { nameOf } from './name.js';
import { paintOf } from './scan.js';

// derivedName returns a name for a nameless control: the arrows of a number field, the expander and
// the checkbox of a tree item, an icon whose part has the title. It returns '' for any other.
/** @param {El} el @param {string} role @returns {string} */
export function derivedName(el, role) {
  if (!/^(?:button|link|generic|checkbox)$/.test(role)) return '';
  if (/\S/.test(textContent(el)) || localName(el) === 'body') return '';
  const item = closest(el, '[role=treeitem]');
  if (role === 'checkbox') return item ? `Select ${nameOf(item, 'treeitem')}` : '';
  const next = role === 'link' ? null : item ?? nextElement(el);
  const expanded = next && attr(next, 'role') === 'treeitem' ? attr(next, 'aria-expanded') : null;
  if (expanded !== null && next && next !== el) return `${expanded === 'true' ? 'Collapse' : 'Expand'} ${nameOf(next, 'treeitem')}`;
  return role === 'button' && arrowName(el) || titleInside(el);
}

// titleInside returns the title of the only part that has one, of a control without text.
/** @param {El} el */
function titleInside(el) {
  const [first, ...others] = firstElement(el) ? selectAllIn(el, '[title],[aria-label]') : [];
  return first && !others.length && rectOf(first).width * rectOf(first).height > 0 ? tidy(attr(first, 'title') || attr(first, 'aria-label') || '') : '';
}

// arrowName tells the two arrows of a number field apart: the one that is above or to the right
// increases.
/** @param {El} el */
function arrowName(el) {
  const parent = parentElement(el);
  const arrows = parent ? paintOf(parent, arrowsIn) : [];
  if (!arrows.includes(el)) return '';
  const own = rectOf(el), other = rectOf(arrows[arrows[0] === el ? 1 : 0]);
  return own.top < other.top - 1 || Math.abs(own.top - other.top) <= 1 && own.left > other.left ? 'Increase' : 'Decrease';
}

// arrowsIn returns the two nameless buttons beside the only number field of an element, or [].
/** @param {El} parent */
function arrowsIn(parent) {
  if (selectAllIn(parent, 'input[type=number],[role=spinbutton]').length !== 1) return [];
  const arrows = [...selectAllIn(parent, 'button,[role=button]')].filter((b) => !/\S/.test(textContent(b)) && !hasAttr(b, 'aria-label'));
  return arrows.length === 2 ? arrows : [];
}

// colourOf returns the colour that the style of a control without content names, as #rrggbb, or ''.
/** @param {El} el */
export function colourOf(el) {
  if (firstChild(el) || !hasAttr(el, 'style')) return '';
  const said = /#[0-9a-f]{6}\b|rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)[^)]*\)/i.exec(attr(el, 'style') ?? '');
  if (!said) return '';
  return said[1] === undefined ? said[0].toLowerCase() : '#' + said.slice(1, 4).map((n) => Number(n).toString(16).padStart(2, '0')).join('');
}
