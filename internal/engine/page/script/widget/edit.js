// Editing: the kind of a field, and the part of setting it that needs no real input. The Go side
// types with input events.

import {
  attached, attr, closest, composedContains, focusedElement, hasAttr, isEditable, localName, matches, ownerDocument, parentElement, parentOf,
  selectAllIn, selectIn, textContent, tidy,
} from '../dom/dom.js';
import { drawnEditor } from '../dom/drawn_editor.js';
import { drawnSlider } from '../dom/drawn_slider.js';
import { EngineError } from '../dom/error.js';
import { MAX_WRAPPERS, drawnAround } from '../dom/hit_test.js';
import { nameOf } from '../dom/name.js';
import { isOffered, isOpenSelect } from '../dom/open_select.js';
import { isPlayer } from '../dom/player.js';
import { LISTS, listOf } from '../dom/popup.js';
import { roleOf } from '../dom/role.js';
import {
  SET_TYPES, TEXT_TYPES, boxOf, checkedOf, hiddenReason, inertReason, isDisabled, isDisguised, isDrivenByKeys, isOptionsInput, isReadOnly, isVisible,
  opensOptions, sameValue,
} from '../dom/state.js';
import { ownText } from '../dom/text.js';
import { frame, ownTimeout } from '../dom/timers.js';
import { describe, entries, resolve } from '../document/registry.js';
import { noteFilled } from '../document/secret_copy.js';
import { label } from '../settle/effect.js';
import { interceptInput } from '../settle/input_interceptor.js';
import { actionRecord, beginRecord } from '../settle/mutations.js';
import { expect, expectText, isPending, readBack } from '../settle/read_back.js';
import { nearbyLabel } from '../locate/label.js';
import { drawnFor, fieldIn, isReplaced, prepareRating, radiosIn, ratingOf } from '../locate/labelled_field.js';
import { prepareEditor } from '../input/editor_text.js';
import { originAt } from '../input/secret.js';
import { prepareCell } from './cell.js';
import { prepareCode, prepareSplit } from './code.js';
import { isDrawnSelect } from './drawn_select.js';
import { optionLabels, optionMeant } from './options.js';
import { setPlayer } from './player.js';
import { prepareSlider, sliderValue } from './slider.js';
import { prepareTransfer } from './transfer_list.js';

/** @type {Record<string, string>} */
const FORMATS = { date: 'YYYY-MM-DD', time: 'HH:MM', 'datetime-local': 'YYYY-MM-DDTHH:MM', month: 'YYYY-MM',
  week: 'YYYY-Www', color: '#rrggbb', range: 'a number', number: 'a number' };

/** @type {Record<string, string>} */
const EXAMPLES = { date: '2026-01-31', time: '21:30', 'datetime-local': '2026-01-31T21:30', month: '2026-01', week: '2026-W05', color: '#336699',
  range: '1', number: '1' };

