// Options of lists that scripts draw, and file inputs.

import {
  ELEMENT, SILENT, attached, attr, closest, composedContains, eachChild, localName, matches, nodeType, nodeValue, ownerDocument, parentNode,
  rootNode, selectAllIn, single, textContent, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { drawnAround, elementAt } from '../dom/hit_test.js';
import { nameOf } from '../dom/name.js';
import { LISTS, isFloating } from '../dom/popup.js';
import { referredBy } from '../dom/referred.js';
import { roleOf } from '../dom/role.js';
import { hasArea, isDisabled, isVisible, topBox } from '../dom/state.js';
import { frame, later } from '../dom/timers.js';
import { bringIntoView } from '../dom/viewport.js';
import { describe, entries, numbers, resolve, roleAndName } from '../document/registry.js';
import { words } from '../locate/words.js';
import { beginRecord } from '../settle/mutations.js';
import { expectFiles } from '../settle/read_back.js';
import { chosenBefore, shownIn } from './chosen.js';

// findOption waits for the options of an open list and returns the one that the value names.
/** @param {{ n: number, value: string, limit: number }} o */
export async function findOption({ n, value, limit }) {
  const el = resolve(n);
  const until = performance.now() + limit;
  let options = [];
  for (;;) {
    options = optionsOf(el);
    let found = bestOption(options, value);
    if (!found || !isReachable(found)) found = drawnOption(el, value) ?? found;
    if (found) {
      const role = roleOf(found);
      // A list may mark the option that Enter would take as selected: it is chosen where the box shows it.
      const chosen = attr(found, 'aria-checked') === 'true' ||
        attr(found, 'aria-selected') === 'true' && (matches(el, LISTS) || shownIn(el).includes(tidy(textContent(found))));
      return { option: describe(found), chosen, role, before: CHOSEN.has(role) && !chosen ? chosenBefore(el, found, options) : undefined };
    }
    if (performance.now() > until) break;
    await Promise.race([frame(), later(50)]);
    if (!attached(el)) resolve(n);
  }
  const labels = optionLabels(options, drawnOptionParts);
  throw new EngineError('noOption', { value, options: labels, total: options.length });
}

const CHOSEN = new Set(['option', 'menuitemradio', 'treeitem']); // roles of options that their control shows
const MAX_OPTIONS = 2000;
const OPTION = '[role=option],[role=menuitemradio],[role=menuitem],[role=treeitem]';

/** @param {El} el */
export function optionsOf(el) {
  const lists = new Set();
  if (matches(el, LISTS)) lists.add(el);
  for (const holder of [el, ...selectAllIn(el, '[role=combobox],input')]) {
    for (const name of ['aria-controls', 'aria-owns']) for (const list of referredBy(holder, name)) lists.add(list);
  }
  if (!lists.size) {
    const shown = [...ownerDocument(el).querySelectorAll(LISTS)].filter(isVisible), floating = shown.filter(isFloating);
    for (const list of floating.length ? floating : shown) lists.add(list);
  }
  const options = [...lists].flatMap((list) => [...list.querySelectorAll(OPTION)]).filter(isVisible);
  return options.length ? options : shadowOptions(el);
}

// shadowOptions returns the options that a custom element draws in shadow trees, its own and those of its parts.
/** @param {El} el @returns {El[]} */
function shadowOptions(el) {
  /** @type {El[]} */ const out = [];
  /** @param {El} n */
  const go = (n) => {
    if (nodeType(n) !== ELEMENT || SILENT.has(localName(n)) || out.length > MAX_OPTIONS) return;
    if (matches(n, OPTION)) { if (isVisible(n)) out.push(n); } else eachChild(n, go);
  };
  const root = rootNode(el);
  if ('host' in root) eachChild(/** @type {El} */ (root.host), go);
  return out;
}

// isReachable reports that the pointer reaches the centre of an element, after it is scrolled into view.
/** @param {El} el */
function isReachable(el) {
  bringIntoView(el);
  const box = topBox(el);
  if (!hasArea(box)) return false;
  const found = elementAt(box.x + box.width / 2, box.y + box.height / 2);
  return found !== null && composedContains(el, found);
}

// drawnOption returns the visible element in a popup whose text is the value. Some libraries keep the
// options that they announce apart from those that they draw.
/** @param {El} el @param {string} value */
function drawnOption(el, value) {
  const wanted = tidy(value).toLowerCase();
  if (!wanted) return null;
  const walker = ownerDocument(el).createTreeWalker(ownerDocument(el).body, NodeFilter.SHOW_TEXT);
  let found = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (tidy(nodeValue(node)).toLowerCase() !== wanted) continue;
    const holder = /** @type {El} */ (parentNode(node));
    if (composedContains(drawnAround(el), holder) || !isVisible(holder) || !isFloating(holder)) continue;
    found = holder; // the last one: popups are added at the end
  }
  return found;
}

