// Values in boxes. Of a one-time code each character is typed into its box; where typing changes nothing, the whole is
// pasted. The parts of a split value, as of a phone number, are typed into theirs.

import { codeBoxes, codeIn } from '../dom/code_boxes.js';
import { focusedElement } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { isDisabled } from '../dom/state.js';
import { later } from '../dom/timers.js';
import { describe, resolve } from '../document/registry.js';
import { noteFilled } from '../document/secret_copy.js';
import { originAt } from '../input/secret.js';
import { expect } from '../settle/read_back.js';
import { beginRecord } from '../settle/mutations.js';
import { partsOf, room, splitBoxes } from '../locate/split_field.js';

/** @param {string} value */
const charactersOf = (value) => [...value.replace(/[\s-]/g, '')];

// prepareCode returns the boxes in which a code is typed, and expects it there; null for what is no code.
/** @param {El} el @param {string} value @param {boolean} secret */
export function prepareCode(el, value, secret) {
  const boxes = codeBoxes(el), characters = charactersOf(value);
  if (!boxes.length || characters.length < 2 && boxes.includes(el)) return null;
  if (characters.length !== boxes.length) throw new EngineError('valueRefused', { reason: `it is a code of ${boxes.length} characters`, example: '123456789'.slice(0, boxes.length) });
  if (boxes.some(isDisabled)) throw new EngineError('notEditable', { reason: 'it is disabled', remedy: 'read' });
  const [first] = boxes, now = () => codeBoxes(first);
  beginRecord(first);
  expect({ el: first, hidden: secret, holds: () => codeIn(now()) === characters.join(''), shown: () => codeIn(now(), true) });
  return { refs: boxes.map((box) => describe(box).ref), texts: secret ? [] : characters, element: describe(first) };
}

// prepareSplit returns the boxes in which the parts of a value are typed, and expects them there; null for a value that the
// field itself has room for.
/** @param {El} el @param {string} value */
export function prepareSplit(el, value) {
  const boxes = [...value].length > room(el) ? splitBoxes(el) : [];
  if (!boxes.length) return null;
  const texts = partsOf(value, boxes), rooms = boxes.map(room), [first] = boxes;
  if (!texts) {
    const example = rooms.map((n) => '12345678'.slice(0, n)).join(' ');
    throw new EngineError('valueRefused', { reason: `it is split into boxes of ${rooms.join(', ').replace(/, (?=\d+$)/, ' and ')} characters`, example });
  }
  beginRecord(first);
  expect({ el: first, holds: () => boxes.every((box, i) => box.value === texts[i]), shown: () => boxes.map((box) => box.value).join(' ').trim() });
  return { refs: boxes.map((box) => describe(box).ref), texts, element: describe(first) };
}

// focusBox focuses a box and selects what it holds.
/** @param {{ n: number }} o */
export function focusBox({ n }) {
  const el = resolve(n);
  if (focusedElement() !== el) el.focus();
  if (focusedElement() !== el) throw new EngineError('notEditable', { reason: 'it does not keep the focus' });
  el.select();
  return {};
}

// boxLeft waits until the focus has left a box, as pages move it on after a character, and reports whether it has.
/** @param {{ n: number, patience: number }} o patience in ms */
export async function boxLeft({ n, patience }) {
  const el = resolve(n), end = performance.now() + patience;
  while (focusedElement() === el && performance.now() < end) await later(5);
  return { left: focusedElement() !== el };
}

// pasteCode pastes a code into a box that has not taken a character that was typed.
/** @param {{ n: number, text: string, origin: string }} o */
export function pasteCode({ n, text, origin }) {
  const el = resolve(n), boxes = codeBoxes(el);
  if (!boxes.length || codeIn(boxes)) return { pasted: false };
  if (origin && originAt(el) !== origin) throw new EngineError('stale', { reason: 'its document has another origin' });
  if (origin) boxes.forEach((box) => noteFilled(box));
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  el.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }));
  return { pasted: true };
}
