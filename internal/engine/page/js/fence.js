// The fence: while an input is under way, a document that takes the place of the one it is meant for lets nothing of it
// through. It stands from the document's first moment and falls when the engine comes, for whoever asks about the
// document means it; or after LIFE (ms), for what comes then is a person's.
(() => {
  const LIFE = 1000;
  const STANDS = Symbol.for('callsheet.fence');
  if (globalThis[STANDS]) return; // that of the input before, not taken down yet
  const KINDS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'dragstart',
    'dragenter', 'dragover', 'drop', 'keydown', 'keypress', 'keyup', 'beforeinput'];
  const stop = (e) => {
    if (!e.isTrusted) return;
    e.stopImmediatePropagation();
    if (e.cancelable) e.preventDefault();
  };
  const fall = () => { for (const kind of KINDS) removeEventListener(kind, stop, { capture: true }); };
  for (const kind of KINDS) addEventListener(kind, stop, { capture: true });
  setTimeout(fall, LIFE);
  globalThis[STANDS] = fall;
})();
