// Spans: cells that span rows or columns stand in each of their places, as in HTML's table model.

import { attr, isRendered, localName, parentNode, selectIn, tidy } from '../dom/dom.js';
import { visibleText } from '../dom/text.js';

const SPANNING = '[rowspan],[colspan],[aria-rowspan],[aria-colspan]', MAX_COLUMNS = 200;

/** @param {El} root */
export const hasSpans = (root) => selectIn(root, SPANNING) !== null;

// placeCells returns the cells of each row by column; a place without a cell is undefined. A span of rows
// ends with the group of its row.
/** @template T @param {{ el: El, cells: T[] }[]} rows @param {(cell: T) => El} elementOf @returns {(T | undefined)[][]} */
export function placeCells(rows, elementOf) {
  /** @type {({ cell: T, rows: number } | undefined)[]} */
  let above = []; // by column: the cell of an earlier row, and how many rows it still spans
  /** @type {El | null} */ let group = null;
  return rows.map(({ el, cells }) => {
    if (parentNode(el) !== group) { group = parentNode(el); above = []; }
    /** @type {(T | undefined)[]} */
    const placed = [];
    let own = 0;
    for (let column = 0; (own < cells.length || column < above.length) && column < MAX_COLUMNS;) {
      const spanning = above[column];
      if (spanning && spanning.rows > 0) { spanning.rows--; placed[column++] = spanning.cell; continue; }
      const cell = cells[own++];
      if (cell === undefined) { placed[column++] = undefined; continue; }
      const rest = spanOf(elementOf(cell), 'row') - 1;
      for (let n = Math.min(spanOf(elementOf(cell), 'col'), MAX_COLUMNS - column); n > 0; n--) {
        above[column] = rest > 0 ? { cell, rows: rest } : undefined;
        placed[column++] = cell;
      }
    }
    while (placed.length && placed[placed.length - 1] === undefined) placed.pop();
    return placed;
  });
}

// spanOf returns how many rows or columns a cell spans; a native 0 spans the rest of the group.
/** @param {El} cell @param {string} way */
function spanOf(cell, way) {
  const native = /^t[dh]$/.test(localName(cell));
  const span = parseInt(attr(cell, native ? way + 'span' : `aria-${way}span`) ?? '', 10);
  return native && way === 'row' && span === 0 ? Infinity : span >= 1 ? span : 1;
}

// placeSpans gives the rows of a grid the places of their cells.
/** @param {GridRow[]} rows */
export function placeSpans(rows) {
  const drawn = rows.filter((row) => row.parts.length === 1 && isRendered(row.parts[0]));
  const places = placeCells(drawn.map((row) => ({ el: row.parts[0], cells: row.cells.filter(isRendered) })), (cell) => cell);
  drawn.forEach((row, i) => { row.placed = places[i]; });
}

// headerTexts returns the texts of the header cells above each column, from top to bottom.
/** @param {Grid} grid @returns {string[][]} */
export function headerTexts(grid) {
  const width = Math.max(0, ...grid.headers.map((row) => row.places.length));
  return Array.from({ length: width }, (_, at) => [...new Set(grid.headers.map((row) => row.places[at]))]
    .map((cell) => (cell ? tidy(visibleText(cell)) : '')).filter(Boolean));
}
