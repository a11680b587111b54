// Markers of ordered lists, as a person sees them: 3. or b.

import { textOfContent } from './content.js';
import { counterText } from './counters.js';
import { attr, childElements, hasAttr, localName, parentNode, rootNode } from './dom.js';
import { generatingIn } from './generated_content.js';
import { paintOf } from './scan.js';

const ROMAN = Object.entries({ m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 });

/** @param {number} n */
const roman = (n) => ROMAN.reduce((text, [letters, value]) => { const times = Math.floor(n / value); n %= value; return text + letters.repeat(times); }, '');
/** @param {number} n @returns {string} */
const letters = (n) => (n > 0 ? letters(Math.floor((n - 1) / 26)) + String.fromCharCode(97 + (n - 1) % 26) : '');

// numbersIn numbers the items of a list, by start, value and reversed.
/** @param {El} list */
function numbersIn(list) {
  const items = [...childElements(list)].filter((el) => localName(el) === 'li'), back = hasAttr(list, 'reversed');
  /** @param {string | null} said @param {number} otherwise */
  const number = (said, otherwise) => { const n = parseInt(said ?? '', 10); return Number.isFinite(n) ? n : otherwise; };
  let next = number(attr(list, 'start'), back ? items.length : 1);
  return new Map(items.map((item) => { const n = number(attr(item, 'value'), next); next = back ? n - 1 : n + 1; return [item, n]; }));
}

/** @param {El} item */
export const numberOf = (item) => { const list = parentNode(item); return list ? paintOf(list, numbersIn).get(item) ?? 0 : 0; };

const GREEK = 'αβγδεζηθικλμνξοπρστυφχψω';

// numberText writes a number as a list style does.
/** @param {number} n @param {string} type */
export function numberText(n, type) {
  const [low, high] = [roman, letters].map((of) => (n > 0 && n < 4000 ? of(n) : String(n)));
  /** @type {Record<string, string>} */
  const texts = { 'lower-roman': low, 'upper-roman': low.toUpperCase(), 'lower-alpha': high, 'lower-latin': high, 'upper-alpha': high.toUpperCase(), 'upper-latin': high.toUpperCase(),
    'lower-greek': GREEK[n - 1], 'decimal-leading-zero': String(n).padStart(2, '0'), none: '', disc: '•', circle: '◦', square: '▪' };
  return texts[type] ?? String(n);
}

// markerOf returns the marker of a list item, and whether its place in the list tells the same; '' for a bullet.
/** @param {El} item @param {CSSStyleDeclaration} cs @returns {{ marker: string, plain: boolean }} */
export function markerOf(item, cs) {
  const list = parentNode(item), type = cs.display === 'list-item' && list ? cs.listStyleType : 'none';
  const drawn = cs.display === 'list-item' ? drawnMarker(item) : null;
  if (drawn !== null) return { marker: /[\p{L}\p{N}\p{S}]/u.test(drawn) ? drawn : '', plain: false };
  const said = type.startsWith('"') ? type.slice(1, -1) : '';
  if (/[\p{L}\p{N}\p{S}]/u.test(said)) return { marker: said, plain: false };
  if (!list || type === 'none' || /^(?:disc|circle|square|disclosure-\w+|")/.test(type)) return { marker: '', plain: true };
  const numbers = paintOf(list, numbersIn), plain = type === 'decimal' && [...numbers.values()].every((at, i) => at === i + 1);
  return { marker: `${numberText(numbers.get(item) ?? 0, type)}. `, plain };
}

// drawnMarker returns what a style draws as the marker of an item; null where it draws the one of the list.
/** @param {El} item */
function drawnMarker(item) {
  const generating = generatingIn(rootNode(item));
  if (!generating || generating !== true && !generating.has(item)) return null;
  const style = getComputedStyle(item, '::marker');
  return style.content === 'normal' ? null : textOfContent(style, item, (shape, said) => counterText(item, '::before', shape, said));
}
