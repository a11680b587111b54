// Codes: a row of boxes for one character each is one field, as for a code that was sent by message.

import { attr, localName, parentOf, rectOf, selectAllIn } from './dom.js';
import { MASK, TEXT_TYPES, isSecret, isVisible } from './state.js';

const MIN_BOXES = 3, MAX_LEVELS = 4, MAX_WIDTH = 90;
const CODE = /\botp|one-?time|\bpin\b|digit|code/i;

// isBox asks what an element is before it asks how it is drawn: few fields are boxes of a code.
/** @param {El} el */
function isBox(el) {
  if (localName(el) !== 'input' || !TEXT_TYPES.has(el.type)) return false;
  const single = el.maxLength === 1;
  if (!single && !['autocomplete', 'name', 'id', 'class', 'aria-label'].some((name) => CODE.test(attr(el, name) ?? ''))) return false;
  return (single || rectOf(el).width <= MAX_WIDTH) && isVisible(el);
}

// codeBoxes returns the boxes of the code of which an element is one, or which it holds and nothing else; else [].
/** @param {El} el @returns {El[]} */
export function codeBoxes(el) {
  const own = localName(el) === 'input';
  if (own && !isBox(el)) return [];
  for (let up = /** @type {El | null} */ (el), level = 0; up && level < MAX_LEVELS; up = parentOf(up), level++) {
    const inputs = [...selectAllIn(up, 'input')].filter((i) => TEXT_TYPES.has(i.type) && isVisible(i)), boxes = inputs.filter(isBox), row = rectOf(own ? el : boxes[0] ?? el);
    const beside = boxes.filter((box) => Math.abs(rectOf(box).top - row.top) < row.height / 2);
    if (beside.length >= MIN_BOXES) return own || beside.length === inputs.length ? beside : [];
    if (!own) break;
  }
  return [];
}

// codeIn returns the code that boxes hold; that of secret boxes is masked for a reader.
/** @param {El[]} boxes @param {boolean} [shown] */
export function codeIn(boxes, shown) {
  const code = boxes.map((box) => box.value).join('');
  return code && shown && boxes.some(isSecret) ? MASK : code;
}
