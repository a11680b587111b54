// The text that a person reads as the label of a field without a name: on its line, else above it, in the
// same part of the page, and never past another control.

import {
  ELEMENT, SILENT, TEXT, attr, closest, composedContains, firstElement, getter, isEditable, isFrame, localName, matches, nextElement, nextSibling,
  nodeType, nodeValue, ownerDocument, parentOf, previousElement, rectOf, selectAllIn, selectIn, shadowRootOf, textContent, tidy,
} from '../dom/dom.js';
import { drawnEditor } from '../dom/drawn_editor.js';
import { drawnSlider } from '../dom/drawn_slider.js';
import { mayGenerateContent } from '../dom/generated_content.js';
import { isControl } from '../dom/hit_test.js';
import { PRESS, listensTo } from '../dom/listeners.js';
import { pseudoText } from '../dom/name.js';
import { roleOf } from '../dom/role.js';
import { masked } from '../dom/secret_texts.js';
import { isDisguised, isShown, isVisible } from '../dom/state.js';

/** @type {(node: Node) => El | null} */ const previousSibling = getter(Node.prototype, 'previousSibling');

const LABELLED = new Set('slider combobox listbox textbox searchbox spinbutton switch checkbox radio date time color'.split(' '));
const TICKED = new Set(['checkbox', 'radio', 'switch']);
const MAX_LABEL = 80, MAX_LABEL_LEVELS = 9, MAX_BESIDE = 100; // siblings that are looked at
export const MESSAGES = new Set(['alert', 'status', 'tooltip']); // what they say is about the field, and no label
const PARTS = 'form,fieldset,section,article,main,body,dialog,[role=dialog],tr,li,table';
export const OTHER_CONTROLS = 'input:not([type=hidden]):not(:disabled),button,select,textarea,a[href],[contenteditable=true],' +
  '[role=slider],[role=combobox],[role=textbox],[role=button],[role=spinbutton]';

// nearbyLabel returns the label of a field without a name, or ''. A heading names what follows it for a
// reader, and labels no field.
/** @param {El} el @param {string} role @param {boolean} [headings] */
export function nearbyLabel(el, role, headings = false) {
  if (!LABELLED.has(role)) return '';
  const drawn = isEditable(el) ? drawnPlaceholder(el) : '';
  if (drawn) return drawn;
  const editor = drawnEditor(el), view = ownerDocument(el).defaultView;
  if (!editor && !isDisguised(el) && view && rectOf(el).right + view.scrollX < 0) return ''; // no person sees it
  for (let at = /** @type {El | null} */ (editor ?? el), level = 0; at && level < MAX_LABEL_LEVELS; at = parentOf(at), level++) {
    if (level && matches(at, PARTS)) break;
    if (level && attr(at, 'role') === 'combobox') return ''; // the label is the combobox's
    if (level && isOneOfCells(at, role)) return columnLabel(at);
    const title = isFrame(at) && (attr(at, 'title') || attr(at, 'aria-label'));
    if (title && tidy(title)) return asLabel(tidy(title));
    const found = TICKED.has(role) ? tickLabel(at) ?? labelBefore(at, el, headings) : labelBefore(at, el, headings);
    if (found !== null) return found;
  }
  return '';
}

// drawnPlaceholder returns the text that style draws in an empty editor, or ''.
/** @param {El} el */
function drawnPlaceholder(el) {
  if (tidy(textContent(el))) return '';
  for (const at of [el, firstElement(el)]) {
    const [, text = ''] = /^"(.*)"$/su.exec(at ? getComputedStyle(at, '::before').content : '') ?? [];
    if (/\p{L}/u.test(text)) return asLabel(tidy(masked(text)));
  }
  return '';
}

/** @param {string} text */
const asLabel = (text) => (text.length <= MAX_LABEL && /\p{L}/u.test(text) ? text : '');

// labelBefore returns the text before an element: the rest of its line, else the block above. It is null
// where nothing stands before the element among its siblings, and '' where another control does.
/** @param {El} at @param {El} el @param {boolean} headings @returns {string | null} */
function labelBefore(at, el, headings) {
  let text = '', left = MAX_BESIDE, inCells = false;
  for (let n = previousSibling(at); n && left > 0; n = previousSibling(n), left--) {
    const type = nodeType(n);
    if (type === TEXT) { if (!inCells) text = nodeValue(n) + text; continue; }
    if (type !== ELEMENT || SILENT.has(localName(n))) continue;
    const written = /\p{L}/u.test(text);
    if (localName(n) === 'br') { if (written) break; continue; }
    if (!isShown(n) || MESSAGES.has(roleOf(n)) || !standsAtField(n, el)) continue;
    if (holdsControl(n) || isLabelOfOther(n, el)) {
      if (written && isUnitLine(at)) return '';
      if (written || !isCellBeside(n, at)) return written ? asLabel(tidy(text)) : '';
      inCells = true;
      continue;
    }
    if (isInline(n)) { text = textIn(n) + text; continue; }
    if (written) break;
    const above = tidy(textIn(n));
    if (/\p{L}/u.test(above)) return !headings && holdsHeading(n) ? '' : asLabel(above);
  }
  text = tidy(/\p{L}/u.test(text) ? text : drawnIn(parentOf(at), '::before'));
  return /\p{L}/u.test(text) ? asLabel(text) : null;
}

