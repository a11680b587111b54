// Split fields: fields without a name side by side, of which one label names all, as the parts of a phone number.

import { codeBoxes } from '../dom/code_boxes.js';
import { attr, localName, matches, parentOf, rectOf, rootNode, selectAllIn } from '../dom/dom.js';
import { nameOf } from '../dom/name.js';
import { roleOf } from '../dom/role.js';
import { TEXT_TYPES, isDisabled, isVisible } from '../dom/state.js';
import { labelsOf } from '../dom/labels.js';
import { OTHER_CONTROLS, nearbyLabel } from './label.js';

const MAX_LEVELS = 4, MAX_PART = 8; // characters
const PARTS_END = 'form,fieldset,section,article,main,body,dialog,[role=dialog],tr,li';

/** @param {El} el */
const isText = (el) => localName(el) === 'input' && TEXT_TYPES.has(el.type);

// partsAfter returns the fields without a name that follow a field on its line; those of a text field are text fields.
/** @param {El} el @returns {El[]} */
export function partsAfter(el) {
  const row = rectOf(el), own = isText(el);
  if (!own && localName(el) !== 'select') return [];
  const root = rootNode(el);
  for (let up = parentOf(el), level = 0; up && level < MAX_LEVELS; up = parentOf(up), level++) {
    const controls = [...'host' in root && root.host === up ? root.querySelectorAll(OTHER_CONTROLS) : selectAllIn(up, OTHER_CONTROLS)].filter(isVisible), at = controls.indexOf(el);
    if (at < 0) break;
    const after = controls.slice(at + 1);
    const end = after.findIndex((next) => !(isText(next) || !own && localName(next) === 'select') || isNamed(next) || Math.abs(middleOf(rectOf(next)) - middleOf(row)) > row.height / 2);
    const parts = end < 0 ? after : after.slice(0, end);
    if (after.length || matches(up, PARTS_END)) return parts;
  }
  return [];
}

/** @param {DOMRect} r */
const middleOf = (r) => r.top + r.height / 2;

/** @param {El} el */
const isNamed = (el) => nameOf(el, roleOf(el)) !== '' || nearbyLabel(el, roleOf(el)) !== '';

// sharedLabel returns the fields that the label of a field names as well: all without a name after it on its line.
/** @param {El} el @returns {El[]} */
export function sharedLabel(el) {
  if (splitBoxes(el).length || codeBoxes(el).length) return [];
  const parts = partsAfter(el);
  if (!parts.length || !nameOf(el, roleOf(el))) return parts;
  return labelsOf(el).some((label) => label.contains(parts[0])) && !attr(el, 'aria-label') ? parts : [];
}

// room returns how many characters a box takes, or 0 where it does not say so.
/** @param {El} box */
export const room = (box) => (box.maxLength > 0 ? box.maxLength : Number(attr(box, 'size')) || 0);

// splitBoxes returns the boxes of a value that is split, of which the element is the first or which it holds and nothing
// else, as a person sees them one after the other; else [].
/** @param {El} el @returns {El[]} */
export function splitBoxes(el) {
  const own = isText(el), [first] = own ? [el] : [...selectAllIn(el, 'input')].filter((i) => isText(i) && isVisible(i));
  if (!first || !isBox(first) || !own && (isNamed(first) && nearbyLabel(first, roleOf(first)) === '')) return [];
  const boxes = [first, ...partsAfter(first)];
  if (boxes.length < 2 || !boxes.every(isBox) || !own && boxes.length < [...selectAllIn(el, OTHER_CONTROLS)].filter(isVisible).length) return [];
  const way = getComputedStyle(parentOf(first) ?? first).direction === 'rtl' ? -1 : 1;
  return boxes.sort((a, b) => way * (rectOf(a).left - rectOf(b).left));
}

/** @param {El} el */
const isBox = (el) => room(el) > 0 && room(el) <= MAX_PART && !isDisabled(el) && !el.readOnly;

// partsOf splits a value into the texts of boxes: at its signs, else by what the boxes take; null where it fits neither way.
/** @param {string} value @param {El[]} boxes @returns {string[] | null} */
export function partsOf(value, boxes) {
  const ends = endsOf(boxes.map(room));
  for (const signs of [/[^\p{L}\p{N}]+/u, /\D+/]) {
    const texts = value.split(signs).filter(Boolean), all = [...texts.join('')], groups = endsOf(texts.map((text) => [...text].length));
    if (texts.length === boxes.length) {
      if (texts.every((text, i) => boxes[i].maxLength < 0 || [...text].length <= boxes[i].maxLength)) return texts;
    } else if (all.length === ends.at(-1) && (groups.every((end) => ends.includes(end)) || ends.every((end) => groups.includes(end)))) {
      return boxes.map((box) => all.splice(0, room(box)).join(''));
    }
  }
  return null;
}

// endsOf returns where each of some texts ends, one after the other.
/** @param {number[]} lengths */
const endsOf = (lengths) => lengths.map((_, i) => lengths.slice(0, i + 1).reduce((sum, n) => sum + n, 0));
