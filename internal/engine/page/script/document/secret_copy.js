// Copies of secrets: what the server filled into a field is copied, cut and dragged from no field and no text that
// repeats it. The page's own functions for the clipboard ask by an event, which the script of the prompts sends.

import { ELEMENT, TEXT, activeElementDeep, nodeType, nodeValue, ownerDocument, textsIn } from '../dom/dom.js';
import { onNewRoot } from '../dom/roots.js';
import { masked } from '../dom/secret_texts.js';
import { isSecret } from '../dom/state.js';

/** @type {WeakSet<Node>} */
const filled = new WeakSet();

// noteFilled notes a field that gets a secret.
/** @param {El} el */
export const noteFilled = (el) => { filled.add(el); };

/** @param {string} text */
const tells = (text) => masked(text) !== text;

/** @param {El | null} el */
const isGuarded = (el) => !!el && nodeType(el) === ELEMENT && (filled.has(el) || isSecret(el) && el.value !== '' || typeof el.value === 'string' && tells(el.value));

/** @param {Range} range */
function rangeTells(range) {
  const root = range.commonAncestorContainer, texts = nodeType(root) === TEXT ? [root] : textsIn(root, NodeFilter.SHOW_TEXT);
  return tells(range.toString()) || texts.some((n) => range.intersectsNode(n) && nodeValue(n) !== n.nodeValue);
}

// keeps reports an event that would take a secret out of its document.
/** @param {Event} event */
function keeps(event) {
  const el = /** @type {El} */ (event.composedPath()[0]);
  if (isGuarded(el) || isGuarded(activeElementDeep())) return true;
  const selection = (ownerDocument(el) ?? document).getSelection();
  for (let i = 0; selection && i < selection.rangeCount; i++) if (rangeTells(selection.getRangeAt(i))) return true;
  const data = /** @type {ClipboardEvent} */ (event).clipboardData ?? /** @type {DragEvent} */ (event).dataTransfer;
  return !!data && [...data.types].some((type) => type !== 'Files' && tells(data.getData(type)));
}

/** @param {Event} event */
function keep(event) {
  if (!keeps(event)) return;
  const data = /** @type {ClipboardEvent} */ (event).clipboardData ?? /** @type {DragEvent} */ (event).dataTransfer;
  data?.clearData();
  event.preventDefault();
  event.stopImmediatePropagation();
}

onNewRoot((root) => {
  // First what is selected is judged, and at the end what the page's handlers have put in its place.
  for (const type of ['copy', 'cut', 'dragstart']) for (const capture of [true, false]) root.addEventListener(type, keep, capture);
  root.addEventListener('callsheet:copy', (event) => { if (tells(String(/** @type {CustomEvent} */ (event).detail))) event.preventDefault(); });
});
