// Rows that words of a query name.

import { rowsNamed } from './grid.js';

/** @typedef {import('./grid.js').Grid} Grid */

const FILLERS = new Set(['row', 'column', 'col', 'cell', 'of', 'in', 'the', 's', 'for', 'at']);

// rowsMeant returns the rows that the words name, or the one of that number. A bare number names a
// row only before the column: "Name 3" is no cell of column Name.
/** @param {Grid} grid @param {string[]} said @param {boolean} first */
export function rowsMeant(grid, said, first) {
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
