// Runs in the outline: many short texts or many small controls after each other share lines, as the
// weekdays and the days of a calendar do.

import { escapeBar } from './outline_grid.js';
import { settleKids } from './outline_text.js';

const MIN_NAMELESS = 4, NAMELESS_PER_LINE = 50, MIN_TEXTS = 4, TEXTS_PER_LINE = 20, MAX_SHORT_TEXT = 12;
const MIN_CONTROLS = 7, CONTROLS_PER_LINE = 7, MAX_SHORT_NAME = 5, MAX_DATED_NAME = 20;

// runOf returns how many items from one place on share lines; 1 when the item has its own.
/** @param {(string | OutlineNode)[]} kids @param {number} start */
export function runOf(kids, start) {
  const first = kids[start], isText = typeof first === 'string', links = linksFrom(kids, start);
  if (links > 1) return links;
  if (!isText && isNameless(first)) {
    let end = start + 1;
    for (let kid = kids[end]; kid !== undefined && typeof kid !== 'string' && isNameless(kid) && kid.role === first.role && kid.hint === first.hint;) kid = kids[++end];
    const count = end - start;
    return count >= MIN_NAMELESS ? count : 1;
  }
  if (isText ? !isShortText(first) : !isSmallControl(first)) return 1;
  let end = start + 1;
  while (end < kids.length && (isText ? isShortText(kids[end]) : roleAt(kids, end) === first.role && isSmallControl(kids[end]))) end++;
  return end - start >= (isText ? MIN_TEXTS : MIN_CONTROLS) ? end - start : 1;
}

// linksFrom counts the links from one place on that lead to one address: the icon, the picture and the text of a card.
// It is 0 unless one of them has no name.
/** @param {(string | OutlineNode)[]} kids @param {number} start */
function linksFrom(kids, start) {
  const first = kids[start];
  let end = start, nameless = 0;
  for (let kid = first; typeof first !== 'string' && isLink(kid) && kid.tail === first.tail; kid = kids[++end]) nameless += Number(!kid.named);
  return nameless && end - start > 1 ? end - start : 0;
}

/** @param {string | OutlineNode | undefined} node @returns {node is OutlineNode} */
const isLink = (node) => node !== undefined && typeof node !== 'string' && node.role === 'link' && node.ref !== '' && node.tail.includes('→') &&
  settleKids(node.kids).every((kid) => !node.named && isBarePicture(kid));

/** @param {string | OutlineNode} kid */
const isBarePicture = (kid) => typeof kid !== 'string' && kid.role === 'img' && !kid.named && !kid.tail && !kid.kids.length;

// printLinks prints what tells links to one address apart, and the address once.
/** @param {OutlineNode[]} run @param {string} pad @param {string[]} lines */
function printLinks(run, pad, lines) {
  const items = run.map((link) => {
    const pictures = settleKids(link.kids).map((kid) => (typeof kid === 'string' ? kid : kid.head));
    return link.head.slice(link.role.length + 1, link.head.length - link.tail.length) + (pictures.length ? ` (${pictures.join(', ')})` : link.hint);
  });
  lines.push(`${pad}- link ${items.join(' | ')}${run[0].tail}`.toWellFormed());
}

/** @param {(string | OutlineNode)[]} kids @param {number} at */
const roleAt = (kids, at) => { const kid = kids[at]; return typeof kid === 'string' ? '' : kid.role; };

/** @param {string | OutlineNode} kid */
const isShortText = (kid) => typeof kid === 'string' && kid.length <= MAX_SHORT_TEXT && !kid.includes('\n');

// isNameless reports a control of which a reading has nothing but a hint.
/** @param {string | OutlineNode} node */
const isNameless = (node) => typeof node !== 'string' && node.live && node.ref !== '' && !node.named && !node.tail && !node.frameKey &&
  !settleKids(node.kids).length;

// A date or a time may be longer.
const DATED = /\d[:.\/-]\d|\b\d{4}\b/;
/** @param {string | OutlineNode} node */
const isSmallControl = (node) => typeof node !== 'string' && node.ref !== '' && node.name !== '' && !node.frameKey &&
  node.name.length <= (DATED.test(node.name) ? MAX_DATED_NAME : MAX_SHORT_NAME) && !settleKids(node.kids).length;

/** @param {(string | OutlineNode)[]} run @param {string} pad @param {string[]} lines */
export function printRun(run, pad, lines) {
  if (linksFrom(run, 0)) { printLinks(/** @type {OutlineNode[]} */ (run), pad, lines); return; }
  const [first] = run, isText = typeof first === 'string', nameless = !isText && !first.named, hint = nameless ? first.hint : '';
  const size = isText ? TEXTS_PER_LINE : nameless ? NAMELESS_PER_LINE : CONTROLS_PER_LINE;
  const items = run.map((kid) => (typeof kid === 'string' ? escapeBar(kid) : kid.head.slice(kid.role.length + 1)));
  for (let at = 0; at < items.length; at += size) {
    lines.push(`${pad}- ${isText ? 'text:' : first.role} ${items.slice(at, at + size).join(' | ')}${hint}`.toWellFormed());
  }
}
