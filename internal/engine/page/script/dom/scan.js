// The walk over visible elements that readings, searches and candidates share.

import { noteShadowCandidate } from './closed_shadow.js';
import {
  ELEMENT, MAX_DEPTH, SILENT, attr, closest, composedContains, cut, eachChild, firstChild, firstElement, frameDocument, hasAttr,
  hasChildren, isEditable, isFrame, isRendered, localName, nextSibling, nodeType, openRootOf, ownerDocument, parentElement, parentNode,
  parentOf, rectOf, rootNode, selectAllIn, selectIn, shadowRootOf, tabIndexOf, textContent, tidy,
} from './dom.js';
import { isAlike, isClippedAway, isConcealed, isDrawnOtherwise, isFarAway, isRaised, isSuspect, rgb, searchStyles } from './concealed.js';
import { drawsPicture } from './content.js';
import { anyCovered, isCoveredBox, isCoveredText, noteLayer } from './covered.js';
import { isDrawnOutOfSight } from './drawing.js';
import { drawnEditor } from './drawn_editor.js';
import { isSliderHandle, isSliderPart } from './drawn_slider.js';
import { noteRemoteFrame } from './frames.js';
import { noteCustom } from './internals.js';
import { DRAG, PRESS, isTarget, listensTo, takesPress } from './listeners.js';
import { NAME_LIMIT, contentText, nameOf } from './name.js';
import { isOpenSelect, isShownOption } from './open_select.js';
import { isCutOff, isIconName, isPainted } from './painted.js';
import { awaitsPicture } from './pictures.js';
import { isPlayer } from './player.js';
import { NATIVE_CONTROLS, WIDGETS, isEditingHost, roleOf } from './role.js';
import { observeRoot } from './roots.js';
import { isDisabled, isDisguised, isDrivenByKeys, isOptionsInput, isVisible, occupies, takesRoom } from './state.js';

// ROOT_PARENT stands above the root of the top document, UNKNOWN_PARENT above any other start of a
// walk, where the background is unknown.
/** @type {ParentVisual} */
export const UNKNOWN_PARENT = { cursor: 'auto', clipped: false, offPage: false, visible: true, background: '', clipPathEmpty: false };
/** @type {ParentVisual} */
const ROOT_PARENT = { ...UNKNOWN_PARENT, background: undefined };
/** @param {Element} root */
export const parentVisual = (root) => {
  searchStyles(ownerDocument(root));
  if (root !== document.documentElement || window !== window.top) return UNKNOWN_PARENT;
  ROOT_PARENT.background = getComputedStyle(root).colorScheme.includes('dark') ? '' : 'rgb(255, 255, 255)';
  return ROOT_PARENT;
};

// VisualState is the rendering of an element during a walk. It computes rarely needed properties on
// demand.
export class VisualState {
  /**
   * @param {El} el
   * @param {string} tag
   * @param {CSSStyleDeclaration} cs
   * @param {string} display
   * @param {ParentVisual} up
   */
  constructor(el, tag, cs, display, up) {
    this.el = el; this.tag = tag; this.cs = cs; this.display = display; this.up = up;
    this.cursor = cs.cursor;
    this.clipped = up.clipped; this.offPage = up.offPage;
    /** @type {boolean | undefined} */ this.filled = up.filled; // whether text may be filled in another colour than its own
    this.covered = up.covered === true; // below an opaque layer
    this.occupied = false; // known to take room
    /** @type {boolean | undefined} */ this.visibleCache = undefined;
    /** @type {boolean | undefined} */ this.readableCache = undefined;
    /** @type {string | undefined} */ this.background = undefined;
    /** @type {boolean | undefined} */ this.clipPathEmpty = undefined;
    /** @type {string | undefined} */ this.breaks = undefined; // how line breaks of its text are kept; '' where they are not
  }

  get visible() { return this.visibleCache ??= this.cs.visibility === 'visible'; }
}

