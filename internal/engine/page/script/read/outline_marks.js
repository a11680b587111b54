// Marks in the text of an outline, for what a person sees beside it: the numbers of a list, a line through a text,
// and what takes no input.

import { attr, cut, hasAttr, localName, queryAll } from '../dom/dom.js';
import { isStruck } from '../dom/concealed.js';
import { elementAt } from '../dom/hit_test.js';
import { markerOf } from '../dom/list_marker.js';
import { mathText } from '../dom/math.js';
import { nameOf } from '../dom/name.js';
import { readable } from '../dom/scan.js';
import { boxOf, isVisible } from '../dom/state.js';
import { BREAK } from './modes.js';

const STRIKING = new Set(['s', 'strike', 'del']);

// isBlank reports a kid that prints nothing.
/** @param {Kid} kid */
const isBlank = (kid) => kid === BREAK || typeof kid === 'string' && !kid.trim();

// markText marks what an element holds among kids, from the place start on: a line through its texts, a number before
// them, and that it takes no input, where it has no line of its own.
/** @param {El} el @param {VisualState} visual @param {OutlineNode | undefined} node @param {Kid[]} kids @param {number} start */
export function markText(el, visual, node, kids, start) {
  if (!node && hasAttr(el, 'inert') && !kids.slice(start).every(isBlank)) kids.splice(start, 0, '(inert: takes no input)', BREAK);
  if (STRIKING.has(visual.tag) || isStruck(el, visual.cs)) strikeOut(kids, start);
  if (visual.tag === 'li') number(el, visual, kids, start);
}

/** @param {Kid[]} kids @param {number} start */
function strikeOut(kids, start) {
  for (let i = start; i < kids.length; i++) {
    let run = '', end = i;
    for (let kid = kids[end]; typeof kid === 'string'; kid = kids[++end]) run += kid;
    if (run.trim()) kids.splice(i, end - i, run.replaceAll('~~', '').replace(/^(\s*)(.*?)(\s*)$/s, '$1~~$2~~$3'));
  }
}

// number puts the marker of an item before its text. Where the item holds a control alone and its place tells the
// number, that is left out.
/** @param {El} el @param {VisualState} visual @param {Kid[]} kids @param {number} start */
function number(el, visual, kids, start) {
  const shown = kids.slice(start).find((kid) => !isBlank(kid));
  if (shown === undefined || !readable(visual)) return;
  const { marker, plain } = markerOf(el, visual.cs);
  if (!marker || plain && typeof shown !== 'string') return;
  let end = start;
  while (isBlank(kids[end])) end++;
  kids.splice(start, typeof shown === 'string' ? end - start : 0, marker);
}

// pushFormula pushes a formula as text.
/** @param {El} el @param {VisualState} visual @param {Kid[]} kids */
export function pushFormula(el, visual, kids) {
  const text = readable(visual) ? mathText(el) || attr(el, 'alttext') || '' : '';
  if (text) kids.push(text);
}

/** @param {Document} doc */
export const isHTML = (doc) => /^(?:text\/html|application\/xhtml\+xml)$/.test(doc.contentType);

// pushKind names the kind of a frame's document, where that is no HTML. The caller names that of the top document.
/** @param {Document} doc @param {Kid[]} kids */
export function pushKind(doc, kids) {
  if (isHTML(doc) || doc === document && window === window.top) return;
  kids.push(`(a document of type ${doc.contentType}${doc.URL.startsWith('data:') ? '' : ', ' + cut(doc.URL, 200)})`, BREAK);
}

// pushModal marks a page behind a modal dialog, which takes no input until that closes.
/** @param {El} root @param {Kid[]} kids */
export function pushModal(root, kids) {
  if (localName(root) !== 'html') return;
  const open = [...queryAll(document, 'dialog:modal')].filter(isVisible), top = open.find(isOnTop) ?? open.at(-1);
  if (!top) return;
  const name = nameOf(top, 'dialog');
  kids.push(`(behind dialog${name ? ' ' + JSON.stringify(name) : ''}: takes no input)`, BREAK);
}

/** @param {El} dialog */
function isOnTop(dialog) {
  const r = boxOf(dialog), found = elementAt(r.left + r.width / 2, r.top + r.height / 2);
  return found !== null && dialog.contains(found);
}
