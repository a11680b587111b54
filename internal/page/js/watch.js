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

// frame ends with the next frame, or soon in a tab that is drawn no more.
const frame = () => new Promise((done) => {
  let timer = 0;
  const id = requestAnimationFrame(() => { clearTimeout(timer); done(); });
  timer = setTimeout(() => { cancelAnimationFrame(id); done(); }, 60);
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
  turn++;
  capture = { records: [], url: location.href, title: document.title, el, shownRole,
    scroll: [scrollX, scrollY], until: performance.now() + CAPTURE_LIFE };
}

// quiet waits until the DOM has kept still for `frames` frames; with zero, for
// the tasks that are queued. After an input the browser draws before it runs
// timers, so the tasks and the first frame are waited for together. A page that
// never keeps still is given up on at the limit.
async function quiet({ frames, limit }) {
  const until = performance.now() + limit;
  drain();
  let seen = generation;
  await (frames > 0 ? Promise.all([frame(), later(0)]) : later(0));
  for (let still = 1; ; still++) {
    drain();
    if (generation !== seen) still = 0;
    seen = generation;
    if (still >= frames && still > 0 || performance.now() > until) return;
    await frame();
  }
}
