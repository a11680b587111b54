// Scopes: the row, card, fieldset, dialog or section that an element stands in, and what each is called.

import {
  ELEMENT, TEXT, attr, composedContains, cut, eachChild, firstChild, hasAttr, localName, nextSibling, nodeType, nodeValue, parentNode,
  parentOf, previousElement, selectAllIn, textContent, tidy,
} from '../dom/dom.js';
import { isControl } from '../dom/hit_test.js';
import { nameOf } from '../dom/name.js';
import { CONTEXT, roleOf } from '../dom/role.js';
import { isVisible, levelOf } from '../dom/state.js';
import { readText } from '../dom/text.js';
import { CELLS, gridOf, partsOf } from './grid.js';
import { isInGrid, lineBefore, standsAtField } from './label.js';
import { likeClasses } from './labelled_field.js';
import { words } from './words.js';

const MAX_SCOPE_LEVELS = 24, MAX_UNIT_TEXT = 600, MAX_SIBLINGS = 400;
const ITEMS = new Set(['row', 'listitem', 'article', 'treeitem', 'option']);
const CONTAINERS = new Set(('document form table grid treegrid list rowgroup navigation banner contentinfo dialog alertdialog main ' +
  'tablist toolbar menu menubar listbox tree feed').split(' '));
const NAMED = new Set([...CONTEXT, 'iframe', 'group', 'article', 'list', 'table', 'treegrid', 'tabpanel', 'figure', 'listitem', 'row', 'alert', 'status', 'feed', 'treeitem']);

// scopesOf lists the scopes of an element from near to far. A unit is the smallest part with a text
// beside the element: a row, an item, a card. What it says belongs to the element as long as no other
// element alike is in it (`counts` covers those). Above it only names and headings count: the texts there
// are those of other units.
/** @param {El} el @param {Map<El, number>} counts @returns {Scope[]} */
export function scopesOf(el, counts) {
  /** @type {Scope[]} */ const out = [];
  /** @param {string} role @param {string} label @param {string} [text] */
  const add = (role, label, text) => out.push({ role, label, text: text ?? label, unit: text !== undefined });
  const line = lineBefore(el);
  if (line) add('', line, line);
  let unit = false, item = false, inner = el;
  for (let up = parentOf(el), level = 0; up && level < MAX_SCOPE_LEVELS; inner = up, up = parentOf(up), level++) {
    for (const heading of headingsBefore(inner)) add('region', heading);
    if (localName(up) === 'body' || localName(up) === 'html') { unit = true; continue; }
    const own = roleOf(up), role = own === 'generic' && hasAttr(up, 'popover') ? 'dialog' : own, alone = (counts.get(up) ?? 0) < 2;
    const name = (NAMED.has(role) ? nameOf(up, role) : '') || attr(up, 'aria-label') || summaryText(up, inner);
    if (name || NAMED.has(role)) add(role, cut(tidy(name), 80));
    if (item || !alone || CONTAINERS.has(role)) { unit ||= !alone || CONTAINERS.has(role); continue; }
    if (CELLS.has(role) && role !== 'columnheader') continue;
    const isItem = ITEMS.has(role);
    if (unit && !isItem) continue;
    const text = unitText(up, role);
    if (text.length > MAX_UNIT_TEXT) { unit = true; continue; }
    const like = isItem || hasLikeSibling(up);
    if (!saysMore(up, el, like)) continue;
    add(role === 'row' || !isItem ? 'row' : role, labelOfUnit(up, el), text);
    unit = true;
    item = like;
  }
  return out;
}

/** @param {El} up @param {string} role */
function unitText(up, role) {
  const grid = role === 'row' ? gridOf(up) : null;
  return tidy((grid ? partsOf(up, grid) : [up]).map((part) => readText(part, MAX_UNIT_TEXT)).join(' '));
}

// saysMore reports a text beside an element: one of no control, or any where the part is one of several
// alike.
/** @param {El} up @param {El} el @param {boolean} withControls */
function saysMore(up, el, withControls) {
  let found = false;
  /** @param {El} node */
  const go = (node) => eachChild(node, (n) => {
    if (found || n === el) return;
    if (nodeType(n) === TEXT) found = /[\p{L}\p{N}]/u.test(nodeValue(n));
    else if (nodeType(n) === ELEMENT && (withControls || !isControl(n)) && isVisible(n)) go(n);
  });
  go(up);
  return found;
}

