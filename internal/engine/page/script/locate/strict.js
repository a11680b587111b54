// Naming: which element words mean. A tier is a rule; the element of the best tier is meant, and only where
// it is the only one. The rules stand in docs/reference/reading.md.

import { colourOf } from '../dom/derived_name.js';
import { parentOf, selectAllIn, single, tidy } from '../dom/dom.js';
import { isDisguised, isVisible } from '../dom/state.js';
import { roleOf } from '../dom/role.js';
import { roleAndName } from '../document/registry.js';
import { displayName } from './display_name.js';
import { cellText } from './grid.js';
import { containedCounts } from './identity.js';
import { takesValue } from './labelled_field.js';
import { ALL_HINTED, hintScore } from './loose.js';
import { rowsMeant } from './row_query.js';
import { placeRank, scopesOf } from './scope.js';
import { ALL_WORDS, NOT, PHRASE, SAME_LETTERS, matchOf, placeOf, plainWords, words } from './words.js';

/** @typedef {import('./grid.js').Grid} Grid */

// Tiers, the best first. Between two of them there is room for how well a place fits.
export const TIER = {
  name: 0, nameAndRole: 10, letters: 20, option: 40, text: 50, cell: 55, phrase: 60, phraseAndRole: 70, placed: 80, words: 90,
  wordsAndRole: 100, placedWords: 110, beside: 120, besidePart: 125, hint: 130, label: 140, counted: 150, textPhrase: 160, textWords: 170, role: 180,
};
export const LOOSE = 1000;

// isOtherButton reports a button where the word alone is another role that a reading prints: "switch".
/** @param {Seen} seen @param {Reading} reading */
const isOtherButton = (seen, { printed }) => seen.role === 'button' && printed !== undefined && printed !== 'button';

/** @param {Seen} seen @param {Reading} reading */
function matchOfReading(seen, reading) {
  if (reading.roles && !reading.roles.includes(seen.role)) return NOT;
  const match = Math.min(matchOf(seen.words, reading), seen.textWords.length ? matchOf(seen.textWords, reading) : NOT);
  return reading.isPart ? Math.max(match, SAME_LETTERS) : match;
}

// nameTier returns the tier of what an element itself says.
/** @param {Seen} seen @param {Query} q */
export function nameTier(seen, q) {
  let best = LOOSE;
  for (const reading of q.readings) {
    const { roles, tokens } = reading, match = matchOfReading(seen, reading);
    let tier = LOOSE;
    if (!tokens.length) tier = roles?.includes(seen.role) && !isOtherButton(seen, reading) ? TIER.role + ((reading.printed ?? seen.role) === seen.role ? 0 : 0.5) : LOOSE;
    else if (match === NOT) tier = isHinted(seen, reading) ? TIER.hint : LOOSE;
    else if (!seen.live && !roles) tier = match <= SAME_LETTERS ? TIER.text : match === PHRASE ? TIER.textPhrase : TIER.textWords;
    else if (match <= SAME_LETTERS) tier = (match === SAME_LETTERS ? TIER.letters : TIER.name) + (roles ? TIER.nameAndRole : 0);
    else tier = (match === PHRASE ? TIER.phrase : TIER.words) + (roles ? TIER.nameAndRole : 0);
    best = Math.min(best, tier);
  }
  return best;
}

// isHinted reports a control that no word names, and whose markup has all words, or one of the colour.
/** @param {Seen} seen @param {Reading} reading */
function isHinted({ el, role, live, words: own }, { tokens, roles }) {
  if (live && tokens.length === 1 && colourOf(el) === '#' + tokens[0]) return true;
  if (!live && role !== 'img' || own.some((word) => /\p{L}/u.test(word))) return false;
  return (!roles || roles.includes(role)) && hintScore(el, tokens) === ALL_HINTED;
}

