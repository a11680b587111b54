// Grids: the rows, columns and cells of tables and grids as a person sees them. A row may be drawn in
// several parts (frozen columns), a cell twice (an overlay), and a header in a table of its own.

import {
  ELEMENT, MAX_DEPTH, attr, closest, composedContains, cut, eachChild, hasAttr, nodeType, ownerDocument, parentNode,
  parentOf, rectOf, selectAllIn, selectIn, single, textContent, tidy,
} from '../dom/dom.js';
import { roleOf } from '../dom/role.js';
import { hasArea, isVisible, valueOf } from '../dom/state.js';
import { readText, visibleText } from '../dom/text.js';
import { hasSpans, placeSpans } from './spans.js';
import { plainWords } from './words.js';

export const GRIDS = new Set(['table', 'grid', 'treegrid']);
export const CELLS = new Set(['cell', 'columnheader', 'rowheader', 'gridcell']);
const MAX_CELL_TEXT = 200;

// gridOf returns the table or grid around an element, or null.
/** @param {El} el */
export function gridOf(el) {
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) if (GRIDS.has(roleOf(up))) return up;
  return null;
}

// rowOf returns the row around an element, or null.
/** @param {El} el */
export function rowOf(el) {
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) {
    const role = roleOf(up);
    if (role === 'row') return up;
    if (GRIDS.has(role)) return null;
  }
  return null;
}

// partsOf returns the parts of the row that one of its parts belongs to.
/** @param {El} row @param {El} grid */
export function partsOf(row, grid) {
  const index = attr(row, 'aria-rowindex');
  return index ? [...selectAllIn(grid, `[aria-rowindex="${CSS.escape(index)}"]`)] : [row];
}

// below collects the outermost elements of some roles, not those of nested grids.
/** @param {El} root @param {(role: string) => boolean} isWanted */
function below(root, isWanted) {
  /** @type {El[]} */
  const out = [];
  /** @param {El} el @param {number} depth */
  const go = (el, depth) => eachChild(el, (n) => {
    if (nodeType(n) !== ELEMENT || depth > MAX_DEPTH) return;
    const role = roleOf(n);
    if (isWanted(role)) out.push(n);
    else if (!GRIDS.has(role)) go(n, depth + 1);
  });
  go(root, 0);
  return out;
}

/** @param {El} row */
const cellsIn = (row) => below(row, (role) => CELLS.has(role));

// fieldText returns what a cell shows: its text, else the value of the one field in it.
/** @param {El} cell */
export function cellText(cell) {
  const text = tidy(textContent(cell));
  if (text && !selectIn(cell, 'select,textarea,style,script')) return cut(text, MAX_CELL_TEXT);
  const field = single([...selectAllIn(cell, 'input:not([type=hidden]),select,textarea')]);
  if (!field) return cut(tidy(readText(cell, MAX_CELL_TEXT)), MAX_CELL_TEXT);
  return cut(tidy(valueOf(field, roleOf(field)) ?? ''), MAX_CELL_TEXT);
}

// GridRow is a row with all its parts.
export class GridRow {
  /** @param {El} part */
  constructor(part) {
    this.parts = [part];
    /** @type {El[] | undefined} */ this.known = undefined; // the cells
    /** @type {(El | undefined)[] | undefined} */ this.placed = undefined; // the cells by column, where some span
    /** @type {string[] | undefined} */ this.shown = undefined; // their texts
    /** @type {boolean | undefined} */ this.header = undefined;
  }

  // cells returns the cells from left to right; of two at one place, the one that is seen.
  /** @returns {El[]} */
  get cells() {
    if (this.known) return this.known;
    let cells = this.parts.flatMap(cellsIn);
    if (this.parts.length > 1) {
      const places = new Map();
      for (const cell of cells) {
        const place = attr(cell, 'aria-colindex') ?? 'x' + Math.round(rectOf(cell).left);
        if (!places.has(place) || isVisible(cell)) places.set(place, cell);
      }
      cells = [...places.values()].map((cell) => ({ cell, at: rectOf(cell).left })).sort((a, b) => a.at - b.at).map((c) => c.cell);
    }
    return this.known = cells;
  }

  // places returns the cells by column, with those of other rows that span into this one.
  get places() { return this.placed ?? this.cells; }

  /** @returns {string[]} */
  get texts() { return this.shown ??= this.cells.map(cellText); }

  /** @returns {boolean} */
  get isHeader() {
    return this.header ??= this.parts.some((part) => closest(part, 'thead')) ||
      this.cells.length > 0 && this.cells.every((cell) => roleOf(cell) === 'columnheader' || !tidy(textContent(cell))) &&
      this.cells.some((cell) => roleOf(cell) === 'columnheader');
  }

  /** @param {El} el */
  contains(el) { return this.parts.some((part) => composedContains(part, el)); }
}

