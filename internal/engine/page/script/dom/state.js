// States, values and visibility of one element.

import { colourOf } from './derived_name.js';
import {
  ELEMENT, attr, clientRects, closest, eachChild, hasAttr, localName, matches, nodeType, ownerDocument, parentNode, parentOf,
  isRenderedOpaque, rectOf, rootNode, selectAllIn, summaryOf, textContent, tidy,
} from './dom.js';
import { drawnEditor } from './drawn_editor.js';
import { frameOffset } from './frames.js';
import { areaBox } from './image_map.js';
import { isOpenSelect } from './open_select.js';
import { isPlayer, playerStates } from './player.js';
import { NATIVE_CONTROLS, WIDGETS, isDisclosure } from './role.js';
import { paintOf } from './scan.js';
import { masked } from './secret_texts.js';
import { visibleText } from './text.js';

export const MASK = '••••••••';

// An input that was a password field once stays secret: pages switch its type to text to show it,
// and a reading must not.
const secrets = new WeakSet();
const SECRET_HINT = /(?:^|\s)(?:current-password|new-password|one-time-code|cc-csc|cc-number)(?:\s|$)/;

/** @param {El} el */
export function isSecret(el) {
  if (localName(el) !== 'input') return false;
  if (secrets.has(el)) return true;
  if (el.type === 'password' || SECRET_HINT.test(attr(el, 'autocomplete') || '')) {
    secrets.add(el);
    return true;
  }
  return false;
}

// valueOf returns undefined for an element without a value, '' for an empty one.
/** @param {El} el @param {string} role */
export function valueOf(el, role) {
  switch (localName(el)) {
    case 'input':
      switch (el.type) {
        case 'checkbox': case 'radio': case 'button': case 'submit': case 'reset': case 'image': case 'hidden':
          return undefined;
        case 'file': return [...el.files ?? []].map((f) => f.name).join(', ');
      }
      return isSecret(el) ? (el.value ? MASK : '') : masked(el.value);
    case 'textarea': return masked(el.value);
    case 'select': return [...el.selectedOptions].map((o) => tidy(masked(o.label))).join(', ');
    case 'meter': case 'progress': return hasAttr(el, 'value') ? String(el.value) : undefined;
  }
  if (role === 'textbox' || role === 'searchbox') return tidy(typeof el.innerText === 'string' ? masked(el.innerText) : textContent(el));
  if (role === 'combobox') return chosenText(el);
  return attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow') ?? ((role === 'button' && colourOf(el)) || undefined);
}

// chosenText returns what a custom select shows as chosen: its selected options, else its text. One with a
// visible field of its own shows that field's value.
/** @param {El} el */
function chosenText(el) {
  for (const field of selectAllIn(el, 'input:not([type=hidden]),textarea,[role=combobox]')) if (isVisible(field)) return undefined;
  const chosen = [...selectAllIn(el, '[role=option][aria-selected=true]')].filter(isVisible);
  return (chosen.length ? chosen.map(visibleText).join(', ') : visibleText(el)) || undefined;
}

/** @param {string | null} v */
const triState = (v) => v === 'true' || v === 'mixed' || v === 'false' ? v : undefined;

// checkedOf is 'true', 'false', 'mixed' or undefined. A switch that is drawn beside an input keeps its
// state in aria-checked, while the page undoes clicks on the input.
/** @param {El} el @param {string} role @returns {string | undefined} */
export function checkedOf(el, role) {
  if (localName(el) === 'label') return role === 'clickable' && el.control && el.control.type !== 'file' ? checkedOf(el.control, '') : undefined;
  if (role === 'switch' && hasAttr(el, 'aria-checked')) return triState(attr(el, 'aria-checked'));
  if (localName(el) === 'input' && (el.type === 'checkbox' || el.type === 'radio')) {
    return el.indeterminate ? 'mixed' : String(el.checked);
  }
  switch (role) {
    case 'checkbox': case 'radio': case 'switch': case 'menuitemcheckbox': case 'menuitemradio': case 'option': case 'treeitem':
      return triState(attr(el, 'aria-checked'));
  }
  return undefined;
}

/** @param {El} el */
export function isDisabled(el) {
  if (matches(el, ':disabled')) return true;
  for (let at = /** @type {El | null | undefined} */ (el); at; at = /** @type {Partial<El>} */ (/** @type {unknown} */ (rootNode(at))).host) if (closest(at, '[aria-disabled="true"]')) return true;
  return false;
}

/** @param {El} el */
export function levelOf(el) {
  const said = parseInt(attr(el, 'aria-level') ?? '', 10);
  if (said > 0) return said;
  const tag = localName(el);
  return /^h[1-6]$/.test(tag) ? +tag[1] : 2;
}