// This world's prototype has its own accessors. Setting through them bypasses a framework's
// override of the property, so the framework sees a difference and accepts the event, as after
// typing.
/** @param {El} el @param {string} value */
const setInputValue = (el, value) => {
  const { set } = /** @type {{ set: (value: string) => void }} */ (Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value'));
  set.call(el, value);
};

// edit prepares or performs setting a value. `plan` names the remaining work.
/** @param {{ n: number, value: string, origin?: string, native?: boolean }} o */
export function edit({ n, value, origin, native }) {
  const el = resolve(n);
  if (origin && originAt(el) !== origin) throw new EngineError('stale', { reason: 'its document has another origin' });
  if (origin) noteFilled(el);
  const shownRole = entries.get(n)?.role;
  const role = roleOf(el);
  const picker = localName(el) === 'input' && TEXT_TYPES.has(el.type) && el.readOnly === true && !isOptionsInput(el);
  /** @param {string} plan @param {object} [more] */
  const answer = (plan, more) => ({ plan, element: describe(el, shownRole), ...more });
  const box = localName(el) === 'select' ? drawnFor(el) : null;
  if (box) return answer('drawn', { ref: describe(fieldIn(box) ?? box).ref });
  if (localName(el) === 'select' && !native && isDrawnSelect(el)) return answer('drawnSelect');
  const moves = prepareTransfer(el, role, value);
  if (moves) return answer('transfer', moves);
  const radio = role === 'radiogroup' || role === 'group' ? radioMeant(el, value) : null;
  if (radio) return answer('radio', { ref: describe(radio).ref });
  const code = prepareCode(el, value, !!origin) ?? (origin ? null : prepareSplit(el, value));
  if (code) return answer('code', code);
  requireEditable(el, role, picker);
  beginRecord(el, shownRole);
  if (isPlayer(el)) return setPlayer(el, value).then(() => answer('done'));
  const drawn = drawnPlan(el, role, picker, value);
  if (drawn) return answer(drawn.plan, drawn);
  if (picker) return answer('picker');
  if ((role === 'cell' || role === 'gridcell') && !isEditable(el)) return answer('cell', prepareCell(el));
  const tag = localName(el), editor = drawnEditor(el);
  if (editor) return answer('editor', prepareEditor(el, editor));
  if (tag === 'select') { const open = isOpenSelect(el); selectOptions(el, value); return answer(open ? 'close' : 'done'); }
  if (tag === 'input' && (el.type === 'checkbox' || el.type === 'radio') || role === 'checkbox' || role === 'switch' || role === 'radio' ||
      role === 'menuitemcheckbox' || role === 'menuitemradio') {
    return answer(toggle(el, role, value));
  }
  const range = role === 'slider' ? rangeOf(el, value) : null;
  if (range) return answer('range', range);
  if (tag === 'input' && SET_TYPES.has(el.type)) { assign(el, value); return answer('done'); }
  if (tag === 'input' && !TEXT_TYPES.has(el.type)) throw new EngineError('notEditable', { reason: `an input of type ${el.type} takes no text` });
  if (tag === 'input' && el.type === 'number' && value !== '' && !Number.isFinite(Number(value))) {
    throw new EngineError('valueRefused', { reason: `a number field takes ${FORMATS.number}`, example: EXAMPLES.number });
  }
  if (tag !== 'input' && tag !== 'textarea' && !isEditable(el) && opensOptions(el, role)) {
    return answer('options', { inline: role === 'listbox', multiple: attr(el, 'aria-multiselectable') === 'true', open: attr(el, 'aria-expanded') === 'true' });
  }
  if (tag !== 'input' && !isEditable(el) && (role === 'slider' || role === 'spinbutton')) return answer('slider', prepareSlider(el, role, value));
  if (tag !== 'input' && tag !== 'textarea' && !isEditable(el)) {
    const inner = selectIn(el, 'input:not([type=hidden]),textarea,select,[contenteditable]');
    const hint = inner ? `; it holds ${label(inner, roleOf(inner))} [${describe(inner).ref}]` : '';
    throw new EngineError('notEditable', { reason: `a ${shownRole} takes no value${hint}` });
  }
  if (tag === 'input' && (isOptionsInput(el) || role === 'combobox' && !hasAttr(el, 'list'))) return answer('combobox', comboboxState(el));
  if (isListOfValues(value) && isTokenField(el)) return answer('combobox', { ...comboboxState(el), multiple: true });
  selectContent(el);
  if (focusedElement() !== el && !composedContains(el, focusedElement() ?? document.documentElement)) {
    const next = !attached(el) && focusedElement();
    if (next && roleOf(next) === role && nameOf(next, role) === entries.get(n)?.name) return { plan: 'drawn', element: describe(next), ref: describe(next).ref };
    throw new EngineError('notEditable', { reason: 'it does not keep the focus' });
  }
  if (actionRecord) actionRecord.text = el.value;
  expectText(el, value, !!origin);
  Object.assign(interceptInput('keys', el), { certain: !sameValue(el, value), value });
  return answer('insert', { unchanged: sameValue(el, value) });
}

// radioMeant returns the radio button of a group that a value means, or null where the group has none.
/** @param {El} group @param {string} value */
function radioMeant(group, value) {
  const radios = radiosIn(group);
  if (!radios.length) return null;
  /** @param {El} o */
  const parts = (o) => ({ text: nameOf(o, 'radio') || nearbyLabel(o, 'radio'), value: attr(o, 'value'), group: '', disabled: isDisabled(o), list: group });
  const radio = optionMeant(radios, value, parts);
  if (!radio) throw new EngineError('noOption', { value, options: optionLabels(radios, parts), total: radios.length });
  return radio;
}

// drawnPlan returns how a widget without a role of its own is set, or null: a row of stars or a slider.
/** @param {El} el @param {string} role @param {boolean} picker @param {string} value */
function drawnPlan(el, role, picker, value) {
  if (!picker && role !== 'list' && role !== 'radiogroup' && role !== 'group' && role !== 'generic') return null;
  const numbers = numbersOf(value);
  const slider = numbers ? drawnSlider(el) : null;
  if (slider) return { plan: 'drawnSlider', values: numbers };
  const rating = picker ? null : ratingOf(el);
  return rating && { plan: 'rating', point: prepareRating(rating, el, value) };
}

// numbersOf reads one number, or two of a range (20..60, 20-60, 20 to 60, [20,60]), or returns null.
const RANGE = /^\s*(-?\d+(?:\.\d+)?)\s*(?:\.\.|-|–|,|to)\s*(-?\d+(?:\.\d+)?)\s*$/;
/** @param {string} value */
function numbersOf(value) {
  const parts = value.startsWith('[') ? valuesOf(value) : RANGE.exec(value)?.slice(1) ?? [value];
  const numbers = parts.map((v) => (v.trim() === '' ? NaN : Number(v)));
  return numbers.length <= 2 && numbers.every(Number.isFinite) ? numbers : null;
}

// rangeOf returns the two sliders of a range, the lower one first, and the value of each; null where the
// value is no range, or the slider has no other beside it.
const SLIDERS = '[role=slider],input[type=range]', MAX_RANGE_LEVELS = 4;
/** @param {El} el @param {string} value */
function rangeOf(el, value) {
  const values = numbersOf(value);
  if (values?.length !== 2) return null;
  for (let up = parentOf(el), level = 0; up && level < MAX_RANGE_LEVELS; up = parentOf(up), level++) {
    const sliders = [...selectAllIn(up, SLIDERS)].filter((s) => isVisible(s) || isDisguised(s));
    if (sliders.length > 2) return null;
    if (sliders.length < 2) continue;
    /** @param {El} s */
    const valueAt = (s) => (localName(s) === 'input' ? Number(s.value) : sliderValue(s) ?? 0);
    sliders.sort((a, b) => valueAt(a) - valueAt(b));
    return { refs: sliders.map((s) => describe(s).ref), values, current: valueAt(sliders[1]) };
  }
  return null;
}

/** @param {string} value */
export const isListOfValues = (value) => value.startsWith('[') && valuesOf(value).join('\n') !== value;

// isTokenField reports a text field without a frame of its own, in a box that is drawn as the field: it
// holds the values that were entered.
/** @param {El} el */
function isTokenField(el) {
  if (frameless(el)) for (let up = parentOf(el), level = 0; up && level < MAX_WRAPPERS; up = parentOf(up), level++) if (!frameless(up)) return !matches(up, 'form,body,[role=dialog]');
  return false;
}

/** @param {El} el */
const frameless = (el) => { const cs = getComputedStyle(el); return parseFloat(cs.borderBottomWidth) === 0 || cs.borderBottomStyle === 'none' || /^rgba\(.*, 0\)$/.test(cs.borderBottomColor); };

// guardSubmit keeps the next Enter from submitting the form of a field: it is meant for the popup that the
// field has opened. A submit button is clicked by that Enter, and its click is stopped.
const GUARD_LIFE = 1000;
/** @param {{ n: number }} o */
export function guardSubmit({ n }) {
  const view = ownerDocument(resolve(n)).defaultView;
  /** @param {Event} e */
  const stop = (e) => {
    if (e.type === 'click' && (/** @type {UIEvent} */ (e).detail !== 0 || !e.isTrusted)) return;
    e.preventDefault();
    e.stopImmediatePropagation();
  };
  for (const type of ['submit', 'click']) view.addEventListener(type, stop, { capture: true });
  ownTimeout(() => { for (const type of ['submit', 'click']) view.removeEventListener(type, stop, { capture: true }); }, GUARD_LIFE);
  return {};
}

// comboboxState says how a text input with a list of options is set: it takes text unless it is read-only.
/** @param {El} el */
function comboboxState(el) {
  const list = listOf(el);
  return {
    open: attr(el, 'aria-expanded') === 'true', readOnly: el.readOnly === true, plain: !frameless(el),
    multiple: list !== null && attr(list, 'aria-multiselectable') === 'true',
  };
}

// comboboxValue returns the text of a combobox's input, whether the box around it shows the wanted value,
// and whether its list is open.
/** @param {{ n: number, value: string }} o */
export function comboboxValue({ n, value }) {
  const el = resolve(n);
  const wanted = tidy(value);
  const shown = [...selectAllIn(drawnAround(el), '*')].some((e) => tidy(ownText(e)) === wanted && !closest(e, LISTS) && isVisible(e));
  return { value: el.value ?? tidy(textContent(el)), shown: wanted !== '' && shown, open: attr(el, 'aria-expanded') === 'true', keyed: focusedElement() === el && closest(el, 'dialog,[role=dialog],[role=alertdialog]') === null };
}

/** @param {El} el @param {string} role @param {boolean} picker */
function requireEditable(el, role, picker) {
  if (isDisabled(el)) throw new EngineError('notEditable', { reason: 'it is disabled', remedy: 'read' });
  if (!picker && !isOptionsInput(el) && isReadOnly(el, role)) throw new EngineError('notEditable', { reason: 'it is read-only' });
  const hidden = (isDisguised(el) || isDrivenByKeys(el, role) || drawnEditor(el) ? '' : hiddenReason(el)) || inertReason(el);
  if (hidden) throw new EngineError('notEditable', { reason: hidden, remedy: 'read' });
}

/** @param {El} el */
function selectContent(el) {
  if (localName(el) === 'input' || localName(el) === 'textarea') {
    el.focus({ preventScroll: false });
    el.select();
    return;
  }
  el.focus();
  const selection = ownerDocument(el).defaultView.getSelection();
  selection?.selectAllChildren(el);
}

/** @param {El} el */
export const dispatchInputAndChange = (el) => {
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
};

/** @param {El} el @param {string} value */
function assign(el, value) {
  const before = el.value, min = Number(attr(el, 'min') || 0), max = Number(attr(el, 'max') || 100), number = Number(value);
  if (el.type === 'range' && min < max && (number < min || number > max)) {
    throw new EngineError('valueRefused', { reason: `it goes from ${min} to ${max}`, example: String(number < min ? min : max) });
  }
  el.focus();
  setInputValue(el, value.trim());
  const got = el.value;
  const kept = el.type === 'color' ? got === value.trim().toLowerCase()
    : el.type === 'range' ? Number.isFinite(Number(value)) && value.trim() !== '' : value.trim() === '' || got !== '';
  const isBetween = kept && el.type === 'range' && Math.abs(Number(got) - number) > 1e-9;
  if (!kept || isBetween) {
    setInputValue(el, before);
    if (isBetween) throw new EngineError('valueRefused', { reason: `it moves in steps, the nearest of which is ${got}`, example: got });
    throw new EngineError('valueRefused', { reason: `a ${el.type} field takes ${FORMATS[el.type]}`, example: EXAMPLES[el.type] });
  }
  expect({ el, holds: (at) => at.value === got });
  if (got === before) return;
  if (el.type !== 'range') { dispatchInputAndChange(el); return; }
  setInputValue(el, before); // a hand finds the handle where it was, and lets it go before the change
  dispatchPress(el, 'down');
  setInputValue(el, got);
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  dispatchPress(el, 'up');
  el.dispatchEvent(new Event('change', { bubbles: true }));
}

// dispatchPress sends the events by which a script notes that a handle is held or let go.
/** @param {El} el @param {'down' | 'up'} way */
function dispatchPress(el, way) {
  const r = boxOf(el), min = Number(attr(el, 'min') ?? 0), max = Number(attr(el, 'max') ?? 100);
  const share = max > min ? (Number(el.value) - min) / (max - min) : 0;
  const at = { clientX: r.left + r.width * share, clientY: r.top + r.height / 2, button: 0, buttons: way === 'down' ? 1 : 0, bubbles: true, cancelable: true, composed: true };
  el.dispatchEvent(new PointerEvent('pointer' + way, { ...at, pointerId: 1, pointerType: 'mouse', isPrimary: true }));
  el.dispatchEvent(new MouseEvent('mouse' + way, at));
}

// selectOptions selects options by the text that is shown, then by value; several, one per line, in a list
// that allows it.
/** @param {El} el @param {string} value */
function selectOptions(el, value) {
  const wanted = el.multiple ? valuesOf(value) : [value];
  const options = [...el.options], offered = isReplaced(el) ? options : options.filter(isOffered);
  const found = wanted.map((w) => {
    /** @param {El} o */
    const parts = (o) => {
      const group = closest(o, 'optgroup');
      return { text: tidy(o.label), value: attr(o, 'value'), group: group ? tidy(attr(group, 'label') ?? '') : '', disabled: isDisabled(o), list: el };
    };
    const option = optionMeant(offered, w, parts);
    if (!option) {
      const labels = optionLabels(offered, parts);
      throw new EngineError('noOption', { value: w, options: labels, total: offered.length });
    }
    if (option.disabled || parentElement(option)?.disabled) {
      throw new EngineError('notEditable', { reason: `its option ${JSON.stringify(tidy(option.label))} is disabled`, remedy: 'read' });
    }
    return option;
  });
  if (!isReplaced(el)) el.focus(); // the focus may open what a script draws in its place
  let moved = false;
  for (const option of options) {
    const on = found.includes(option);
    if (option.selected !== on) { moved = true; if (el.multiple || on) option.selected = on; }
  }
  const labels = found.map((o) => tidy(o.label)).sort().join('\n');
  expect({ el, holds: (at) => [...at.selectedOptions].map((o) => tidy(o.label)).sort().join('\n') === labels });
  if (moved) dispatchInputAndChange(el);
}

// valuesOf reads several values: a JSON array, or one per line.
/** @param {string} value @returns {string[]} */
export function valuesOf(value) {
  if (value.startsWith('[')) {
    try {
      return JSON.parse(value).map(String);
    } catch { /* not JSON: text that begins with a bracket */ }
  }
  return value.split('\n').filter((v) => v !== '');
}

const YES = new Set(['true', 'on', 'yes', '1', 'checked']);
const NO = new Set(['false', 'off', 'no', '0', 'unchecked', '']);

// toggle returns 'click' when the state differs from the wanted one.
/** @param {El} el @param {string} role @param {string} value */
function toggle(el, role, value) {
  const low = value.trim().toLowerCase();
  if (!YES.has(low) && !NO.has(low)) throw new EngineError('valueRefused', { reason: `a ${role} takes true or false`, example: 'true' });
  const on = YES.has(low);
  if (!on && (role === 'radio' || role === 'menuitemradio')) {
    throw new EngineError('valueRefused', { reason: 'a radio is unset only by setting another of its group' });
  }
  return checkedOf(el, role) === String(on) ? 'done' : 'click';
}

// waitForToggle waits until a toggle has the wanted state. One without a state is taken at its word.
/** @param {{ n: number, value: string, limit: number, inForm: boolean }} o */
export async function waitForToggle({ n, value, limit, inForm }) {
  const el = resolve(n), role = roleOf(el), until = performance.now() + limit;
  const held = () => [String(YES.has(value.trim().toLowerCase())), undefined].includes(checkedOf(el, role));
  while (!held() && performance.now() < until) await frame();
  expect({ el, holds: held, since: performance.now() });
  return { held: held() && !await readBack(inForm), pending: inForm && isPending(el), element: describe(el, entries.get(n)?.role) };
}
