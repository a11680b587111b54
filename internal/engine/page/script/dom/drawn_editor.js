// Drawn editors: code editors and terminals draw their text themselves and take keys in a field
// without size. The field stands for the editor: it has the editor's box, and is set by keys.

import {
  ELEMENT, SILENT, TEXT, attr, closest, eachChild, isConnected, isRendered, localName, matches, nodeType, nodeValue, ownerDocument,
  parentOf, rectOf, textContent,
} from './dom.js';
import { isControl } from './hit_test.js';
import { DRAG, KEYS, PRESS, keyed, listensTo } from './listeners.js';
import { paintOf, tabIndex } from './scan.js';
import { TEXT_TYPES, isDisabled, isOptionsInput, isVisible } from './state.js';

const MAX_HELPER_AREA = 400, MIN_EDITOR_WIDTH = 60, MIN_EDITOR_HEIGHT = 14, MAX_EDITOR_LEVELS = 6;
const NO_EDITOR = 'body,header,footer,nav,main,[role=banner],[role=navigation],[role=contentinfo],[role=main]';

// drawnEditor returns the editor that an invisible field takes the keys of, or null. A hidden field
// without listeners for keys is a trap for machines or a helper of the page, not an editor's. One that is not
// rendered takes no keys.
/** @param {El} el */
export const drawnEditor = (el) => (listensTo(el, KEYS) ? paintOf(el, findDrawnEditor) : null);

/** @param {El} el */
function findDrawnEditor(el) {
  const tag = localName(el);
  const takesText = tag === 'textarea' || tag === 'input' && TEXT_TYPES.has(el.type) && !isOptionsInput(el) || isTextboxByRole(el);
  if (!takesText || isDisabled(el) || el.readOnly === true || tabIndex(el) < 0 || attr(el, 'aria-hidden') === 'true') return null;
  if (!isRendered(el) || closest(el, '[inert]')) return null;
  let unseen = isTooSmall(el) || Number(getComputedStyle(el).opacity) < 0.05;
  for (let up = parentOf(el), level = 0; up && level < MAX_EDITOR_LEVELS; up = parentOf(up), level++) {
    const r = rectOf(up);
    if (r.width >= MIN_EDITOR_WIDTH && r.height >= MIN_EDITOR_HEIGHT) return unseen && !matches(up, NO_EDITOR) && isVisible(up) && !holdsTargetsAlone(up) ? up : null;
    unseen ||= getComputedStyle(up).overflowY !== 'visible' && isTooSmall(up);
  }
  return null;
}

/** @param {El} el */
const isTextboxByRole = (el) => attr(el, 'role') === 'textbox' && localName(el) !== 'input';
/** @param {El} el */
const isTooSmall = (el) => { const r = rectOf(el); return r.width * r.height < MAX_HELPER_AREA; };

// holdsTargetsAlone reports a box of which all words belong to what takes presses there, over half of its height: a
// header with a menu draws no text of a field.
/** @param {El} box */
function holdsTargetsAlone(box) {
  const r = rectOf(box);
  let top = Infinity, bottom = -Infinity;
  /** @param {Node} node @returns {boolean} */
  const isOwn = (node) => {
    if (nodeType(node) === TEXT) return WORD.test(nodeValue(node));
    const el = /** @type {El} */ (node);
    if (nodeType(node) !== ELEMENT || SILENT.has(localName(el)) || !isRendered(el)) return false;
    if (isWordTarget(el, r)) {
      const own = rectOf(el);
      top = Math.min(top, own.top); bottom = Math.max(bottom, own.bottom);
      return false;
    }
    if (DRAWINGS.has(localName(el)) && !isSmallIn(el, r)) return true;
    let own = false;
    eachChild(el, (n) => { own ||= isOwn(n); });
    return own;
  };
  let own = false;
  eachChild(box, (n) => { own ||= isOwn(n); });
  return !own && bottom - top >= r.height / 2;
}

const WORD = /\p{L}/u, DRAWINGS = new Set(['canvas', 'svg', 'img', 'video']), MAX_TARGET_TEXT = 60, MAX_SHARE = 0.6;

// isWordTarget reports a part with words that takes presses for itself, unlike a layer of an editor.
/** @param {El} el @param {Edges & Size} box */
const isWordTarget = (el, box) => (isControl(el) || listensTo(el, PRESS | DRAG) || isPointing(el)) && isSmallIn(el, box) &&
  textContent(el).length <= MAX_TARGET_TEXT && WORD.test([textContent(el), ...['title', 'alt', 'aria-label'].map((name) => attr(el, name))].join());

/** @param {El} el */
const isPointing = (el) => { const up = parentOf(el); return getComputedStyle(el).cursor === 'pointer' && (!up || getComputedStyle(up).cursor !== 'pointer'); };

/** @param {El} el @param {Size} box */
const isSmallIn = (el, box) => { const r = rectOf(el); return r.width * r.height < MAX_SHARE * box.width * box.height; };

// isInEditor reports a part of a drawn editor: its listeners serve the field.
/** @param {El} el */
export function isInEditor(el) {
  const editor = editorAround(el);
  return editor !== null && !(editor !== el && isWordTarget(el, rectOf(editor)));
}

/** @param {El} el */
export function editorAround(el) {
  const editors = paintOf(ownerDocument(el), editorsIn);
  for (let up = /** @type {El | null} */ (el); editors.size && up; up = parentOf(up)) if (editors.has(up)) return up;
  return null;
}

/** @param {Doc} doc */
function editorsIn(doc) {
  const out = new Set();
  for (const weak of keyed) {
    const el = weak.deref();
    const editor = el && ownerDocument(el) === doc && isConnected(el) ? drawnEditor(el) : null;
    if (editor) out.add(editor);
  }
  return out;
}
