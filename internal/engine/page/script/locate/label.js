// The text that a person reads as the label of a field without a name: on its line, else above it, in the
// same part of the page, and never past another control.

import {
  ELEMENT, SILENT, TEXT, attr, closest, composedContains, firstElement, getter, isEditable, isFrame, localName, matches, nextSibling, nodeType,
  nodeValue, ownerDocument, parentOf, rectOf, selectAllIn, selectIn, textContent, tidy,
} from '../dom/dom.js';
import { drawnEditor } from '../dom/drawn_editor.js';
import { drawnSlider } from '../dom/drawn_slider.js';
import { isControl } from '../dom/hit_test.js';
import { PRESS, listensTo } from '../dom/listeners.js';
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
  let text = '', left = MAX_BESIDE;
  for (let n = previousSibling(at); n && left > 0; n = previousSibling(n), left--) {
    const type = nodeType(n);
    if (type === TEXT) { text = nodeValue(n) + text; continue; }
    if (type !== ELEMENT || SILENT.has(localName(n))) continue;
    const written = /\p{L}/u.test(text);
    if (localName(n) === 'br') { if (written) break; continue; }
    if (!isShown(n) || MESSAGES.has(roleOf(n))) continue;
    if (holdsControl(n) || isLabelOfOther(n, el)) return written ? asLabel(tidy(text)) : '';
    if (isInline(n)) { text = textContent(n) + text; continue; }
    if (written) break;
    const above = tidy(textContent(n));
    if (/\p{L}/u.test(above)) return !headings && holdsHeading(n) ? '' : asLabel(above);
  }
  text = tidy(text);
  return /\p{L}/u.test(text) ? asLabel(text) : null;
}

// tickLabel returns the text on the line of a checkbox, radio button or switch: the text after it, or
// before it where the line begins with a text and ends with a control. It is null where there is none.
/** @param {El} at @returns {string | null} */
function tickLabel(at) {
  const before = lineFrom(at, previousSibling), after = lineFrom(at, nextSibling);
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
      if (localName(n) === 'br' || !isInline(n) && !isInFlexRow(n)) break;
      if (!isShown(n)) continue;
      if (holdsControl(n)) {
        if (!holdsTick(n)) break;
        texts.push('');
        continue;
      }
    } else if (type !== TEXT) continue;
    const said = type === TEXT ? nodeValue(n) : textContent(n), last = texts.length - 1;
    texts[last] = isForward ? texts[last] + said : said + texts[last];
  }
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
  const slider = drawnSlider(n);
  return slider !== null && composedContains(n, slider.handles[0]);
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