// visualState decides what of an element a person can see or use, given the state of its composed
// parent. It returns null when nothing at or below it is visible. It runs once per element: each
// style it reads is paid for on every element of a page.
/** @param {El} el @param {ParentVisual} up */
export function visualState(el, up) {
  const tag = localName(el);
  if (SILENT.has(tag) || attr(el, 'aria-hidden') === 'true' && !isPainted(el) || hasAttr(el, 'inert') && isCutOff(el) ||
    tag === 'button' && up.tag === 'select') return null;
  const cs = getComputedStyle(el);
  const display = cs.display;
  if (display === 'none' && !(tag === 'area' && up.tag === 'img')) return null;
  const custom = tag.includes('-');
  if (custom) noteCustom(el, tag);
  if (!openRootOf(el)) {
    if (custom) noteShadowCandidate(el, tag, false);
    else if (!hasChildren(el)) noteShadowCandidate(el, tag, true);
    else if (display === '') noteParentCandidate(el);
  }
  const opacity = cs.opacity;
  const editor = drawnEditor(el);
  if (opacity !== '1' && Number(opacity) < 0.05 && !isDisguised(el) && !editor && !holdsOptionsInput(el)) return null;
  const suspect = isSuspect(el);
  if (suspect && !isDisguised(el) && !editor && isConcealed(el, cs)) return null;
  const visual = new VisualState(el, tag, cs, display, up);
  if (editor) { visual.clipped = visual.offPage = false; visual.occupied = true; return visual; }
  if (display !== 'inline' && display !== 'contents' && tag !== 'html' && tag !== 'body') {
    const position = cs.position;
    if (position === 'absolute' || position === 'fixed') {
      visual.offPage = isOffPage(el) || position === 'fixed' && isFarAway(el, cs, ownerDocument(el).defaultView);
      visual.clipped = !(tag === 'input' && isDisguised(el)) && CLIPPED_TO_NOTHING.test(cs.clip) && !clipsOptionsInput(el);
      noteLayer(visual);
    } else if (isRaised(el, cs, up.cs)) noteLayer(visual);
    if (anyCovered && position !== 'static') visual.covered = false;
    if (!visual.clipped && cs.overflowX !== 'visible' && !isDisguised(el)) {
      visual.occupied = paintOf(el, takesRoom);
      visual.clipped = !visual.occupied && !clipsOptionsInput(el);
    }
  }
  if (anyCovered && isCoveredBox(el)) visual.covered = true;
  if (suspect) {
    visual.offPage ||= isFarAway(el, cs, ownerDocument(el).defaultView);
    visual.filled = true;
    visual.covered ||= drawsPicture(cs.content);
  }
  return visual;
}

// An element without style is in no rendered tree: a shadow tree replaces it.
/** @param {El} el */
function noteParentCandidate(el) {
  const host = parentNode(el);
  if (host && nodeType(host) === ELEMENT && !shadowRootOf(host)) noteShadowCandidate(host, localName(host), false);
}

// readable reports whether text directly in the element can be seen: not clipped, not off the page,
// with size and colour, and of another colour than its background.
/** @param {VisualState} visual */
export function readable(visual) {
  if (visual.readableCache === undefined) visual.readableCache = visual.visible && !visual.clipped && !visual.offPage && !visual.covered && !isCoveredText(visual.el) && isLegible(visual) && !isClipPathEmpty(visual);
  return visual.readableCache;
}

// breaksOf returns how a person sees line breaks of text directly in the element, '' for as spaces.
/** @param {VisualState} visual */
export const breaksOf = (visual) => (visual.breaks ??= visual.cs.whiteSpaceCollapse.replace('collapse', ''));

const FAINT = /^rgba\(.*, 0(?:\.0[0-4]\d*)?\)$/;

// Styles are the main cost of a reading: each is read only where the cheaper ones leave a doubt.
/** @param {VisualState} visual */
function isLegible(visual) {
  const cs = visual.cs, color = rgb(visual.filled ? cs.webkitTextFillColor : cs.color);
  if (visual.el instanceof SVGElement && (isUnpainted(cs) || isDrawnOutOfSight(visual.el))) return false;
  if (parseFloat(cs.fontSize) < 2 || visual.display !== 'inline' && parseFloat(cs.textIndent) < -300) return false;
  if (FAINT.test(color)) return isDrawnOtherwise(cs);
  return !isAlike(color, backgroundOf(visual)) || isDrawnOtherwise(cs) || hasBackgroundImage(visual) || isPaintedBehind(visual, color);
}

