// Transfer lists: two lists side by side, with the buttons between them that move items over. The array
// that is set is the new content of the second list, the target.

import {
  SILENT, attr, childElements, composedContains, cut, hasAttr, localName, matches, nextElement, parentOf, rectOf,
  selectAllIn, selectIn, textContent, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { MOVER, listIn, listTitle } from '../dom/list_title.js';
import { nameOf } from '../dom/name.js';
import { roleOf } from '../dom/role.js';
import { readable, scan } from '../dom/scan.js';
import { hasArea, isDisabled, isVisible } from '../dom/state.js';
import { ownText } from '../dom/text.js';
import { refOf } from '../document/registry.js';
import {
  MAX_FIELD_LEVELS, MAX_FIELD_NODES, fieldIn, isPressable, labelWords, likeClasses,
} from '../locate/labelled_field.js';
import { isListOfValues, valuesOf } from './edit.js';
import { optionText } from './options.js';

const MAX_TRANSFER_LEVELS = 9, MAX_MOVERS = 8;

// transferOf returns the transfer list that an element is the box, a list or a button of, or null.
/** @param {El} el */
function transferOf(el) {
  for (let box = /** @type {El | null} */ (el), level = 0; box && level < MAX_TRANSFER_LEVELS && !matches(box, 'html'); box = parentOf(box), level++) {
    const found = transferIn(box);
    if (found) return box === el || [found.source, found.target, ...found.middle].some((part) => composedContains(part, el)) ? found : null;
  }
  return null;
}

// transferIn returns the transfer list whose parts are children of an element, or null.
/** @param {El} box */
export function transferIn(box) {
  const parts = [...childElements(box)].filter((part) => !SILENT.has(localName(part)) && hasArea(rectOf(part)));
  for (let first = 1; first < parts.length - 1; first++) {
    let last = first;
    while (last < parts.length - 1 && holdsMoversAlone(parts[last])) last++;
    if (last === first) continue;
    const source = parts[first - 1], target = parts[last], middle = parts.slice(first, last);
    if (areTransferLists(source, target)) return { box, source, target, middle };
    first = last;
  }
  return null;
}

// holdsMoversAlone reports an element with some buttons and no other content.
/** @param {El} part */
function holdsMoversAlone(part) {
  const buttons = moversIn(part);
  if (!buttons.length || buttons.length > MAX_MOVERS || selectIn(part, 'input:not([type=button]),textarea,select,li')) return false;
  /** @param {string} s */
  const words = (s) => s.replace(/\s+/g, '').length;
  return words(textContent(part)) === buttons.reduce((sum, b) => sum + words(textContent(b)), 0);
}

/** @param {El} part */
export const moversIn = (part) => (matches(part, MOVER) ? [part] : [...selectAllIn(part, MOVER)]).filter(isVisible);

/** @param {El} source @param {El} target */
function areTransferLists(source, target) {
  if (moversIn(source)[0] === source || localName(source) !== localName(target)) return false;
  const lists = [listIn(source), listIn(target)], items = [source, target].map(itemsIn);
  if (!items.flat().length || !items.flat().every((item) => item.selectable)) return false;
  if (lists[0] && lists[1] && localName(lists[0]) !== localName(lists[1])) return false;
  const wide = rectOf(source).width / rectOf(target).width;
  return lists[0] && lists[1] ? true : likeClasses(source, target) && wide > 0.7 && wide < 1.4;
}

// itemsIn returns the items that one side shows: options, list items, checkboxes of a group, or rows with
// a checkbox.
/** @param {El} part */
export function itemsIn(part) {
  const list = listIn(part);
  if (!list) return [];
  if (localName(list) === 'select') return [...list.options].map((el) => ({ el, text: tidy(el.label), selected: el.selected, known: true, disabled: el.disabled, selectable: true }));
  const kinds = ['[role=option]', 'li,[role=listitem]', 'label:has(input[type=checkbox]),[role=checkbox]', 'tr:has(input[type=checkbox]),[role=row]:has(input[type=checkbox])', '[role=treeitem]'];
  for (const kind of kinds) {
    const found = [...selectAllIn(list, kind)].filter((el) => isVisible(el) && !selectIn(el, kind) && !isEmptyNote(el));
    if (found.length) return found.map(transferItem);
  }
  return [];
}

// isEmptyNote reports the item that says that a list has none.
/** @param {El} el */
const isEmptyNote = (el) => isDisabled(el) && /(?:^|[-_\s])(?:empty|no-?(?:data|items|options|results?))/i.test(attr(el, 'class') ?? '');

/** @param {El} el */
function transferItem(el) {
  const box = matches(el, '[role=checkbox]') ? el : selectIn(el, 'input[type=checkbox],[role=checkbox]');
  const checked = box && (localName(box) === 'input' ? box.checked : attr(box, 'aria-checked') === 'true');
  const said = attr(el, 'aria-selected') ?? attr(el, 'aria-checked');
  const selected = box ? checked : said !== null ? said === 'true' : /(?:^|[-_\s])(?:selected|active|highlighted|checked)(?=$|[-_\s])/i.test(attr(el, 'class') ?? '');
  return {
    el, text: tidy(textContent(el)) || optionText(el), selected, known: !!box || said !== null, disabled: isDisabled(el) || !!box && isDisabled(box),
    selectable: !!box || matches(el, '[role=option],[role=treeitem]') || isPressable(el) || hasAttr(el, 'tabindex'),
  };
}

// describeSide issues the ref of one side: of a native list or of the list in a cell, else of the part of the
// page, which is a group of that title.
/** @param {El} part */
export function describeSide(part) {
  const list = listIn(part), el = list && (localName(list) === 'select' || roleOf(part) !== 'generic') ? list : part;
  const own = roleOf(el) !== 'generic', role = own ? roleOf(el) : 'group';
  const name = own ? nameOf(el, role) : listTitle(el);
  return { ref: refOf(el, role, name), role, name, value: cut(itemsIn(part).map((item) => item.text).join(', '), 500) };
}

// transferByLabel returns the list of a transfer list that a text is the title of, or the target of the
// transfer list that a text labels.
/** @param {{ query: string }} o */
export function transferByLabel({ query }) {
  const wanted = labelWords(query);
  /** @type {El | null} */
  let side = null;
  if (wanted) scan(document.documentElement, (el, role, live, visual) => {
    if (visual.visible && !visual.clipped && readable(visual) && labelWords(ownText(el)) === wanted) side = sideOf(el) ?? labelledTransfer(el)?.target ?? null;
    return side !== null;
  });
  return side ? describeSide(side) : { ref: '' };
}

// sideOf returns the list that an element heads.
/** @param {El} el */
function sideOf(el) {
  const found = transferOf(el), side = found && [found.source, found.target].find((part) => composedContains(part, el));
  return side && !itemsIn(side).some((item) => composedContains(item.el, el)) ? side : null;
}

// labelledTransfer returns the transfer list that follows a text before any other field does.
/** @param {El} text */
function labelledTransfer(text) {
  for (let at = /** @type {El | null} */ (text), level = 0; at && level < MAX_FIELD_LEVELS; at = parentOf(at), level++) {
    for (let n = nextElement(at); n; n = nextElement(n)) {
      const around = transferOf(n), field = fieldIn(n);
      if (around?.source === n) return around;
      for (const el of [n, ...selectAllIn(n, '*')].slice(0, MAX_FIELD_NODES)) {
        const found = transferIn(el);
        if (found) return field && !composedContains(found.box, field) ? null : found;
      }
      if (field) return null;
    }
    if (matches(at, 'form,fieldset,section,article,main,body,[role=dialog],tr,li')) break;
  }
  return null;
}

// The transfer list that is being set: its box, what the target shall hold, and what was tried.
/** @type {Transfer} */
export let transfer; // steps come only after prepareTransfer
export const endTransfer = () => { transfer = /** @type {Transfer} */ (/** @type {unknown} */ (undefined)); };

// prepareTransfer returns the ref of the target that an array is for, or null where el belongs to no
// transfer list. The source takes none: its options are selected where it is a list of options.
/** @param {El} el @param {string} role @param {string} value */
export function prepareTransfer(el, role, value) {
  if (!isListOfValues(value)) return null;
  const found = transferOf(el);
  if (!found) return null;
  const target = describeSide(found.target);
  if (composedContains(found.source, el)) {
    if (role === 'listbox') return null;
    throw new EngineError('valueRefused', { ref: target.ref, example: value,
      reason: `it is in the list ${JSON.stringify(listTitle(found.source))}, from which items are moved; set the list ${JSON.stringify(target.name)} [${target.ref}] to what it shall hold` });
  }
  transfer = { ...found, values: [...new Set(valuesOf(value))], clicked: new Set(), tried: new Set(), idle: null, pending: null };
  return { ref: target.ref };
}
