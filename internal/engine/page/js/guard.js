// The guard: between the look that found the target and the event that the
// browser delivers, a page can put something else there. The first event of the
// input tells at whom it really arrived; if that is not the target, this event
// and all that follow are stopped before anything of the page sees them.

const GUARDED = {
  pointer: ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'dragstart'],
  keys: ['keydown', 'keypress', 'keyup', 'beforeinput'],
};

// The second press of a double click is judged again: the first may have put
// something else there, or taken the target away.

// An input that has not come by then (ms) was given up on; what comes later is a
// person's own. On a machine that is busy an input can take seconds.
const GUARD_LIFE = 15000;

let guard = null;

// arm watches the next input of the kind; disarm ends that and tells who else
// was hit. An input that came to nobody at all is no miss. With `own` a control
// within the element is somebody else: the aim found a place beside all of them.
function arm(kind, el, own) {
  disarm();
  const views = framesIn(window, []);
  const mine = { kind, el, until: performance.now() + GUARD_LIFE, verdict: undefined, hit: null, certain: false };
  const judge = (e) => {
    if (!e.isTrusted) return;
    if (performance.now() > mine.until) return disarm();
    if (mine.verdict === undefined) {
      const hit = e.composedPath()[0] ?? e.target;
      mine.verdict = nodeType(hit) !== ELEMENT || meant(el, hit, e) && !(own && isAnothers(el, hit));
      if (!mine.verdict) mine.hit = hit;
    }
    if (e.type === 'pointerdown' && mine.pressed) mine.late = mine.slipped = !meant(el, e.composedPath()[0] ?? e.target, e);
    mine.pressed ||= e.type === 'pointerdown';
    if (mine.verdict && !mine.late && !slip(mine, e)) return;
    e.stopImmediatePropagation();
    if (e.cancelable) e.preventDefault();
  };
  for (const view of views) for (const type of GUARDED[kind]) view.addEventListener(type, judge, { capture: true });
  mine.off = () => {
    for (const view of views) for (const type of GUARDED[kind]) view.removeEventListener(type, judge, { capture: true });
  };
  guard = mine;
  return mine;
}

// framesIn lists a window and all below it that are ours to listen in: a frame may come over the target, and what arrives
// there is told to nobody outside of it.
const FRAMES_MOST = 60;
function framesIn(view, out) {
  out.push(view);
  for (let i = 0; i < view.length && out.length < FRAMES_MOST; i++) {
    try {
      if (view[i].document) framesIn(view[i], out);
    } catch { /* a document of another origin */ }
  }
  return out;
}

// slip: the button goes up over something else although the page has changed
// nothing since it went down, as when a menu that hung on the pointer closes and
// all below it moves. No click comes of that, so it can be tried again.
// The click on what holds both is nobody's, and stopped: that is what true says.
function slip(mine, e) {
  drain();
  if (e.type === 'pointerdown') mine.generation = generation;
  if (e.type === 'pointerup') {
    const hit = e.composedPath()[0] ?? e.target;
    mine.slipped = nodeType(hit) === ELEMENT && !meant(mine.el, hit, e) && !composedContains(mine.el, hit);
    if (mine.slipped && mine.generation === generation) mine.hit = hit;
  }
  return mine.slipped && e.type.endsWith('click');
}

// meant: a closed tree shows only its host, so what lies at the point decides.
function meant(el, hit, e) {
  if (accepts(el, hit)) return true;
  if (!composedContains(hit, el)) return false;
  if (e.clientX === undefined) return hit !== ownerDocument(el).body;
  const off = frameOffset(ownerDocument(hit));
  const found = elementAt(e.clientX + off.x, e.clientY + off.y);
  return !!found && found !== hit && accepts(el, found);
}

function disarm() {
  const was = guard;
  guard = null;
  if (!was) return null;
  was.off();
  if (was.slipped && !was.hit && capture) capture.slipped = true;
  if (was.verdict === undefined && was.certain && capture) capture.unmet = was;
  return was.hit && isConnected(was.hit) ? coverOf(was.hit, was.el) : was.hit;
}
