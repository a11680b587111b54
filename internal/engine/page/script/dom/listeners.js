// Listeners: which elements take input, as the debugger knows it. The Go side marks the elements
// before each walk, because no script sees the listeners of another world.

import {
  ELEMENT, SILENT, TEXT, UNSEEN, attr, eachChild, firstChild, firstElement, localName, matches, nextSibling, nodeType,
  nodeValue, ownerDocument, parentOf, rectOf, selectAllIn, selectIn, textContent, tidy,
} from './dom.js';
import { isInEditor } from './drawn_editor.js';
import { isControl } from './hit_test.js';
import { isIconName } from './painted.js';
import { roleOf } from './role.js';
import { POINTING, UNKNOWN_PARENT, paintOf } from './scan.js';

export const PRESS = 1, DRAG = 2, KEYS = 4;
const listening = new WeakMap();
/** @type {WeakRef<El>[]} */
export let keyed = []; // weak references to the elements that listen to keys; a shadow root is none
let anyListening = false;

/** @param {number[]} kinds @param {El[]} elements */
export function setListeners(kinds, elements) {
  kinds.forEach((kind, i) => {
    const el = elements[i];
    if (kind) { listening.set(el, kind); anyListening = true; } else listening.delete(el);
    if (kind & KEYS && el instanceof Element) keyed.push(new WeakRef(el));
  });
  keyed = keyed.filter((weak) => weak.deref());
}

/** @param {Node} el @param {number} kinds */
export const listensTo = (el, kinds) => anyListening && (((listening.get(el) ?? 0) | (delegated.get(el) ?? 0)) & kinds) !== 0;

// setDelegated marks the elements whose handlers a framework delegates: pairs of a place among all elements
// of the document and of kinds. Where the document has another count by then, it has changed.
let delegated = new WeakMap(), anyDelegated = false;
/** @param {number} count @param {number[]} found */
export function setDelegated(count, found) {
  const all = document.getElementsByTagName('*');
  if (all.length !== count) return;
  delegated = new WeakMap();
  anyDelegated = found.length > 0;
  const known = new Set(keyed.map((weak) => weak.deref()));
  for (let i = 0; i + 1 < found.length; i += 2) {
    const el = all[found[i]];
    if (!el) continue;
    delegated.set(el, found[i + 1]);
    anyListening = true;
    if (found[i + 1] & KEYS && !known.has(el)) keyed.push(new WeakRef(el));
  }
}

// Roles whose listeners serve the elements in them.
const DELEGATING = new Set(('alertdialog application banner code complementary contentinfo dialog document feed figure form grid ' +
  'group iframe list listbox log main menu menubar navigation radiogroup region rowgroup search table tablist tabpanel textbox ' +
  'toolbar tree treegrid').split(' '));

// takesPress reports an element that a person can press or drag: it has a listener of its own and
// does not only hold other targets, or it is one of the alike children that its parent listens for.
/** @param {El} el @param {string} role @param {ParentVisual} up */
export function takesPress(el, role, up) {
  if (!anyListening) return false;
  if (el instanceof SVGElement) return isServedIcon(el);
  if (listensTo(el, PRESS | DRAG)) return !DELEGATING.has(role) && !paintOf(el, isContainer) && !isInEditor(el);
  if (isServedIcon(el)) return true;
  const parent = up.el;
  if (!DELEGATING.has(role) && isServed(el)) return !paintOf(el, isContainer) && !isInEditor(el);
  return parent !== undefined && (role === 'generic' || role === 'listitem') && listensTo(parent, PRESS) &&
    paintOf(parent, listensForChildren) && !paintOf(el, isContainer) && !isInEditor(el);
}

// isTarget reports an element that takes a press by listeners of its own.
/** @param {El} el */
export const isTarget = (el) => listensTo(el, PRESS | DRAG) && takesPress(el, roleOf(el), UNKNOWN_PARENT);

// isServedIcon reports an icon with a title in a box that listens for it: a listener asks which icon was
// pressed, so each of them is a control of its own. The box may be the whole document, where no framework listens.
const MAX_SERVING_LEVELS = 5;
/** @param {El} el */
export function isServedIcon(el) {
  if (!isTitledIcon(el)) return false;
  const doc = ownerDocument(el), above = parentOf(el);
  for (let up = above, level = 0; up && up !== doc.body; up = parentOf(up), level++) {
    if (level < MAX_SERVING_LEVELS && listensTo(up, PRESS)) return !isLarge(up) && !isInEditor(el);
    if (isControl(up) || isTitledIcon(up) || localName(up) === 'label') return false;
  }
  const pointing = above !== null && POINTING.has(getComputedStyle(above).cursor);
  return anyDelegated === false && !pointing && listensToAll(doc) && !isInEditor(el);
}

