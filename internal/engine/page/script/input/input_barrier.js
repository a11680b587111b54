// The input barrier: while an input is on its way, a document that replaces the target document
// blocks that input. The barrier holds from the document's first moment. It ends when the engine is
// injected, because later input is meant for this document, or after LIFE (ms), because later input
// comes from a person.
(() => {
  const LIFE = 1000;
  const BARRIER = Symbol.for('callsheet.inputBarrier');
  const world = /** @type {{ [barrier: symbol]: (() => void) | undefined }} */ (globalThis);
  if (world[BARRIER]) return; // the barrier of an earlier input still stands
  const KINDS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'dragstart',
    'dragenter', 'dragover', 'drop', 'keydown', 'keypress', 'keyup', 'beforeinput'];
  /** @param {Event} e */
  const stop = (e) => {
    if (!e.isTrusted) return;
    e.stopImmediatePropagation();
    if (e.cancelable) e.preventDefault();
  };
  const remove = () => { for (const kind of KINDS) removeEventListener(kind, stop, { capture: true }); };
  for (const kind of KINDS) addEventListener(kind, stop, { capture: true });
  setTimeout(remove, LIFE);
  world[BARRIER] = remove;
})();
