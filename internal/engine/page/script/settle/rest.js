// Rest: a page at rest changes nothing without input, so that a refusal is final. A page that may still
// change keeps the patience of the wait.

import { noop, timersOf } from '../dom/timers.js';
import { readableWindows } from './input_interceptor.js';
import { drain, lastMutation } from './mutations.js';

// A page counts as changing for MUTATION_LIFE (ms) after a mutation: a countdown changes each second.
// A timer that it requested may be pending for TIMER_LIFE; the patience of an action is no longer.
const MUTATION_LIFE = 1200, TIMER_LIFE = 5000;

// timersSince is when a new timer of the page was last noticed.
let timersSince = -Infinity;

/** @param {Win[]} views */
export function noteTimers(views) {
  for (const view of views) {
    const id = view.setTimeout(noop), count = timersOf(view);
    view.clearTimeout(id);
    count.own++;
    if (id - count.own === count.page) continue;
    count.page = id - count.own;
    timersSince = performance.now();
  }
}

// isAtRest reports that all readable documents are loaded, have not changed lately, and have no timer
// and no animation pending. Requests are seen by the Go side.
export function isAtRest() {
  const views = readableWindows(window, []);
  drain();
  noteTimers(views);
  const now = performance.now();
  return now - lastMutation > MUTATION_LIFE && now - timersSince > TIMER_LIFE &&
    views.every((view) => view.document.readyState === 'complete' && !view.document.getAnimations().some((a) => a.playState === 'running'));
}
