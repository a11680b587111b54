// Mutations: one observer for the life of the document records when the page last changed, and
// keeps the mutation records of the current action.

import { ownerDocument } from '../dom/dom.js';
import { onNewRoot } from '../dom/roots.js';
import { countOwnTimer, frame, later, noop, ownTimeout } from '../dom/timers.js';
import { beginActing, watchTyping } from '../document/typed.js';
import { timersNow, timersBroughtChange } from './action_timers.js';
import { hiddenElements } from './hidden.js';
import { stopIntercepting } from './input_interceptor.js';

export let generation = 1;
export let lastChange = -Infinity, lastMutation = -Infinity;
/** @type {ActionRecord | null} */
export let actionRecord = null;
// lastTarget is the element of the last action that had one.
/** @type {WeakRef<El> | null} */
export let lastTarget = null;
/** @type {(() => void)[]} */
export let waiters = [];
const MAX_RECORDS = 3000;
// An action's record is kept this long (ms) for a later call, then released with the removed nodes
// it holds.
export const CAPTURE_LIFE = 8000;

const observer = new MutationObserver(recordMutations);
const OBSERVED = { subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true };

/** @param {MutationRecord[]} records */
function recordMutations(records) {
  if (!records.length) return;
  lastMutation = performance.now();
  if (actionRecord && performance.now() > actionRecord.until) actionRecord = null;
  if (actionRecord && actionRecord.records.length < MAX_RECORDS) actionRecord.records.push(.../** @type {Change[]} */ (/** @type {unknown} */ (records.slice(0, MAX_RECORDS))));
  markChanged();
}

// markChanged counts a change and wakes the waiters.
function markChanged() {
  generation++;
  lastChange = performance.now();
  if (!waiters.length) return;
  const waiting = waiters;
  waiters = [];
  for (const wake of waiting) wake();
}

export const drain = () => recordMutations(observer.takeRecords());

onNewRoot((root) => {
  observer.observe(root, OBSERVED);
  watchTyping(root);
  for (const type of ['scroll', 'load', 'input', 'change', 'transitionend', 'animationend', 'toggle']) {
    root.addEventListener(type, markChanged, { capture: true, passive: true });
  }
  // The browser shows a validation message outside of the document.
  root.addEventListener('invalid', (e) => { if (e.isTrusted && actionRecord && actionRecord.invalid.length < 3) actionRecord.invalid.push(/** @type {El} */ (e.target)); }, { capture: true, passive: true });
});

// waitForChange resolves after a change, and no sooner than the next frame, so that a burst of
// mutations is read once. `beat` (ms) covers changes without an event: a style rule, a timer, a
// media query.
/** @param {{ since: number, beat: number }} o */
export async function waitForChange({ since, beat }) {
  drain();
  if (generation === since) {
    await /** @type {Promise<void>} */ (new Promise((done) => { waiters.push(done); ownTimeout(done, beat); }));
  }
  await frame();
  drain();
  return { generation };
}

// waitForParsed resolves when the document has been parsed.
/** @param {{ limit: number }} o */
export async function waitForParsed({ limit }) {
  if (document.readyState === 'loading') {
    await Promise.race([later(limit), new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }))]);
  }
  return { ready: document.readyState !== 'loading' };
}

// actionCount numbers actions. An action that still waits when the next one begins was cancelled by
// its caller and must not open a record over the other's.
export let actionCount = 0;
export const countAction = () => ++actionCount;

// beginRecord opens the record of an action.
/** @param {El | null} [el] @param {string} [shownRole] */
export function beginRecord(el, shownRole) {
  drain();
  beginActing();
  stopIntercepting();
  if (el) lastTarget = new WeakRef(el);
  actionCount++;
  const hidden = hiddenElements();
  /** @type {Omit<ActionRecord, 'timers' | 'scheduler'>} */
  const record = { records: [], invalid: [], url: location.href, title: document.title, el, shownRole, hidden, before: lastChange,
    views: viewsOf(el), scroll: [scrollX, scrollY], animations: document.getAnimations().length,
    until: performance.now() + CAPTURE_LIFE };
  actionRecord = Object.assign(record, { timers: timersNow(record.views), scheduler: schedulerIds(record.views) });
}

