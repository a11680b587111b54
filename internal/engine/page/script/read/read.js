// Readings: one document as text, in the requested form.

import {
  ELEMENT, MAX_DEPTH, SILENT, TEXT, UNSEEN, attr, cut, eachChild, flat, frameDocument, innerMarkupOf, isFrame,
  localName, markupOf, nodeType, nodeValue, selectAllIn, textContent, tidy, titleOf,
} from '../dom/dom.js';
import { findCovered, forgetLayers } from '../dom/covered.js';
import { EngineError } from '../dom/error.js';
import { boxIn, isRemoteFrame, noteRemoteFrame } from '../dom/frames.js';
import { roleOf } from '../dom/role.js';
import { observeRoot } from '../dom/roots.js';
import { UNKNOWN_PARENT, breaksOf, isInteractive, parentVisual, readable, visualState } from '../dom/scan.js';
import { MASK, isSecret, round, topBox } from '../dom/state.js';
import { describe, refOf, resolve, roleAndName } from '../document/registry.js';
import { mainPart } from '../locate/layer.js';
import { selectAll } from '../locate/query.js';
import { markup } from './markup.js';
import { outline } from './outline.js';
import { isHTML } from './outline_marks.js';
import { styling } from './style.js';

/** @param {{ n?: number, selector?: string }} o @returns {El | null} */
export function rootFor({ n, selector }) {
  if (n) return resolve(n);
  if (selector) {
    const found = selectAll({ css: selector, pierce: true })[0];
    if (!found) throw new EngineError('noElement', { selector });
    return found;
  }
  return /** @type {El | null} */ (document.documentElement);
}

// A response carries a long reading as far as its budget goes. The remainder stays here, because
// most readings are never continued.
export const remainders = new Map();
let remainderNumber = 0;
const MAX_REMAINDERS = 8;

/** @param {string} text @param {number} most @returns {{ text: string, remainder: number, left: number }} */
function head(text, most) {
  if (text.length <= most) return { text, remainder: 0, left: 0 };
  // A character is at least as many bytes as it is units here.
  const end = most + ((text.codePointAt(most - 1) ?? 0) > 0xffff ? 1 : 0);
  const remainder = ++remainderNumber;
  remainders.set(remainder, text.slice(end));
  remainders.delete(remainder - MAX_REMAINDERS);
  return { text: text.slice(0, end), remainder, left: text.length - end };
}

const DOM = 3, CSS_MODE = 4, MARKUP = 5;

/** @param {ReadOptions} o */
export function read(o) {
  let root = rootFor(o);
  const produce = () => (!root ? { text: '', frames: [] } : o.mode === DOM ? skeleton(root, o) : o.mode === CSS_MODE ? styling(root, o)
    : o.mode === MARKUP ? { text: markup(root), frames: [] } : outline(root, o));
  forgetLayers();
  let shape = produce();
  if (findCovered()) shape = produce();
  const part = o.part && shape.text.length >= o.head ? mainPart() : null;
  if (part) { root = part; shape = produce(); }
  const page = document.scrollingElement ?? document.documentElement, hidden = o.hidden ? unseen(root) : undefined;
  forgetLayers();
  return {
    url: location.href, title: titleOf(), ...head(shape.text, o.head), frames: shape.frames, hidden, empty: !root || undefined, contentType: isHTML(document) ? undefined : document.contentType,
    part: part ? describe(part) : undefined, scroll: { x: round(scrollX), y: round(scrollY) },
    viewport: { width: innerWidth, height: innerHeight },
    document: { width: page?.scrollWidth ?? 0, height: page?.scrollHeight ?? 0 },
  };
}

// XML_SOURCE is the id of the element in which the browser keeps an XML document that it shows as a tree.
const XML_SOURCE = 'webkit-xml-viewer-source-xml';

// content returns the markup with the values of secret fields masked.
/** @param {ReadOptions & { inner?: boolean }} o */
export function content(o) {
  const root = rootFor(o);
  const source = root === document.documentElement && document.getElementById(XML_SOURCE);
  let text = !root ? '' : source || o.inner ? innerMarkupOf(source || root) : markupOf(root);
  for (const el of root ? [root, ...selectAllIn(root, 'input[value]')] : []) {
    const secret = attr(el, 'value');
    if (localName(el) !== 'input' || !isSecret(el) || !secret) continue;
    const value = new Option(secret).outerHTML.slice(8, -9);
    text = text.replaceAll(`value="${secret.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/\u00a0/g, '&nbsp;')}"`, `value="${MASK}"`)
      .replaceAll(`value="${value}"`, `value="${MASK}"`);
  }
  return { url: location.href, title: titleOf(), ...head(text.toWellFormed(), o.head) };
}

