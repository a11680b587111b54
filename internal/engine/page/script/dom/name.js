// Names: the parts of accname 1.2 that decide an element's accessible name.

import { drawsPicture, textOfContent } from './content.js';
import { derivedName } from './derived_name.js';
import {
  ELEMENT, SILENT, TEXT, attr, closest, cut, eachChild, firstChild, hasAttr, localName, nextSibling, nodeType,
  nodeValue, selectIn, shadowRootOf, textContent, tidy,
} from './dom.js';
import { mayGenerateContent } from './generated_content.js';
import { labelsOf } from './labels.js';
import { isTarget } from './listeners.js';
import { mathText } from './math.js';
import { referredBy } from './referred.js';
import { NAMED_BY_CONTENT, UNNAMEABLE, roleOf, tableRole } from './role.js';
import { CONTROLS_INSIDE, paintOf } from './scan.js';
import { masked } from './secret_texts.js';
import { isSecret } from './state.js';
import { readText } from './text.js';

export const NAME_LIMIT = 200;
const BUTTON_TYPES = new Set(['button', 'submit', 'reset']);
const VALUE_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton', 'progressbar', 'meter']);

// A row of a static table is not named by its cells, unlike a row of a grid.
/** @param {El} el @param {string} role */
const isPlainRow = (el, role) => role === 'row' && localName(el) === 'tr' && tableRole(el) === 'table';

// nameOf returns '' for the nameless. It clips the name, because names are part of an element's
// identity: two names that differ beyond the limit are equal.
/** @param {El} el @param {string} role @returns {string} */
export function nameOf(el, role) {
  if (UNNAMEABLE.has(role) && role !== 'generic' && localName(el) !== 'input') return cut(authorName(el, role), NAME_LIMIT);
  return cut(tidy(nameParts(el, role, { seen: new Set(), within: false, referred: false })) || derivedName(el, role), NAME_LIMIT);
}

/** @param {El} el @param {string} role @param {NameContext} at @returns {string} */
function nameParts(el, role, at) {
  if (at.seen.has(el)) return '';
  at.seen.add(el);
  if (!at.referred) {
    const text = referredText(el, at);
    if (text) return text;
  }
  if (at.within && VALUE_ROLES.has(role)) return embeddedValue(el, role);
  const drawn = replacement(el), label = tidy(attr(el, 'aria-label') || '');
  if (drawn && at.within) return drawn;
  if (label || tidy(drawn)) return label || drawn;
  const native = nativeName(el, role, at);
  if (native) return native;
  if (at.referred && VALUE_ROLES.has(role)) return embeddedValue(el, role);
  if (NAMED_BY_CONTENT.has(role) && !isPlainRow(el, role) || at.within || at.referred) {
    const text = drawn || contentText(el, at);
    if (tidy(text)) return text;
  }
  return fallbackName(el, role);
}

/** @param {El} el @param {NameContext} at */
function referredText(el, at) {
  const texts = [], targets = [];
  for (const target of referredBy(el, 'aria-labelledby')) {
    // Many elements may refer to one: its text is the same for each.
    if (target !== el && at.seen.size === 1) texts.push(paintOf(target, textOfReferred));
    // An element may refer to itself to add its label, or its text beside a label that it refers to as well.
    else texts.push(textReferredBy(target, target === el ? targets.filter((e) => !el.contains(e)) : [...at.seen].filter((e) => e !== target), target === el));
    targets.push(target);
  }
  return texts.filter(Boolean).join(' ');
}

/** @param {El} target */
const textOfReferred = (target) => textReferredBy(target, [], false);

/** @param {El} target @param {El[]} seen @param {boolean} byItself */
function textReferredBy(target, seen, byItself) {
  const hidden = !byItself && getComputedStyle(target).display === 'none';
  return tidy(nameParts(target, roleOf(target), { seen: new Set(seen), within: false, referred: true, hidden }));
}