// isUnpainted reports a part of a drawing without fill and outline.
/** @param {CSSStyleDeclaration} cs */
const isUnpainted = (cs) => [[cs.fill, cs.fillOpacity], [cs.stroke, cs.strokeOpacity]].every(([paint, opacity]) => paint === 'none' || FAINT.test(paint) || opacity === '0');

// paintsNothing reports an element without colour, picture and border of its own.
/** @param {El} el */
export function paintsNothing(el) {
  const cs = getComputedStyle(el);
  if (el instanceof SVGElement) return isUnpainted(cs) || cs.opacity === '0';
  return localName(el) !== 'img' && localName(el) !== 'canvas' && cs.backgroundImage === 'none' && FAINT.test(rgb(cs.backgroundColor)) && parseFloat(cs.borderTopWidth) === 0;
}

// backgroundOf returns the colour behind the element as its ancestors paint it; '' when unknown.
/** @param {ParentVisual} visual @returns {string} */
function backgroundOf(visual) {
  if (visual.background === undefined) {
    const { cs, up } = /** @type {VisualState} */ (visual); // what stands above a walk has a background
    const color = rgb(cs.backgroundColor);
    visual.background = color === 'rgba(0, 0, 0, 0)' ? backgroundOf(up) : color;
  }
  return visual.background;
}

/** @param {VisualState} visual @returns {boolean} */
function hasBackgroundImage(visual) {
  for (let up = /** @type {ParentVisual | undefined} */ (visual); up?.cs; up = up.up) if (up.cs.backgroundImage !== 'none') return true;
  return false;
}

// isPaintedBehind looks for a picture or a painted element behind text of its background's colour.
// Hardly any page has such text; one with much of it checks each place once a task.
const PICTURES = 'img,video,canvas,svg,iframe,object,embed';
/** @param {VisualState} visual @param {string} color */
function isPaintedBehind(visual, color) {
  const r = rectOf(visual.el);
  /** @param {Edges} o */
  const overlaps = (o) => o.right > r.left && o.left < r.right && o.bottom > r.top && o.top < r.bottom;
  if (paintOf(rootNode(visual.el), picturesIn).some(overlaps)) return true;
  for (let up = /** @type {El | null} */ (visual.el); up; up = parentOf(up)) {
    const parent = parentNode(up);
    if (parent && paintOf(parent, paintedChildren).some((o) => o.el !== up && (o.picture || !isAlike(color, o.background)) && overlaps(o.rect))) return true;
    if (paintOf(up, generatesPaint)) return true;
  }
  return false;
}

// paintOf caches inspections of this task: a page can change between two tasks without a mutation.
const painted = new Map();
/** @template {object} T @template R @param {T} el @param {(el: T) => R} inspect @returns {R} */
export function paintOf(el, inspect) {
  if (!painted.size) queueMicrotask(() => painted.clear());
  if (!painted.has(inspect)) painted.set(inspect, new Map());
  const known = painted.get(inspect);
  if (!known.has(el)) known.set(el, inspect(el));
  return known.get(el);
}

/** @param {Root} root */
const picturesIn = (root) => (root.querySelectorAll ? [...root.querySelectorAll(PICTURES)].slice(0, 300).map(rectOf) : []);

/** @param {El} parent */
function paintedChildren(parent) {
  const out = [];
  let looked = 0;
  for (let n = firstChild(parent); n && looked < 400; n = nextSibling(n)) {
    if (nodeType(n) !== ELEMENT) continue;
    looked++;
    const cs = getComputedStyle(n), background = rgb(cs.backgroundColor), picture = cs.backgroundImage !== 'none';
    if (picture || background !== 'rgba(0, 0, 0, 0)') out.push({ el: n, rect: rectOf(n), picture, background });
  }
  return out;
}

