// Timers and frames that the engine requests itself. The browser numbers the timers of a document in one
// sequence for all worlds: a timer that the engine did not request, the page did. Each window has the
// count of both.

const timers = new WeakMap();

/** @param {Win} view */
export const timersOf = (view) => timers.get(view) ?? timers.set(view, { own: 0, page: 0 }).get(view);
/** @param {Win} view */
export const countOwnTimer = (view) => { timersOf(view).own++; };
/** @param {() => void} f @param {number} ms */
export const ownTimeout = (f, ms) => { countOwnTimer(window); return setTimeout(f, ms); };

/** @param {number} ms @returns {Promise<void>} */
export const later = (ms) => new Promise((done) => ownTimeout(done, ms));

// frame resolves true at the next frame, or false after 60 ms in a tab that draws none.
/** @returns {Promise<boolean>} */
export const frame = () => new Promise((done) => {
  let timer = 0;
  const id = requestAnimationFrame(() => { clearTimeout(timer); done(true); });
  timer = ownTimeout(() => { cancelAnimationFrame(id); done(false); }, 60);
});

export const noop = () => {};
