// Read back: whether the field of an action holds what was set, once the page has settled. What it holds counts,
// not the events: a page may cancel the input, or put its own value back.

import { attached, attr, focusedElement, isEditable, localName, ownerDocument, parentOf, rectOf, selectAllIn, textContent, tidy } from '../dom/dom.js';
import { drawnEditor } from '../dom/drawn_editor.js';
import { isPlayer, playerStates } from '../dom/player.js';
import { roleOf } from '../dom/role.js';
import { onNewRoot } from '../dom/roots.js';
import { masked } from '../dom/secret_texts.js';
import { MASK, TEXT_TYPES, checkedOf, isOptionsInput, isSecret, valueOf } from '../dom/state.js';
import { frame, later } from '../dom/timers.js';
import { describe, entries, successor } from '../document/registry.js';
import { startedTimers } from './action_timers.js';
import { actionRecord, drain, generation, schedulerIds } from './mutations.js';

// A page that started timers has REVERT_TIME (ms) after the input to put a value back, and LATE_TIME to show one.
const REVERT_TIME = 300, LATE_TIME = 1000;

// inputs counts the input events of the page. filled has the file inputs that held files at such an event: many
// pages take the files and empty the input.
let inputs = 0;
const filled = new WeakSet();
// toggled has the checkboxes and radio buttons that sent such an event since they were clicked.
const toggled = new WeakSet();
onNewRoot((root) => {
  root.addEventListener('input', (e) => {
    inputs++;
    const el = e.composedPath()[0];
    toggled.add(el);
    if (el.files?.length) filled.add(el);
  }, { capture: true, passive: true });
});

// formFields has the expectations of the fields of a form, which are compared once more at its end.
/** @type {WeakMap<El, FormExpectation>} */
const formFields = new WeakMap();

// expectFiles expects files in a file input.
/** @param {El} el */
export function expectFiles(el) {
  filled.delete(el);
  expect({ el, holds: (at) => filled.has(el) || !!at.files?.length });
}

// expect has the end of the action compare an element with what was set.
/** @param {Omit<Expectation, 'inputs'>} expectation */
export function expect(expectation) {
  formFields.delete(expectation.el);
  if (actionRecord) actionRecord.expected = { ...expectation, inputs };
}

// expectToggle expects a checkbox, radio button, switch or pressed button that a click toggles to stay as it is then. A
// click that the page cancels toggles nothing, nor does one that presses a button for a moment.
/** @param {El} target */
export function expectToggle(target) {
  const el = target.control ?? target, role = roleOf(el), before = checkedOf(el, role), record = actionRecord;
  if (before === undefined) return expectPressed(target);
  if (!record) return;
  toggled.delete(el);
  const hasToggled = () => toggled.has(el) || record.records.some((r) => r.target === el && r.attributeName === 'aria-checked');
  expect({ el, checked: before, holds: (at) => checkedOf(at, role) !== before || !hasToggled() });
}

/** @param {El} el */
function expectPressed(el) {
  const before = attr(el, 'aria-pressed');
  let changed = false; // as of the end of the click
  if (before !== 'true' && before !== 'false') return;
  ownerDocument(el).defaultView.addEventListener('click', () => later(0).then(() => { changed = attr(el, 'aria-pressed') !== before; }), { capture: true, once: true });
  expect({ el, checked: before, holds: (at) => !changed || attr(at, 'aria-pressed') !== before });
}

// expectText expects a text in the place of all that a field holds.
/** @param {El} el @param {string} value @param {boolean} hidden */
export function expectText(el, value, hidden) {
  const before = textOf(el);
  expect({ el, hidden, limit: el.maxLength > 0 && value.length > el.maxLength ? el.maxLength : undefined, holds: (at) => holdsText(textOf(at), value, before) || hasSpread(at, value) });
}

// prepareTyping notes what the focused field holds, for expectTyped.
/** @param {El | null} el */
export function prepareTyping(el) {
  if (actionRecord && el && takesTyping(el)) actionRecord.untyped = { el, before: textOf(el), kept: unselectedIn(el), inputs };
}

