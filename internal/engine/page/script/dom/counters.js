// CSS counters, whose values no style tells: a walk over the document counts as a browser does, once a task and
// only where generated text has a counter. https://drafts.csswg.org/css-lists-3/#auto-numbering

import { childElements, ownerDocument, parentElement } from './dom.js';
import { numberOf, numberText } from './list_marker.js';
import { paintOf } from './scan.js';

const MAX_COUNTED = 20000;
/** @typedef {{ owner: Element | null, value: number }} Instance */
/** @typedef {Map<string, number[]>} Values */
/** @typedef {Record<string, Values>} Sides */

// counterText returns what counter() or counters() with these arguments draws on a side of an element.
/** @param {El} el @param {string} side @param {string} shape @param {string} said */
export function counterText(el, side, shape, said) {
  const parts = [...said.matchAll(/"((?:[^"\\]|\\[^])*)"|[\w-]+/g)], name = parts[0]?.[0] ?? '';
  const joint = shape === 'counters' ? parts[1]?.[1] ?? '' : '', type = parts[shape === 'counters' ? 2 : 1]?.[0] ?? 'decimal';
  const all = name === 'list-item' ? [numberOf(el)] : paintOf(ownerDocument(el), valuesIn).get(el)?.[side]?.get(name) ?? [0];
  return (shape === 'counters' ? all : all.slice(-1)).map((n) => numberText(n, type)).join(joint);
}

/** @param {string} said @returns {[string, number][]} */
const pairs = (said) => [...said.matchAll(/(?:reversed\()?([\w-]+)\)? (-?\d+)/g)].map(([, name, n]) => [name, Number(n)]);

/** @param {Doc} doc */
function valuesIn(doc) {
  /** @type {Map<Element, Sides>} */ const out = new Map();
  /** @type {Map<string, Instance[]>} */ const counters = new Map();
  let left = MAX_COUNTED;
  /** @param {string} name @param {Element | null} owner @param {number} value */
  const reset = (name, owner, value) => {
    const stack = counters.get(name) ?? [];
    if (stack.at(-1)?.owner === owner) stack.pop();
    stack.push({ owner, value });
    counters.set(name, stack);
  };
  /** @param {CSSStyleDeclaration} cs @param {Element | null} owner */
  const apply = (cs, owner) => {
    if (cs.counterReset !== 'none') for (const [name, n] of pairs(cs.counterReset)) reset(name, owner, n);
    for (const [said, sets] of /** @type {[string, boolean][]} */ ([[cs.counterIncrement, false], [cs.counterSet, true]])) {
      if (said === 'none') continue;
      for (const [name, n] of pairs(said)) {
        if (!counters.get(name)?.length) reset(name, owner, 0);
        const at = /** @type {Instance} */ (counters.get(name)?.at(-1));
        at.value = sets ? n : at.value + n;
      }
    }
  };
  /** @param {El} el @param {string} side @param {Sides} sides */
  const note = (el, side, sides) => {
    const cs = getComputedStyle(el, side);
    if (cs.content === 'none' || cs.content === 'normal' || cs.display === 'none') return;
    apply(cs, el);
    sides[side] = new Map([...counters].map(([name, stack]) => [name, stack.map(({ value }) => value)]));
  };
  /** @param {El} el */
  const go = (el) => {
    if (--left < 0) return;
    const cs = getComputedStyle(el);
    if (cs.display === 'none') return;
    apply(cs, parentElement(el));
    /** @type {Sides} */ const sides = {};
    note(el, '::before', sides);
    for (const child of childElements(el)) go(child);
    note(el, '::after', sides);
    if (sides['::before'] || sides['::after']) out.set(el, sides);
    for (const stack of counters.values()) while (stack.at(-1)?.owner === el) stack.pop();
  };
  go(/** @type {El} */ (doc.documentElement));
  return out;
}
