// The selection of a range of text.

import { eachChild, nodeValue, ownerDocument, parentElement, tidy } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { masked } from '../dom/secret_texts.js';
import { isSecret, isVisible } from '../dom/state.js';
import { frame } from '../dom/timers.js';
import { bringIntoView } from '../dom/viewport.js';
import { resolve } from '../document/registry.js';

/** @typedef {{ node: Text, offset: number }} Position */

/** @type {Range | null} */ let wanted = null;

// selectText finds a range of text and returns the points of its ends in the viewport of its document, between which a
// drag selects it. What no drag selects is selected here: text of a field, and a range larger than the viewport.
/** @param {{ n?: number, from: string, to: string }} o */
export async function selectText({ n, from, to }) {
  const el = n ? resolve(n) : /** @type {El} */ (document.body);
  const field = /** @type {HTMLInputElement} */ (/** @type {unknown} */ (el));
  if (typeof field.setSelectionRange === 'function') {
    if (isSecret(el) || masked(field.value) !== field.value) throw new EngineError('notActionable', { reason: 'it holds a secret, whose parts are not selected' });
    const begin = field.value.indexOf(from), end = to ? field.value.indexOf(to, begin) + to.length : begin + from.length;
    if (begin < 0 || end < begin + to.length) throw missing(from, to);
    field.focus();
    field.setSelectionRange(begin, end);
    await frame(); // a field tells the page of its selection with the next one
    return { selected: field.value.slice(begin, end) };
  }
  const range = rangeOf(el, from, to);
  if (!range) throw missing(from, to);
  const first = parentElement(/** @type {El} */ (/** @type {unknown} */ (range.startContainer)));
  if (first) bringIntoView(first);
  const boxes = [...range.getClientRects()].filter((r) => r.width > 0), a = boxes[0], z = boxes.at(-1), view = ownerDocument(el).defaultView;
  wanted = range;
  /** @param {DOMRect | undefined} r */
  const inView = (r) => r && r.top >= 0 && r.bottom <= view.innerHeight && r.left >= 0 && r.right <= view.innerWidth;
  if (!a || !z || !inView(a) || !inView(z)) return finishSelection();
  return { start: { x: a.left + 1, y: (a.top + a.bottom) / 2 }, end: { x: z.right - 1, y: (z.top + z.bottom) / 2 }, selected: '' };
}

// finishSelection selects the range where a drag has selected something else.
export function finishSelection() {
  const range = wanted;
  if (!range) throw new EngineError('notActionable', { reason: 'its text is no longer there' });
  const selection = /** @type {Selection} */ (ownerDocument(/** @type {El} */ (range.startContainer)).defaultView.getSelection());
  if (tidy(selection.toString()) !== tidy(range.toString())) {
    selection.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
  }
  return { selected: tidy(selection.toString()).slice(0, 300) };
}

/** @param {string} from @param {string} to */
const missing = (from, to) => new EngineError('notActionable', { reason: `it does not show the text ${JSON.stringify(to ? from + ' … ' + to : from)}` });

// rangeOf finds the range from one text to the end of another, white space aside.
/** @param {El} root @param {string} from @param {string} to */
function rangeOf(root, from, to) {
  let text = '';
  /** @type {Position[]} */ const at = []; // of each character of text
  /** @param {El} el */
  const go = (el) => eachChild(el, (child) => {
    if (child.nodeType === Node.ELEMENT_NODE) {
      if (!/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(child.nodeName)) go(child);
    } else if (child.nodeType === Node.TEXT_NODE && nodeValue(child) === child.nodeValue && isVisible(el)) {
      const node = /** @type {Text} */ (/** @type {unknown} */ (child));
      for (let i = 0; i < node.data.length; i++) {
        if (/\s/.test(node.data[i] ?? '')) continue;
        text += (node.data[i] ?? '').toLowerCase();
        at.push({ node, offset: i });
      }
    }
  });
  go(root);
  /** @param {string} s */
  const bare = (s) => s.replace(/\s+/g, '').toLowerCase();
  const begin = text.indexOf(bare(from)), last = to ? text.indexOf(bare(to), begin) + bare(to).length : begin + bare(from).length;
  const a = at[begin], z = at[last - 1];
  if (begin < 0 || !a || !z || to && last < begin + bare(to).length) return null;
  const range = ownerDocument(root).createRange();
  range.setStart(a.node, a.offset);
  range.setEnd(z.node, z.offset + 1);
  return range;
}
