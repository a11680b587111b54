// Whether a control shows the option that was chosen in its list.

import { attr, childElements, closest, isEditable, matches, nodeValue, ownerDocument, parentElement, parentNode, selectAllIn, tidy } from '../dom/dom.js';
import { drawnAround } from '../dom/hit_test.js';
import { labelsOf } from '../dom/labels.js';
import { LISTS } from '../dom/popup.js';
import { isVisible, valueOf } from '../dom/state.js';
import { roleOf } from '../dom/role.js';
import { frame } from '../dom/timers.js';
import { resolve } from '../document/registry.js';
import { words } from '../locate/words.js';
import { expect, readBack } from '../settle/read_back.js';
import { optionText, optionsOf } from './options.js';

const MAX_OTHERS = 300;

// chosenBefore notes what tells whether an option is chosen, before it is clicked.
/** @param {El} el @param {El} option @param {El[]} options @returns {ChosenBefore} */
export function chosenBefore(el, option, options) {
  const text = optionText(option);
  return { text, markup: option.outerHTML, others: options.slice(0, MAX_OTHERS).map(optionText).filter((o) => o !== text), shown: shownIn(el), marks: marksOf(el), copies: copiesOf(el, text) };
}

// waitForChosen waits until a control shows the option, and until the page has had its time to put the old one back.
/** @param {{ n: number, before: ChosenBefore, limit: number }} o */
export async function waitForChosen({ n, before, limit }) {
  const el = resolve(n), until = performance.now() + limit;
  const held = () => holdsChosen(el, before);
  while (!held() && performance.now() < until) await frame();
  expect({ el, holds: held, since: performance.now() });
  return { held: held() && !await readBack(), holds: shownIn(el) };
}

// holdsChosen reports that an option is marked as chosen, or that the control shows it: its text, a text made of it
// ("2 selected", "+47"), a picture, or a new item beside the control. The text of another option is not it.
/** @param {El} el @param {ChosenBefore} before */
function holdsChosen(el, { text, markup, others, shown, marks, copies }) {
  const own = optionsOf(el).filter((o) => optionText(o) === text);
  const states = own.map((o) => attr(o, 'aria-selected') ?? attr(o, 'aria-checked'));
  if (states.includes('true')) return true;
  if (matches(el, LISTS)) return !own.length || states.includes(null) && own.every((o) => o.outerHTML !== markup);
  const now = shownIn(el);
  if (says(now, text) || copiesOf(el, text) > copies) return true;
  if (others.includes(now)) return false;
  if (now && says(text, now)) return true;
  return now === shown ? marksOf(el) !== marks : now !== '';
}

/** @param {string} all @param {string} part */
const says = (all, part) => ` ${words(all).join(' ')} `.includes(` ${words(part).join(' ')} `);

/** @param {El} el */
const boxOf = (el) => (matches(el, 'input,textarea') || isEditable(el) ? drawnAround(el) : el);

// shownIn returns the text of a control and of its fields, without its list.
/** @param {El} el */
export function shownIn(el) {
  const box = boxOf(el), labels = labelsOf(el), own = matches(el, 'input,textarea') ? [el] : []; // a field in a slot is not in the box
  const values = [...new Set([...own, ...selectAllIn(box, 'input:not([type=hidden]),textarea')])].map((f) => valueOf(f, roleOf(f)) ?? '');
  return tidy([...textsIn(box).filter(([holder]) => !labels.includes(holder)).map(([, text]) => text), ...values, box === el && !values.length ? valueOf(el, '') ?? '' : ''].join(' '));
}

// textsIn lists the visible texts outside of lists.
/** @param {El} root @returns {[El, string][]} */
function textsIn(root) {
  /** @type {[El, string][]} */ const out = [];
  const walker = ownerDocument(root).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = tidy(nodeValue(node)), holder = /** @type {El | null} */ (text ? parentNode(node) : null);
    if (holder && !closest(holder, LISTS) && isVisible(holder)) out.push([holder, text]);
  }
  return out;
}

// copiesOf counts the texts of the page outside of lists and of the control that are the option's.
/** @param {El} el @param {string} text */
function copiesOf(el, text) {
  let count = 0;
  const walker = ownerDocument(el).createTreeWalker(ownerDocument(el).body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (tidy(nodeValue(node)) === text && !closest(/** @type {El} */ (parentNode(node)), LISTS)) count++;
  }
  return count;
}

// marksOf returns what else tells a choice: pictures, classes of empty elements, and hidden fields beside the control.
/** @param {El} el */
function marksOf(el) {
  const box = boxOf(el), around = parentElement(box) ?? box;
  const leaves = [...selectAllIn(box, '*')].filter((n) => !childElements(n).length && !n.textContent && !closest(n, LISTS));
  const fields = [...selectAllIn(around, 'input,select')].map((f) => (f.multiple && f.selectedOptions ? [...f.selectedOptions].map((o) => o.value).join() : f.value));
  return [...leaves.map((n) => `${attr(n, 'class')} ${attr(n, 'src')}`), ...fields, attr(box, 'aria-label')].join('\n');
}
