// Remote frames: frames whose document this world cannot read, because it has another origin. The
// Go side enters the frames that a walk met, each with a world of its own.

const contentWindowOf = getter(HTMLIFrameElement.prototype, 'contentWindow');

// A frame element keeps its key while its frame lives. An element that is put back into the page
// holds a new frame.
const frameKeys = new WeakMap();
const frameElements = new Map();
let frameCount = 0;
let remoteFrames = [];

function frameKeyOf(el) {
  const view = localName(el) === 'iframe' ? contentWindowOf(el) : el.contentWindow;
  let entry = frameKeys.get(el);
  if (!entry || entry.view !== view) {
    entry = { key: ++frameCount, view };
    frameKeys.set(el, entry);
    frameElements.set(entry.key, new WeakRef(el));
  }
  return entry.key;
}

function noteRemoteFrame(el) {
  const key = frameKeyOf(el);
  if (!remoteFrames.includes(key)) remoteFrames.push(key);
  return key;
}

const isRemoteFrame = (el) => isFrame(el) && frameDocument(el) === null;

function frameElementByKey(key) {
  const el = frameElements.get(key)?.deref();
  return el && attached(el) ? el : null;
}

// frameScale returns how large a CSS transform draws a pixel of a frame.
const frameScale = (frame, r) => (frame.offsetWidth > 0 && r.width > 0 ? r.width / frame.offsetWidth : 1);

// contentOrigin returns where the content of a frame element begins, in the top viewport of this
// world.
function contentOrigin(frame) {
  const off = frameOffset(ownerDocument(frame)), r = rectOf(frame), cs = getComputedStyle(frame);
  const scale = frameScale(frame, r);
  return {
    x: off.x + off.scale * (r.left + scale * (frame.clientLeft + parseFloat(cs.paddingLeft))),
    y: off.y + off.scale * (r.top + scale * (frame.clientTop + parseFloat(cs.paddingTop))),
    scale: off.scale * scale,
  };
}

function frameOrigin({ frameKey }) {
  const el = frameElementByKey(frameKey);
  if (!el) throw new EngineError('otherDocument', {});
  return contentOrigin(el);
}

// frameToViewport converts a point of a remote frame's document to this world and says why the
// pointer would not reach it there. With `scroll` it brings the frame into view once; the caller
// then has to compute the point again.
function frameToViewport({ frameKey, x, y, scroll }) {
  const el = frameElementByKey(frameKey);
  if (!el) throw new EngineError('otherDocument', {});
  const hidden = hiddenReason(el) || inertReason(el);
  if (hidden) return { reason: 'the frame it is in cannot be seen: ' + hidden };
  const off = contentOrigin(el);
  x += off.x;
  y += off.y;
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || scrolledAway(el, { left: x, top: y, width: 0, height: 0 })) {
    if (!scroll) return { reason: 'the frame it is in is out of view' };
    el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const now = contentOrigin(el);
    scrollBy({ left: x - off.x + now.x - innerWidth / 2, top: y - off.y + now.y - innerHeight / 2, behavior: 'instant' });
    return { scrolled: true };
  }
  const found = elementAt(x, y);
  if (found === el) return { x, y };
  if (!found) return { reason: 'the frame it is in is out of view' };
  return { reason: 'another element covers it', covering: describe(coveringElement(found, el)) };
}

const focusedFrameKey = () => {
  const el = activeElementDeep();
  return el && isRemoteFrame(el) ? frameKeyOf(el) : 0;
};

// waitForFrameFocus resolves when this document knows that the frame has the focus. The frame knows
// that earlier.
async function waitForFrameFocus({ frameKey, limit }) {
  const until = performance.now() + limit;
  while (focusedFrameKey() !== frameKey && performance.now() < until) await frame();
  return { focused: focusedFrameKey() === frameKey };
}