/** @param {El} el */
const generatesPaint = (el) => ['::before', '::after'].some((side) => {
  const cs = getComputedStyle(el, side);
  return cs.content !== 'none' && (cs.backgroundImage !== 'none' || cs.backgroundColor !== 'rgba(0, 0, 0, 0)');
});

// isClipPathEmpty reports that a clip path hides the element or one of its ancestors.
export const CLIPPED_TO_NOTHING = /^rect\((\d+px), (\d+px), \1, \2\)$/;
/** @param {ParentVisual} visual @returns {boolean} */
function isClipPathEmpty(visual) {
  if (visual.clipPathEmpty === undefined) {
    const { cs, display, el, up } = /** @type {VisualState} */ (visual);
    visual.clipPathEmpty = isClipPathEmpty(up) || display !== 'inline' && cs.clipPath !== 'none' && isClippedAway(cs.clipPath, el);
  }
  return visual.clipPathEmpty;
}

/** @param {El} el */
function isOffPage(el) {
  const r = rectOf(el), view = ownerDocument(el).defaultView;
  return r.right + view.scrollX < 0 || r.bottom + view.scrollY < 0 || r.width + r.height > 0 && isScaledToNothing(r);
}

/** @param {Size} r */
const isScaledToNothing = (r) => r.width < 1 && r.height < 1;

// isInteractive reports a control by markup, by role, by focus, by listener, or by a cursor for
// clicks or drags, which is the only trace of a listener that stands far above the element.
export const POINTING = new Set(['pointer', 'move', 'grab', 'all-scroll']);
const MAX_PORT = 48; // px: a small element with the cursor for drawing lines is where one begins or ends
/** @param {El} el @param {VisualState} visual */
const isPort = (el, visual) => visual.cursor === 'crosshair' && rectOf(el).width <= MAX_PORT && rectOf(el).height <= MAX_PORT;
/** @param {El} el @param {string} role @param {VisualState} visual @param {ParentVisual} up */
export function isInteractive(el, role, visual, up) {
  if (visual.clipped) return false;
  switch (visual.tag) {
    case 'input': return visual.visible && el.type !== 'hidden' && (visual.occupied || occupies(el) || isDisguised(el));
    case 'html': return false;
    case 'body': return isEditable(el) && visual.visible;
    case 'option': if (!isShownOption(el)) return false; break;
    case 'optgroup': return false;
    case 'label': if (el.control) return isDrawnControl(el.control) && visual.visible && (visual.occupied || occupies(el)); break;
    case 'video': case 'audio': if (isPlayer(el)) return visual.visible; break;
  }
  const claims = WIDGETS.has(role) || NATIVE_CONTROLS.has(visual.tag) && role !== 'generic' ||
    isEditable(el) && isEditingHost(el) || hasAttr(el, 'onclick') ||
    hasAttr(el, 'tabindex') && tabIndex(el) >= 0 ||
    up.cursor !== visual.cursor && (POINTING.has(visual.cursor) || isPort(el, visual)) || takesPress(el, role, up);
  if (claims && role === 'generic' && (wrapsOptionsInput(el) || isSliderPart(el) || isIconBesideControl(el, visual))) return false;
  return claims && visual.visible && (visual.occupied || occupies(el) || isDrivenByKeys(el, role) || awaitsPicture(el));
}

// isDrawnControl reports a control that its label is drawn for: it is not rendered, and a click on the label
// reaches it.
/** @param {El} control */
const isDrawnControl = (control) => localName(control) === 'input' && /^(?:file|checkbox|radio)$/.test(control.type) && !paintOf(control, isRendered) &&
  !isDisabled(control);

// isIconBesideControl reports the name of a picture of an icon font in or beside a control, without a listener of
// its own: people mean the control.
const MAX_BESIDE = 8;
/** @param {El} el @param {VisualState} visual */
function isIconBesideControl(el, visual) {
  if (firstElement(el) || hasAttr(el, 'onclick') || hasAttr(el, 'tabindex')) return false;
  const text = textContent(el).trim(), parent = parentElement(el);
  if (!/^[a-z][a-z0-9_]{2,40}$/.test(text) || !parent || listensTo(el, PRESS | DRAG)) return false;
  if (!/icon|symbol|glyph/i.test(visual.cs.fontFamily) && !isIconName(el, text)) return false;
  return closest(parent, CONTROLS_INSIDE) !== null || parent.childElementCount <= MAX_BESIDE && selectIn(parent, CONTROLS_INSIDE) !== null;
}

