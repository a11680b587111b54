// Drawn editors: code editors and terminals draw their text themselves and take keys in a field
// without size. The field stands for the editor: it has the editor's box, and is set by keys.

import {
  attr, closest, isConnected, isRendered, localName, matches, ownerDocument, parentOf, rectOf,
} from './dom.js';
import { KEYS, keyed, listensTo } from './listeners.js';
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
    if (r.width >= MIN_EDITOR_WIDTH && r.height >= MIN_EDITOR_HEIGHT) return unseen && !matches(up, NO_EDITOR) && isVisible(up) ? up : null;
    unseen ||= getComputedStyle(up).overflowY !== 'visible' && isTooSmall(up);
  }
  return null;
}

/** @param {El} el */
const isTextboxByRole = (el) => attr(el, 'role') === 'textbox' && localName(el) !== 'input';
/** @param {El} el */
const isTooSmall = (el) => { const r = rectOf(el); return r.width * r.height < MAX_HELPER_AREA; };

// isInEditor reports a part of a drawn editor: its listeners serve the field.
/** @param {El} el */
export const isInEditor = (el) => editorAround(el) !== null;

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
