// The month that a calendar shows: days in a row, and a text that names their month.

import {
  attr, closest, composedContains, localName, nodeValue, ownerDocument, parentNode, parentOf, selectAllIn,
} from '../dom/dom.js';
import { isVisible } from '../dom/state.js';

const MIN_DAYS = 28, MAX_CALENDAR_NODES = 4000;
const OTHER_MONTH = /(?:^|[\s_-])(?:prev|next|other|outside|adjacent|disabled|is-empty|old|new|muted|hidden)/i;
const WEEK_NUMBER = /(?:^|[\s_-])(?:week-col|weeks?|week-?numbers?|cw)(?:$|\s)/i, WEEK_NUMBERS = /weeks(?:$|\s)/i;
export const MIN_WEEKS = 4, MAX_WEEK_ROWS = 8, MAX_MONTH_NAME = 30;

// monthName returns the month that a grid of days shows, as in "March 2026", or ''.
/** @param {El} grid */
export function monthName(grid) {
  const rows = selectAllIn(grid, 'tr,[role=row]').length;
  if (rows < MIN_WEEKS || rows > MAX_WEEK_ROWS) return '';
  const sheet = oneMonth(dayElements(grid));
  const shown = sheet && shownMonth(calendarBox(sheet));
  return shown ? `${monthNames(grid)[shown.month - 1][0]} ${shown.year}` : '';
}

// dayElements returns the visible innermost elements whose text is a day of a month, in document order.
/** @param {El} root */
export function dayElements(root) {
  const out = [];
  const walker = ownerDocument(root).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), seen = 0; node && seen < MAX_CALENDAR_NODES; node = walker.nextNode(), seen++) {
    const text = nodeValue(node).trim();
    if (!/^(?:0?[1-9]|[12]\d|3[01])$/.test(text)) continue;
    const el = /** @type {El} */ (parentNode(node)), own = attr(el, 'class') ?? '', around = attr(/** @type {El} */ (parentNode(el)), 'class') ?? '';
    if (OTHER_MONTH.test(own) || OTHER_MONTH.test(around) || isWeekNumber(el, own, around) || !isVisible(el)) continue;
    out.push({ el, day: Number(text) });
  }
  return out;
}

/** @param {El} el @param {string} own @param {string} around */
const isWeekNumber = (el, own, around) => WEEK_NUMBER.test(own) || WEEK_NUMBERS.test(around) || closest(el, 'th,[role=rowheader]') !== null;

// oneMonth returns the longest run 1, 2, 3 … of the days.
/** @param {Day[]} days */
export function oneMonth(days) {
  let best = null;
  for (let start = 0; start < days.length; start++) {
    if (days[start].day !== 1) continue;
    let end = start + 1;
    while (end < days.length && days[end].day === days[end - 1].day + 1) end++;
    if (end - start >= MIN_DAYS && (!best || end - start > best.length)) best = days.slice(start, end);
  }
  return best;
}

// calendarBox returns the smallest element around the days that also names their month.
/** @param {Day[]} sheet @returns {El} */
export function calendarBox(sheet) {
  let box = /** @type {El | null} */ (sheet[0].el);
  while (box && !composedContains(box, sheet[sheet.length - 1].el)) box = parentOf(box);
  for (let up = /** @type {El | null} */ (box), level = 0; up && level < 6; up = parentOf(up), level++) if (shownMonth(up)) return up;
  return /** @type {El} */ (box);
}

// shownMonth reads month and year from the texts, inputs and lists of a calendar's head.
/** @param {El} box */
export function shownMonth(box) {
  const texts = [separateTexts(box)];
  for (const field of selectAllIn(box, 'input,select')) {
    texts.push(localName(field) === 'select' ? [...field.selectedOptions].map((o) => o.label).join(' ') : field.value);
  }
  const selects = selectAllIn(box, 'select').length > 0;
  const text = (selects ? texts.slice(1).join(' ') : texts.join(' ')).replace(/(\d)([A-Za-z])/g, '$1 $2').replace(/([a-z])(\d)/g, '$1 $2');
  const year = /\b((?:19|20)\d\d)\b/.exec(text);
  const month = monthNames(box).findIndex((names) => names.some((name) => new RegExp(`(?:^|[^\\p{L}])${name}(?:$|[^\\p{L}])`, 'iu').test(text)));
  return year && month >= 0 ? { year: Number(year[1]), month: month + 1 } : null;
}

// separateTexts joins the texts of elements with blanks: a button and the month beside it are two words.
/** @param {El} root */
function separateTexts(root) {
  const walker = ownerDocument(root).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node && texts.length < MAX_CALENDAR_NODES; node = walker.nextNode()) texts.push(nodeValue(node));
  return texts.join(' ');
}

/** @param {El} box */
function monthNames(box) {
  const languages = [ownerDocument(box).documentElement.lang || 'en', 'en'];
  return Array.from({ length: 12 }, (_, month) => languages.flatMap((language) => /** @type {const} */ (['long', 'short']).map((style) => {
    try {
      return new Intl.DateTimeFormat(language, { month: style }).format(new Date(2026, month, 15));
    } catch {
      return new Intl.DateTimeFormat('en', { month: style }).format(new Date(2026, month, 15));
    }
  })));
}