/** @param {El} el @param {string} role */
function embeddedValue(el, role) {
  const tag = localName(el);
  if (tag === 'select') return [...el.selectedOptions].map((o) => masked(o.label)).join(' ');
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter') {
    return attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow') || (tag === 'input' || hasAttr(el, 'value') ? String(el.value) : '');
  }
  if (tag === 'input' || tag === 'textarea') return isSecret(el) ? '' : masked(el.value);
  return textContent(el);
}

/** @param {El} el @param {string} role @param {NameContext} at */
function nativeName(el, role, at) {
  switch (localName(el)) {
    case 'input': {
      const type = el.type;
      if (BUTTON_TYPES.has(type)) {
        const labelled = labelText(el, at);
        if (labelled) return labelled;
        if (hasAttr(el, 'value')) return masked(el.value);
        return type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '';
      }
      if (type === 'image') return labelText(el, at) || attr(el, 'alt') || attr(el, 'value') || attr(el, 'title') || 'Submit';
      return labelText(el, at);
    }
    case 'select': case 'textarea': case 'meter': case 'progress': case 'output': case 'button':
      return labelText(el, at);
    case 'img': return role === 'generic' ? '' : attr(el, 'alt') || '';
    case 'area': return attr(el, 'alt') || '';
    case 'canvas': return textContent(el);
    case 'fieldset': return childText(el, 'legend', at);
    case 'table': return childText(el, 'caption', at);
    case 'optgroup': return attr(el, 'label') || '';
    case 'option': return attr(el, 'label') || '';
  }
  return el instanceof SVGElement ? childText(el, 'title', at) : '';
}

/** @param {El} el @param {NameContext} at */
function labelText(el, at) {
  // The list of labels is expensive, and most buttons cannot have one.
  if (!hasAttr(el, 'id') && !closest(el, 'label')) return '';
  const labels = labelsOf(el);
  if (labels.some((l) => at.seen.has(l))) return '';
  return labels.map((label) =>
    tidy(nameParts(label, 'generic', { seen: new Set([el]), within: true, referred: true, inLabel: true })) || tidy(attr(label, 'title') || '')).filter(Boolean).join(' ');
}

/** @param {El} el @param {string} tag @param {NameContext} at */
function childText(el, tag, at) {
  for (let n = firstChild(el); n; n = nextSibling(n)) {
    if (nodeType(n) === ELEMENT && localName(n) === tag) {
      return nameParts(n, 'generic', { seen: at.seen, within: true, referred: at.referred });
    }
  }
  return '';
}

// contentText joins the text of an element. It separates boxes by a space, but not inline runs.
export const MAX_NAME_DEPTH = 60; // levels; no person reads a name that is deeper
/** @param {El} el @param {NameContext} at @returns {string} */
export function contentText(el, at) {
  const depth = (at.depth ?? 0) + 1;
  if (depth > MAX_NAME_DEPTH) return '';
  const only = firstChild(el), drawn = mayGenerateContent(el);
  let text = drawn ? pseudoText(el, '::before') : '';
  const owned = referredBy(el, 'aria-owns');
  const beside = at.inLabel ? textBeside(el, at.seen) : null;
  const plain = !only || beside || !nextSibling(only) && nodeType(only) === TEXT;
  if (plain && !shadowRootOf(el) && !owned.length && localName(el) !== 'slot' && localName(el) !== 'img') {
    return text + (only ? nodeValue(beside ?? only) : '') + (drawn ? pseudoText(el, '::after') : '');
  }
  const ignoreVisibility = at.ignoreVisibility ?? getComputedStyle(el).visibility !== 'visible';
  const inner = { seen: at.seen, within: true, referred: at.referred, ignoreVisibility, hidden: at.hidden, depth, inLabel: at.inLabel, inTree: at.inTree || attr(el, 'role') === 'treeitem', ownTargets: at.ownTargets };
  eachChild(el, (n) => {
    const type = nodeType(n);
    if (type === TEXT) { text += nodeValue(n); return; }
    if (type !== ELEMENT || text.length > 4 * NAME_LIMIT) return;
    const tag = localName(n);
    if (isApart(el, n, inner) || at.ownTargets && isTarget(n)) return;
    if (tag === 'br' || tag === 'wbr') { text += ' '; return; }
    if (tag === 'math') { text += mathText(n); return; }
    if (SILENT.has(tag) || tag === 'rt' || tag === 'rp' || attr(n, 'aria-hidden') === 'true') return;
    const cs = getComputedStyle(n);
    if (cs.display === 'none' && !at.hidden || !ignoreVisibility && cs.visibility !== 'visible') return;
    if (at.inLabel && isPopup(n, cs)) return;
    const part = nameParts(n, roleOf(n), inner);
    text += cs.display.startsWith('inline') && cs.display !== 'inline-block' || tag === 'slot' ? part : ` ${part} `;
  });
  for (const o of owned) text += ' ' + nameParts(o, roleOf(o), inner);
  return text + (drawn ? pseudoText(el, '::after') : '');
}