// placedHits returns the elements that a description and a place mean together.
/** @param {Query} q @param {Seen[]} all @param {Grid[]} grids @returns {Hit[]} */
export function placedHits(q, all, grids) {
  /** @type {Hit[]} */ const out = [];
  for (const { readings, place } of q.scoped) {
    const heads = [];
    for (const seen of all) {
      const match = Math.min(...readings.map((r) => (r.tokens.length ? matchOfReading(seen, r) : r.roles?.includes(seen.role) ? ALL_WORDS : NOT)));
      if (match !== NOT && (seen.live || match <= SAME_LETTERS) && heads.length < MAX_PLACED) heads.push({ seen, match });
    }
    const counts = containedCounts(heads.map(({ seen }) => seen.el));
    const rows = place.roles ? [] : grids.flatMap((grid) => rowsMeant(grid, ['row', ...plainWords(place.tokens.join(' '))], true));
    for (const { seen, match } of heads) {
      const rank = rows.some((row) => row.contains(seen.el)) ? 0 : placeRank(scopesOf(seen.el, counts), place);
      if (rank < 0 || saysPlace(seen, place) || match > SAME_LETTERS && saysBoth(seen, readings, place)) continue;
      const tier = match <= SAME_LETTERS && seen.live ? TIER.placed : TIER.placedWords;
      out.push({ ...seen, tier: tier + 2 * rank + Number(!seen.live) + (match > SAME_LETTERS ? match : 0), score: 0 });
    }
    for (const grid of grids) {
      const column = grid.columns.find((c) => plainWords(c.name).join(' ') === readings[0].phrase);
      for (const row of column ? rows : []) {
        const cell = column && grid.rows.includes(row) && grid.cellUnder(row, column);
        if (cell) out.push(cellHit(cell, TIER.placed));
      }
    }
  }
  return out;
}

// saysPlace reports an element that is itself what the place is called: its own name is no place around it.
/** @param {Seen} seen @param {Where} place */
const saysPlace = (seen, place) => !seen.live && place.tokens.length > 0 && seen.words.join(' ') === place.tokens.join(' ');

// saysBoth reports a name that has words of the description and of the place: "Add to cart" for "Add to cart Desk".
/** @param {Seen} seen @param {Reading[]} readings @param {Where} place */
const saysBoth = (seen, readings, place) => readings.some((r) => r.tokens.length > 0 && matchOfReading(seen, r) !== NOT) &&
  place.tokens.some((token) => seen.words.includes(token));

// besideHits returns the controls whose name is a part of the query while the rest says where they stand.
// A name with other words is taken only where several controls have it. Of two that name each other's place,
// the name that several have is the description, and a link is the place of a button. What labels nothing is
// no place of a field whose name it repeats: "Forgot password?" over "Password".
const MAX_PLACED = 2000;
/** @param {Query} q @param {Seen[]} all @returns {Hit[]} */
export function besideHits(q, all) {
  /** @type {Hit[]} */ const out = [];
  for (const { tokens, roles } of q.readings) {
    if (tokens.length < (roles ? 1 : 2)) continue;
    const parts = all.filter((seen) => seen.live && (!roles || roles.includes(seen.role)) && seen.words.some((word) => tokens.includes(word))).slice(0, MAX_PLACED);
    for (const group of Map.groupBy(parts, (seen) => seen.role + ' ' + seen.said).values()) {
      const counts = containedCounts(group.map((seen) => seen.el));
      const own = group[0].words, isWhole = own.every((word) => tokens.includes(word)), rest = tokens.filter((token) => !own.includes(token) && !FILLERS.has(token));
      if (!rest.length || !isWhole && group.length < 2) continue;
      const places = [{ tokens: rest, kind: '', roles: null }, placeOf(rest.join(' '))].filter(({ tokens: said, roles: of }) => said.length || of && AREAS.has(of[0]));
      for (const seen of group) {
        const scopes = scopesOf(seen.el, counts).filter((scope) => (isWhole || scope.unit) && !(q.want === 'field' && words(scope.label).join(' ') === tokens.join(' ')));
        const ranks = places.map((place) => placeRank(scopes, place)).filter((rank) => rank >= 0);
        const tie = (group.length < 2 ? 2 : 0) + (seen.role === 'link' ? 0.4 : 0);
        if (ranks.length) out.push({ ...seen, tier: (isWhole ? TIER.beside + tie : TIER.besidePart) + Math.min(...ranks), score: 0 });
      }
    }
  }
  return out;
}

const FILLERS = new Set('the of for to in'.split(' '));
const AREAS = new Set('dialog navigation banner contentinfo main complementary toolbar'.split(' '));