/** @param {El} el @param {string} role */
const isWidget = (el, role) => WIDGETS.has(role) || NATIVE_CONTROLS.has(localName(el));

/** @param {El} el @param {string} role */
export const isReadOnly = (el, role) => (isWidget(el, role) || hasAttr(el, 'aria-disabled')) &&
  (el.readOnly === true && !/^(?:button|checkbox|radio|submit|reset|range|color|file|image)$/.test(el.type) || attr(el, 'aria-readonly') === 'true');

// statesOf lists the states that differ from the default, in a fixed order.
/** @param {El} el @param {string} role @param {El | null} focused */
export function statesOf(el, role, focused) {
  const out = [];
  const control = isWidget(el, role);
  const checked = checkedOf(el, role);
  if (checked === 'true') out.push('checked');
  if (checked === 'mixed') out.push('mixed');
  const expanded = localName(el) === 'summary' && isDisclosure(el) ? String(parentNode(el)?.open) : localName(el) === 'select' && isOpenSelect(el) ? 'true' : attr(el, 'aria-expanded');
  if (expanded === 'true') out.push('expanded');
  if (expanded === 'false') out.push('collapsed');
  const pressed = attr(el, 'aria-pressed');
  if (pressed === 'true' || pressed === 'mixed') out.push('pressed');
  if (attr(el, 'aria-selected') === 'true' || localName(el) === 'option' && el.selected) out.push('selected');
  if (attr(el, 'aria-current') && attr(el, 'aria-current') !== 'false') out.push('current');
  const isHeader = role === 'columnheader' || role === 'rowheader', sort = isHeader && attr(el, 'aria-sort');
  if (sort && sort !== 'none') out.push('sorted ' + sort);
  if (isHeader && isFiltered(el)) out.push('filtered');
  if (isPlayer(el)) out.push(...playerStates(el));
  if (hasAttr(el, 'inert') || control && paintOf(ownerDocument(el), hasInert) && inertReason(el)) out.push('inert');
  if (localName(el) === 'dialog' && matches(el, ':modal')) out.push('modal');
  if (el === focused) out.push('focused');
  if (!control && !hasAttr(el, 'aria-disabled')) return out;
  if (isDisabled(el)) out.push('disabled');
  if (isReadOnly(el, role)) out.push('readonly');
  if (el.required === true || attr(el, 'aria-required') === 'true') out.push('required');
  if (isInvalid(el)) out.push('invalid');
  return out;
}

// isInvalid reports what the author or the browser says. An empty field that asks for a value is invalid once a
// person has tried to send it.
/** @param {El} el */
function isInvalid(el) {
  const said = attr(el, 'aria-invalid');
  if (said) return said !== 'false';
  return /^(?:input|select|textarea)$/.test(localName(el)) && matches(el, ':invalid') && (!el.validity.valueMissing || matches(el, ':user-invalid'));
}

// boxOf returns the element's box in its own viewport. An element without a box (display: contents)
// has that of its content.
/** @param {El} el */
export function boxOf(el) {
  const r = rectOf(el);
  if (r.width > 0 && r.height > 0) return r;
  if (localName(el) === 'area') return areaBox(el);
  if (isBoxless(el)) return contentRange(el).getBoundingClientRect();
  let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  eachChild(el, (n) => {
    if (nodeType(n) !== ELEMENT) return;
    const c = rectOf(n);
    if (c.width <= 0 || c.height <= 0) return;
    left = Math.min(left, c.left); top = Math.min(top, c.top);
    right = Math.max(right, c.right); bottom = Math.max(bottom, c.bottom);
  });
  return left < right ? new DOMRect(left, top, right - left, bottom - top) : r;
}

// boxesOf returns the boxes of each line of an element.
/** @param {El} el */
export const boxesOf = (el) => [...isBoxless(el) ? contentRange(el).getClientRects() : clientRects(el)].filter(hasArea);

/** @param {El} el */
export const isBoxless = (el) => getComputedStyle(el).display === 'contents';

/** @param {El} el */
function contentRange(el) {
  const range = ownerDocument(el).createRange();
  range.selectNodeContents(el);
  return range;
}

// occupies is hasArea(boxOf(el)) at the price of two numbers in the usual case.
/** @param {El} el */
export const occupies = (el) => el.offsetWidth > 0 && el.offsetHeight > 0 || hasArea(boxOf(el));

/** @param {Size} r */
export const hasArea = (r) => r.width > 0 && r.height > 0;

// takesRoom reports a box of more than a pixel.
/** @param {El} el */
export function takesRoom(el) {
  const r = rectOf(el);
  return r.width > 1 && r.height > 1;
}