// schedulerIds returns the numbers of the next frame and timers of each view. The browser numbers those
// that a document requests in one sequence for all worlds: two requests of the engine with consecutive
// numbers prove that the page requested none in between.
/** @param {Win[]} views */
export const schedulerIds = (views) => views.map((view) => {
  countOwnTimer(view);
  const frameNumber = view.requestAnimationFrame(noop), timer = view.setTimeout(noop), idle = view.requestIdleCallback(noop);
  view.cancelAnimationFrame(frameNumber);
  view.clearTimeout(timer);
  view.cancelIdleCallback(idle);
  return [frameNumber, timer, idle];
});

// nothingScheduled reports that no view requested a frame or a timer since the earlier ids, but for
// `own` timers of the engine in the top view.
/** @param {number[][]} was @param {number[][]} now @param {number} own */
const nothingScheduled = (was, now, own) => now.every((n, i) => was[i] && n[0] === was[i][0] + 1 && n[2] === was[i][2] + 1 &&
  n[1] === was[i][1] + 1 + (i ? 0 : own));

/** @param {El | null | undefined} el */
function viewsOf(el) {
  const view = el && ownerDocument(el).defaultView;
  return view && view !== window ? [window, view] : [window];
}

// deferredFrame is the frame that an action with skipFrame did not wait for. Observers of size and
// position run in it, and a reading must include their changes.
/** @type {Promise<void> | null} */
export let deferredFrame = null;

// waitForStableDOM waits until the DOM has not changed for `frames` frames; with zero, until the
// queued tasks have run. After an input the browser draws before it runs timers, so the tasks and
// the first frame are awaited together. It gives up at the limit (ms). With `skipFrame` it waits
// for no frame when the page requested none and started no animation.
/** @param {StableOptions} options */
export async function waitForStableDOM(options) {
  do await waitForStillDOM(options); while (options.frames > 0 && await timersBroughtChange());
}

/** @param {StableOptions} o */
async function waitForStillDOM({ frames, limit, skipFrame }) {
  const until = performance.now() + limit;
  drain();
  let seen = generation;
  const idleSoFar = frames > 0 && actionRecord?.scheduler && nothingScheduled(actionRecord.scheduler, schedulerIds(actionRecord.views), 0);
  if (skipFrame && idleSoFar && await nothingStarted()) {
    deferredFrame = frame().then(() => { deferredFrame = null; });
    lastChange = /** @type {ActionRecord} */ (actionRecord).before;
    return;
  }
  let asked = frames > 0 ? frameNumber() : 0;
  let drawn = frames > 0 ? (await Promise.all([frame(), later(0)]))[0] : await later(0);
  // A busy machine draws late: a page that requested a frame gets it.
  while (drawn === false && !idleSoFar && performance.now() < until) {
    asked = frameNumber();
    drawn = await frame();
  }
  for (let still = 1, extra = 0; ; still++) {
    drain();
    if (generation !== seen) still = 0;
    seen = generation;
    if (performance.now() > until) break;
    if (still >= frames && still > 0) {
      // A page that asked for another frame meanwhile is about to do something,
      // unless it does so all the time.
      const now = frames > 0 ? frameNumber() : 0;
      const frameRequested = now - asked > 2;
      if (!frameRequested) framesAlways = false;
      if (!frameRequested || framesAlways || extra++ === MAX_EXTRA_FRAMES) { framesAlways = frameRequested; break; }
      asked = now;
    } else if (frames > 0) asked = frameNumber();
    await frame();
  }
}

// framesAlways says that the page requests every frame, as an animation does.
let framesAlways = false;
const MAX_EXTRA_FRAMES = 3;

// frameNumber takes a number of the sequence that the page's own frames share. Each wait of the
// engine takes one more.
function frameNumber() {
  const n = requestAnimationFrame(noop);
  cancelAnimationFrame(n);
  return n;
}

async function nothingStarted() {
  const was = actionRecord;
  if (!was?.scheduler || document.readyState === 'loading') return false;
  const first = schedulerIds(was.views);
  const seen = generation;
  await later(0); // what the input's handlers have posted runs before it
  drain();
  return generation === seen && nothingScheduled(first, schedulerIds(was.views), 1) && document.getAnimations().length <= was.animations;
}
