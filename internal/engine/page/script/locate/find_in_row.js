// Searches that name a place: a row and a column ("Name 3 Qty"), a row, card or item around the
// element ("Delete in row Name 3"), or words that stand beside it ("Delete Name 3").

import { attr, composedContains, localName, parentOf, selectAllIn, single, textContent } from '../dom/dom.js';
import { isDisguised, isVisible } from '../dom/state.js';
import { readText } from '../dom/text.js';
import { roleAndName } from '../document/registry.js';
import { displayName, hintScore, orderOf, words } from './find.js';
import { Grid, cellText, gridOf, rowOf, rowsNamed } from './grid.js';
import { MAX_CLIMB, containedCounts } from './identity.js';

export const CELL_SCORE = 0.78, BESIDE_SCORE = 0.64, MAX_BESIDE_TEXT = 600, MAX_NEAR = 60, MAX_BESIDE_LEVELS = 6, MAX_LOOSE = 1000;
const FILLERS = new Set(['row', 'column', 'col', 'cell', 'of', 'in', 'the', 's', 'for', 'at']);

// cellHits returns the cells that a row and a column name together.
/** @param {Query} q @param {El[]} grids */
export function cellHits(q, grids) {
  /** @type {Hit[]} */
  const out = [];
  for (const root of grids) {
    const grid = new Grid(root);
    for (const { row, column } of namedCells(grid, q.tokens)) {
      const cell = grid.cellUnder(row, column);
      if (cell && isVisible(cell) && !out.some((hit) => hit.cell === cell)) out.push(cellHit(cell));
    }
  }
  return out;
}

// cellHit takes the one control in a cell for the cell.
/** @param {El} cell */
function cellHit(cell) {
  const el = controlIn(cell) ?? cell, role = roleAndName(el).role;
  return { el, cell, role, name: displayName(el, role) || cellText(cell), score: CELL_SCORE, live: true, isCell: true };
}

/** @param {El} cell */
export const controlIn = (cell) => single([...selectAllIn(cell, 'input:not([type=hidden]),select,textarea,button,a[href],' +
  '[role=button],[role=checkbox],[role=switch],[role=link],[role=combobox]')].filter((el) => isVisible(el) || isDisguised(el)));

// namedCells splits the words of a query at the name of a column.
/** @param {Grid} grid @param {string[]} tokens */
function namedCells(grid, tokens) {
  const out = [];
  for (const column of grid.columns) {
    const own = words(column.name);
    if (!own.length || own.length >= tokens.length) continue;
    const at = tokens.length - own.length;
    if (own.every((w, i) => w === tokens[at + i])) out.push(...rowsMeant(grid, tokens.slice(0, at), true).map((row) => ({ row, column })));
    if (own.every((w, i) => w === tokens[i])) out.push(...rowsMeant(grid, tokens.slice(own.length), false).map((row) => ({ row, column })));
    if (out.length) break;
  }
  return out;
}

// rowsMeant returns the rows that the words name, or the one of that number. A bare number names a
// row only before the column: "Name 3" is no cell of column Name.
/** @param {Grid} grid @param {string[]} said @param {boolean} first */
function rowsMeant(grid, said, first) {
  const bare = said.filter((w) => !FILLERS.has(w));
  if (!bare.length) return [];
  const plain = said[0] === 'row' ? said.slice(1) : said;
  const counted = said.includes('row') && bare.length === 1 && /^\d+$/.test(bare[0]);
  if (!first && !said.includes('row') && /^\d+$/.test(bare.join(''))) return [];
  for (const tokens of [plain, bare]) {
    const rows = rowsNamed(grid, tokens);
    if (rows.length) return rows;
  }
  const row = counted && grid.rows[Number(bare[0]) - 1];
  return row ? [row] : [];
}

// scopedHits keeps the hits in the row that the scope names, else in the smallest element that holds
// both a hit and the words of the scope. A column name in place of a description takes its cell.
/** @param {Query} q @param {Hit[]} hits @param {El[]} grids @param {El[]} anchors */
export function scopedHits(q, hits, grids, anchors) {
  /** @type {Hit[]} */
  const kept = [];
  for (const root of grids) {
    const grid = new Grid(root);
    const column = grid.columns.find((c) => words(c.name).join(' ') === q.tokens.join(' '));
    for (const row of rowsMeant(grid, ['row', ...q.scope ?? []], true)) {
      kept.push(...hits.filter((hit) => row.contains(hit.el)));
      const cell = column && grid.cellUnder(row, column);
      if (cell) kept.push(cellHit(cell));
    }
  }
  if (kept.length) return kept;
  for (const anchor of anchors) {
    for (let up = /** @type {El | null} */ (anchor), level = 0; up && level < MAX_CLIMB && localName(up) !== 'body'; up = parentOf(up), level++) {
      const inside = hits.filter((hit) => hit.el !== anchor && composedContains(up, hit.el));
      if (inside.length) { kept.push(...inside.filter((hit) => !kept.includes(hit))); break; }
    }
  }
  return kept;
}

