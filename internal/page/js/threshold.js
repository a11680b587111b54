// The threshold of a new document: input that comes right after it came was sent to the one before. It is stopped until the
// engine is put in, for then the outside knows which document it acts on, and in any case soon.
(() => {
  const LASTS = 300; // ms: what nobody, who has just seen a document appear, can have answered to it
  if (window !== window.top || Object.hasOwn(globalThis, 'callsheetThreshold')) return;
  const until = performance.now() + LASTS;
  const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'dragstart',
    'keydown', 'keypress', 'keyup', 'beforeinput'];
  const stop = (e) => {
    if (performance.now() > until) return lift();
    if (!e.isTrusted) return;
    e.stopImmediatePropagation();
    if (e.cancelable) e.preventDefault();
  };
  const lift = () => { for (const type of types) removeEventListener(type, stop, { capture: true }); };
  for (const type of types) addEventListener(type, stop, { capture: true });
  Object.defineProperty(globalThis, 'callsheetThreshold', { value: lift });
})();
