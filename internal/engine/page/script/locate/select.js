// Selection by CSS with filters, and similar selectors when the selector matches nothing. Every
// element keeps its index among all matches, so that selector and index name it again.

import { attr, localName, textContent, tidy } from '../dom/dom.js';
import { isSecret, isVisible, valueOf } from '../dom/state.js';
import { roleAndName } from '../document/registry.js';
import { byPiercing, inform, selectAll, shownRoleOf } from './query.js';

const NEAR_LIMIT = 5, NEAR_WORST = 0.45;

/** @param {{ css: string, text?: string, shown?: boolean, limit: number, at?: number }} o */
export function select({ css, text, shown, limit, at }) {
  const all = selectAll({ css, pierce: true });
  if (at !== undefined) return { matched: all.length, elements: all[at] ? [{ index: at, ...inform(all[at]) }] : [] };
  let kept = all.map((el, index) => ({ el, index }));
  const visible = kept.filter(({ el }) => isVisible(el));
  if (shown) kept = visible;
  if (text) kept = kept.filter(({ el }) => containsText(el, tidy(text).toLowerCase()));
  return {
    matched: all.length, hidden: all.length - visible.length, kept: kept.length,
    elements: kept.slice(0, limit).map(({ el, index }) => ({ index, ...inform(el) })),
    similar: all.length ? [] : similarSelectors(css),
  };
}

/** @param {El} el @param {string} wanted */
export function containsText(el, wanted) {
  if (isSecret(el)) return false;
  const { role, name } = roleAndName(el, shownRoleOf(el));
  return [textContent(el), name, valueOf(el, role) ?? ''].some((said) => tidy(said).toLowerCase().includes(wanted));
}

// similarSelectors returns selectors that match elements of this page and resemble the given one.
/** @param {string} css */
function similarSelectors(css) {
  const wanted = [...css.matchAll(/[\w-]+/g)].map((m) => plain(m[0])).filter((w) => w.length > 1);
  if (!wanted.length) return [];
  const counts = new Map();
  /** @param {string} selector @param {string} word */
  const count = (selector, word) => {
    const entry = counts.get(selector) ?? { selector, matches: 0, word: plain(word) };
    entry.matches++;
    counts.set(selector, entry);
  };
  for (const el of byPiercing('*')) {
    count(localName(el), localName(el));
    const id = attr(el, 'id');
    if (id) count('#' + CSS.escape(id), id);
    for (const name of (attr(el, 'class') ?? '').split(/\s+/).filter(Boolean)) count('.' + CSS.escape(name), name);
    for (const name of ['data-testid', 'name', 'aria-label']) {
      const value = attr(el, name);
      if (value) count(attributeSelector(name, value), value);
    }
  }
  const rated = [];
  for (const { selector, matches: found, word } of counts.values()) {
    const score = Math.max(...wanted.map((w) => similarity(w, word)));
    if (score >= NEAR_WORST) rated.push({ selector, matches: found, score });
  }
  rated.sort((a, b) => b.score - a.score || a.matches - b.matches);
  return rated.slice(0, NEAR_LIMIT).map(({ selector, matches: found }) => ({ selector, matches: found }));
}

/** @param {string} s */
export const plain = (s) => s.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
/** @param {string} name @param {string} value */
export const attributeSelector = (name, value) => `[${name}=${JSON.stringify(value)}]`;

// similarity returns 1 for the same letters, at least 0.7 when one contains the other, else the
// share of common letter pairs (Dice).
/** @param {string} a @param {string} b */
export function similarity(a, b) {
  if (!a || !b) return 0;
  if (a === b) return 1;
  if (a.length > 2 && b.includes(a) || b.length > 2 && a.includes(b)) {
    return 0.7 + 0.2 * Math.min(a.length, b.length) / Math.max(a.length, b.length);
  }
  /** @param {string} s */
  const pairs = (s) => Array.from({ length: Math.max(0, s.length - 1) }, (_, i) => s.slice(i, i + 2));
  const left = pairs(a), right = pairs(b);
  let shared = 0;
  for (const p of left) {
    const i = right.indexOf(p);
    if (i >= 0) { shared++; right.splice(i, 1); }
  }
  return 2 * shared / Math.max(1, a.length + b.length - 2);
}