// besideHits scores the controls whose name has a part of the query while the rest stands beside
// them, in what surrounds them and no other control of their name.
/** @param {Query} q @param {Hit[]} hits @param {Hit[]} loose */
export function besideHits(q, hits, loose) {
  const tokens = q.rest.length ? q.rest : q.tokens;
  for (const hit of loose) hit.name = displayName(hit.el, hit.role);
  const all = [...hits.filter((hit) => hit.live && !hit.full), ...loose].filter((hit) => missing(hit.name, tokens).length < tokens.length);
  const counts = new Map([...Map.groupBy(all, (hit) => hit.name)].map(([name, of]) => [name, containedCounts(of.map((hit) => hit.el))]));
  const out = [];
  for (const hit of all) {
    const rest = missing(hit.name, tokens);
    if (!rest.length) continue;
    const { level, holder } = levelBeside(hit.el, rest, counts.get(hit.name) ?? new Map());
    if (level >= 0) out.push({ ...hit, holder, full: true, score: Math.max(hit.score ?? 0, BESIDE_SCORE - 0.01 * level) });
  }
  // The words beside a control may belong to a closer one: a header cell is beside the next cell's words.
  const near = out.slice(0, MAX_NEAR);
  for (const hit of near) {
    if (near.some((other) => other.holder !== hit.holder && hit.holder && other.holder && composedContains(hit.holder, other.holder))) hit.score -= 0.01;
  }
  return out;
}

/** @param {string} name @param {string[]} tokens */
export const missing = (name, tokens) => { const own = words(name); return tokens.filter((token) => !own.includes(token)); };

// levelBeside returns how many levels above an element the words occur, or -1, and what holds both.
/** @param {El} el @param {string[]} rest @param {Map<El, number>} counts @returns {{ level: number, holder?: El }} */
function levelBeside(el, rest, counts) {
  const row = rowOf(el), grid = row && parentOf(row) && gridOf(row);
  for (let up = parentOf(el), level = 0; up && level < MAX_BESIDE_LEVELS; up = parentOf(up), level++) {
    if ((counts.get(up) ?? 0) > 1 || localName(up) === 'body') return { level: -1 };
    if (textContent(up).length > MAX_BESIDE_TEXT) return { level: -1 };
    const parts = up === row && grid ? partsOf(row, grid) : [up];
    const said = words(parts.map((part) => readText(part, MAX_BESIDE_TEXT)).join(' '));
    if (rest.every((token) => said.includes(token))) return { level, holder: up };
  }
  return { level: -1 };
}

// partsOf returns the parts of the row that one of its parts belongs to.
/** @param {El} row @param {El} grid */
export function partsOf(row, grid) {
  const index = attr(row, 'aria-rowindex');
  return index ? [...selectAllIn(grid, `[aria-rowindex="${CSS.escape(index)}"]`)] : [row];
}

// numberedHit returns the hit that a number at the end of the query counts, among elements that are
// drawn alike side by side: "star 4".
/** @param {Query} q @param {Hit[]} hits */
export function numberedHit(q, hits) {
  const number = Number(q.tokens.at(-1));
  if (q.tokens.length < 2 || !Number.isInteger(number) || number < 1) return null;
  const said = q.tokens.slice(0, -1);
  const alike = hits.filter((hit) => hit.live && !hit.full && hit.score === hits[0].score && hit.role === hits[0].role &&
    hit.name === hits[0].name && (said.every((w) => words(hit.name).includes(w)) || hintScore(hit.el, said) >= 0.45))
    .sort((a, b) => orderOf(a) - orderOf(b));
  if (alike.length < Math.max(2, number)) return null;
  /** @param {El} el */
  const holder = (el) => { const parent = parentOf(el); return parent && parentOf(parent); };
  const siblings = alike.every((hit) => parentOf(hit.el) === parentOf(alike[0].el)) || alike.every((hit) => holder(hit.el) === holder(alike[0].el));
  return siblings ? alike[number - 1] : null;
}
