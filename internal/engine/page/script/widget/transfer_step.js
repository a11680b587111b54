// Setting a transfer list: one click after the other, until the target holds the wanted items.

import {
  attached, attr, closest, localName, parentElement, selectAllIn, single, textContent, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { MOVER, listTitle } from '../dom/list_title.js';
import { nameOf } from '../dom/name.js';
import { isDisabled, isVisible } from '../dom/state.js';
import { frame } from '../dom/timers.js';
import { describe } from '../document/registry.js';
import { plain, similarity } from '../locate/select.js';
import { dispatchInputAndChange } from './edit.js';
import { describeSide, endTransfer, itemsIn, moversIn, transfer, transferIn } from './transfer_list.js';

// transferStep returns the next element to click, or the target once it holds the wanted items.
/** @param {{ limit: number }} o */
export async function transferStep({ limit }) {
  if (transfer.pending) await moveEnds(limit);
  else refreshLists();
  const sides = { source: itemsIn(transfer.source), target: itemsIn(transfer.target) };
  const wanted = transfer.values.map((value) => wantedItem(sides, value).el);
  const missing = sides.source.filter((item) => wanted.includes(item.el)), extra = sides.target.filter((item) => !wanted.includes(item.el));
  if (!missing.length && !extra.length) {
    const element = describeSide(transfer.target);
    endTransfer(); // it keeps elements of the page
    return { done: true, element };
  }
  return missing.length ? moveItems(sides.source, missing, 1) : moveItems(sides.target, extra, -1);
}

// refreshLists finds the lists again where the page drew them anew.
function refreshLists() {
  if ([transfer.source, transfer.target, ...transfer.middle].every(attached)) return;
  const now = attached(transfer.box) ? transferIn(transfer.box) : null;
  if (!now) throw new EngineError('valueRefused', { reason: 'the lists left the page while items were moved', remedy: 'read' });
  Object.assign(transfer, now);
}

// wantedItem returns the item that a value names, in either list.
/** @param {Sides} o @param {string} value */
function wantedItem({ source, target }, value) {
  const all = [...target, ...source], low = tidy(value).toLowerCase();
  const found = all.find((item) => item.text === tidy(value)) ?? all.find((item) => item.text.toLowerCase() === low) ??
    all.find((item) => (attr(item.el, 'value') ?? attr(item.el, 'data-value')) === value);
  if (found) return found;
  const near = Math.max(...all.map((item) => similarity(plain(item.text), plain(value))));
  const best = all.find((item) => similarity(plain(item.text), plain(value)) === near);
  const texts = all.slice(0, 50).map((item) => JSON.stringify(item.text)).join(', ');
  throw new EngineError('valueRefused', { reason: `neither list shows ${JSON.stringify(value)}; they show ${texts}${moved()}`,
    example: JSON.stringify(transfer.values.map((v) => (v === value ? best?.text : v))) });
}

// moved describes the target list in a refusal, where items were moved before.
const moved = () => (transfer.moves ? `; the list ${JSON.stringify(listTitle(transfer.target))} holds ${JSON.stringify(itemsIn(transfer.target).map((item) => item.text))} now` : '');

// moveItems returns the next click of a move: to select an item, to take back the selection of another, or
// the button. A list that does not say what is selected is moved one item at a time.
/** @param {TransferItem[]} list @param {TransferItem[]} items @param {number} direction */
function moveItems(list, items, direction) {
  const locked = items.find((item) => item.disabled);
  if (locked) throw new EngineError('valueRefused', { reason: `its item ${JSON.stringify(locked.text)} is disabled${moved()}`, remedy: 'read' });
  transfer.idle ??= new Set(movers().flatMap((b, i) => (isDisabled(b) ? [] : [i])));
  const native = localName(items[0].el) === 'option';
  if (native) selectNatively(list, items);
  if (!items.every((item) => item.known)) items = items.slice(0, 1);
  const open = native ? null : items.find((item) => !item.selected && !transfer.clicked.has(item.text)) ??
    list.find((item) => item.selected && !items.includes(item) && !transfer.clicked.has(item.text));
  if (open) { transfer.clicked.add(open.text); return { click: describe(open.el).ref }; }
  const button = moverTo(direction, items.length === list.length) ?? ownMover(items[0]);
  if (!button) throw noMover(items[0], direction);
  transfer.pending = { button: keyOf(button), left: leftToMove(), shown: shownItems() };
  return { click: describe(button).ref };
}

/** @param {TransferItem[]} list @param {TransferItem[]} items */
function selectNatively(list, items) {
  const el = /** @type {El} */ (closest(items[0].el, 'select'));
  for (const item of list) item.el.selected = items.includes(item);
  el.focus();
  dispatchInputAndChange(el);
}

const movers = () => transfer.middle.flatMap(moversIn);

// keyOf names a button also after the page drew it anew: its place between the lists, or the item it is in.
/** @param {El} button */
const keyOf = (button) => { const at = movers().indexOf(button); return at < 0 ? tidy(textContent(/** @type {El} */ (parentElement(button)))) : at; };

// ownMover returns the one button in an item, which moves that item alone.
/** @param {TransferItem} item */
const ownMover = (item) => { const own = single([...selectAllIn(item.el, MOVER)].filter((b) => isVisible(b) && !isDisabled(b))); return own && !transfer.tried.has(keyOf(own)) ? own : null; };

// moverTo returns the button that moves what is selected: one whose name or icon says the direction, else
// a nameless one that the selection enabled, else any nameless one.
/** @param {number} direction @param {boolean} whole */
function moverTo(direction, whole) {
  const usable = movers().filter((b) => !isDisabled(b) && !transfer.tried.has(keyOf(b)));
  const said = usable.filter((b) => directionOf(b) === direction), unsaid = usable.filter((b) => directionOf(b) === 0);
  return said.find((b) => !movesAll(b)) ?? unsaid.find((b) => !transfer.idle?.has(keyOf(b)) && !movesAll(b)) ?? (whole ? said[0] : undefined) ??
    unsaid.find((b) => !moverWords(b).name && !movesAll(b)) ?? null;
}

/** @param {El} button */
function moverWords(button) {
  const name = tidy(`${nameOf(button, 'button')} ${attr(button, 'title') ?? ''} ${attr(button, 'value') ?? ''}`).toLowerCase();
  const icons = [...selectAllIn(button, 'i,span,svg,use')].map((el) => `${attr(el, 'class') ?? ''} ${attr(el, 'data-icon') ?? ''} ${attr(el, 'data-testid') ?? ''} ${attr(el, 'href') ?? ''}`).join(' ').toLowerCase();
  return { name, icons };
}

// directionOf returns 1 for a button towards the target, -1 for one back, 0 where it does not say.
const ONWARD = /\bright\b|[>›»→≫⇒▶]/, BACK = /\bleft\b|[<‹«←≪⇐◀]/;
const ONWARD_WORDS = /\b(?:add|target|selected|choose|chosen|include|assign|grant)\b/, BACK_WORDS = /\b(?:remove|delete|back|source|available|exclude|unassign|deselect|revoke)\b/;
/** @param {El} button */
function directionOf(button) {
  const { name, icons } = moverWords(button);
  /** @type {[string, RegExp, RegExp][]} */
  const signs = [[name, BACK, ONWARD], [name, BACK_WORDS, ONWARD_WORDS], [icons.replace(/[_-]/g, ' '), /left\b/, /right\b/]];
  for (const [words, back, onward] of signs) {
    const one = onward.test(words), other = back.test(words);
    if (one !== other || words === name && other && back === BACK_WORDS) return other ? -1 : 1;
  }
  return 0;
}

/** @param {El} button */
const movesAll = (button) => /\ball\b|>\s*>|<\s*<|[»«≫≪]|double/.test(Object.values(moverWords(button)).join(' '));

// leftToMove counts the items that are not where they are wanted.
function leftToMove() {
  const sides = { source: itemsIn(transfer.source), target: itemsIn(transfer.target) }, wanted = transfer.values.map((value) => wantedItem(sides, value).el);
  return sides.source.filter((item) => wanted.includes(item.el)).length + sides.target.filter((item) => !wanted.includes(item.el)).length;
}

const shownItems = () => [transfer.source, transfer.target].map((part) => itemsIn(part).map((item) => item.text).join('\n')).join('\n\n');

// moveEnds waits until the lists show a move. A button that moved nothing that is wanted is not clicked again.
/** @param {number} limit */
async function moveEnds(limit) {
  const { button, left, shown } = /** @type {NonNullable<Transfer['pending']>} */ (transfer.pending), until = performance.now() + limit;
  const moves = () => { refreshLists(); return shownItems() !== shown; };
  while (!moves() && performance.now() < until) await frame();
  transfer.moves ||= moves();
  if (leftToMove() >= left) transfer.tried.add(button);
  Object.assign(transfer, { pending: null, idle: null, clicked: new Set() });
}

/** @param {TransferItem} item @param {number} direction */
function noMover(item, direction) {
  const buttons = movers().map((b) => { const { ref, name } = describe(b); return `${JSON.stringify(name)} [${ref}]${isDisabled(b) ? ' disabled' : ''}`; }).join(', ');
  const to = listTitle(direction > 0 ? transfer.target : transfer.source);
  return new EngineError('valueRefused', { remedy: 'read',
    reason: `${JSON.stringify(item.text)} is selected, and no button moves it to the list ${JSON.stringify(to)}: ${buttons}${moved()}` });
}
