// Calendars that a date field opens: which month they show, its days, and how to turn the page.

import {
  attr, composedContains, localName, ownerDocument, parentOf, queryAll, selectAllIn, textContent, tidy,
} from '../dom/dom.js';
import { isFloating } from '../dom/popup.js';
import { isVisible } from '../dom/state.js';
import { ownText } from '../dom/text.js';
import { frame, later } from '../dom/timers.js';
import { describe, resolve } from '../document/registry.js';
import { calendarBox, dayElements, oneMonth, shownMonth } from '../locate/month.js';

const EARLIER = /prev|previous|earlier|back|left|«|‹|❮|</i, LATER = /next|later|forward|right|»|›|❯|>/i;
const YEAR_STEP = /year|super|double|«|»/i;

// calendar returns the month that an open calendar shows, with refs of its days and of the controls that
// turn to the month before and after. It waits until one is open or the time is over.
/** @param {{ n: number, limit: number }} o */
export async function calendar({ n, limit }) {
  const el = resolve(n);
  const until = performance.now() + limit;
  for (;;) {
    const open = openCalendar(el);
    if (open) return open;
    if (performance.now() > until) return { open: false };
    await Promise.race([frame(), later(50)]);
  }
}

/** @param {El} el */
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

// turnRef returns the ref of the control that turns one month: its name, title or class says the way.
/** @param {El} box @param {Day[]} sheet @param {RegExp} way */
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
/** @param {{ n: number, limit: number }} o */
export async function clock({ n, limit }) {
  const el = resolve(n), until = performance.now() + limit;
  for (;;) {
    const parts = [...queryAll(ownerDocument(el), 'input[type=number],input[inputmode=numeric],[role=spinbutton]')].filter((i) =>
      i !== el && isVisible(i) && isFloating(i) && /^\d{0,2}$/.test(i.value ?? tidy(textContent(i))));
    if (parts.length >= 2) {
      const box = commonBox(parts);
      const half = [...selectAllIn(/** @type {El} */ (box), '*')].find((e) => /^[ap]m$/i.test(ownText(e)) && isVisible(e));
      return { parts: parts.map((i) => describe(i).ref), half: half ? describe(half).ref : '', halfText: half ? ownText(half) : '' };
    }
    if (performance.now() > until) return { parts: [] };
    await Promise.race([frame(), later(50)]);
  }
}

/** @param {El[]} elements */
function commonBox(elements) {
  let box = parentOf(elements[0]);
  while (box && !elements.every((e) => composedContains(/** @type {El} */ (box), e))) box = parentOf(box);
  return box;
}