// listensToAll reports a document that listens for the presses of all its elements.
/** @param {Doc} doc */
const listensToAll = (doc) => [doc, doc.documentElement, doc.body, doc.defaultView].some((all) => listensTo(/** @type {Node} */ (/** @type {unknown} */ (all)), PRESS));

// Attributes by which a listener of the whole document finds the elements that it serves.
const SERVED = '[data-action],[data-click],[data-command],[data-cmd],[data-toggle],[data-bs-toggle],[data-dismiss],[data-bs-dismiss],' +
  '[data-onclick],[data-on-click],[jsaction],[hx-get],[hx-post],[hx-put],[hx-patch],[hx-delete],[phx-click],[data-href],[data-url]';
// isServed reports an element with such an attribute. Of several events that it names, one is a press.
/** @param {El} el */
function isServed(el) {
  if (!listensToAll(ownerDocument(el)) || !matches(el, SERVED) || localName(el) === 'form') return false;
  const named = `${attr(el, 'jsaction') ?? ''} ${attr(el, 'data-action') ?? ''}`;
  return !/[\w.]+(?:->|:)/.test(named) || /(?:click|down|up|touchstart|touchend)(?:\.\w+)*(?:->|:)/.test(named);
}

const TITLED = '[title],[aria-label],[alt],a,button,input,select,textarea,[tabindex],[role]', MAX_ICON_PARTS = 12;
/** @param {El} el */
function isTitledIcon(el) {
  const first = firstElement(el), drawing = first !== null && /^(?:svg|title)$/.test(localName(first));
  const said = attr(el, 'title') || attr(el, 'aria-label') || drawing && (selectIn(el, 'title')?.textContent ?? '') || '';
  if (!tidy(said) || localName(el) === 'abbr' || drawing && localName(/** @type {El} */ (first)) === 'title' && localName(el) !== 'svg') return false;
  if (first && (selectIn(el, TITLED) || selectAllIn(el, '*').length > MAX_ICON_PARTS && !drawing)) return false;
  const text = textContent(el).replace(UNSEEN, '').replace(selectIn(el, 'title')?.textContent ?? '', '');
  return !/[\p{L}\p{N}]/u.test(text) || isIconName(el, text);
}

/** @param {El} el */
function isLarge(el) {
  const r = rectOf(el), view = ownerDocument(el).defaultView;
  return r.width * r.height > MAX_TARGET_SHARE * view.innerWidth * view.innerHeight;
}

// isContainer reports an element whose listeners serve elements in it: it is large, or has targets
// and hardly any text beside them. A mail with a star and a bin in it is a target all the same.
const MAX_TARGET_SHARE = 0.5, MAX_TARGET_NODES = 150, MAX_INNER_TARGETS = 6;
/** @param {El} el */
function isContainer(el) {
  if (isLarge(el)) return true;
  if (selectAllIn(el, '*').length > MAX_TARGET_NODES || paintOf(el, listensForChildren)) return true;
  const cursor = getComputedStyle(el).cursor;
  let targets = 0, text = false;
  /** @param {El} n */
  const go = (n) => {
    if (nodeType(n) === TEXT) { text ||= /\S/.test(nodeValue(n)); return; }
    if (nodeType(n) !== ELEMENT || SILENT.has(localName(n))) return;
    const cs = getComputedStyle(n);
    if (cs.display === 'none') return;
    if (isControl(n) || localName(n) === 'label' || listensTo(n, PRESS | DRAG) || isTitledIcon(n) || cs.cursor !== cursor && POINTING.has(cs.cursor)) targets++;
    else eachChild(n, go);
  };
  eachChild(el, go);
  return targets > 0 && (!text || targets > MAX_INNER_TARGETS);
}

// listensForChildren reports an element that is nothing but alike small elements without listeners:
// a list to sort, a board of cells.
const MIN_ALIKE = 3, MAX_ALIKE = 100;
/** @param {El} parent */
function listensForChildren(parent) {
  const list = roleOf(parent) === 'list';
  if (!list && roleOf(parent) !== 'generic') return false;
  let tag = '', count = 0, size = null;
  for (let n = firstChild(parent); n; n = nextSibling(n)) {
    if (nodeType(n) === TEXT && /\S/.test(nodeValue(n))) return false;
    if (nodeType(n) !== ELEMENT || SILENT.has(localName(n))) continue;
    const r = rectOf(n);
    tag ||= localName(n);
    size ??= r;
    if (localName(n) !== tag || listensTo(n, PRESS) || isControl(n) || ++count > MAX_ALIKE) return false;
    if (!list && (Math.abs(r.width - size.width) > 2 || Math.abs(r.height - size.height) > 2)) return false;
  }
  return count >= (list ? 2 : MIN_ALIKE) && (list ? tag === 'li' : tag === 'div' || tag === 'span');
}