// isOneOfCells reports a cell whose row has a field of the role in the next or the previous cell too, without a text of its
// own: the text that begins the row labels all of them.
/** @param {El} cell @param {string} role */
function isOneOfCells(cell, role) {
  if (!matches(cell, CELL)) return false;
  return [previousElement(cell), nextElement(cell)].some((beside) => {
    if (!beside || !matches(beside, CELL)) return false;
    const fields = [...selectAllIn(beside, OTHER_CONTROLS)].filter((f) => roleOf(f) === role && isShown(f));
    return fields.length > 0 && !fields.some((f) => f.labels?.length || attr(f, 'aria-label')) && !/\p{L}/u.test(isEditable(fields[0]) ? '' : textContent(beside));
  });
}
const CELL = 'td,th,[role=cell],[role=gridcell]';

// columnLabel returns the text that heads the column of a cell, or ''.
/** @param {El} cell */
function columnLabel(cell) {
  const table = closest(cell, 'table,[role=table],[role=grid],[role=treegrid]'), r = rectOf(cell), middle = r.left + r.width / 2;
  const heads = table ? [...selectAllIn(table, 'th,thead td,tr:first-child td,[role=columnheader]')] : [];
  const head = heads.findLast((h) => rectOf(h).bottom <= r.top + 2 && rectOf(h).left <= middle && rectOf(h).right >= middle && !holdsControl(h));
  return head ? asLabel(tidy(textIn(head))) : '';
}

// isCellBeside reports a cell of a grid on the line of another: the label of that one is above it.
/** @param {El} n @param {El} at */
function isCellBeside(n, at) {
  const a = rectOf(n), b = rectOf(at);
  return isInGrid(at) && a.bottom > b.top && a.top < b.bottom;
}

// isInGrid reports an element that a grid places, beside others whatever their order.
/** @param {El} el */
export function isInGrid(el) {
  const parent = parentOf(el);
  return !!parent && getComputedStyle(parent).display.endsWith('grid');
}

// isUnitLine reports a line whose texts follow their fields, as units do: it begins with a field and ends with a text, or it
// begins with a label, and nothing but a unit follows each field.
/** @param {El} at */
export function isUnitLine(at) {
  /** @param {(node: Node) => El | null} step */
  const textsOf = (step) => {
    const out = [''];
    for (let n = step(at), left = MAX_BESIDE; n && left > 0; n = step(n), left--) {
      const type = nodeType(n);
      if (type === ELEMENT && (localName(n) === 'br' || !SILENT.has(localName(n)) && !isInline(n) && !isInFlexRow(n) && !isControl(n))) break;
      if (type === ELEMENT && !SILENT.has(localName(n)) && isShown(n) && holdsControl(n)) out.push('');
      else if (type === TEXT || type === ELEMENT && !SILENT.has(localName(n))) out[out.length - 1] = step === nextSibling ? out.at(-1) + said(n, type) : said(n, type) + out.at(-1);
    }
    return out.map((text) => (/\p{L}/u.test(text) ? tidy(text) : ''));
  };
  /** @param {El} n @param {number} type */
  const said = (n, type) => (type === TEXT ? nodeValue(n) : textIn(n));
  const before = textsOf(previousSibling), after = textsOf(nextSibling), first = before.at(-1);
  return before.length > 1 && !!after.at(-1) && (!first || [...before.slice(0, -1), ...after].every((text) => UNIT.test(text)));
}
const UNIT = /^(?:\p{Ll}{1,3}|\p{Lo}{1,2})\.?$/u;

// standsAtField reports that a person can take a text for the label of a field, by where both are drawn: not one below it,
// nor one above it that is beside it, whatever their order in the document.
/** @param {El} text @param {El} el */
export function standsAtField(text, el) {
  const r = rectOf(text), f = rectOf(el);
  if (r.width < 2 || r.height < 2 || f.width < 2 || f.height < 2) return true;
  if (r.top >= f.bottom - 2) return false;
  if (r.bottom > f.top + 2) return true;
  return r.left < f.right - 2 && r.right > f.left + 2 && !isFieldBetween(text, r, f);
}

// isFieldBetween reports a field that a flex box or a grid draws between a text and a field below it.
/** @param {El} text @param {DOMRect} r @param {DOMRect} f */
function isFieldBetween(text, r, f) {
  const box = parentOf(text);
  if (!box || !/(?:flex|grid)$/.test(getComputedStyle(box).display)) return false;
  return [...selectAllIn(box, OTHER_CONTROLS)].slice(0, MAX_BESIDE).some((c) => {
    const b = rectOf(c);
    return b.height > 0 && b.top >= r.bottom - 2 && b.bottom <= f.top + 2 && b.left < r.right && b.right > r.left;
  });
}

