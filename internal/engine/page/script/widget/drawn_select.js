// A list that a script draws in place of a native one, without any role. A person sees and uses what is
// drawn; the value of the native one alone may change nothing of it.

import {
  attr, childElements, closest, localName, matches, nextElement, ownerDocument, parentElement, previousElement, rectOf, selectAllIn, selectIn, textContent, tidy,
} from '../dom/dom.js';
import { elementAt } from '../dom/hit_test.js';
import { isFloating } from '../dom/popup.js';
import { isVisible } from '../dom/state.js';
import { describe, resolve } from '../document/registry.js';
import { isReplaced } from '../locate/labelled_field.js';
import { optionMeant } from './options.js';

const MAX_LEVELS = 3, MAX_NODES = 400;
const FIELDS = 'input:not([type=hidden]):not([type=search]):not([type=text]),select,textarea';

/** @param {El} el */
const textOf = (el) => tidy(textContent(el));

// deepest returns the innermost visible elements of a tree whose text is the wanted one.
/** @param {El} root @param {string} text @returns {El[]} */
function deepest(root, text) {
  return [...selectAllIn(root, '*')].slice(0, MAX_NODES)
    .filter((e) => localName(e) !== 'option' && textOf(e) === text && ![...childElements(e)].some((c) => textOf(c) === text) && isVisible(e));
}

// isItem reports an element that stands in a list beside the other options.
/** @param {El} el @param {El} e */
function isItem(el, e) {
  const labels = new Set([...el.options].map((o) => tidy(o.label)).filter((l) => l && l !== textOf(e)));
  for (let at = e, up = parentElement(e), level = 0; up && level < 2; at = up, up = parentElement(up), level++) {
    if ([...childElements(up)].some((c) => c !== at && localName(c) !== 'select' && labels.has(textOf(c)))) return true;
  }
  return false;
}

// faceOf returns what is drawn for a closed list: near the list, the element with the text of the selected
// option, or else what looks like a control beside it.
/** @param {El} el @returns {El | null} */
function faceOf(el) {
  const shown = shownIn(el);
  if (shown) return shown;
  for (const beside of [nextElement(el), previousElement(el)]) {
    if (!beside || !isVisible(beside) || matches(beside, 'label,' + FIELDS) || selectIn(beside, FIELDS)) continue;
    const control = [beside, ...selectAllIn(beside, '*')].find((e) => isVisible(e) && getComputedStyle(e).cursor === 'pointer' && !isItem(el, e));
    if (control) return control;
  }
  return null;
}

/** @param {El} el @returns {El | null} */
function shownIn(el) {
  const shown = tidy([...el.selectedOptions][0]?.label ?? '');
  if (!shown) return null;
  for (let up = parentElement(el), level = 0; up && level < MAX_LEVELS; up = parentElement(up), level++) {
    if ([...selectAllIn(up, FIELDS)].some((f) => f !== el && isVisible(f) && !isReplaced(f))) break;
    const found = deepest(up, shown).find((e) => !matches(e, 'label *,label') && !isItem(el, e));
    if (found || matches(up, 'form,body,fieldset,[role=dialog]')) return found ?? null;
  }
  return null;
}

// isDrawnSelect reports a native list in whose place a script draws something else.
/** @param {El} el */
export const isDrawnSelect = (el) => !el.multiple && el.size <= 1 && isUnseen(el) && !isOnTop(el) && faceOf(el) !== null;

// isUnseen reports a native list that is hidden, clipped or out of the page.
/** @param {El} el */
function isUnseen(el) {
  const r = rectOf(el);
  if (isReplaced(el) || r.right <= 0 || r.bottom + scrollY <= 0) return true;
  for (let up = parentElement(el), level = 0; up && level < MAX_LEVELS; up = parentElement(up), level++) {
    const box = rectOf(up);
    if ((box.width <= 1 || box.height <= 1) && getComputedStyle(up).overflow !== 'visible') return true;
  }
  return false;
}

// isOnTop reports a transparent list that lies over what is drawn: a press opens its own options.
/** @param {El} el */
function isOnTop(el) {
  const r = rectOf(el);
  return r.width > 1 && r.height > 1 && elementAt(r.left + r.width / 2, r.top + r.height / 2) === el;
}

// drawnSelect returns the state of such a list: whether the option is selected and whether that is drawn, the
// drawn control, and the drawn option where the list is open.
/** @param {{ n: number, value: string, focus: boolean }} o */
export function drawnSelect({ n, value, focus }) {
  const el = resolve(n), face = faceOf(el);
  if (focus) el.focus(); else if (focus === false) el.blur();
  const option = optionMeant([...el.options], value, (o) => ({ text: tidy(o.label), value: attr(o, 'value'), group: tidy(closest(o, 'optgroup')?.label ?? ''), disabled: o.disabled, list: el }));
  const label = tidy(option?.label ?? ''), chosen = !!option && option === [...el.selectedOptions][0];
  const items = deepest(ownerDocument(el).body, label).filter((e) => e !== face && (isItem(el, e) || !chosen && isFloating(e)));
  const last = items[items.length - 1];
  return { chosen, shown: chosen && shownIn(el) !== null, face: face ? describe(face).ref : '', item: last ? describe(last).ref : '', text: face ? textOf(face) : '' };
}