// cellHits returns the cells that a row and a column name together: "Name 3 Qty".
/** @param {Query} q @param {Grid[]} grids */
export function cellHits(q, grids) {
  /** @type {Hit[]} */
  const out = [];
  for (const grid of grids) {
    for (const { row, column } of namedCells(grid, q.plain)) {
      const cell = grid.cellUnder(row, column);
      if (cell && isVisible(cell) && !out.some((hit) => hit.cell === cell)) out.push(cellHit(cell, TIER.cell));
    }
  }
  return out;
}

// cellHit takes the one control in a cell for the cell.
/** @param {El} cell @param {number} tier @returns {Hit} */
function cellHit(cell, tier) {
  const el = controlIn(cell) ?? cell, role = roleAndName(el).role, said = displayName(el, role) || cellText(cell);
  return { el, cell, role, said, text: '', words: words(said), textWords: [], live: true, isCell: true, order: 0, tier, score: 0 };
}

// columnHits returns the fields under a column that is called as the query says; the header itself is none.
/** @param {Query} q @param {Grid[]} grids @param {Hit[]} hits @returns {Hit[]} */
export function columnHits(q, grids, hits) {
  /** @type {Hit[]} */ const out = [];
  for (const grid of grids) {
    for (const column of grid.columns) {
      if (plainWords(column.name).join(' ') !== q.plain.join(' ')) continue;
      const own = hits.findIndex((hit) => hit.el === column.cell);
      for (const row of grid.rows) {
        const cell = grid.cellUnder(row, column), field = cell && controlIn(cell);
        if (field && takesValue(field, roleOf(field))) out.push(cellHit(cell, TIER.cell));
      }
      if (own >= 0 && out.length) hits.splice(own, 1);
    }
  }
  return out;
}

/** @param {El} cell */
export const controlIn = (cell) => single([...selectAllIn(cell, 'input:not([type=hidden]),select,textarea,button,a[href],' +
  '[role=button],[role=checkbox],[role=switch],[role=link],[role=combobox]')].filter((el) => isVisible(el) || isDisguised(el)));

// namedCells splits the words of a query at the name of a column.
/** @param {Grid} grid @param {string[]} tokens */
function namedCells(grid, tokens) {
  const out = [];
  for (const column of grid.columns) {
    const own = plainWords(column.name);
    if (!own.length || own.length >= tokens.length) continue;
    const at = tokens.length - own.length;
    if (own.every((w, i) => w === tokens[at + i])) out.push(...rowsMeant(grid, tokens.slice(0, at), true).map((row) => ({ row, column })));
    if (own.every((w, i) => w === tokens[i])) out.push(...rowsMeant(grid, tokens.slice(own.length), false).map((row) => ({ row, column })));
    if (out.length) break;
  }
  return out;
}

// optionHits returns the options of a closed select that are called as the query says.
/** @param {Seen} seen @param {Query} q @returns {Hit[]} */
export function optionHits(seen, q) {
  const wanted = q.readings.filter((r) => !r.roles || r.roles.includes('option'));
  const options = [...seen.el.options].filter((o) => wanted.some((r) => matchOf(words(tidy(o.label)), r) <= SAME_LETTERS));
  return options.slice(0, 1).map((el) => ({ ...seen, el, select: seen.el, role: 'option', said: tidy(el.label), words: words(el.label), textWords: [], tier: TIER.option, score: 0 }));
}

// countedHit returns the element that a number at the end of the query counts, among controls that are
// drawn alike side by side: "star 4".
/** @param {Query} q @param {Seen[]} all @returns {Hit[]} */
export function countedHit(q, all) {
  const tokens = q.readings[0].tokens, number = Number(tokens.at(-1));
  if (tokens.length < 2 || !Number.isInteger(number) || number < 1) return [];
  const said = tokens.slice(0, -1);
  const alike = all.filter((seen) => seen.live && (said.every((w) => seen.words.includes(w)) ||
    !seen.words.some((word) => /\p{L}/u.test(word)) && hintScore(seen.el, said) === ALL_HINTED));
  for (const group of Map.groupBy(alike, (seen) => seen.role + ' ' + seen.said).values()) {
    if (group.length < Math.max(2, number)) continue;
    /** @param {El} el */
    const holder = (el) => { const parent = parentOf(el); return parent && parentOf(parent); };
    const first = group[0].el;
    if (group.every((seen) => parentOf(seen.el) === parentOf(first)) || group.every((seen) => holder(seen.el) === holder(first))) {
      return [{ ...group[number - 1], tier: TIER.counted, score: 0 }];
    }
  }
  return [];
}