// unselectedIn returns the text of a field that typing leaves: all but what is selected.
/** @param {El} el */
function unselectedIn(el) {
  const text = textOf(el);
  if (!isEditable(el)) return el.selectionStart === null ? text : text.slice(0, el.selectionStart) + text.slice(el.selectionEnd ?? text.length);
  const selected = ownerDocument(el).getSelection();
  return selected && selected.containsNode(el, true) ? text.replace(selected.toString(), '') : text;
}

// expectTyped expects text beside what the focused field held. Of a secret, text is ''.
/** @param {string} text */
export function expectTyped(text) {
  const was = actionRecord?.untyped;
  if (!actionRecord || !was) return;
  // A line end may send the text, and a tab leaves the field.
  const leaves = text.includes('\t') || text.includes('\n');
  const lenient = leaves || !text || isOptionsInput(was.el) || roleOf(was.el) === 'combobox';
  const own = text.split('\t')[0]; // what follows a tab is typed into the next field
  actionRecord.untyped = undefined;
  actionRecord.expected = { el: was.el, hidden: !text, inputs: was.inputs, holds: (at) => {
    const now = textOf(at);
    if (leaves && !/\S/.test(own)) return true;
    if (lenient && (now === '' || leaves && now.length < was.before.length || !leaves)) return now !== was.before || inputs !== was.inputs;
    if (now === was.before) return !/\S/.test(own) || leaves && inputs !== was.inputs;
    const added = insertedIn(was.kept, now);
    return inOrder(own, added) && sameNumber(added, own) !== false || focusedElement() !== at && hasSpread(at, own);
  } };
}

// KEY_TIME (ms) bounds the wait for an editor that draws a key with a delay.
const KEY_TIME = 150;

// editorSettled waits for the focused editor after a key that started timers: one that draws with a delay loses the keys
// that come before. It reports whether the editor changed with the delay.
export async function editorSettled() {
  const record = actionRecord, was = record?.untyped;
  if (!record || !was) return { late: false };
  const timers = startedTimers(record);
  if (timers <= (was.timers ?? 0)) return { late: false };
  was.timers = timers;
  drain();
  const seen = generation, until = performance.now() + KEY_TIME;
  while (generation === seen && performance.now() < until) { await frame(); drain(); }
  return { late: generation !== seen };
}

// keySettled waits for two frames after a key: a page takes the next one once it has drawn what this one did, and loses
// one that comes before. A hand is no faster.
export async function keySettled() {
  await frame();
  await frame();
}

// takesTyping reports a field whose own text is the typed text: not one that draws it elsewhere.
/** @param {El} el */
function takesTyping(el) {
  const tag = localName(el);
  if (tag === 'input' ? !TEXT_TYPES.has(el.type) : tag !== 'textarea' && !isEditable(el)) return false;
  const r = rectOf(el);
  return r.width * r.height > 100 && !drawnEditor(el);
}

/** @param {El} el */
const textOf = (el) => (isEditable(el) ? (el.innerText ?? textContent(el)).replaceAll('\u00a0', ' ').replaceAll('\u200b', '') : el.value ?? '');

// essence is the letters and digits of a text: formats add others.
/** @param {string} text */
const essence = (text) => text.normalize('NFKD').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

// hasGroups reports that a text has all groups of letters and digits of another, in any order and without their first zeros,
// as a format of dates does.
/** @param {string} part @param {string} text */
function hasGroups(part, text) {
  /** @param {string} s */
  const groups = (s) => s.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').split(/[^\p{L}\p{N}]+/u).filter(Boolean).map((g) => g.replace(/^0+(?=\d)/, ''));
  const wanted = groups(part), left = groups(text);
  return wanted.length > 1 && wanted.every((g) => { const at = left.indexOf(g); if (at >= 0) left.splice(at, 1); return at >= 0; });
}

// inOrder reports that a text has all letters and digits of another, one after the other.
/** @param {string} part @param {string} text */
function inOrder(part, text) {
  const all = essence(text);
  let at = 0;
  for (const c of essence(part)) {
    at = all.indexOf(c, at) + c.length;
    if (at < c.length) return false;
  }
  return essence(part) !== '' || text.includes(part.trim()) || tidy(text).includes(tidy(part));
}