// labelOfUnit returns the heading of a unit, else its first text outside of the element.
/** @param {El} up @param {El} el */
function labelOfUnit(up, el) {
  for (const heading of selectAllIn(up, HEADINGS)) if (!composedContains(heading, el) && isVisible(heading)) return cut(tidy(textContent(heading)), 80);
  let first = '';
  /** @param {El} node */
  const go = (node) => eachChild(node, (n) => {
    if (first || n === el) return;
    if (nodeType(n) === TEXT) first = /[\p{L}\p{N}]/u.test(nodeValue(n)) ? tidy(nodeValue(n)) : '';
    else if (nodeType(n) === ELEMENT && isVisible(n)) go(n);
  });
  go(up);
  return cut(first, 80);
}

const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';

// headingsBefore returns the headings above an element among its siblings, from near to far and each of a
// higher rank, and the term before a description.
/** @param {El} inner */
function headingsBefore(inner) {
  const out = [];
  let rank = 7, terms = roleOf(inner) === 'definition' || localName(inner) === 'dd';
  let left = MAX_SIBLINGS;
  for (let n = previousElement(inner); n && rank > 1 && left > 0; n = previousElement(n), left--) {
    if (roleOf(n) === 'term' || localName(n) === 'dt') {
      if (terms && isVisible(n)) { out.push(tidy(textContent(n))); terms = false; }
      continue;
    }
    const heading = headingIn(n, inner), level = heading ? levelOf(heading) : 7;
    if (!heading || level >= rank || !isVisible(heading) || isInGrid(inner) && !standsAtField(heading, inner)) continue;
    rank = level;
    out.push(cut(tidy(textContent(heading)), 80));
  }
  return out;
}

// headingIn returns the heading that an element is, or of which it is the frame: a header with little else.
const MAX_HEADER_REST = 20;
/** @param {El} n @param {El} inner @returns {El | null} */
function headingIn(n, inner) {
  if (roleOf(n) === 'heading') return n;
  if (isLike(n, inner)) return null;
  const [first, second] = selectAllIn(n, HEADINGS);
  return first && !second && tidy(textContent(n)).length <= tidy(textContent(first)).length + MAX_HEADER_REST ? first : null;
}

/** @param {El} a @param {El} b */
const isLike = (a, b) => localName(a) === localName(b) && likeClasses(a, b);

/** @param {El} el */
function hasLikeSibling(el) {
  const parent = parentNode(el);
  if (!parent || nodeType(parent) !== ELEMENT) return false;
  for (let n = firstChild(parent); n; n = nextSibling(n)) if (n !== el && nodeType(n) === ELEMENT && isLike(n, el)) return true;
  return false;
}

/** @param {El} up @param {El} inner */
function summaryText(up, inner) {
  if (localName(up) !== 'details') return '';
  for (let n = firstChild(up); n; n = nextSibling(n)) if (nodeType(n) === ELEMENT && n !== inner && localName(n) === 'summary') return tidy(textContent(n));
  return '';
}

// placeRank returns how well the scopes of an element fit a place: 0 for one that is called so, more for
// one that says the words, -1 for none.
/** @param {Scope[]} scopes @param {Where} place */
export function placeRank(scopes, place) {
  let best = -1;
  for (const scope of scopes) {
    const fit = fitOf(scope, place);
    if (fit >= 0 && (best < 0 || fit < best)) best = fit;
  }
  return best;
}

/** @param {Scope} scope @param {Where} place */
function fitOf(scope, { tokens, roles, all }) {
  const label = words(scope.label), isOfKind = !roles || roles.includes(scope.role);
  if (all && label.join(' ') === all.join(' ')) return 0;
  if (!isOfKind) return -1;
  if (!tokens.length) return roles ? 0 : -1;
  if (label.join(' ') === tokens.join(' ')) return 0;
  const text = scope.text === scope.label ? label : words(scope.text);
  return tokens.every((token) => text.includes(token)) ? 1 : -1;
}
