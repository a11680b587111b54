// Structured data: JSON-LD, microdata, tables and records of a page. The Go side matches it with a
// schema.

import {
  ELEMENT, attr, childElements, closest, composedContains, cut, frameDocument, hasAttr, isFrame, localName, matches,
  nextElement, nodeType, ownerDocument, parentNode, queryAll, rectOf, selectAllIn, selectIn, textContent, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { noteRemoteFrame } from '../dom/frames.js';
import { isSecret, isVisible } from '../dom/state.js';
import { visibleText } from '../dom/text.js';
import { describe } from '../document/registry.js';
import { Grid } from '../locate/grid.js';
import { byPiercing, selectAll } from '../locate/query.js';
import { headerTexts } from '../locate/spans.js';
import { rootFor } from './read.js';

const SCRIPT_BYTES = 200000, MAX_TABLES = 20, MAX_ROWS = 1000, MAX_PAIRS = 500, MAX_ITEMS = 200;

// data collects the data of a document or of one element, and that of the visible frames in it: a document
// each. Frames that this world cannot read are listed, with their keys. Where a selector matches nothing
// here, only those frames are listed, because it may match there.
const MIN_FRAME = 10;
/** @param {{ n?: number, selector?: string, words: string[], multiple?: boolean }} o */
export function data({ n, selector, words, multiple }) {
  const root = n || !selector ? rootFor({ n }) : selectAll({ css: selector, pierce: true })[0] ?? null;
  if (!root && !selector) throw new EngineError('emptyDocument', {});
  /** @type {{ matched: boolean, documents: ReturnType<typeof documentData>[], frames: { key: number, url: string, ref: string }[] }} */
  const out = { matched: root !== null, documents: [], frames: [] };
  if (root && !isFrame(root)) out.documents.push(documentData(root, words, multiple));
  for (const el of byPiercing('iframe,frame,object,embed').filter(isFrame)) {
    const r = rectOf(el), doc = frameDocument(el);
    if (r.width < MIN_FRAME || r.height < MIN_FRAME || !isVisible(el) || root && !composedContains(root, el)) continue;
    if (!doc) out.frames.push({ key: noteRemoteFrame(el), url: el.src, ref: describe(el).ref });
    else if (root) out.documents.push(documentData(doc.documentElement, words, multiple));
  }
  return out;
}

/** @param {El} root @param {string[]} words @param {boolean | undefined} multiple @returns {PageData} */
function documentData(root, words, multiple) {
  const doc = ownerDocument(root);
  /** @param {string} css */
  const within = (css) => [...selectAllIn(root, css)];
  /** @type {PageData} */
  const out = { url: doc.location.href, jsonLd: [], microdata: [], meta: [], tables: [], terms: [], markup: [], records: [] };
  let bytes = 0;
  for (const s of queryAll(doc, 'script[type="application/ld+json"]')) {
    const text = textContent(s);
    if ((bytes += text.length) <= SCRIPT_BYTES) out.jsonLd.push(text.toWellFormed());
  }
  for (const m of queryAll(doc, 'meta[property],meta[name]')) {
    const said = attr(m, 'content');
    if (said && out.meta.length < MAX_PAIRS) out.meta.push([attr(m, 'property') ?? attr(m, 'name') ?? '', cut(said, 1000).toWellFormed()]);
  }
  out.meta.push(['title', tidy(doc.title)]);
  for (const el of within('[itemscope]')) if (out.microdata.length < MAX_ITEMS && !hasAttr(el, 'itemprop')) out.microdata.push(microdata(el, 0));
  for (const t of (matches(root, 'table') ? [root] : within('table')).slice(0, MAX_TABLES)) if (isVisible(t)) out.tables.push(tableData(t));
  for (const dt of within('dt')) { const dd = nextElement(dt); if (dd && localName(dd) === 'dd') addTerm(out.terms, dt, dd); }
  for (const th of within('th')) { const td = nextElement(th); if (td && localName(td) === 'td' && !closest(th, 'thead')) addTerm(out.terms, th, td); }
  out.markup = markupMatches(root, words);
  if (multiple) out.records = records(root, words);
  return out;
}

/** @param {El} el */
const shortText = (el) => cut(visibleText(el), 500).toWellFormed();
/** @param {[string, string][]} terms @param {El} a @param {El} b */
const addTerm = (terms, a, b) => { if (terms.length < MAX_PAIRS) terms.push([shortText(a), shortText(b)]); };

/** @param {El} scope @param {number} depth @returns {Microdata} */
function microdata(scope, depth) {
  /** @type {Microdata} */
  const out = {};
  const type = attr(scope, 'itemtype');
  if (type) out['@type'] = type.split('/').pop() ?? '';
  /** @param {El} el */
  const go = (el) => {
    for (const kid of childElements(el)) {
      const names = (attr(kid, 'itemprop') ?? '').split(/\s+/).filter(Boolean);
      const nested = hasAttr(kid, 'itemscope');
      for (const name of names) {
        const value = nested ? (depth < 5 ? microdata(kid, depth + 1) : null) : propertyValue(kid);
        const known = out[name];
        out[name] = !(name in out) ? value : Array.isArray(known) ? [...known, value] : [known, value];
      }
      if (!nested) go(kid);
    }
  };
  go(scope);
  return out;
}

/** @param {El} el @returns {string} */
function propertyValue(el) {
  const content = attr(el, 'content');
  if (content !== null) return cut(content, 1000).toWellFormed();
  switch (localName(el)) {
    case 'a': case 'link': case 'area': return el.href;
    case 'img': case 'audio': case 'video': case 'source': case 'iframe': case 'embed': return el.src;
    case 'time': return attr(el, 'datetime') ?? tidy(textContent(el));
    case 'data': case 'meter': return attr(el, 'value') ?? tidy(textContent(el));
  }
  return cut(tidy(textContent(el)), 1000).toWellFormed();
}

// tableData returns the rows of a table and the names of each column: the text of the header cell next to
// the rows, that of all header cells above the column, and that of each.
/** @param {El} table */
function tableData(table) {
  const grid = new Grid(table), body = grid.rows.filter((row) => isVisible(row.parts[0]));
  if (!grid.headers.length && body[0]?.cells.length > 1 && body[0].cells.slice(1).every((cell) => localName(cell) === 'th')) grid.headers = body.splice(0, 1);
  const headers = headerTexts(grid).map((texts) => [...new Set([texts.at(-1) ?? '', texts.join(' '), ...texts])].map((text) => text.toWellFormed()));
  const rows = body.slice(0, MAX_ROWS).map((row) => row.places.map((cell) => (cell ? cut(tidy(textContent(cell)), 300).toWellFormed() : '')));
  return { caption: table.caption ? tidy(textContent(table.caption)) : '', headers, rows };
}

// markupMatches returns elements whose own markup contains the word: an id, a class, a test id.
/** @param {El} root @param {string[]} names @returns {[string, string][]} */
function markupMatches(root, names) {
  /** @type {[string, string][]} */
  const out = [];
  for (const word of names) {
    const el = elementMarkedBy(root, word);
    if (el) out.push([word, valueText(el)]);
  }
  return out;
}

/** @param {string} s */
const normalized = (s) => s.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** @param {El} root @param {string} word */
function elementMarkedBy(root, word) {
  const wanted = normalized(word);
  if (!wanted) return null;
  let best = null, most = 0;
  for (const el of selectAllIn(root, '[id],[class],[name],[data-testid],[data-field],[data-name],[aria-label],h1')) {
    if (isSecret(el)) continue;
    let score = localName(el) === 'h1' && (wanted === 'title' || wanted === 'name' || wanted === 'headline') ? 2 : 0;
    for (const name of ['data-field', 'data-name', 'data-testid', 'id', 'name', 'aria-label']) if (normalized(attr(el, name) ?? '') === wanted) score = 5;
    if (!score) for (const c of (attr(el, 'class') ?? '').split(/\s+/)) {
      const className = normalized(c);
      if (className === wanted) score = Math.max(score, 4);
      else if (className.endsWith(wanted)) score = Math.max(score, 3);
    }
    if (score > most && isVisible(el) && valueText(el)) { best = el; most = score; }
  }
  return best;
}

// valueText returns the text of an element, or the address of a link or picture without text.
/** @param {El} el @returns {string} */
function valueText(el) {
  const tag = localName(el);
  if (tag === 'input' || tag === 'select' || tag === 'textarea') return '';
  const time = tag === 'time' && attr(el, 'datetime');
  if (time) return time;
  const text = shortText(el);
  return text || (tag === 'img' ? el.src : tag === 'a' ? el.href : '');
}

// records finds the largest group of similar siblings that the words match, one record each.
/** @param {El} root @param {string[]} names @returns {Record<string, string>[]} */
function records(root, names) {
  /** @type {El[]} */
  let best = [];
  const seen = new Set();
  for (const el of selectAllIn(root, 'li,article,tr,section,div')) {
    const parent = parentNode(el);
    if (!parent || seen.has(parent) || nodeType(parent) !== ELEMENT) continue;
    seen.add(parent);
    const like = [...childElements(parent)].filter((k) => localName(k) === localName(el) && attr(k, 'class') === attr(el, 'class'));
    if (like.length < 2 || like.length <= best.length || !markupMatches(like[0], names).length && !markupMatches(like[1], names).length) continue;
    best = like;
  }
  return best.slice(0, MAX_ITEMS).map((el) => {
    const record = Object.fromEntries(markupMatches(el, names));
    const link = selectIn(el, 'a[href]'), image = selectIn(el, 'img[src]');
    if (link) record['@url'] = link.href;
    if (image) record['@image'] = image.src;
    return record;
  });
}
