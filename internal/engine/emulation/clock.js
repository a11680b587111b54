// The clock of a page that can stand still: Date, performance.now, timers, frames and animations. It goes
// until window[own](false).
(() => {
  const own = Symbol.for('callsheet.clock');
  if (window[own]) return;
  const { setTimeout: start, clearTimeout: clear, clearInterval: clearEach, requestAnimationFrame: request, cancelAnimationFrame: cancel, Date: RealDate } = window;
  const realNow = performance.now.bind(performance), realDate = RealDate.now;
  let goes = true, lost = 0, since = 0;
  const standing = () => goes ? lost : lost + realNow() - since;
  const now = () => realNow() - standing();

  // Timers by id, in an own queue; native is the browser's timer for the earliest. Ids of the browser's timers are smaller.
  const timers = new Map();
  let lastId = 2 ** 30, native = 0;
  const earliest = () => [...timers.values()].reduce((a, b) => b.due < a.due ? b : a);
  const arm = () => {
    clear(native);
    if (goes && timers.size) native = start(fire, Math.max(0, earliest().due - now()));
  };
  const fire = () => {
    const timer = timers.size && goes && earliest();
    if (!timer || timer.due > now() + 1) return arm();
    if (timer.every === undefined) timers.delete(timer.id);
    else timer.due = Math.max(timer.due + timer.every, now());
    try {
      if (typeof timer.callback === 'function') timer.callback.apply(window, timer.args);
      else (0, eval)(String(timer.callback));
    } finally {
      arm();
    }
  };
  const add = (repeats) => function (callback, delay, ...args) {
    const wait = Math.max(+delay || 0, repeats ? 1 : 0), id = ++lastId;
    timers.set(id, { id, callback, args, due: now() + wait, every: repeats ? Math.max(wait, 4) : undefined });
    arm();
    return id;
  };
  const remove = (natively) => (id) => { if (timers.delete(+id)) arm(); else natively(id); };
  window.setTimeout = add(false);
  window.setInterval = add(true);
  window.clearTimeout = remove(clear);
  window.clearInterval = remove(clearEach);

  const frames = new Map();
  let asked = false;
  const ask = () => { if (!asked && goes && frames.size) { asked = true; request(draw); } };
  const draw = () => {
    asked = false;
    if (!goes) return;
    const due = [...frames], at = now();
    for (const [id, callback] of due) {
      if (!frames.delete(id)) continue;
      try { callback.call(window, at); } catch (e) { reportError(e); }
    }
    ask();
  };
  window.requestAnimationFrame = (callback) => { frames.set(++lastId, callback); ask(); return lastId; };
  window.cancelAnimationFrame = (id) => { if (!frames.delete(id)) cancel(id); };

  performance.now = now;
  window.Date = new Proxy(RealDate, {
    construct: (target, args, made) => Reflect.construct(target, args.length ? args : [realDate() - standing()], made),
    apply: () => String(new RealDate(realDate() - standing())),
    get: (target, name) => name === 'now' ? () => Math.floor(realDate() - standing()) : Reflect.get(target, name),
  });

  const paused = new Set();
  window[own] = (go) => {
    for (let i = 0; i < window.length; i++) try { window[i][own]?.(go); } catch { /* of another site */ }
    if (go === goes) return;
    if (go) lost += realNow() - since;
    else since = realNow();
    goes = go;
    for (const animation of go ? paused : document.getAnimations()) {
      if (go) animation.play();
      else if (animation.playState === 'running') { paused.add(animation); animation.pause(); }
    }
    if (go) paused.clear();
    arm();
    ask();
  };
})();
