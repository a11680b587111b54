// Loose matching, for searches alone: a score by the share of words, by parts of words and by words of the
// markup. Nothing that acts takes an element for its score.

import { colourOf } from '../dom/derived_name.js';
import { attr, cut, tidy } from '../dom/dom.js';
import { isSecret } from '../dom/state.js';
import { words } from './words.js';

// scoreText returns 1 for the same words, at least 0.75 for the phrase inside, and less for the
// share of tokens that occur. Whole words count more than parts of words.
/** @param {string} text @param {string} phrase @param {string[]} tokens */
export function scoreText(text, phrase, tokens) {
  if (!text || !tokens.length) return 0;
  const low = text.toLowerCase().normalize('NFC');
  if (low === phrase) return 1;
  const own = words(low);
  if (own.join(' ') === tokens.join(' ')) return 0.98;
  const closeness = Math.min(1, phrase.length / low.length);
  if (low.includes(phrase)) return 0.75 + 0.15 * closeness;
  let hits = 0;
  for (const token of tokens) {
    if (own.includes(token)) hits += 1;
    else if (token.length > 2 && low.includes(token)) hits += 0.6;
  }
  const share = hits / tokens.length;
  return share < 0.5 ? 0 : 0.6 * share + 0.1 * closeness;
}

export const ALL_HINTED = 0.45; // the score of an element whose markup has each word
const HINTS = ['placeholder', 'title', 'alt', 'data-testid', 'id', 'name', 'value', 'href', 'class'];
/** @param {El} el @param {string[]} tokens */
export function hintScore(el, tokens) {
  if (!tokens.length) return 0;
  let best = 0;
  for (const name of HINTS) {
    const said = attr(el, name);
    if (!said || said.length > 300 || name === 'value' && isSecret(el)) continue;
    const own = words(said.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[+#-]/g, ' '));
    const hits = tokens.filter((t) => own.includes(t)).length;
    best = Math.max(best, ALL_HINTED * hits / tokens.length);
  }
  if (tokens.length === 1 && colourOf(el) === '#' + tokens[0]) return ALL_HINTED;
  return best >= 0.22 ? best : 0;
}

// holdsCodes reports that a text has each part of the query that is written without spaces around a sign,
// such as "38418-S" and "receipt.pdf": no part of such a word says the word.
/** @param {string} text @param {Query} q */
const holdsCodes = (text, q) => q.codes.every((code) => text.toLowerCase().includes(code));

const SHAPE_BONUS = 0.15, LIVE_BONUS = 0.1, MAX_SCORE = 0.7;

// looseScore returns how well what an element says fits a query, from 0 to 0.7.
/** @param {Seen} seen @param {Query} q */
export function looseScore({ el, role, live, said, text }, q) {
  let best = 0;
  for (const { tokens, phrase, roles } of q.readings) {
    const shaped = !roles || roles.includes(role);
    let score = holdsCodes(said, q) ? scoreText(cut(said, 300), phrase, tokens) : 0;
    if (text && text !== said && holdsCodes(text, q)) score = Math.max(score, 0.95 * scoreText(cut(text, 300), phrase, tokens));
    if (!tokens.length && shaped) score = 0.5;
    if (!score && (live || role === 'img')) score = hintScore(el, tokens);
    if (score <= 0) continue;
    score = shaped ? score + (roles ? SHAPE_BONUS : 0) : score * 0.6;
    best = Math.max(best, score + (live ? LIVE_BONUS : 0));
  }
  return best * MAX_SCORE / 1.25;
}

/** @param {string} query @returns {string[]} */
export const codesOf = (query) => tidy(query).toLowerCase().split(' ').filter((part) => /[\p{L}\p{N}][.@/:_-][\p{L}\p{N}]/u.test(part))
  .map((part) => part.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
