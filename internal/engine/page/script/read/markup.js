// The markup of the visible content, reduced to elements with a meaning: the source of a Markdown
// reading. A remote frame is a comment with its key.

import {
  ELEMENT, MAX_DEPTH, TEXT, UNSEEN, attr, closest, composedContains, cut, eachChild, flat, frameDocument, isFrame,
  nodeType, nodeValue, ownerDocument, selectIn, tidy,
} from '../dom/dom.js';
import { noteRemoteFrame } from '../dom/frames.js';
import { roleOf } from '../dom/role.js';
import { observeRoot } from '../dom/roots.js';
import { UNKNOWN_PARENT, breaksOf, paintOf, parentVisual, readable, visualState } from '../dom/scan.js';
import { visibleText } from '../dom/text.js';
import { GRIDS, Grid } from '../locate/grid.js';
import { hasSpans, headerTexts } from '../locate/spans.js';

const SPOKEN = new Set(('h1 h2 h3 h4 h5 h6 p ul ol li a table thead tbody tfoot tr th td pre code blockquote strong b em i hr br ' +
  'dl dt dd figure figcaption del s caption').split(' '));
const MARKUP_DEPTH = 400; // levels of the Markdown converter; deeper elements are text only
/** @param {string} s */
const escapeMarkup = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** @param {El} root */
export function markup(root) {
  /** @type {string[]} */
  const out = [];
  /** @param {El} el @param {ParentVisual} up @param {number} depth @param {boolean} pre @returns {boolean | void} */
  const go = (el, up, depth, pre) => {
    const visual = visualState(el, up);
    if (!visual || depth > MAX_DEPTH) return;
    const tag = visual.tag;
    if (tag === 'img') { imageMarkup(el, visual, out); return; }
    if (tag === 'svg' || tag === 'select' || tag === 'textarea' || tag === 'input') return;
    const inline = visual.display.startsWith('inline') || visual.display === 'contents';
    if (tag === 'tr' && depth <= MARKUP_DEPTH && rowMarkup(el, out, (cell) => go(cell, visual, depth + 1, false))) return;
    const name = depth > MARKUP_DEPTH ? '' : SPOKEN.has(tag) ? tag : inline ? '' : 'div';
    if (name) out.push('<', name, tag === 'a' ? hrefMarkup(el) : '', '>');
    if (isFrame(el)) {
      const doc = frameDocument(el);
      if (doc) { observeRoot(doc); go(doc.documentElement, UNKNOWN_PARENT, depth + 1, false); } else out.push(`<!--frame:${noteRemoteFrame(el)}-->`);
    } else {
      eachChild(el, (n) => {
        const type = nodeType(n);
        if (type === ELEMENT) go(n, visual, depth + 1, pre || tag === 'pre');
        else if (type === TEXT && (!/\S/.test(nodeValue(n)) || readable(visual))) {
          const text = nodeValue(n);
          if (pre || tag === 'pre') out.push(escapeMarkup(text.replace(UNSEEN, '')));
          else if (text.includes('\n') && /\S/.test(text) && breaksOf(visual)) out.push(text.trim().split('\n').map((line) => escapeMarkup(flat(line))).join('<br>'));
          else out.push(escapeMarkup(flat(text)));
        }
      });
    }
    if (name && name !== 'br' && name !== 'hr') out.push('</', name, '>');
    else if (!name) out.push(visual.display === 'inline' ? '' : ' ');
  };
  go(root, parentVisual(root), 0, false);
  return out.join('').toWellFormed();
}

/** @param {El} el */
function hrefMarkup(el) {
  const href = attr(el, 'href');
  const own = ownerDocument(el).URL.replace(/#.*$/s, '');
  return href && !/^\s*(?:javascript|data):/i.test(href) && String(el.href).replace(/#$/, '') !== own ? ` href="${escapeMarkup(el.href || href)}"` : '';
}

/** @param {El} el @param {VisualState} visual @param {string[]} out */
function imageMarkup(el, visual, out) {
  const src = attr(el, 'src');
  if (!visual.visible || attr(el, 'alt') === '' || !src || /^\s*data:/i.test(src)) return;
  out.push(`<img alt="${escapeMarkup(tidy(attr(el, 'alt') ?? ''))}" src="${escapeMarkup(el.src)}">`);
}

// rowMarkup writes a row of a table with spans or with several header rows: each cell in all of its places,
// and the header rows as one. It returns false for any other row.
const MAX_REPEATED = 100;
/** @param {El} tr @param {string[]} out @param {(cell: El) => void} write */
function rowMarkup(tr, out, write) {
  const table = closest(tr, 'table'), layout = table && paintOf(table, layoutOf), row = layout?.rows.get(tr);
  if (!layout || !row) return false;
  const at = layout.headers.indexOf(tr);
  if (at > 0) return true;
  out.push('<tr>');
  if (at === 0) out.push(...layout.names.map((texts) => `<th>${escapeMarkup(texts.join(' '))}</th>`));
  else {
    const shown = new Set(), single = row.cells.length === 1 && row.places[0] === row.places.at(-1);
    for (const cell of single ? row.cells : row.places) {
      if (cell && row.cells.includes(cell) && !shown.has(cell)) { shown.add(cell); write(cell); }
      else out.push('<td>', cell ? escapeMarkup(cut(visibleText(cell), MAX_REPEATED)) : '', '</td>');
    }
  }
  out.push('</tr>');
  return true;
}

// layoutOf returns the rows of a table by element, and its header rows where there are several; null where
// each cell has its own place.
const TWO_HEADER_ROWS = 'tr:not(:has(> td)) + tr:not(:has(> td))';
/** @param {El} table */
function layoutOf(table) {
  if (!GRIDS.has(roleOf(table)) || !hasSpans(table) && !selectIn(table, TWO_HEADER_ROWS)) return null;
  const grid = new Grid(table), own = grid.headers.filter((row) => composedContains(table, row.parts[0]));
  const headers = own.length > 1 ? own.map((row) => row.parts[0]) : [];
  return { rows: new Map([...grid.rows, ...own].map((row) => [row.parts[0], row])), headers, names: headerTexts(grid) };
}