// A native control is often transparent or clipped under a drawn one. It is still the control, and
// the pointer goes to its label. So is the one input of a code under the boxes that show it.
/** @param {El} el */
export const isDisguised = (el) => {
  const tag = localName(el);
  return tag === 'select' || tag === 'input' && (el.type === 'checkbox' || el.type === 'radio' || el.type === 'file' || el.type === 'range' || attr(el, 'autocomplete') === 'one-time-code' || isOptionsInput(el));
};

// isDrivenByKeys reports a slider without a size of its own, which tells its value and takes the focus.
/** @param {El} el @param {string} role */
export const isDrivenByKeys = (el, role) => (role === 'slider' || role === 'spinbutton' || role === 'scrollbar') && hasAttr(el, 'aria-valuenow') &&
  hasAttr(el, 'tabindex') && el.tabIndex >= 0;

// isOptionsInput reports the text input of a custom select. Libraries make it transparent or tiny and
// draw the chosen value around it.
/** @param {El} el */
export const isOptionsInput = (el) => localName(el) === 'input' && (el.readOnly && attr(el, 'aria-haspopup') === 'listbox' ||
  hasAttr(el, 'aria-expanded') && (attr(el, 'role') === 'combobox' || /^(?:list|both)$/.test(attr(el, 'aria-autocomplete') ?? '')));

// hiddenReason returns '' when a person can see the element.
/** @param {El} el */
export function hiddenReason(el) {
  if (!hasArea(boxOf(el))) return 'it has no size';
  const from = localName(el) === 'area' ? parentOf(el) : el; // the picture draws its areas
  for (let up = from, below = null; up; below = up, up = parentOf(up)) {
    if (below && localName(up) === 'details' && !up.open && below !== summaryOf(up)) return 'it is folded away';
    const cs = getComputedStyle(up);
    if (cs.display === 'none') return 'it is not displayed';
    if (up === from && cs.visibility !== 'visible') return 'its visibility is ' + cs.visibility;
    if (cs.opacity === '0' && !isDisguised(el)) return 'it is transparent';
    if (up !== from && cs.contentVisibility === 'hidden') return 'its content is not rendered';
  }
  return '';
}

// isShown reports that a person who sees what is around an element sees it too. Most elements that are shown need no
// look at their style.
/** @param {El} el */
export function isShown(el) {
  if (isRenderedOpaque(el) && (paintOf(el, takesRoom) || hasArea(rectOf(el)))) return true;
  const cs = getComputedStyle(el);
  return cs.display !== 'none' && cs.visibility === 'visible' && (cs.opacity !== '0' || isDisguised(el)) && hasArea(boxOf(el));
}

/** @param {El} el */
export const isVisible = (el) => hiddenReason(el) === '';

/** @param {El} el */
export function inertReason(el) {
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) if (hasAttr(up, 'inert')) return 'it is inert';
  return '';
}

/** @param {Doc} doc */
const hasInert = (doc) => doc.querySelector('[inert]') !== null;

/** @param {number} n */
export const round = (n) => Math.round(n * 10) / 10;

/** @param {El} el */
export function topBox(el) {
  const r = boxOf(drawnEditor(el) ?? el), off = frameOffset(ownerDocument(el)), s = off.scale;
  return { x: round(r.x * s + off.x), y: round(r.y * s + off.y), width: round(r.width * s), height: round(r.height * s) };
}

export const TEXT_TYPES = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number']);

export const SET_TYPES = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);

/** @param {string} tag @param {string} role */
export const isField = (tag, role) => tag === 'input' && role !== 'button' || tag === 'label' && role === 'clickable' || tag === 'select' || tag === 'textarea' || role === 'textbox' || role === 'combobox';

// opensOptions reports a list that a script draws, or a control that opens one.
/** @param {El} el @param {string} role */
export const opensOptions = (el, role) => role === 'combobox' || role === 'listbox' ||
  /^(?:listbox|menu|true)$/.test(attr(el, 'aria-haspopup') ?? '') && role === 'button';

/** @param {El} el @param {string | undefined} value */
export const sameValue = (el, value) => (localName(el) === 'input' || localName(el) === 'textarea') && el.value === value;

// isFiltered reports a column header whose classes, or those of its filter button, say that a filter is
// set. No attribute of ARIA says so.
const FILTERED = /filter(?:ed|s?-*active|-on)(?![a-z])|(?:active|has|is)-?filter(?:ed|s)?(?![a-z])/i, ACTIVE = /(?:^|[\s_-])(?:active|selected|on)(?:$|\s)/i;

/** @param {El} cell */
function isFiltered(cell) {
  const own = attr(cell, 'class') ?? '';
  if (FILTERED.test(own)) return true;
  for (const part of selectAllIn(cell, '[class*="filter" i]')) {
    const said = attr(part, 'class') ?? '';
    if (FILTERED.test(said) && !/inactive/i.test(said) || ACTIVE.test(said)) return true;
  }
  return false;
}
