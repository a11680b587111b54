// Who is there: the walk that readings, searches and candidates share.

// TOP is above the root of the top document, LOOSE above anything else that a walk begins at: what is behind a frame or
// an element of the page is not known there.
const LOOSE = { cursor: 'auto', clipped: false, away: false, visible: true, ground: '', cutout: false };
const TOP = { ...LOOSE, ground: undefined };
const above = (root) => {
  if (root !== document.documentElement || window !== window.top) return LOOSE;
  TOP.ground = getComputedStyle(root).colorScheme.includes('dark') ? '' : 'rgb(255, 255, 255)';
  return TOP;
};

// Here is an element on the way of a walk. What hardly any walk asks for is found out when it is asked for.
class Here {
  constructor(el, tag, cs, display, up) {
    this.el = el; this.tag = tag; this.cs = cs; this.display = display; this.up = up;
    this.cursor = cs.cursor;
    this.clipped = up.clipped; this.away = up.away;
    this.occupied = false; // known to take room
    this.seen = this.text = this.ground = this.cutout = undefined;
  }

  get visible() { return this.seen ??= this.cs.visibility === 'visible'; }
}

// enter decides what of an element a person could see or use, given what was
// decided for its composed parent. null: nothing at or below it. It runs once
// per element of a page; every style it asks for is paid for twenty thousand times.
function enter(el, up) {
  const tag = localName(el);
  if (SILENT.has(tag) || attr(el, 'aria-hidden') === 'true' || hasAttr(el, 'inert')) return null;
  const cs = getComputedStyle(el);
  const display = cs.display;
  if (display === 'none') return null;
  if (!openRootOf(el)) {
    if (tag.includes('-')) suspect(el, tag, false);
    else if (!hasChildren(el)) suspect(el, tag, true);
    else if (display === '') suspectParent(el);
  }
  const opacity = cs.opacity;
  if (opacity !== '1' && opacity < 0.05 && !isDisguised(el)) return null;
  const here = new Here(el, tag, cs, display, up);
  if (display !== 'inline' && display !== 'contents' && tag !== 'html' && tag !== 'body') {
    const position = cs.position;
    if (position === 'absolute' || position === 'fixed') {
      here.away = isOffPage(el);
      here.clipped = CLIPPED_TO_NOTHING.test(cs.clip);
    }
    if (!here.clipped && cs.overflowX !== 'visible' && !isDisguised(el)) {
      const r = rectOf(el);
      here.occupied = r.width > 1 && r.height > 1;
      here.clipped = !here.occupied;
    }
  }
  return here;
}

// An element without style is in no rendered tree: a shadow tree took its place.
function suspectParent(el) {
  const host = parentNode(el);
  if (host && nodeType(host) === ELEMENT && !shadowRootOf(host)) suspect(host, localName(host), false);
}

// readable says whether text directly in the element can be seen: not clipped
// away, not moved off the page, not without size or colour, and of another
// colour than what is behind it.
function readable(here) {
  if (here.text === undefined) here.text = here.visible && !here.clipped && !here.away && isLegible(here) && !isCutOut(here);
  return here.text;
}

const FAINT = /^rgba\(.*, 0(?:\.0[0-4]\d*)?\)$/;

// Styles are what a reading pays for most: each is asked for only where the cheaper ones leave a doubt.
function isLegible(here) {
  const cs = here.cs, color = cs.color;
  if (parseFloat(cs.fontSize) < 2 || here.display !== 'inline' && parseFloat(cs.textIndent) < -300) return false;
  if (FAINT.test(color)) return cs.backgroundClip === 'text';
  return color !== groundOf(here) || cs.textShadow !== 'none' || hasPicture(here) || isPaintedBehind(here, color);
}

// groundOf is the colour behind the element as its ancestors paint it; '' when that is not known.
function groundOf(here) {
  if (here.ground === undefined) {
    const color = here.cs.backgroundColor;
    here.ground = color === 'rgba(0, 0, 0, 0)' ? groundOf(here.up) : color;
  }
  return here.ground;
}

function hasPicture(here) {
  for (let up = here; up.cs; up = up.up) if (up.cs.backgroundImage !== 'none') return true;
  return false;
}

// isPaintedBehind looks for what else may give text of its ground's colour a
// contrast: a picture, or a painted element, that lies where the text is. Hardly
// any page has such text; one that has much of it is asked for each place once a task.
const PICTURES = 'img,video,canvas,svg,iframe,object,embed';
function isPaintedBehind(here, color) {
  const r = rectOf(here.el);
  const overlaps = (o) => o.right > r.left && o.left < r.right && o.bottom > r.top && o.top < r.bottom;
  if (paintOf(rootNode(here.el), picturesIn).some(overlaps)) return true;
  for (let up = here.el; up; up = parentOf(up)) {
    const parent = parentNode(up);
    if (parent && paintOf(parent, paintedChildren).some((o) => o.el !== up && (o.picture || o.ground !== color) && overlaps(o.rect))) return true;
    if (paintOf(up, drawsBeside)) return true;
  }
  return false;
}

