// Grids in the outline: rows in the order in which they are drawn, each on one line where its cells are
// simple.

import { attr, closest, cut, hasAttr, localName, parentOf, rectOf, tidy } from '../dom/dom.js';
import { visibleText } from '../dom/text.js';
import { CELLS, GRIDS, areSideBySide, listedRows } from '../locate/grid.js';
import { hasSpans, placeCells } from '../locate/spans.js';
import { BREAK, COMPACT } from './modes.js';
import { collapses } from './outline.js';
import { plainText, settleKids } from './outline_text.js';

// arrangeRows joins the parts of each row of a grid's node, puts the rows in the order of their index,
// and notes which rows were listed where.
/** @param {El} el @param {OutlineNode} node @param {Plan} plan */
export function arrangeRows(el, node, plan) {
  const rows = rowNodes(node.kids, []);
  if (!rows.length) return;
  const kept = plan.mode === COMPACT ? joinParts(rows) : rows;
  if (plan.mode === COMPACT) kept.forEach(foldHandles);
  const total = Number(attr(el, 'aria-rowcount'));
  if (total > kept.length) node.head += ` ${kept.length} of ${total} rows`;
  else if (!total) node.head += estimatedRows(kept);
  listedRows.set(el, kept.filter((row) => !isHeaderNode(row)).map(({ node }) => ({ el: node.el, text: firstString(node.kids) })));
  if (plan.mode === COMPACT && kept === rows && hasSpans(el)) repeatSpans(kept);
}

// repeatSpans lists a cell that spans rows or columns in each of its places. A row that is one cell stays so.
const MAX_REPEATED = 40;
/** @param {RowNode[]} rows */
function repeatSpans(rows) {
  const own = rows.map(({ node }) => ({ el: node.el, cells: node.kids.filter(isNode).filter((kid) => CELLS.has(kid.role)) }));
  /** @type {Map<OutlineNode | undefined, OutlineNode>} */ const repeated = new Map();
  placeCells(own, (cell) => cell.el).forEach((places, i) => {
    const { cells } = own[i], { node } = rows[i];
    if (cells.length === 1 && places[0] === places.at(-1) || places.length === cells.length) return;
    const shown = new Set(), others = node.kids.filter((kid) => kid !== BREAK && (!isNode(kid) || !CELLS.has(kid.role)));
    node.kids = others;
    for (const cell of places) {
      let kid = repeated.get(cell) ?? repeatedCell(cell, node.el);
      repeated.set(cell, kid);
      if (cell && cells.includes(cell) && !shown.has(cell)) { shown.add(cell); kid = cell; }
      others.push(BREAK, kid, BREAK);
    }
  });
}

/** @param {OutlineNode | undefined} cell @param {El} row @returns {OutlineNode} */
const repeatedCell = (cell, row) => ({ el: cell?.el ?? row, head: 'cell', tail: '', hint: '', role: 'cell', name: '', ref: '', named: false, live: false,
  leaf: false, frameKey: 0, kids: cell ? [cut(visibleText(cell.el), MAX_REPEATED)] : [] });

// estimatedRows notes how many rows a grid has that draws only those in view: the height of its scrolled
// content over the height of a row. It returns '' when most of that height is drawn or rows differ.
const MIN_ROWS = 5, MAX_SCROLLER_LEVELS = 6;
/** @param {RowNode[]} rows */
function estimatedRows(rows) {
  const body = rows.filter((row) => !isHeaderNode(row)).map(({ node }) => node.el);
  if (body.length < MIN_ROWS) return '';
  const heights = [body[0], body[body.length >> 1], body[body.length - 1]].map((row) => rectOf(row).height);
  if (!(heights[0] > 0) || heights.some((height) => Math.abs(height - heights[0]) > 1)) return '';
  for (let up = parentOf(body[0]), level = 0; up && level < MAX_SCROLLER_LEVELS && localName(up) !== 'body'; up = parentOf(up), level++) {
    if (up.scrollHeight <= up.clientHeight + heights[0] || !/^(?:auto|scroll|hidden|clip)$/.test(getComputedStyle(up).overflowY)) continue;
    const total = Math.round(up.scrollHeight / heights[0]);
    return total > 1.5 * rows.length ? ` ${rows.length} of about ${total} rows` : '';
  }
  return '';
}

// foldHandles takes the handles that resize columns out from between the cells of a row: those of a header
// belong to the cell before them, and those of other rows repeat them.
/** @param {RowNode} row */
function foldHandles(row) {
  const isHeader = isHeaderNode(row), { node } = row;
  /** @type {Kid[]} */ const kids = [];
  /** @type {OutlineNode | null} */ let cell = null;
  for (const kid of node.kids) {
    if (kid === BREAK || !isResizer(kid)) {
      kids.push(kid);
      if (isNode(kid) && CELLS.has(kid.role)) cell = kid;
    } else if (isHeader && cell) {
      cell.kids.push(BREAK, kid, BREAK);
    }
  }
  node.kids = kids;
}