// unseen counts the text that a reading leaves out because no person could see it.
/** @param {El | null} root */
function unseen(root) {
  const out = { places: 0, characters: 0 };
  /** @param {string} text */
  const add = (text) => { const n = text.replace(/\s+/g, '').length; if (n) { out.places++; out.characters += n; } };
  /** @param {El} el @param {ParentVisual} up @param {number} depth @returns {boolean | void} */
  const go = (el, up, depth) => {
    if (depth > MAX_DEPTH) return;
    const visual = visualState(el, up);
    if (!visual) { if (!SILENT.has(localName(el))) add(textContent(el)); return; }
    const doc = isFrame(el) ? frameDocument(el) : null;
    if (doc) go(doc.documentElement, UNKNOWN_PARENT, depth + 1);
    eachChild(el, (n) => {
      const type = nodeType(n);
      if (type === ELEMENT) go(n, visual, depth + 1);
      else if (type === TEXT) {
        const text = nodeValue(n);
        if (!/\S/.test(text)) return;
        if (!readable(visual)) add(text);
        else { const stripped = text.match(UNSEEN); if (stripped) add(stripped.join('x')); }
      }
    });
  };
  if (root) go(root, parentVisual(root), 0);
  return out;
}

// The skeleton: elements as tags, for callers that need markup.
const KEPT_ATTRIBUTES = ['id', 'class', 'name', 'type', 'href', 'src', 'alt', 'title', 'placeholder', 'for', 'role', 'aria-label', 'data-testid'];
const RUN_HEAD = 3, MIN_RUN = 6;

/** @param {El} root @param {ReadOptions} o */
function skeleton(root, o) {
  /** @type {string[]} */ const lines = [];
  /** @type {FrameLine[]} */ const frames = [];
  /** @param {El} el @param {ParentVisual} up @param {number} depth @returns {boolean | void} */
  const go = (el, up, depth) => {
    const visual = visualState(el, up);
    if (!visual || depth > MAX_DEPTH) return false;
    const role = roleOf(el);
    const live = isInteractive(el, role, visual, up);
    const line = lines.length;
    lines.push('');
    if (isRemoteFrame(el)) frames.push({ frameKey: noteRemoteFrame(el), line, depth: depth + 1 });
    let said = '', below = live;
    const doc = isFrame(el) ? frameDocument(el) : null;
    const kids = [];
    if (doc) { observeRoot(doc); kids.push(doc.documentElement); }
    else if (visual.tag !== 'svg' && visual.tag !== 'select' && visual.tag !== 'textarea') {
      eachChild(el, (n) => {
        if (nodeType(n) === ELEMENT) kids.push(n);
        else if (nodeType(n) === TEXT && /\S/.test(nodeValue(n)) && readable(visual)) said += lineOf(nodeValue(n), visual);
      });
    }
    const deeper = !(o.depth > 0 && depth + 1 >= o.depth);
    if (deeper) below = children(kids, visual, depth + 1) || below;
    lines[line] = '  '.repeat(depth) + tagLine(el, role, live, o) + (tidy(said) ? ' ' + cut(tidy(said), 200) : '') + (kids.length && !deeper ? ' …' : '');
    return below;
  };
  // A run of similar elements without controls shows its first few.
  /** @param {El[]} kids @param {VisualState} visual @param {number} depth @returns {boolean} */
  const children = (kids, visual, depth) => {
    let live = false;
    for (let i = 0; i < kids.length;) {
      let end = i + 1;
      while (end < kids.length && localName(kids[end]) === localName(kids[i]) && attr(kids[end], 'class') === attr(kids[i], 'class')) end++;
      const start = lines.length;
      let after = start, acted = false;
      for (let k = i; k < end; k++) {
        acted = go(kids[k], visual, depth) || acted;
        if (k === i + RUN_HEAD - 1) after = lines.length;
      }
      if (!acted && end - i >= MIN_RUN && !frames.some((d) => d.line >= after)) {
        lines.length = after;
        lines.push(`${'  '.repeat(depth)}… ${end - i - RUN_HEAD} more <${localName(kids[i])}>`);
      }
      live = live || acted;
      i = end;
    }
    return live;
  };
  go(root, parentVisual(root), 0);
  return { text: lines.join('\n') + (lines.length ? '\n' : ''), frames };
}

// lineOf returns a text for a line: line breaks that a person sees as \\n.
/** @param {string} text @param {VisualState} visual */
const lineOf = (text, visual) => flat(text.includes('\n') && breaksOf(visual) ? text.trim().replace(/[^\S\n]*\n[^\S\n]*/g, '\\n') : text);

/** @param {El} el @param {string} role @param {boolean} live @param {ReadOptions} o */
export function tagLine(el, role, live, o) {
  let line = '<' + localName(el);
  for (const name of KEPT_ATTRIBUTES) {
    const value = attr(el, name);
    if (value) line += ` ${name}=${JSON.stringify(cut(tidy(value), 80))}`;
  }
  line += '>';
  if (live) {
    const { role: shown, name } = roleAndName(el);
    line += ` [${refOf(el, shown, name)}]` + boxNote(el, o);
  }
  return line.toWellFormed();
}

// placed returns the note of a box, in the viewport of the page.
/** @param {Size & Point} box @param {ReadOptions} o */
export function placed(box, o) {
  const b = boxIn(box, o.frame);
  return ` @${Math.round(b.x)},${Math.round(b.y)} ${Math.round(b.width)}×${Math.round(b.height)}`;
}

/** @param {El} el @param {ReadOptions} o */
export const boxNote = (el, o) => {
  if (!o.boxes) return '';
  return placed(topBox(el), o);
};
