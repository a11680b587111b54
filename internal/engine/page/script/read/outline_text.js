// Text of the outline: runs of text nodes, with the line breaks that a person sees, and their places.

import { UNEVEN, UNSEEN, cut, flat, nodeValue, ownerDocument } from '../dom/dom.js';
import { frameOffset } from '../dom/frames.js';
import { breaksOf, readable } from '../dom/scan.js';
import { refOf, roleAndName } from '../document/registry.js';
import { BREAK } from './modes.js';
import { placed } from './read.js';

// Marks in a run are characters that no text of a page has left: line breaks and spaces that are kept, and
// places, two characters each.
const LINE = '\ue000', SPACE = '\ue001', FIRST = 0xe100, BASE = 0xfff, MARKS = /[\ue000-\uf0ff]/, PLACES = /[\ue100-\uf0ff]{2}/g;

/** @type {Edges[]} */
let places = [];
export const clearPlaces = () => { places = []; };

/** @param {Node} n @param {VisualState} visual @param {Kid[]} kids @param {Plan} plan */
export function pushText(n, visual, kids, plan) {
  const text = nodeValue(n), kept = /\n|^\s|\s\s/.test(text) ? keptBreaks(visual, text) : '';
  if (!/\S/.test(text)) { if (kids.length) kids.push(kept ? keepBreaks(text, kept) : ' '); return; }
  if (readable(visual)) kids.push(shortened(kept ? keepBreaks(text, kept) : flat(text), visual.el, plan) + (plan.o.boxes ? placeOf(n) : ''));
}

// shortened cuts a text that would fill a reading alone. The ref of its element reads the whole of it.
const MAX_TEXT = 6000;
/** @param {string} text @param {El} el @param {Plan} plan */
function shortened(text, el, plan) {
  if (text.length <= MAX_TEXT || el === plan.root) return text;
  const { role, name } = roleAndName(el), start = cut(text, MAX_TEXT);
  return `${start} (+${text.length - start.length + 1} more in [${plan.o.sigil ?? ''}${refOf(el, role, name)}])`;
}

// keptBreaks returns how the line breaks of a text are kept. Styles are read only for text with breaks.
const MAX_LEVELS = 4;
/** @param {VisualState} visual @param {string} text */
function keptBreaks(visual, text) {
  if (/\S/.test(text) && text.includes('\n')) return breaksOf(visual);
  for (let up = /** @type {ParentVisual | undefined} */ (visual), level = 0; up && level < MAX_LEVELS; up = up.up, level++) {
    if (up.breaks !== undefined || up.tag === 'pre') return up.breaks ?? 'preserve';
  }
  return '';
}

/** @param {string} text @param {string} kept */
function keepBreaks(text, kept) {
  const lines = text.replace(UNSEEN, '').replace(/\r\n?/g, '\n');
  if (kept === 'preserve-breaks') return lines.replace(/[^\S\n]*\n[^\S\n]*/g, LINE);
  return lines.replace(/\n/g, LINE).replace(/\t/g, SPACE.repeat(4)).replace(/ /g, SPACE);
}

// plainText returns a kid without its marks.
/** @param {string} kid */
export const plainText = (kid) => kid.replace(PLACES, '').replace(/[\ue000\ue001]/g, ' ');

/** @param {Node} n */
function placeOf(n) {
  const range = ownerDocument(n).createRange();
  range.selectNodeContents(n);
  const r = range.getBoundingClientRect(), off = frameOffset(ownerDocument(n)), at = places.length;
  places.push({ left: r.left * off.scale + off.x, top: r.top * off.scale + off.y, right: r.right * off.scale + off.x, bottom: r.bottom * off.scale + off.y });
  return String.fromCharCode(FIRST + (at >> 12), FIRST + (at & BASE));
}

// placeNote returns the box around the places of a run, as boxNote does for an element.
/** @param {string} run @param {ReadOptions} o */
function placeNote(run, o) {
  const boxes = (run.match(PLACES) ?? []).map((mark) => places[(mark.charCodeAt(0) - FIRST << 12) + mark.charCodeAt(1) - FIRST]).filter(Boolean);
  if (!boxes.length) return '';
  const left = Math.min(...boxes.map((b) => b.left)), top = Math.min(...boxes.map((b) => b.top));
  const right = Math.max(...boxes.map((b) => b.right)), bottom = Math.max(...boxes.map((b) => b.bottom));
  return placed({ x: left, y: top, width: right - left, height: bottom - top }, o);
}

// settleKids joins text runs and drops blanks. A text of several lines has line breaks.
/** @param {Kid[]} kids @param {ReadOptions} [o] @returns {(string | OutlineNode)[]} */
export function settleKids(kids, o) {
  if (!kids.length) return [];
  /** @type {(string | OutlineNode)[]} */
  const out = [];
  let run = '';
  const flush = () => {
    if (!run) return;
    let text = run.trim();
    if (UNEVEN.test(text)) text = text.replace(/\s+/g, ' ');
    if (MARKS.test(text)) text = settleMarks(text).replace(/\n|$/, (end) => (o ? placeNote(run, o) : '') + end);
    if (text) out.push(text);
    run = '';
  };
  for (const kid of kids) {
    if (typeof kid === 'string') run += kid;
    else { flush(); if (kid !== BREAK) out.push(kid); }
  }
  flush();
  return out;
}

/** @param {string} run */
function settleMarks(run) {
  const lines = run.replace(PLACES, '').split(LINE).map((line) => line.replaceAll(SPACE, ' ').trimEnd());
  while (lines.length && !lines[0].trim()) lines.shift();
  while (lines.length && !lines[lines.length - 1]) lines.pop();
  return lines.length === 1 ? lines[0].trim() : lines.join('\n');
}

/** @param {string} text @param {string} pad @param {string[]} lines */
export function printText(text, pad, lines) {
  for (const line of text.split('\n')) lines.push(`${pad}- text: ${line}`.trimEnd().toWellFormed());
}