// numbersIn returns what a text with one number means, with the point or the comma before the decimals.
/** @param {string} text */
function numbersIn(text) {
  const found = text.match(/\d(?:[\d.,'’\s]*\d)?/g) ?? [];
  if (found.length !== 1) return [];
  const sign = /[-−(]\D*$/.test(text.slice(0, text.indexOf(found[0]))) ? -1 : 1;
  return [['.', ','], [',', '.']].map(([point, group]) => {
    const [whole, part = '0', more] = found[0].replace(/['’\s]/g, '').split(point), groups = whole.split(group);
    const wrong = more !== undefined || part.includes(group) || groups.length > 1 && groups.some((g, i) => i ? g.length !== 3 : g.length > 3);
    return wrong ? NaN : sign * Number(`${groups.join('')}.${part}`);
  }).filter((n) => !Number.isNaN(n));
}

// sameNumber compares a text with an amount by value: a sign or a point that the page drops makes another of it. It is
// undefined where the digits decide.
/** @param {string} now @param {string} wanted */
function sameNumber(now, wanted) {
  if (!/^\s*[-−]?\d+(?:[.,]\d+)*\s*$/.test(wanted)) return undefined;
  const numbers = numbersIn(now), amounts = numbersIn(wanted), same = amounts.some((n) => numbers.includes(n)), isWhole = !/[-−.,]/.test(wanted);
  if (!numbers.length || !amounts.length) return undefined;
  if (same) return isWhole ? undefined : true;
  return isWhole && !(/[.,]/.test(now) && essence(now) === essence(wanted)) ? undefined : false;
}

/** @param {string} now @param {string} wanted @param {string} before */
function holdsText(now, wanted, before) {
  if (now === wanted || tidy(now) === tidy(wanted)) return true;
  const byValue = sameNumber(now, wanted);
  if (byValue !== undefined) return byValue;
  const n = essence(now), w = essence(wanted), b = essence(before);
  if (n === w) return w !== '' || now !== before || wanted.trim() === '';
  if (wanted.trim() === '') return now !== before && /^0*$/.test(n);
  if (now === before || b !== '' && (n === b + w || n === w + b)) return false;
  return inOrder(wanted, now) || hasGroups(wanted, now);
}

// insertedIn returns the part of a text that an earlier one lacks.
/** @param {string} before @param {string} now */
function insertedIn(before, now) {
  let start = 0, end = 0;
  const most = Math.min(before.length, now.length);
  while (start < most && before[start] === now[start]) start++;
  while (end < most - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++;
  return now.slice(start, now.length - end);
}

// hasSpread reports a text that the page has spread over several fields, as a code with a box for each digit.
const MAX_SPREAD_LEVELS = 4;
/** @param {El} el @param {string} value */
function hasSpread(el, value) {
  for (let up = parentOf(el), level = 0; up && level < MAX_SPREAD_LEVELS; up = parentOf(up), level++) {
    const fields = [...selectAllIn(up, 'input')].filter((f) => TEXT_TYPES.has(f.type));
    if (fields.length > 1) return fields.some((f) => f !== el && f.value !== '') && essence(fields.map((f) => f.value).join('')) === essence(value);
  }
  return false;
}

// successorOf returns the field that the page drew in the place of one that left it, or null.
/** @param {El} el */
function successorOf(el) {
  if (attached(el)) return el;
  const id = attr(el, 'id'), name = attr(el, 'name'), doc = ownerDocument(el);
  const found = id ? doc.getElementById(id) : name ? doc.querySelector(`${localName(el)}[name=${JSON.stringify(name)}]`) : null;
  return found && localName(found) === localName(el) && found.type === el.type ? found : null;
}

// noteInput notes that the input is over, and whether the page requested a frame in its handlers: it may put the
// value back there.
export function noteInput() {
  const was = actionRecord;
  if (!was?.expected) return;
  was.expected.since ??= performance.now();
  was.expected.frames ??= schedulerIds(was.views).some((ids, i) => ids[0] > was.scheduler[i][0] + 1) ? 2 : 0;
}

// readBack waits until the page has had its time to change the field, and returns what that holds where it is not
// what was set. It costs nothing on a page that started nothing. A field of a form that holds it has that time until
// the end of the form.
/** @param {boolean} [inForm] @returns {Promise<FieldState | undefined>} */
export async function readBack(inForm) {
  const record = actionRecord, expected = record?.expected;
  if (!record || !expected) return undefined;
  for (let frames = expected.frames ?? 0, refused = false; ; frames--) {
    const waited = performance.now() - (expected.since ?? record.timers.at);
    if (waited >= REVERT_TIME && startedTimers(record) > 0) await later(0); // after the page's timers that are due
    const el = successorOf(expected.el);
    if (!el) return undefined; // it left the page, which the effect says
    const held = expected.holds(el);
    if (held && inForm) { formFields.set(expected.el, { ...expected, timers: record.timers, views: record.views }); return undefined; }
    if (!held && !refused) { refused = true; frames = 2; }
    const busy = startedTimers(record) > 0 && waited < (held ? REVERT_TIME : LATE_TIME);
    if (actionRecord !== record || frames <= 0 && !busy) return held ? undefined : notApplied(el, expected, expected.checked);
    await frame();
  }
}

// readBackForm waits until the page has had its time to change the fields of a form, and returns the state of each.
/** @param {FormField[]} fields @returns {Promise<FieldState[]>} */
export async function readBackForm(fields) {
  for (let frames = 0, refused = false, first = true; ; frames--, first = false) {
    const states = fields.map(fieldState), waiting = states.map((s) => s.wait ?? 0);
    if (first && states.some((s) => s.frames) || !refused && states.some((s) => !s.held)) frames = 2;
    refused ||= states.some((s) => !s.held);
    if (frames <= 0 && !waiting.some((ms) => ms > 0)) return states;
    await (frames > 0 ? frame() : later(Math.min(60, Math.max(...waiting))));
  }
}

// isPending reports that the page may still put back a field of the form that it holds now.
/** @param {El | null | undefined} el */
export const isPending = (el) => !!el && waitOf(formFields.get(el), true) > 0;

// waitOf returns how long (ms) the page has left to change a field.
/** @param {FormExpectation | undefined} expected @param {boolean} held */
function waitOf(expected, held) {
  if (!expected || startedTimers(expected) <= 0) return 0;
  return (held ? REVERT_TIME : LATE_TIME) - (performance.now() - (expected.since ?? expected.timers.at));
}

// fieldState compares a field of a form, or what the page drew in its place, with what was set; where that was chosen
// or clicked, with what the field held then. Formats are allowed. What a script draws in other elements, as a group
// of lists, is not compared.
/** @param {FormField} field @returns {FieldState} */
function fieldState({ n, value, checked }) {
  const was = entries.get(n)?.weak.deref(), expected = was && formFields.get(was), el = was && successorOf(was) || successor(n);
  if (!el) return { held: true };
  const role = roleOf(el), now = valueOf(el, role) ?? '';
  const drawn = !isEditable(el) && !['input', 'select', 'textarea'].includes(localName(el));
  const held = expected ? expected.holds(el) : checked ? checkedOf(el, role) === checked : drawn || !value ||
    (isSecret(el) ? textOf(el) !== '' : now === masked(value) || holdsText(now, masked(value), ''));
  return { ...held ? { held, element: withValue(describe(el, el === was ? entries.get(n)?.role : undefined), expected) } : notApplied(el, expected ?? {}, checked),
    frames: expected?.frames, wait: waitOf(expected, held) };
}

/** @param {El} el @param {Partial<Expectation>} expected @param {string} [checked] @returns {FieldState} */
function notApplied(el, { hidden, limit, shown }, checked) {
  const secret = hidden || isSecret(el), role = roleOf(el);
  const holds = shown ? shown() : isPlayer(el) ? playerStates(el).join(' ') : isEditable(el) ? tidy(textOf(el)) : checked ? CHECKED[checkedOf(el, role) ?? attr(el, 'aria-pressed') + ' pressed'] ?? checkedOf(el, role) : valueOf(el, role);
  return { held: false, secret, limit, holds: secret ? '' : holds ?? '', element: describe(el) };
}

// withValue gives the description of an element the value of the field that it is a part of.
/** @param {Described} element @param {Partial<Expectation>} [expected] */
export const withValue = (element, expected) => (expected?.shown ? { ...element, value: expected.hidden && expected.shown() ? MASK : expected.shown() } : element);

/** @type {Record<string, string>} */
const CHECKED = { true: 'checked', false: 'unchecked', 'true pressed': 'pressed', 'false pressed': 'not pressed' };
