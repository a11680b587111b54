// Cells: editing one, and refs of the form e47/3.

import {
  attached, closest, composedContains, focusedElement, isEditable, localName, parentOf, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { elementAt } from '../dom/hit_test.js';
import { isOpenSelect } from '../dom/open_select.js';
import { roleOf } from '../dom/role.js';
import { SET_TYPES, TEXT_TYPES, hasArea, isField, isVisible, topBox } from '../dom/state.js';
import { frame } from '../dom/timers.js';
import { describe, entries, refOf, resolve, roleAndName } from '../document/registry.js';
import { candidates } from '../locate/find.js';
import { controlIn } from '../locate/strict.js';
import { plainWords } from '../locate/words.js';
import { CELLS, GRIDS, Grid, GridRow, cellText, gridOf, listedRows, rowsNamed } from '../locate/grid.js';

// prepareCell says how a cell of a table is set: by the one field in it, or by the editor that opens
// over it.
/** @type {{ el: El, box: Rect }} */
let editedCell;
/** @param {El} el */
export function prepareCell(el) {
  editedCell = { el, box: topBox(el) };
  const field = controlIn(el);
  return { field: field && isField(localName(field), roleOf(field)) ? describe(field).ref : undefined };
}

// cellEditor waits for the editor of the cell that was prepared last: a field that has the focus and
// lies in the cell or over it.
/** @param {{ limit: number }} o */
export async function cellEditor({ limit }) {
  const until = performance.now() + limit;
  for (;;) {
    const field = focusedElement();
    if (field && takesText(field) && (composedContains(editedCell.el, field) || covers(topBox(field), placeOfCell())) && isVisible(field)) return { ref: describe(field).ref };
    if (performance.now() > until) return {};
    await frame();
  }
}

// placeOfCell returns where the cell is, or was when the page replaced it.
function placeOfCell() {
  if (attached(editedCell.el)) editedCell.box = topBox(editedCell.el);
  return editedCell.box;
}

/** @param {El} el */
const takesText = (el) => {
  const tag = localName(el);
  return tag === 'textarea' || tag === 'select' || isEditable(el) || tag === 'input' && (TEXT_TYPES.has(el.type) || SET_TYPES.has(el.type));
};

/** @param {Rect} a @param {Rect} b */
const covers = (a, b) => hasArea(a) && Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > b.width / 2 &&
  Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > b.height / 2;

// cellShows waits until the cell that was prepared last shows a value, and returns what it shows.
/** @param {{ value: string, limit: number }} o */
export async function cellShows({ value, limit }) {
  const until = performance.now() + limit;
  for (;;) {
    const el = attached(editedCell.el) ? editedCell.el : cellAt(placeOfCell());
    const field = focusedElement();
    const editing = !!field && takesText(field) && (!!el && composedContains(el, field) || covers(topBox(field), placeOfCell()));
    const text = el ? cellText(el) : '';
    const shown = !editing && sameText(text, value);
    if (shown || performance.now() > until) return { shown, editing, text, element: el ? describe(el) : undefined };
    await frame();
  }
}

// cellAt returns the cell at the place of one that the page replaced.
/** @param {Rect} box */
function cellAt(box) {
  const off = elementAt(box.x + box.width / 2, box.y + box.height / 2);
  for (let up = off; up; up = parentOf(up)) if (CELLS.has(roleOf(up))) return up;
  return null;
}

// sameText compares a text with the value that was typed, which the page may format.
/** @param {string} text @param {string} value */
function sameText(text, value) {
  /** @param {string} s */
  const bare = (s) => tidy(s).toLowerCase().replace(/[^\p{L}\p{N}.,-]/gu, '');
  if (bare(text) === bare(value)) return true;
  /** @param {string} s */
  const number = (s) => parseFloat(bare(s).replace(/(?<=\d),(?=\d{3})/g, ''));
  return /\d/.test(value) && number(text) === Number(value);
}

// cellRef resolves a derived ref: a cell of a row by number or column, or a row of a grid, by number as
// listed or by a text of it, and a cell of that row.
/** @param {{ n: number, path: string[] }} o */
export function cellRef({ n, path }) {
  const entry = entries.get(n);
  if (!entry) throw new EngineError('otherDocument', {});
  const el = entry.weak.deref();
  if (!el || !attached(el)) throw new EngineError('stale', { reason: 'its element is no longer in the page', candidates: candidates(entry.role, entry.name) });
  const role = roleOf(el), root = role === 'row' ? gridOf(el) : GRIDS.has(role) ? el : null;
  if (!root) throw new EngineError('noCell', { reason: `a ${entry.role} has no cells` });
  const grid = new Grid(root);
  const row = role === 'row' ? [...grid.rows, ...grid.headers].find((r) => r.contains(el)) ?? new GridRow(el) : rowAt(grid, path.shift() ?? '');
  if (role === 'row' && entry.name && !entry.name.startsWith(firstText(row.texts))) {
    throw new EngineError('stale', { reason: `the row now begins with ${JSON.stringify(firstText(row.texts))}`, candidates: candidates(entry.role, entry.name) });
  }
  const found = path.length ? cellIn(grid, row, path.join('/')) : row.parts[0];
  const { role: shown, name } = roleAndName(found);
  return { n: Number(refOf(found, shown, name).slice(1)) };
}

/** @param {string[]} texts */
const firstText = (texts) => texts.find((text) => /\p{L}/u.test(text)) ?? texts.find(Boolean) ?? '';

/** @param {Grid} grid @param {string} said */
function rowAt(grid, said) {
  const named = rowsNamed(grid, plainWords(said));
  if (named.length === 1) return named[0];
  if (named.length > 1) throw new EngineError('noCell', { reason: `${named.length} rows say ${JSON.stringify(said)}` });
  if (!/^\d+$/.test(said)) throw new EngineError('noCell', { reason: `no row says ${JSON.stringify(said)}` });
  const listed = (listedRows.get(grid.root) ?? []).map(({ el, text }) => ({ row: grid.rows.find((r) => r.contains(el)), el, text }))
    .filter(({ row, el }) => row || !attached(el));
  /** @type {{ row?: GridRow, el?: El, text?: string }} */
  const at = listed.length ? listed[Number(said) - 1] : { row: grid.rows[Number(said) - 1] };
  if (!at || !at.row && !at.el) throw new EngineError('noCell', { reason: `it has ${grid.rows.length} rows` });
  const { row, text = '' } = at;
  if (!row || text && !row.texts.some((said) => said.startsWith(text))) {
    throw new EngineError('stale', { reason: `its row ${said} was ${JSON.stringify(at.text)} and has changed`, candidates: [] });
  }
  return row;
}

/** @param {Grid} grid @param {GridRow} row @param {string} said */
function cellIn(grid, row, said) {
  const wanted = plainWords(said).join(' ');
  const column = grid.columns.find((c) => plainWords(c.name).join(' ') === wanted);
  const cell = column ? grid.cellUnder(row, column) : /^\d+$/.test(said) ? row.places[Number(said) - 1] : undefined;
  if (cell) return cell;
  const names = grid.columns.map((c) => JSON.stringify(c.name)).join(', ');
  throw new EngineError('noCell', { reason: column ? `the row has no cell under ${JSON.stringify(column.name)}` :
    `the row has ${row.places.length} cells${names ? ' under ' + names : ''}` });
}

// optionOwner returns the closed select of an option, which is set instead of clicked.
/** @param {{ n: number }} o */
export function optionOwner({ n }) {
  const el = resolve(n), select = localName(el) === 'option' ? closest(el, 'select') : null;
  if (!select || select.size > 1 || select.multiple || isOpenSelect(select)) return {};
  return { ref: describe(select).ref, value: tidy(el.label) };
}
