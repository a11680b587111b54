// Roots: the documents and shadow trees that the engine observes from its first walk through them.

const observed = new WeakSet();
/** @type {((root: Root) => void)[]} */
const observers = [];

// onNewRoot calls observe with each root that observeRoot gets for the first time.
/** @param {(root: Root) => void} observe */
export const onNewRoot = (observe) => { observers.push(observe); };

// observeRoot observes a document or a shadow tree. Adding one twice is free.
/** @param {Root} root */
export function observeRoot(root) {
  if (observed.has(root)) return;
  observed.add(root);
  for (const observe of observers) observe(root);
}