/** @param {string | OutlineNode} kid */
const isResizer = (kid) => typeof kid !== 'string' && kid.role === 'clickable' && !kid.named && !kid.kids.some(isNode) &&
  (/resize/i.test(attr(kid.el, 'class') ?? '') || /resize$/.test(getComputedStyle(kid.el).cursor));

// rowNodes collects the nodes of rows with the list that holds each.
/** @param {Kid[]} kids @param {RowNode[]} out @returns {RowNode[]} */
function rowNodes(kids, out) {
  for (const kid of kids) {
    if (kid === BREAK || typeof kid === 'string') continue;
    if (kid.role === 'row') out.push({ node: kid, holder: kids });
    else if (!GRIDS.has(kid.role) && kid.kids.length) rowNodes(kid.kids, out);
  }
  return out;
}

/** @param {RowNode[]} rows */
function joinParts(rows) {
  const indexed = rows.every(({ node }) => hasAttr(node.el, 'aria-rowindex'));
  if (!indexed && !areSideBySide(rows.map(({ node }) => node.el))) return rows;
  /** @param {{ node: OutlineNode }} o */
  const place = ({ node }) => Number(indexed ? attr(node.el, 'aria-rowindex') : Math.round(rectOf(node.el).top));
  const joined = new Map(), places = rows.map(place);
  if (places.every((at, i) => !i || at > places[i - 1])) return rows;
  rows.forEach((row, i) => {
    const first = joined.get(places[i]);
    if (first) joinCells(first.node, row.node); else joined.set(places[i], row);
  });
  const kept = [...joined].sort((a, b) => a[0] - b[0]).map(([, row]) => row);
  const { holder } = kept[0];
  for (const list of new Set(rows.map((row) => row.holder))) {
    const rest = list.filter((kid) => !isNode(kid) || kid.role !== 'row');
    list.length = 0;
    list.push(...rest);
  }
  for (const { node } of kept) holder.push(BREAK, node, BREAK);
  return kept;
}

// joinCells adds the cells of another part to a row, from left to right; of two at one place the later
// one stays, which is drawn over the other.
/** @param {OutlineNode} row @param {OutlineNode} part */
function joinCells(row, part) {
  const places = new Map();
  for (const kid of [...row.kids, ...part.kids]) {
    if (kid === BREAK || typeof kid === 'string') continue;
    const at = kid.el ? rectOf(kid.el).left : 0;
    places.set(kid.el && attr(kid.el, 'aria-colindex') || 'x' + at, { kid, at });
  }
  row.kids = [...places.values()].sort((a, b) => a.at - b.at).flatMap(({ kid }) => [BREAK, kid, BREAK]);
  if (!row.ref && part.ref) Object.assign(row, { head: part.head, ref: part.ref });
}

/** @param {Kid} kid @returns {kid is OutlineNode} */
const isNode = (kid) => kid !== BREAK && typeof kid !== 'string';

/** @param {{ node: OutlineNode }} o */
function isHeaderNode({ node }) {
  const cells = node.kids.filter(isNode).filter((kid) => CELLS.has(kid.role));
  return cells.some((cell) => cell.role === 'columnheader') && cells.every((cell) => cell.role === 'columnheader' || !firstString(cell.kids)) ||
    closest(node.el, 'thead') !== null;
}

// firstString returns the first text with a letter below a node.
/** @param {Kid[]} kids @returns {string} */
function firstString(kids) {
  for (const kid of kids) {
    if (kid === BREAK) continue;
    const text = typeof kid === 'string' ? tidy(plainText(kid)) : firstString(kid.kids);
    if (/\p{L}/u.test(text)) return text;
  }
  return '';
}

// escapeBar escapes the character that stands between cells.
/** @param {string} text */
export const escapeBar = (text) => text.replaceAll('|', '\\|');

// flatCells returns the cells of a row for one line, or null when a cell holds more than a few words
// and controls.
const MAX_PARTS = 3, COMPACT_PLAN = { mode: COMPACT };
/** @param {(string | OutlineNode)[]} kids @param {ReadOptions} o @returns {string[] | null} */
export function flatCells(kids, o) {
  const cells = [];
  for (const kid of kids) {
    if (typeof kid === 'string' || !CELLS.has(kid.role)) return null;
    const inner = settleKids(kid.kids, o);
    if (inner.length > MAX_PARTS) return null;
    const parts = [];
    for (const each of inner) {
      if (typeof each === 'string' && each.includes('\n')) return null;
      if (typeof each === 'string') { parts.push(escapeBar(each)); continue; }
      const below = settleKids(each.kids, o), [only] = below;
      const part = below.length === 1 && typeof only !== 'string' && collapses(each, below, COMPACT_PLAN) ? only : each;
      const inside = part === each ? below : settleKids(part.kids);
      if (part.frameKey || inside.some((kid) => !part.named || typeof kid !== 'string' && (kid.ref && kid.name !== part.name))) return null;
      parts.push(part.head + part.hint);
    }
    if (!parts.length && kid.name) parts.push(JSON.stringify(kid.name));
    if (kid.ref) parts.splice(parts.length && typeof inner[0] !== 'string' ? 0 : 1, 0, `[${kid.ref}]`);
    cells.push(parts.join(' ') + kid.tail);
  }
  return cells;
}