/** @param {El} o */
export const optionText = (o) => tidy(roleAndName(o, roleOf(o)).name || textContent(o));

/** @param {El[]} options @param {string} value */
function bestOption(options, value) {
  return optionMeant(options, value, drawnOptionParts);
}

/** @param {El} o */
function drawnOptionParts(o) {
  const group = closest(o, '[role=group]'), list = closest(o, LISTS);
  return { text: optionText(o), drawn: tidy(textContent(o)), value: attr(o, 'data-value'), group: group ? nameOf(group, 'group') : '', disabled: isDisabled(o), list };
}

// optionMeant returns the option that a value means: by the text that is shown, else by the text and its
// group ("Apple in Fruit", "Apple (Fruit)", "Fruit > Apple"), else by the value in the markup. Several with one text in a list are refused,
// unless the markup has one value for all of them.
/** @param {El[]} options @param {string} value @param {(o: El) => OptionParts} describeOption */
export function optionMeant(options, value, describeOption) {
  const all = options.map((el) => ({ el, ...describeOption(el) })), wanted = tidy(value), low = wanted.toLowerCase();
  /** @type {((o: OptionParts) => boolean)[]} */
  const rules = [(o) => o.text === wanted, (o) => o.text.toLowerCase() === low || o.drawn?.toLowerCase() === low, (o) => o.group !== '' && saysGrouped(o, low), (o) => o.value === value];
  for (const rule of rules) {
    const fits = all.filter(rule), enabled = fits.filter((o) => !o.disabled), [first, ...others] = enabled.length ? enabled : fits;
    if (!first) continue;
    const alike = others.filter((o) => o.list === first.list && (o.value !== first.value || o.value === null && o.group !== first.group));
    if (!alike.length || rule === rules[3]) return first.el;
    const several = [first, ...alike], grouped = several.map((o) => `${o.text} in ${o.group}`);
    const apart = several.every((o) => o.group) && new Set(grouped).size === several.length;
    throw new EngineError('ambiguousOption', { value, options: apart ? grouped : several.map((o) => o.value ?? o.text) });
  }
  return undefined;
}

/** @param {{ text: string, group: string }} o @param {string} low */
function saysGrouped({ text, group }, low) {
  const said = low.replace(/ in |[()>›»→/:,]/g, ' ');
  return [`${text} ${group}`, `${group} ${text}`].some((both) => words(both).join(' ') === words(said).join(' '));
}

// optionLabels lists options for a reader; of several with one text, each with its group.
/** @param {El[]} options @param {(o: El) => { text: string, group: string }} describeOption */
export function optionLabels(options, describeOption) {
  const all = options.slice(0, 50).map(describeOption);
  return all.map(({ text, group }) => (group && all.filter((o) => o.text === text).length > 1 ? `${text} in ${group}` : text));
}

// fileInput returns the file input that an element is, labels or contains. There is none when the
// element opens a file chooser by script.
/** @param {{ n: number }} o */
export function fileInput({ n }) {
  const el = resolve(n);
  /** @param {El | null} x */
  const isFile = (x) => x && localName(x) === 'input' && x.type === 'file';
  const label = isFile(el) ? null : closest(el, 'label');
  const inner = isFile(el) ? el : label && isFile(label.control) ? label.control : single([...selectAllIn(el, 'input[type=file]')]);
  if (!inner || !isFile(inner)) return { found: false, element: describe(el) };
  if (isDisabled(inner)) throw new EngineError('notEditable', { reason: 'it is disabled', remedy: 'read' });
  beginRecord(inner, inner === el ? entries.get(n)?.role : undefined);
  expectFiles(inner);
  return { found: true, multiple: inner.multiple, directory: inner.webkitdirectory, ...describe(inner), n: numbers.get(inner) };
}