// paintOf is what a look at an element found in this task: a page can change between two and leave no trace.
const painted = new Map();
function paintOf(el, look) {
  if (!painted.size) queueMicrotask(() => painted.clear());
  if (!painted.has(look)) painted.set(look, new Map());
  const known = painted.get(look);
  if (!known.has(el)) known.set(el, look(el));
  return known.get(el);
}

const picturesIn = (root) => (root.querySelectorAll ? [...root.querySelectorAll(PICTURES)].slice(0, 300).map(rectOf) : []);

function paintedChildren(parent) {
  const out = [];
  let looked = 0;
  for (let n = firstChild(parent); n && looked < 400; n = nextSibling(n)) {
    if (nodeType(n) !== ELEMENT) continue;
    looked++;
    const cs = getComputedStyle(n), ground = cs.backgroundColor, picture = cs.backgroundImage !== 'none';
    if (picture || ground !== 'rgba(0, 0, 0, 0)') out.push({ el: n, rect: rectOf(n), picture, ground });
  }
  return out;
}

const drawsBeside = (el) => ['::before', '::after'].some((side) => {
  const cs = getComputedStyle(el, side);
  return cs.content !== 'none' && (cs.backgroundImage !== 'none' || cs.backgroundColor !== 'rgba(0, 0, 0, 0)');
});

// isCutOut: a clip path leaves nothing of it or of something around it.
const NOTHING = /^inset\((?:50|[6-9]\d|100)(?:\.\d+)?%|^circle\(0(?:px|%)? |^circle\(0(?:px|%)?\)|^polygon\((?:0(?:px|%)? 0(?:px|%)?(?:, )?)+\)|^rect\(0px 0px 0px 0px\)/;
const CLIPPED_TO_NOTHING = /^rect\((\d+px), (\d+px), \1, \2\)$/;
function isCutOut(here) {
  if (here.cutout === undefined) {
    here.cutout = isCutOut(here.up) || here.display !== 'inline' && NOTHING.test(here.cs.clipPath);
  }
  return here.cutout;
}

function isOffPage(el) {
  const r = rectOf(el), view = ownerDocument(el).defaultView;
  return r.right + view.scrollX < 0 || r.bottom + view.scrollY < 0 || r.width + r.height > 0 && isScaledAway(r);
}

const isScaledAway = (r) => r.width < 1 && r.height < 1;

// isInteractive: a control by markup, by role, by focus, by handler, or - the
// only trace a script's listener leaves - by the pointer it shows.
function isInteractive(el, role, here, up) {
  if (here.clipped) return false;
  switch (here.tag) {
    case 'input': return here.visible && el.type !== 'hidden' && (here.occupied || isDisguised(el) || occupies(el));
    case 'html': case 'body': return false;
    case 'option': case 'optgroup': return false;
    case 'label': if (el.control) return false; break;
    case 'video': case 'audio': if (hasAttr(el, 'controls')) return here.visible; break;
  }
  const claims = WIDGETS.has(role) || NATIVE_CONTROLS.has(here.tag) && role !== 'generic' ||
    isEditable(el) && isEditingHost(el) || hasAttr(el, 'onclick') ||
    hasAttr(el, 'tabindex') && tabIndex(el) >= 0 ||
    here.cursor === 'pointer' && up.cursor !== 'pointer';
  return claims && here.visible && (here.occupied || occupies(el));
}

const tabIndex = (el) => (el instanceof HTMLElement ? tabIndexOf(el) : el.tabIndex ?? -1);

// clickableName names what has no role: by its label, or by its content when
// that is short and holds no control of its own.
function clickableName(el) {
  const named = nameOf(el, 'generic') || cut(tidy(attr(el, 'title') || ''), NAME_LIMIT);
  if (named) return named;
  const raw = textContent(el);
  if (raw.length > 400 || selectIn(el, 'a[href],button,input,select,textarea')) return '';
  const text = tidy(contentText(el, { seen: new Set(), within: true, referred: false }));
  return text.length <= 80 ? text : '';
}

// scan visits every element a person could see, in composed document order.
// The visitor may answer true to stop.
function scan(root, visit) {
  const go = (el, up, depth) => {
    const here = enter(el, up);
    if (!here || depth > DEEPEST) return false;
    const role = roleOf(el);
    const live = isInteractive(el, role, here, up);
    if (visit(el, role === 'generic' && live ? 'clickable' : role, live, here)) return true;
    let stop = false;
    const below = (n) => { if (!stop && nodeType(n) === ELEMENT) stop = go(n, here, depth + 1); };
    if (isFrame(el)) {
      const doc = frameDocument(el);
      if (doc) { observeRoot(doc); stop = go(doc.documentElement, LOOSE, depth + 1); } else meet(el);
      return stop;
    }
    if (here.tag !== 'select' && here.tag !== 'textarea') eachChild(el, below);
    return stop;
  };
  if (root) go(root, above(root), 0);
}
