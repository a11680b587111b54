// Timers of an action: the browser does not say which timers a page has pending, only how many it
// requested so far. An action waits for those that it started, for a bounded time.

import { countOwnTimer, noop, ownTimeout, timersOf } from '../dom/timers.js';
import { actionRecord, drain, generation, waiters } from './mutations.js';

// TIMER_WAIT is how long (ms) an action waits for its timers: what comes later is no answer to it.
const TIMER_WAIT = 180;

/** @param {Win[]} views */
const countPageTimers = (views) => views.map((view) => {
  countOwnTimer(view);
  const id = view.setTimeout(noop);
  view.clearTimeout(id);
  return id - timersOf(view).own;
});

// timersAfter is the number of the page's timers when the last action ended.
/** @type {{ count: number, at: number } | null} */
let timersAfter = null;

// timersNow returns the state before an action, and how many timers a millisecond the page requests
// without one.
/** @param {Win[]} views @returns {ActionRecord['timers']} */
export function timersNow(views) {
  const now = performance.now(), counts = countPageTimers(views);
  const rate = timersAfter ? Math.max(0, counts[0] - timersAfter.count) / Math.max(1, now - timersAfter.at) : 0;
  return { counts, at: now, until: 0, fired: 0, rate };
}

export const markTimersAfter = () => { timersAfter = { count: countPageTimers([window])[0], at: performance.now() }; };

// startedTimers returns how many timers the page requested since the action began, without those
// that it requests all the time.
/** @param {Pick<ActionRecord, 'timers' | 'views'>} o */
export function startedTimers({ timers: { counts, at, rate }, views }) {
  const now = countPageTimers(views);
  const started = now.reduce((sum, count, i) => sum + Math.max(0, count - counts[i]), 0);
  return started - Math.round(rate * (performance.now() - at));
}

// timersBroughtChange waits for a change by one of the timers that the action started. It returns
// false when as many changes came as the page started timers, or none came in time.
export async function timersBroughtChange() {
  const was = actionRecord;
  if (!was?.scheduler) return false;
  was.timers.until ||= performance.now() + TIMER_WAIT;
  const left = was.timers.until - performance.now();
  if (left <= 0 || startedTimers(was) <= was.timers.fired) return false;
  drain();
  const seen = generation;
  let timer = 0;
  await /** @type {Promise<void>} */ (new Promise((done) => { waiters.push(done); timer = ownTimeout(done, left); }));
  clearTimeout(timer);
  drain();
  was.timers.fired++;
  return actionRecord === was && generation !== seen;
}
