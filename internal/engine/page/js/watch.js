// What moves: one observer for the life of the document tells when the page
// last changed, and keeps the records of an action while one is under way.

let generation = 0;
let lastChange = -Infinity;
let capture = null;
let wakers = [];
const observed = new WeakSet();
const RECORDS_KEPT = 3000;
// An action's record is kept this long (ms) for a later look, then let go with
// the removed nodes it holds.
const CAPTURE_LIFE = 8000;

const observer = new MutationObserver(note);
const OBSERVED = { subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true };

function note(records) {
  if (!records.length) return;
  if (capture && performance.now() > capture.until) capture = null;
  if (capture && capture.records.length < RECORDS_KEPT) capture.records.push(...records.slice(0, RECORDS_KEPT));
  stir();
}

// stir marks a change and wakes who waits for one.
function stir() {
  generation++;
  lastChange = performance.now();
  if (!wakers.length) return;
  const waiting = wakers;
  wakers = [];
  for (const wake of waiting) wake();
}

const drain = () => note(observer.takeRecords());

// observeRoot adds a document or a shadow tree; adding one twice is free.
function observeRoot(root) {
  if (observed.has(root)) return;
  observed.add(root);
  observer.observe(root, OBSERVED);
  for (const type of ['scroll', 'load', 'input', 'change', 'transitionend', 'animationend', 'toggle']) {
    root.addEventListener(type, stir, { capture: true, passive: true });
  }
}

const later = (ms) => new Promise((done) => setTimeout(done, ms));

// frame ends with the next frame, or soon in a tab that is drawn no more; it
// tells which.
const frame = () => new Promise((done) => {
  let timer = 0;
  const id = requestAnimationFrame(() => { clearTimeout(timer); done(true); });
  timer = setTimeout(() => { cancelAnimationFrame(id); done(false); }, 60);
});

// changed resolves when something moves, and no sooner than a frame after, so
// that a burst of mutations is looked at once. The heartbeat covers what no
// event tells of: a stylesheet rule, a timer, a media query.
async function changed({ since, beat }) {
  drain();
  if (generation === since) {
    await new Promise((done) => { wakers.push(done); setTimeout(done, beat); });
  }
  await frame();
  drain();
  return { generation };
}

// ready resolves when the document has been parsed.
async function ready({ limit }) {
  if (document.readyState === 'loading') {
    await Promise.race([later(limit), new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }))]);
  }
  return { ready: document.readyState !== 'loading' };
}

// turn counts actions: one that is still waiting when the next begins was
// given up on by its caller, and must not open a record over the other's.
let turn = 0;

// begin opens the record of an action.
function begin(el, shownRole) {
  drain();
  disarm();
  turn++;
  const hidden = hiddenNow();
  capture = { records: [], url: location.href, title: document.title, el, shownRole, hidden, before: lastChange,
    views: viewsOf(el), scroll: [scrollX, scrollY], animations: document.getAnimations().length,
    until: performance.now() + CAPTURE_LIFE };
  capture.pulse = pulseOf(capture.views);
}

// The browser numbers the frames and timers that a document asks for, in one
// sequence for all worlds. Two of ours with consecutive numbers prove that the
// page asked for none in between: nothing of it waits to run.
const nothing = () => {};
const pulseOf = (views) => views.map((view) => {
  const frameNumber = view.requestAnimationFrame(nothing), timer = view.setTimeout(nothing), idle = view.requestIdleCallback(nothing);
  view.cancelAnimationFrame(frameNumber);
  view.clearTimeout(timer);
  view.cancelIdleCallback(idle);
  return [frameNumber, timer, idle];
});

// asleep: since the earlier pulse no view asked for a frame or a timer, but for
// `own` timers of ours in the top one.
const asleep = (was, now, own) => now.every((n, i) => was[i] && n[0] === was[i][0] + 1 && n[2] === was[i][2] + 1 &&
  n[1] === was[i][1] + 1 + (i ? 0 : own));

function viewsOf(el) {
  const view = el && ownerDocument(el).defaultView;
  return view && view !== window ? [window, view] : [window];
}

// owed is the frame that a short rest did not wait for. What observers of size
// and place do there, a reading must not miss.
let owed = null;

// quiet waits until the DOM has kept still for `frames` frames; with zero, for
// the tasks that are queued. After an input the browser draws before it runs
// timers, so the tasks and the first frame are waited for together. A page that
// never keeps still is given up on at the limit. With `brief` no frame is waited
// for when the page has asked for none and started no animation.
async function quiet({ frames, limit, brief }) {
  const until = performance.now() + limit;
  drain();
  let seen = generation;
  const asleepYet = frames > 0 && capture?.pulse && asleep(capture.pulse, pulseOf(capture.views), 0);
  if (brief && asleepYet && await nothingStarted()) {
    owed = frame().then(() => { owed = null; });
    lastChange = capture.before;
    return;
  }
  let asked = frames > 0 && frameNumber();
  let drawn = frames > 0 ? (await Promise.all([frame(), later(0)]))[0] : await later(0);
  // A busy machine draws late: a page that waits for a frame gets it.
  while (drawn === false && !asleepYet && performance.now() < until) {
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
      const now = frames > 0 && frameNumber();
      const awake = now - asked > 2;
      if (!awake) loops = false;
      if (!awake || loops || extra++ === EXTRA_FRAMES) { loops = awake; break; }
      asked = now;
    } else if (frames > 0) asked = frameNumber();
    await frame();
  }
}

// loops: the page has been seen to ask for every frame, as an animation does.
let loops = false;
const EXTRA_FRAMES = 3;

// frameNumber takes a number of the sequence that the page's own frames have;
// each wait of ours takes one more.
function frameNumber() {
  const n = requestAnimationFrame(nothing);
  cancelAnimationFrame(n);
  return n;
}

async function nothingStarted() {
  const was = capture;
  if (!was?.pulse || document.readyState === 'loading') return false;
  const first = pulseOf(was.views);
  const seen = generation;
  await later(0); // what the input's handlers have posted runs before it
  drain();
  return generation === seen && asleep(first, pulseOf(was.views), 1) && document.getAnimations().length <= was.animations;
}
