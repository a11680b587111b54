// What is painted and hidden from assistive technology: an author may hide text that a person reads,
// such as the lines of a code editor, and buttons that keys have no need of.

import {
  UNSEEN, attr, firstChild, localName, matches, openRootOf, ownerDocument, parentElement, parentOf, rectOf, rootNode,
  selectIn, textContent,
} from './dom.js';
import { counterText } from './counters.js';
import { isInEditor } from './drawn_editor.js';
import { checked, generatingIn } from './generated_content.js';
import { pseudoText } from './name.js';
import { roleOf } from './role.js';
import { paintOf } from './scan.js';
import { boxOf, hasArea } from './state.js';

const TABBABLE = 'a[href],input,select,textarea,iframe,button:not([tabindex="-1"]),[tabindex]:not([tabindex="-1"]),[contenteditable=""],[contenteditable=true]';
const MAX_CLIP_LEVELS = 16, MAX_ASKED = 3000;

// isPainted reports an aria-hidden element that a person sees and uses. One that holds what the Tab
// key reaches is the page behind a dialog, a closed menu, or a copy.
/** @param {El} el */
export function isPainted(el) {
  if (matches(el, TABBABLE) || localName(el) === 'img') return false;
  const said = textContent(el);
  if (!hasWords(said)) { if (roleOf(el) !== 'button' && !(/\S/.test(said) && isInEditor(el))) return false; }
  else if (paintOf(el, holdsTabbable) || isIconName(el, said) || !/[^\d\s]/.test(said) && isInEditor(el)) return false;
  return !isCutOff(el);
}

// hasWords looks at the start of a text first: an element around many has the text of them all.
const WORD = /[\p{L}\p{N}]/u, MAX_START = 500;
/** @param {string} text */
const hasWords = (text) => WORD.test(text.slice(0, MAX_START).replace(UNSEEN, '')) || text.length > MAX_START && WORD.test(text.replace(UNSEEN, ''));

// holdsTabbable is false without a search below an element that holds none.
/** @param {El} el @returns {boolean} */
function holdsTabbable(el) {
  const around = parentElement(el);
  return !(around && attr(around, 'aria-hidden') === 'true' && !paintOf(around, holdsTabbable)) && selectIn(el, TABBABLE) !== null;
}

// isIconName reports the name of a picture that an icon font draws in its place, as of one letter.
/** @param {El} el @param {string} said */
export function isIconName(el, said) {
  const word = said.trim();
  if (word.length < 3 || !/^[a-z][a-z0-9_]*$/.test(word)) return false;
  return rectOf(el).width <= 1.4 * parseFloat(getComputedStyle(el).fontSize);
}

// isCutOff reports an element without size or outside of what its scroll containers and the page show.
/** @param {El} el */
export function isCutOff(el) {
  const r = boxOf(el);
  if (!hasArea(r) || r.left >= innerWidth && ownerDocument(el) === document && r.left >= document.documentElement.scrollWidth) return true;
  const parent = parentOf(el);
  return parent !== null && paintOf(parent, clippingBoxes).some((u) => r.right <= u.left || r.left >= u.right || r.bottom <= u.top || r.top >= u.bottom);
}

// clippingBoxes returns the boxes of an element and those around it that show only a part of their content.
/** @param {El} el */
function clippingBoxes(el) {
  const boxes = [];
  for (let up = /** @type {El | null} */ (el), level = 0; up && level < MAX_CLIP_LEVELS && localName(up) !== 'body'; up = parentOf(up), level++) {
    if (getComputedStyle(up).overflowX !== 'visible') boxes.push(rectOf(up));
  }
  return boxes;
}

// drawnLabel returns the words and signs that the style of an element draws before and after its text. Where
// the rules cannot be searched, only elements without content are asked.
const SIGN = /[\p{L}\p{N}\p{S}\p{Pi}\p{Pf}„"%#@]/u;
/** @param {El} el @param {string} side */
export function drawnLabel(el, side) {
  if (localName(el) !== 'q' && !openRootOf(el)) {
    const generating = generatingIn(rootNode(el));
    if (generating === false) return '';
    if (generating === true ? firstChild(el) !== null || checked > MAX_ASKED : !generating.has(el)) return '';
  }
  const text = pseudoText(el, side, (shape, said) => counterText(el, side, shape, said)), shown = text.replace(UNSEEN, '').trim();
  return SIGN.test(shown) && (localName(el) === 'q' || !/^[|>›»]$/.test(shown)) ? text : '';
}