// rowsOf returns the rows of a grid in the order in which they are drawn. Parts with the same
// aria-rowindex are one row; without it, parts at the same height in containers side by side.
/** @param {El} root @returns {GridRow[]} */
function rowsOf(root) {
  const parts = below(root, (role) => role === 'row');
  const indexed = parts.length > 0 && parts.every((part) => hasAttr(part, 'aria-rowindex'));
  if (!indexed && !areSideBySide(parts)) return parts.map((part) => new GridRow(part));
  const rows = new Map();
  for (const part of parts) {
    const place = indexed ? attr(part, 'aria-rowindex') : Math.round(rectOf(part).top);
    const row = rows.get(place);
    if (row) row.parts.push(part); else rows.set(place, new GridRow(part));
  }
  return [...rows].sort((a, b) => a[0] - b[0]).map(([, row]) => row);
}

/** @param {El | null} node @returns {node is El} */
const isElement = (node) => node !== null && nodeType(node) === ELEMENT;

// areSideBySide reports rows of containers that share their height on the page.
/** @param {El[]} parts */
export function areSideBySide(parts) {
  const containers = new Set(parts.map(parentNode).filter(isElement));
  if (containers.size < 2 || containers.size > 20) return false;
  const boxes = [...containers].map(rectOf).filter((r) => r.height > 0);
  return boxes.some((a, i) => boxes.some((b, k) => k > i &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > Math.min(a.height, b.height) / 2));
}

// Grid is a table or grid with its columns.
export class Grid {
  /** @param {El} root */
  constructor(root) {
    this.root = root;
    /** @type {GridColumn[] | undefined} */ this.named = undefined; // the columns
    const rows = rowsOf(root);
    if (hasSpans(root)) placeSpans(rows);
    this.rows = rows.filter((row) => !row.isHeader);
    this.headers = rows.filter((row) => row.isHeader);
    if (!this.headers.length) this.headers = headersAbove(root);
    if (!this.headers.length && labelsBelow(rows)) this.headers = this.rows.splice(0, 1);
  }

  // columns returns the named header cells; those of the row nearest to the cells come first.
  /** @returns {GridColumn[]} */
  get columns() {
    return this.named ??= this.headers.toReversed().flatMap((row) => row.cells.map((cell) => ({ cell, at: row.places.indexOf(cell), row, name: headerName(cell) })))
      .filter((column) => column.name && isVisible(column.cell));
  }

  // cellUnder returns a row's cell under a column, or undefined.
  /** @param {GridRow} row @param {GridColumn} column */
  cellUnder(row, column) {
    const index = attr(column.cell, 'aria-colindex');
    if (index) {
      const cell = row.places.find((c) => c && attr(c, 'aria-colindex') === index);
      if (cell) return cell;
    }
    const { left, right } = rectOf(column.cell);
    const middle = (left + right) / 2;
    const under = row.places.find((c) => { const r = c && rectOf(c); return r && r.left <= middle && middle < r.right; });
    return under ?? (row.places.length === column.row.places.length ? row.places[column.at] : undefined);
  }

  // columnOf returns the name of the column that a cell is in, or ''.
  /** @param {GridRow} row @param {El} cell */
  columnOf(row, cell) {
    return this.columns.find((column) => this.cellUnder(row, column) === cell)?.name ?? '';
  }
}

// labelsBelow reports a first row of texts above a row of fields.
/** @param {GridRow[]} rows */
const labelsBelow = ([first, second]) => second?.cells.length > 1 && first.cells.length === second.cells.length &&
  first.texts.every(Boolean) && !first.cells.some(holdsField) && second.cells.every(holdsField);
/** @param {El} cell */
const holdsField = (cell) => selectIn(cell, 'input:not([type=hidden]),select,textarea') !== null;

/** @param {El} cell */
const headerName = (cell) => visibleText(cell) || tidy(attr(cell, 'aria-label') || attr(cell, 'title') || '');

// headersAbove returns the header rows of another table that ends where this one begins.
/** @param {El} root @returns {GridRow[]} */
function headersAbove(root) {
  const own = rectOf(root);
  for (const other of ownerDocument(root).querySelectorAll('table,[role=table],[role=grid],[role=treegrid]')) {
    if (other === root || composedContains(other, root) || composedContains(root, other)) continue;
    const r = rectOf(other);
    if (!hasArea(r) || Math.abs(r.bottom - own.top) > 8 || r.right < own.left || r.left > own.right) continue;
    const rows = rowsOf(other);
    if (rows.length && rows.every((row) => row.isHeader)) return rows;
  }
  return [];
}

// rowsNamed returns the rows of which a cell says the words; the leftmost cell decides.
/** @param {Grid} grid @param {string[]} said */
export function rowsNamed(grid, said) {
  const wanted = said.join(' ');
  /** @type {GridRow[]} */ let best = [];
  let rank = Infinity;
  /** @param {GridRow} row @param {number} at */
  const take = (row, at) => { if (at < rank) { best = []; rank = at; } if (at === rank) best.push(row); };
  for (const row of grid.rows) {
    const at = row.texts.findIndex((text) => text.length >= wanted.length && plainWords(text).join(' ') === wanted);
    if (at >= 0 && row.cells.some(isVisible)) take(row, at);
  }
  return best;
}

// listedRows are the data and header rows of each grid as a reading listed them, with the first text of
// each: a grid that is sorted or scrolled shows other rows at the same places.
/** @type {WeakMap<El, { el: El, text: string }[]>} */
export const listedRows = new WeakMap();
