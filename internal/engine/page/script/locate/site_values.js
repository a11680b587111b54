// Site values: the values of a tool's output, each by a place that survives a new design: a role, a
// heading's level, a test id, a label beside it, a column of a table. CSS is the last resort.

import {
  ancestorsOf, attr, closest, composedContains, cut, localName, nextElement, parentOf, queryAll, selectAllIn,
  selectIn, textContent, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { roleOf } from '../dom/role.js';
import { readable, scan } from '../dom/scan.js';
import { checkedOf, isField, isSecret, isVisible, valueOf } from '../dom/state.js';
import { ownText, readText } from '../dom/text.js';
import { drain } from '../settle/mutations.js';
import { absolute } from './consequence.js';
import { Candidate, TEST_ID_ATTRIBUTES, allCandidates, shownText, testIdOf } from './identity.js';
import { labelWords } from './labelled_field.js';
import { byPiercing, selectAll } from './query.js';

const MAX_VALUES = 500, MAX_NEAR_NAMES = 8, MAX_VALUE_TEXT = 4000;

// siteValues reads one answer for each place: {value}, {values}, or {problem, near}.
/** @param {{ places: Place[] }} o */
export function siteValues({ places }) {
  drain();
  return { url: location.href, values: places.map((place) => siteValue(place, null)) };
}

/** @param {Place} place @param {El | null} root @returns {SiteValue} */
function siteValue(place, root) {
  try {
    const found = placeElements(place, root);
    if (place.list) return siteList(found, place);
    if (place.read === 'count' || place.read === 'present') return { value: String(found.length) };
    if (found.length > 1) return { problem: `${found.length} elements fit`, near: found.slice(0, MAX_NEAR_NAMES).map((f) => cut(placeText(f, place), 60)) };
    if (!found.length) return { problem: 'nothing fits', near: nearPlaces(place, root) };
    return placeValue(found[0], place);
  } catch (e) {
    if (e instanceof EngineError) return { problem: e.data.reason ?? e.kind };
    throw e;
  }
}

/** @param {Found[]} found @param {Place} place */
function siteList(found, place) {
  const members = Object.entries(place.members ?? {});
  /** @param {Found} row */
  const read = (row) => ({ members: Object.fromEntries(members.map(([name, member]) => [name, row.el ? siteValue(member, row.el) : { problem: 'nothing fits', near: [] }])) });
  return { values: found.slice(0, MAX_VALUES).map((f) => (members.length ? read(f) : placeValue(f, place))) };
}

/** @param {Found} found @param {Place} place */
function placeValue(found, place) {
  if (found.said !== undefined) return { value: found.said };
  const { el } = found;
  if (isSecret(el)) return { problem: 'it is a field for a secret, which is not read' };
  if (place.attribute) {
    const at = attr(el, place.attribute);
    if (at === null) return { problem: `it has no attribute ${place.attribute}` };
    return { value: cut(['href', 'src', 'action'].includes(place.attribute) ? absolute(el, at) : at, MAX_VALUE_TEXT).toWellFormed() };
  }
  return { value: placeText(found, place) };
}

/** @param {Found} found @param {Place} place */
function placeText(found, place) {
  if (found.said !== undefined) return found.said;
  const { el } = found, role = roleOf(el);
  if (isSecret(el)) return '';
  const held = place.read === 'value' || isField(localName(el), role) ? valueOf(el, role) : undefined;
  if (held !== undefined) return String(held).slice(0, MAX_VALUE_TEXT).toWellFormed();
  const checked = place.read === 'value' ? checkedOf(el, role) : undefined;
  if (checked !== undefined) return checked;
  return cut(tidy(readText(el, MAX_VALUE_TEXT)), MAX_VALUE_TEXT).toWellFormed();
}

// placeElements returns the visible elements of a place: elements, or {said} for a text that is no
// element of its own.
/** @param {Place} place @param {El | null} root @returns {Found[]} */
function placeElements(place, root) {
  const roots = place.within ? placeElements(place.within, root).flatMap((f) => (f.el ? [f.el] : [])) : [root];
  return roots.flatMap((at) => placesIn(place, at)).filter((f) => (!place.notText || placeText(f, place) !== place.notText) && (!place.has || placeText(f, place).includes(place.has)));
}

/** @param {El} el @returns {Found} */
const asFound = (el) => ({ el });

/** @param {Place} place @param {El | null} root @returns {Found[]} */
function placesIn(place, root) {
  /** @param {El} el */
  const inside = (el) => !root || el !== root && composedContains(root, el);
  if (place.css || place.testId) {
    const { testId = '' } = place, css = place.css || TEST_ID_ATTRIBUTES.map((name) => `[${name}="${CSS.escape(testId)}"]`).join(',');
    return selectAll({ css, pierce: true }).filter((el) => inside(el) && (place.attribute || isVisible(el)) && fitsMarks(new Candidate(el, roleOf(el)), place)).map(asFound);
  }
  if (place.label && !place.name) return COLUMN_ROLES.has(place.role ?? '') && root ? cellsOf(root, place.label) : besideText(place.label, root);
  const all = allCandidates().filter((o) => inside(o.el) && (place.role || place.name || place.text || place.tag) && fitsMarks(o, place) && !isHeaderRow(o));
  if (place.role || !place.text) return all.map((o) => asFound(o.el));
  const ancestors = ancestorsOf(all.map((o) => o.el));
  return all.filter((o) => !ancestors.has(o.el)).map((o) => asFound(o.el));
}

/** @param {Candidate} o @param {Place} place */
const fitsMarks = (o, place) => (!place.role || o.role === place.role) && (!place.tag || localName(o.el) === place.tag) &&
  (!place.kind || o.kind === place.kind) && (!place.name || o.name === place.name) && (!place.text || shownText(o.el, o.role) === place.text);

// A row of column headers is no row of values.
/** @param {Candidate} o */
const isHeaderRow = (o) => o.role === 'row' && !!selectIn(o.el, 'th,[role=columnheader]') && !selectIn(o.el, 'td,[role=cell],[role=gridcell]');

const COLUMN_ROLES = new Set(['cell', 'gridcell']);
const ROW_CELLS = 'td,th,[role=cell],[role=gridcell],[role=rowheader],[role=columnheader]';
/** @param {El | null} row */
function headersOf(row) {
  const table = row && closest(row, 'table,[role=table],[role=grid],[role=treegrid]');
  const first = table && [...selectAllIn(table, 'tr,[role=row]')].find((r) => selectIn(r, 'th,[role=columnheader]') && !selectIn(r, 'td,[role=cell],[role=gridcell]'));
  return first ? [...selectAllIn(first, 'th,td,[role=columnheader]')].map((h) => labelWords(textContent(h))) : [];
}

/** @param {El} row @param {string} column @returns {Found[]} */
function cellsOf(row, column) {
  const at = headersOf(row).indexOf(labelWords(column));
  const cell = at < 0 || !row ? undefined : [...selectAllIn(row, ROW_CELLS)][at];
  return cell ? [{ el: cell }] : [];
}

// besideText returns what stands beside a text: the definition of a term, the next cell, the text that
// follows a label.
/** @param {string} text @param {El | null} root @returns {Found[]} */
function besideText(text, root) {
  const wanted = labelWords(text);
  /** @type {El[]} */ const labels = [];
  scan(root ?? document.documentElement, (el, role, live, visual) => {
    if (visual.visible && !visual.clipped && readable(visual) && labelWords(ownText(el)) === wanted) labels.push(el);
    return labels.length > 20;
  });
  /** @type {Found[]} */
  const out = [];
  for (const label of labels) {
    const cell = closest(label, 'th,td,dt');
    for (let at = /** @type {El | null} */ (cell ?? label), level = 0; at && level < 3; at = parentOf(at), level++) {
      const next = nextElement(at);
      if (next && isVisible(next) && tidy(readText(next, 10))) { out.push({ el: next }); break; }
      const rest = restOf(parentOf(at), label);
      if (rest) { out.push({ said: rest }); break; }
    }
  }
  return out;
}

// restOf returns the text of an element without that of its label, or ''.
/** @param {El | null} el @param {El} label */
function restOf(el, label) {
  if (!el || localName(el) === 'body' || localName(el) === 'html') return '';
  const whole = tidy(readText(el, MAX_VALUE_TEXT)), own = tidy(readText(label, MAX_VALUE_TEXT));
  return whole.startsWith(own) ? whole.slice(own.length).replace(/^[\s:]+/, '') : '';
}

// nearPlaces names what there is in place of what is not: columns, terms, test ids, names.
/** @param {Place} place @param {El | null} root */
function nearPlaces(place, root) {
  /** @param {string[]} list */
  const some = (list) => [...new Set(list.filter(Boolean))].slice(0, MAX_NEAR_NAMES);
  if (place.css) return [];
  if (place.testId) return some(byPiercing(TEST_ID_ATTRIBUTES.map((name) => `[${name}]`).join(',')).map(testIdOf));
  if (place.label && COLUMN_ROLES.has(place.role ?? '') && root) return some(headersOf(root));
  if (place.label) return some([...queryAll(document, 'dt,th,label')].filter(isVisible).map((el) => cut(tidy(textContent(el)), 40)));
  return some(allCandidates().filter((o) => !place.role || o.role === place.role).map((o) => cut(o.name, 60)));
}
