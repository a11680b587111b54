// Runs in the outline: many short texts or many small controls after each other share lines, as the
// weekdays and the days of a calendar do.

import { settleKids } from './outline.js';

const MIN_TEXTS = 4, TEXTS_PER_LINE = 20, MAX_SHORT_TEXT = 12;
const MIN_CONTROLS = 7, CONTROLS_PER_LINE = 7, MAX_SHORT_NAME = 5, MAX_DATED_NAME = 20;

// runOf returns how many items from one place on share lines; 1 when the item has its own.
export function runOf(kids, start) {
  const first = kids[start], isText = typeof first === 'string';
  if (isText ? !isShortText(first) : !isSmallControl(first)) return 1;
  let end = start + 1;
  while (end < kids.length && (isText ? isShortText(kids[end]) : kids[end].role === first.role && isSmallControl(kids[end]))) end++;
  return end - start >= (isText ? MIN_TEXTS : MIN_CONTROLS) ? end - start : 1;
}

const isShortText = (kid) => typeof kid === 'string' && kid.length <= MAX_SHORT_TEXT;

// A date or a time may be longer.
const DATED = /\d[:.\/-]\d|\b\d{4}\b/;
const isSmallControl = (node) => typeof node !== 'string' && node.ref !== '' && node.name !== '' && !node.frameKey &&
  node.name.length <= (DATED.test(node.name) ? MAX_DATED_NAME : MAX_SHORT_NAME) && !settleKids(node.kids).length;

export function printRun(run, pad, lines) {
  const isText = typeof run[0] === 'string', size = isText ? TEXTS_PER_LINE : CONTROLS_PER_LINE;
  const items = isText ? run : run.map((node) => node.head.slice(node.role.length + 1));
  for (let at = 0; at < items.length; at += size) {
    lines.push(`${pad}- ${isText ? 'text:' : run[0].role} ${items.slice(at, at + size).join(' | ')}`.toWellFormed());
  }
}