// textIn returns the text of an element, or what style draws in one without letters.
/** @param {El} n @returns {string} */
function textIn(n) {
  const text = textContent(n);
  if (/\p{L}/u.test(text)) return text;
  for (let at = /** @type {El | null} */ (n), level = 0; at && level < 3; at = firstElement(at), level++) {
    const drawn = drawnIn(at, '::before') || drawnIn(at, '::after');
    if (drawn) return drawn;
  }
  return text;
}

// drawnIn returns the text with letters that a style draws at a side of an element, or ''.
/** @param {El | null} el @param {string} side */
function drawnIn(el, side) {
  const text = el && mayGenerateContent(el) ? tidy(masked(pseudoText(el, side))) : '';
  return /\p{L}/u.test(text) ? text : '';
}

// tickLabel returns the text on the line of a checkbox, radio button or switch: the text after it, or
// before it where the line begins with a text and ends with a control. It is null where there is none.
/** @param {El} at @returns {string | null} */
function tickLabel(at) {
  const before = lineFrom(at, previousSibling), after = lineFrom(at, nextSibling);
  if (before.length === 1 && before[0] && after.length > 1 && !after.some(Boolean)) return ''; // it begins a row of them
  if (before.length + after.length === 2 && matches(at, CELL)) return null; // the row is about something else
  if (after[0] && (after.at(-1) || !before.at(-1))) return asLabel(after[0]);
  if (before[0] && before.at(-1)) return asLabel(before[0]);
  return null;
}

// lineFrom returns the texts from an element to an end of its line, between the controls there.
/** @param {El} at @param {(node: Node) => El | null} step */
function lineFrom(at, step) {
  const texts = [''], isForward = step === nextSibling;
  let left = MAX_BESIDE;
  for (let n = step(at); n && left > 0; n = step(n), left--) {
    const type = nodeType(n);
    if (type === ELEMENT) {
      if (SILENT.has(localName(n))) continue;
      if (localName(n) === 'br' || !isInline(n) && !isInFlexRow(n) && !(matches(n, CELL) && matches(at, CELL))) break;
      if (!isShown(n)) continue;
      if (holdsControl(n)) {
        if (!holdsTick(n)) break;
        texts.push('');
        continue;
      }
    } else if (type !== TEXT) continue;
    const said = type === TEXT ? nodeValue(n) : textIn(n), last = texts.length - 1;
    texts[last] = isForward ? texts[last] + said : said + texts[last];
  }
  if (texts.length === 1 && !/\p{L}/u.test(texts[0])) texts[0] = drawnIn(parentOf(at), isForward ? '::after' : '::before');
  return texts.map(tidy);
}

// lineBefore returns the text between an element and the control or end of line before it.
/** @param {El} el */
export const lineBefore = (el) => asLabel(lineFrom(el, previousSibling)[0]);

/** @param {El} n */
const isInline = (n) => /^(?:inline|contents|ruby)/.test(getComputedStyle(n).display);

/** @param {El} n */
function isInFlexRow(n) {
  const parent = parentOf(n), cs = parent && getComputedStyle(parent);
  return !!cs && /flex$/.test(cs.display) && cs.flexDirection.startsWith('row');
}

/** @param {El} n */
function holdsControl(n) {
  if (isControl(n) || isFrame(n) || localName(n) !== 'label' && listensTo(n, PRESS) && /\p{L}/u.test(textContent(n))) return true;
  for (const control of selectAllIn(n, OTHER_CONTROLS)) if (isVisible(control)) return true;
  if (localName(n).includes('-') && controlInShadow(n)) return true;
  const slider = drawnSlider(n);
  return slider !== null && composedContains(n, slider.handles[0]);
}

// controlInShadow returns a control in the shadow tree of a custom element, or null.
const MAX_SHADOWS = 4;
/** @param {El} host @param {number} [level] @returns {El | null} */
function controlInShadow(host, level = 0) {
  const root = shadowRootOf(host);
  if (!root || level > MAX_SHADOWS) return null;
  for (const n of root.querySelectorAll(OTHER_CONTROLS)) if (isVisible(n)) return n;
  for (const n of root.querySelectorAll('*')) if (localName(n).includes('-') && controlInShadow(n, level + 1)) return n;
  return null;
}

/** @param {El} n */
const holdsTick = (n) => TICKED.has(roleOf(n)) || selectIn(n, 'input[type=checkbox],input[type=radio],[role=switch],[role=checkbox],[role=radio]') !== null;

/** @param {El} n */
const holdsHeading = (n) => roleOf(n) === 'heading' || selectIn(n, 'h1,h2,h3,h4,h5,h6,[role=heading]') !== null;

// isLabelOfOther reports a label that belongs to another field by its markup.
/** @param {El} n @param {El} el */
function isLabelOfOther(n, el) {
  const label = localName(n) === 'label' ? n : closest(n, 'label') ?? selectIn(n, 'label');
  const control = label && attr(label, 'for') !== null ? label.control : null;
  return !!control && control !== el && isVisible(control);
}