// textBeside returns the text of a label that holds nothing else but its control, or null.
/** @param {El} label @param {Set<El>} seen */
function textBeside(label, seen) {
  const first = firstChild(label), second = first && nextSibling(first);
  if (!second || nextSibling(second)) return null;
  return nodeType(first) === TEXT && seen.has(second) ? first : nodeType(second) === TEXT && seen.has(first) ? second : null;
}

// replacement returns the alternative text of a picture that a style puts in the place of an element, a space for
// one without, '' where the element shows its content. An image without such a text keeps its own.
/** @param {El} el */
export function replacement(el) {
  if (!mayGenerateContent(el)) return '';
  const style = getComputedStyle(el);
  if (!drawsPicture(style.content)) return '';
  const text = textOfContent(style, el);
  return localName(el) === 'img' ? text.trim() : text;
}

// isApart reports what does not belong to the name of a tree's item: the items below it, its checkbox and
// its icons.
/** @param {El} el @param {El} n @param {NameContext} at */
function isApart(el, n, at) {
  if (!at.inTree) return false;
  const role = attr(n, 'role');
  return role === 'checkbox' || role === 'img' || role === 'group' && attr(el, 'role') === 'treeitem';
}

// isPopup reports a box with controls that floats over a label in which a library put it, such as a
// calendar. It is no part of the label's text.
/** @param {El} n @param {CSSStyleDeclaration} cs */
const isPopup = (n, cs) => /^(?:absolute|fixed)$/.test(cs.position) && selectIn(n, CONTROLS_INSIDE) !== null;

// pseudoText reads generated content. Icon fonts put private-use characters there, which tidy
// removes.
/** @param {El} el @param {string} side @param {(shape: string, said: string) => string} [counter] */
export function pseudoText(el, side, counter) {
  const style = getComputedStyle(el, side);
  if (style.display === 'none' || style.visibility !== 'visible') return '';
  const text = textOfContent(style, el, counter);
  return style.display.startsWith('inline') || !text ? text : ` ${text} `;
}

/** @param {El} el @param {string} role @returns {string} */
function fallbackName(el, role) {
  if (role === 'generic') return '';
  const title = tidy(attr(el, 'title') || '');
  if (title && !(role === 'img' && attr(el, 'alt') === '')) return title;
  const tag = localName(el);
  if (tag === 'input' || tag === 'textarea') {
    const hint = attr(el, 'placeholder') || attr(el, 'aria-placeholder');
    if (hint) return hint;
    if (el.type === 'file') return 'Choose file';
  }
  if (tag === 'input' || tag === 'select') {
    const header = closest(el, 'th,[role=columnheader]');
    const column = header && cut(tidy(readText(header, NAME_LIMIT)), NAME_LIMIT);
    if (column) return column + ' filter';
  }
  const hint = attr(el, 'aria-placeholder');
  if (hint !== null) return hint;
  if (tag === 'a') {
    // A link around an image alone is named by the image when the image has no alt.
    const image = firstChild(el) && el.querySelector('img[title]');
    if (image) return attr(image, 'title') ?? '';
  }
  return '';
}

/** @param {El} el @param {string} role @returns {string} */
export const authorName = (el, role) => tidy(attr(el, 'aria-label') || '') || (hasAttr(el, 'aria-labelledby') ? nameOf(el, role) : '');
