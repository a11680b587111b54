// Roots: the documents and shadow trees that the engine observes from its first walk through them.

const observed = new WeakSet();
/** @type {((root: Root) => void)[]} */
const observers = [];

// onNewRoot calls observe with each root that observeRoot gets for the first time.
/** @param {(root: Root) => void} observe */
export const onNewRoot = (observe) => { observers.push(observe); };

/** @type {(root: Root) => void} */
let enter = () => {};
// onEnterRoot calls enterRoot with each root that a walk enters, every time.
/** @param {(root: Root) => void} enterRoot */
export const onEnterRoot = (enterRoot) => { enter = enterRoot; };

// observeRoot observes a document or a shadow tree. Adding one twice is free.
/** @param {Root} root */
export function observeRoot(root) {
  enter(root);
  if (observed.has(root)) return;
  observed.add(root);
  for (const observe of observers) observe(root);
}