// wrapsOptionsInput reports the box that a custom select draws around its input: the input is the
// control, and a click on it reaches the box.
/** @param {El} el */
function wrapsOptionsInput(el) {
  return holdsOptionsInput(el) && isVisible(/** @type {El} */ (selectIn(el, 'input[aria-expanded],input[aria-haspopup=listbox]'))) &&
    selectAllIn(el, 'input:not([type=hidden]),button,a[href]').length === 1;
}

/** @param {El} el */
function holdsOptionsInput(el) {
  const inner = selectIn(el, 'input[aria-expanded],input[aria-haspopup=listbox]');
  return !!inner && isOptionsInput(inner) && !isDisabled(inner);
}

// clipsOptionsInput reports a box that hides nothing but the input of a custom select.
/** @param {El} el */
export const clipsOptionsInput = (el) => el.childElementCount === 1 && holdsOptionsInput(el) && firstElement(el) === selectIn(el, 'input');

/** @param {Element} el */
export const tabIndex = (el) => (el instanceof HTMLElement ? tabIndexOf(el) : /** @type {El} */ (el).tabIndex ?? -1);

// clickableName names an element without role by its label, or by its content when that is short
// and contains no control.
export const CONTROLS_INSIDE = 'a[href],button,input,select,textarea,tr,' +
  'row button link tab option checkbox radio menuitem treeitem slider textbox'.split(' ').map((role) => `[role=${role}]`).join();
/** @param {El} el */
export function clickableName(el) {
  const named = nameOf(el, 'generic') || cut(tidy(attr(el, 'title') || ''), NAME_LIMIT);
  if (named) return named;
  const raw = textContent(el);
  if ([...selectAllIn(el, '[tabindex="0"]')].some((n) => tidy(textContent(n)))) return ''; // each has its text
  if (raw.length > 400 || selectIn(el, CONTROLS_INSIDE) && localName(el) !== 'label') return '';
  const inner = { seen: new Set(), within: true, referred: false };
  const text = tidy(contentText(el, { ...inner, ownTargets: true })) || holdsOneTarget(el) && tidy(contentText(el, { ...inner, seen: new Set() }));
  return text && text.length <= 80 ? text : '';
}

// holdsOneTarget reports a box around a single element that takes presses: the box has its name.
/** @param {El} el */
function holdsOneTarget(el) {
  const [first, ...others] = [...selectAllIn(el, '*')].filter(isTarget);
  return first !== undefined && others.every((other) => composedContains(first, other));
}

// scan visits every visible element in composed document order. The visitor returns true to stop.
/** @param {Element | null} root @param {Visit} visit @returns {void} */
export function scan(root, visit) {
  /** @param {El} el @param {ParentVisual} up @param {number} depth @returns {boolean} */
  const go = (el, up, depth) => {
    const visual = visualState(el, up);
    if (!visual || depth > MAX_DEPTH) return false;
    const role = roleOf(el);
    const live = isInteractive(el, role, visual, up);
    if (visit(el, live ? liveRole(el, role) : role, live, visual)) return true;
    let stop = false;
    /** @param {El} n */
    const below = (n) => { if (!stop && nodeType(n) === ELEMENT) stop = go(n, visual, depth + 1); };
    if (isFrame(el)) {
      const doc = frameDocument(el);
      if (doc) { observeRoot(doc); stop = go(doc.documentElement, UNKNOWN_PARENT, depth + 1); } else noteRemoteFrame(el);
      return stop;
    }
    if ((visual.tag !== 'select' || isOpenSelect(el)) && visual.tag !== 'textarea') eachChild(el, below);
    return stop;
  };
  if (root) go(/** @type {El} */ (root), parentVisual(root), 0);
}

/** @param {El} el @param {string} role */
export const liveRole = (el, role) => (role !== 'generic' ? role : isSliderHandle(el) ? 'slider' : 'clickable');
