// Calendars that a date field opens: which month they show, its days, and how to turn the page.

const MIN_DAYS = 28, MAX_CALENDAR_NODES = 4000;
const OTHER_MONTH = /(?:^|[\s_-])(?:prev|next|other|outside|adjacent|disabled|is-empty|old|new|muted|hidden)/i;
const EARLIER = /prev|previous|earlier|back|left|«|‹|❮|</i, LATER = /next|later|forward|right|»|›|❯|>/i;
const YEAR_STEP = /year|super|double|«|»/i;
const WEEK_NUMBER = /(?:^|[\s_-])(?:week-col|weeks?|week-?numbers?|cw)(?:$|\s)/i, WEEK_NUMBERS = /weeks(?:$|\s)/i;
const MIN_WEEKS = 4, MAX_WEEK_ROWS = 8, MAX_MONTH_NAME = 30;

// monthName returns the month that a grid of days shows, as in "March 2026", or ''.
function monthName(grid) {
  const rows = selectAllIn(grid, 'tr,[role=row]').length;
  if (rows < MIN_WEEKS || rows > MAX_WEEK_ROWS) return '';
  const sheet = oneMonth(dayElements(grid));
  const shown = sheet && shownMonth(calendarBox(sheet));
  return shown ? `${monthNames(grid)[shown.month - 1][0]} ${shown.year}` : '';
}

// calendar returns the month that an open calendar shows, with refs of its days and of the controls that
// turn to the month before and after. It waits until one is open or the time is over.
async function calendar({ n, limit }) {
  const el = resolve(n);
  const until = performance.now() + limit;
  for (;;) {
    const open = openCalendar(el);
    if (open) return open;
    if (performance.now() > until) return { open: false };
    await Promise.race([frame(), later(50)]);
  }
}

function openCalendar(el) {
  const days = dayElements(ownerDocument(el).body).filter((d) => !composedContains(el, d.el));
  const sheet = oneMonth(days);
  if (!sheet) return null;
  const box = calendarBox(sheet);
  const shown = shownMonth(box);
  if (!shown) return null;
  return {
    open: true, ...shown, earlier: turnRef(box, sheet, EARLIER), later: turnRef(box, sheet, LATER),
    days: sheet.map((d) => ({ day: d.day, ref: describe(d.el).ref })),
  };
}

// dayElements returns the visible innermost elements whose text is a day of a month, in document order.
function dayElements(root) {
  const out = [];
  const walker = ownerDocument(root).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), seen = 0; node && seen < MAX_CALENDAR_NODES; node = walker.nextNode(), seen++) {
    const text = nodeValue(node).trim();
    if (!/^(?:0?[1-9]|[12]\d|3[01])$/.test(text)) continue;
    const el = parentNode(node), own = attr(el, 'class') ?? '', around = attr(parentNode(el), 'class') ?? '';
    if (OTHER_MONTH.test(own) || OTHER_MONTH.test(around) || isWeekNumber(el, own, around) || !isVisible(el)) continue;
    out.push({ el, day: Number(text) });
  }
  return out;
}

const isWeekNumber = (el, own, around) => WEEK_NUMBER.test(own) || WEEK_NUMBERS.test(around) || closest(el, 'th,[role=rowheader]') !== null;

// oneMonth returns the longest run 1, 2, 3 … of the days.
function oneMonth(days) {
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
function calendarBox(sheet) {
  let box = sheet[0].el;
  while (box && !composedContains(box, sheet[sheet.length - 1].el)) box = parentOf(box);
  for (let up = box, level = 0; up && level < 6; up = parentOf(up), level++) if (shownMonth(up)) return up;
  return box;
}

// shownMonth reads month and year from the texts, inputs and lists of a calendar's head.
function shownMonth(box) {
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
function separateTexts(root) {
  const walker = ownerDocument(root).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node && texts.length < MAX_CALENDAR_NODES; node = walker.nextNode()) texts.push(nodeValue(node));
  return texts.join(' ');
}

function monthNames(box) {
  const languages = [ownerDocument(box).documentElement.lang || 'en', 'en'];
  return Array.from({ length: 12 }, (_, month) => languages.flatMap((language) => ['long', 'short'].map((style) => {
    try {
      return new Intl.DateTimeFormat(language, { month: style }).format(new Date(2026, month, 15));
    } catch {
      return new Intl.DateTimeFormat('en', { month: style }).format(new Date(2026, month, 15));
    }
  })));
}

// turnRef returns the ref of the control that turns one month: its name, title or class says the way.
function turnRef(box, sheet, way) {
  const found = [...selectAllIn(box, 'button,a,span,div,svg,[role=button]')].filter((c) => {
    if (sheet.some((d) => d.el === c || composedContains(c, d.el)) || !isVisible(c)) return false;
    const said = [attr(c, 'aria-label'), attr(c, 'title'), attr(c, 'class'), attr(c, 'data-action'), textContent(c).length <= 8 ? textContent(c) : ''].join(' ');
    return way.test(said) && !YEAR_STEP.test(said) && !/disabled/.test(said);
  });
  const control = found.find((c) => localName(c) === 'button' || localName(c) === 'a' || attr(c, 'role') === 'button') ?? found[0];
  return control ? describe(control).ref : '';
}

// clock returns the refs of the inputs for hours, minutes and seconds in the popup that a time field opens,
// and the switch between the halves of the day.
async function clock({ n, limit }) {
  const el = resolve(n), until = performance.now() + limit;
  for (;;) {
    const parts = [...queryAll(ownerDocument(el), 'input[type=number],input[inputmode=numeric],[role=spinbutton]')].filter((i) =>
      i !== el && isVisible(i) && isFloating(i) && /^\d{0,2}$/.test(i.value ?? tidy(textContent(i))));
    if (parts.length >= 2) {
      const box = commonBox(parts);
      const half = [...selectAllIn(box, '*')].find((e) => /^[ap]m$/i.test(ownText(e)) && isVisible(e));
      return { parts: parts.map((i) => describe(i).ref), half: half ? describe(half).ref : '', halfText: half ? ownText(half) : '' };
    }
    if (performance.now() > until) return { parts: [] };
    await Promise.race([frame(), later(50)]);
  }
}

function commonBox(elements) {
  let box = parentOf(elements[0]);
  while (box && !elements.every((e) => composedContains(box, e))) box = parentOf(box);
  return box;
}
