// What this world cannot enter by itself: documents of other origins, and
// closed shadow trees. The outside opens both, for what was met on the way.

const contentWindowOf = getter(HTMLIFrameElement.prototype, 'contentWindow');

// A door is a frame element whose document is not ours to read. Its key stays
// as long as the frame behind it does: an element that is put back into the page
// holds another frame.
const doorKeys = new WeakMap();
const doorElements = new Map();
let doorCount = 0;
let met = [];

function doorOf(el) {
  const view = localName(el) === 'iframe' ? contentWindowOf(el) : el.contentWindow;
  let door = doorKeys.get(el);
  if (!door || door.view !== view) {
    door = { key: ++doorCount, view };
    doorKeys.set(el, door);
    doorElements.set(door.key, new WeakRef(el));
  }
  return door.key;
}

function meet(el) {
  const key = doorOf(el);
  if (!met.includes(key)) met.push(key);
  return key;
}

const isDoor = (el) => isFrame(el) && frameDocument(el) === null;

function doorElement(key) {
  const el = doorElements.get(key)?.deref();
  return el && attached(el) ? el : null;
}

// contentOrigin is where the content of a frame element begins, in the top
// viewport of this world.
function contentOrigin(frame) {
  const off = frameOffset(ownerDocument(frame)), r = rectOf(frame), cs = getComputedStyle(frame);
  return { x: off.x + r.left + frame.clientLeft + parseFloat(cs.paddingLeft), y: off.y + r.top + frame.clientTop + parseFloat(cs.paddingTop) };
}

function doorway({ door }) {
  const el = doorElement(door);
  if (!el) throw new Refusal('foreign', {});
  return contentOrigin(el);
}

// through carries a point of the document behind a door into this world, and
// says whether the pointer would reach it there. A frame that is not in view is
// brought there once; the point has then to be looked for again.
function through({ door, x, y, scroll }) {
  const el = doorElement(door);
  if (!el) throw new Refusal('foreign', {});
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
  return { reason: 'another element covers it', covering: describe(coverOf(found, el)) };
}

const focusedDoor = () => {
  const el = activeElementDeep();
  return el && isDoor(el) ? doorOf(el) : 0;
};

// awaitDoor resolves when the focus has gone through the door. The frame says
// that it has the focus before the page around it knows.
async function awaitDoor({ door, limit }) {
  const until = performance.now() + limit;
  while (focusedDoor() !== door && performance.now() < until) await frame();
  return { there: focusedDoor() === door };
}

// Elements that may hide a closed shadow tree. Nothing here can tell for sure,
// so the outside looks into each once. What gives a host away: it is a custom
// element, or it takes room and has nothing in it, or what is in it is not
// rendered at all.
const HOSTS = new Set('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '));
// A page of spacers is not worth a question for each: so many plain elements of a document are looked into, and so many
// of a tag of its own that turned out to hide nothing.
const PLAIN_MOST = 100, SUSPECTS_MOST = 200, SAME_TAG = 3;
let plainOnes = 0;
const examined = new WeakSet();
const innocent = new Map();
let suspects = [];

function suspect(el, tag, only) {
  if (examined.has(el) || suspects.length >= SUSPECTS_MOST) return;
  if (tag.includes('-')) {
    if ((innocent.get(tag) ?? 0) >= SAME_TAG) return;
  } else {
    if (!HOSTS.has(tag) || only && (plainOnes >= PLAIN_MOST || !(el.offsetWidth > 1 && el.offsetHeight > 1))) return;
    plainOnes++;
  }
  examined.add(el);
  suspects.push(el);
}

// accused hands the suspects over; open takes back what was found in them.
function accused() {
  const out = suspects;
  suspects = [];
  for (const el of out) {
    const tag = localName(el);
    if (tag.includes('-')) innocent.set(tag, (innocent.get(tag) ?? 0) + 1);
  }
  return out;
}

function open(host, root) {
  closedRoots.set(host, root);
  anyClosed = true;
  innocent.set(localName(host), -Infinity);
  observeRoot(root);
}
