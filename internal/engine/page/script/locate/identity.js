// Identity: how to describe an element, and how to find it in a document that was loaded again.

import {
  ELEMENT, ancestorsOf, attr, composedContains, cut, firstChild, localName, nextSibling, nodeType, ownerDocument,
  parentNode, parentOf, tidy,
} from '../dom/dom.js';
import { nameOf } from '../dom/name.js';
import { NATIVE_CONTROLS, WIDGETS, roleOf } from '../dom/role.js';
import { readable, scan } from '../dom/scan.js';
import { isDisguised, isField, isSecret } from '../dom/state.js';
import { ownText, visibleText } from '../dom/text.js';
import { entries, refOf, resolve } from '../document/registry.js';
import { leadsOf } from './consequence.js';
import { displayName } from './display_name.js';
import { scoreText } from './loose.js';
import { byPiercing } from './query.js';
import { words } from './words.js';

export const MAX_TEXT = 120, MAX_SIMILAR = 5, MAX_CLIMB = 12;
export const TEST_ID_ATTRIBUTES = ['data-testid', 'data-test', 'data-test-id'];
export const FIELDS = new Set('textbox searchbox combobox listbox spinbutton slider checkbox radio switch date time color'.split(' '));

/** @param {El} el */
export const testIdOf = (el) => TEST_ID_ATTRIBUTES.map((name) => attr(el, name)).find(Boolean) ?? '';
/** @param {El} el */
const kindOf = (el) => (localName(el) === 'input' ? el.type : '');
/** @param {El} el */
const framePath = (el) => {
  const doc = ownerDocument(el);
  return doc === document && window === window.top ? '' : doc.location.pathname;
};

// shownText returns the text that a person reads on an element. What a field holds is its value and
// not part of this.
/** @param {El} el @param {string} role */
export function shownText(el, role) {
  if (FIELDS.has(role) || isField(localName(el), role) || isSecret(el)) return '';
  return cut(tidy(visibleText(el)), MAX_TEXT);
}

// Candidate computes its name on demand: names are expensive, and a relocation needs those of the
// right role only.
export class Candidate {
  /** @param {El} el @param {string} role */
  constructor(el, role) {
    /** @type {string | undefined} */ this.said = undefined; // the name
    this.el = el; this.role = role; this.kind = kindOf(el); this.frame = framePath(el); }
  get name() { return this.said ??= displayName(this.el, this.role); }
}

// allCandidates returns the visible elements, and the file inputs, which pages hide behind another
// control.
export function allCandidates() {
  /** @type {Candidate[]} */ const all = [];
  const added = new Set();
  /** @param {El} el @param {string} role */
  const add = (el, role) => { added.add(el); all.push(new Candidate(el, role)); };
  scan(document.documentElement, (el, role, live, visual) => {
    if (visual.tag !== 'html' && visual.tag !== 'body' && visual.visible && (!visual.clipped || isDisguised(el))) add(el, role);
    return false;
  });
  for (const el of byPiercing('input[type=file]')) if (!added.has(el)) add(el, roleOf(el));
  return all;
}

// labelsOf returns the texts beside an element, outside of it and of other controls, from near to
// far: a row's first cell, a card's heading. It ends below the ancestor that also holds another
// alike element. For the only one it ends at an ancestor with a text and similar siblings, because
// the other rows begin there. `counts` covers the alike elements.
/** @param {El} el @param {Map<El, number>} counts @param {boolean} alone */
function labelsOf(el, counts, alone) {
  /** @type {string[]} */
  const said = [];
  for (let up = parentOf(el), n = 0; up && n < MAX_CLIMB && localName(up) !== 'body'; up = parentOf(up), n++) {
    if ((counts.get(up) ?? 0) > 1) break;
    const text = labelIn(up, el);
    if (text && said.at(-1) !== text) said.push(text);
    if (alone && said.length && hasLikeSibling(up)) break;
  }
  return said;
}

// containedCounts returns, for each element, how many of the elements it is or contains.
/** @param {El[]} elements */
export function containedCounts(elements) {
  const counts = new Map();
  for (const el of elements) for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) counts.set(up, (counts.get(up) ?? 0) + 1);
  return counts;
}

/** @param {El} el */
function hasLikeSibling(el) {
  const parent = parentNode(el);
  if (!parent || nodeType(parent) !== ELEMENT) return false;
  for (let n = firstChild(parent); n; n = nextSibling(n)) if (n !== el && nodeType(n) === ELEMENT && localName(n) === localName(el)) return true;
  return false;
}

// labelIn prefers a heading or a row header to the first text.
/** @param {El} root @param {El} except */
export function labelIn(root, except) {
  const label = tidy(attr(root, 'aria-label') || '');
  if (label) return cut(label, 80);
  let first = '', head = '';
  scan(root, (el, role, live, visual) => {
    if (el === root) return false;
    if (!visual.visible || visual.clipped) return false;
    if (role === 'heading' || role === 'rowheader') {
      const name = composedContains(except, el) ? '' : nameOf(el, role);
      if (name) { head = name; return true; }
    }
    if (first || live || el === except || composedContains(except, el) || inControl(el, root)) return false;
    first = readable(visual) ? ownText(el) : '';
    return false;
  });
  return cut(head || first || ownText(root), 80);
}

/** @param {El} el @param {El} root */
const inControl = (el, root) => {
  for (let up = /** @type {El | null} */ (el); up && up !== root; up = parentOf(up)) if (WIDGETS.has(roleOf(up)) || NATIVE_CONTROLS.has(localName(up))) return true;
  return false;
};

// alikeElements returns the elements of one document with the same role, kind and name, and the
// same text if nameless.
/** @param {Candidate[]} all @param {Marks} o */
function alikeElements(all, { role, name, kind, text, frame }) {
  return all.filter((o) => o.role === role && o.name === name && o.kind === kind && o.frame === frame &&
    (name !== '' || shownText(o.el, o.role) === text));
}

/** @param {{ n: number }} o */
export function identify({ n }) {
  const el = resolve(n, true), { role, name } = /** @type {{ role: string, name: string }} */ (entries.get(n));
  const own = { el, role, name, kind: kindOf(el), text: shownText(el, role), frame: framePath(el) };
  /** @type {Record<'ref' | 'role' | 'name' | 'testId' | 'text' | 'tag' | 'kind' | 'frame' | 'leads', string> & { label?: string, nth?: number, of?: number }} */
  const out = { ref: 'e' + n, role, name, testId: cut(testIdOf(el), 200), text: own.text, tag: localName(el), kind: own.kind, frame: own.frame, leads: leadsOf(el, n) };
  const alike = alikeElements(allCandidates(), own).map((o) => o.el);
  if (alike.length < 2 || !alike.includes(el)) return out;
  const counts = containedCounts(alike);
  /** @param {El} o */
  const label = (o) => labelsOf(o, counts, false).at(-1) ?? '';
  out.label = label(el);
  const same = alike.filter((o) => label(o) === out.label);
  if (same.length > 1) { out.nth = same.indexOf(el) + 1; out.of = same.length; }
  return out;
}

// relocate lists the elements of this document that may be the one described, by each mark. The Go
// side, which sees all documents, decides. No candidate is preferred here: the counts tell a
// certain match from a guess.
const EMPTY_IDENTITY = { role: '', name: '', testId: '', text: '', tag: '', kind: '' }; // what an identity leaves out is empty
/** @param {Partial<Identity>} said */
export function relocate(said) {
  const id = { ...EMPTY_IDENTITY, ...said };
  const all = allCandidates();
  /** @param {Candidate} o @param {object} [extra] */
  const answer = (o, extra) => ({ ref: refOf(o.el, o.role, o.name), role: o.role, name: o.name, kind: o.kind, frame: o.frame, ...extra });
  const byName = all.filter((o) => fitsRole(o, id) && o.name === id.name && (said.kind === undefined || o.kind === id.kind) && (id.name !== '' || fitsNameless(o, id)));
  const groups = new Map([...Map.groupBy(byName, (o) => o.frame)].map(([frame, of]) => [frame, { counts: containedCounts(of.map((m) => m.el)), alone: of.length === 1 }]));
  /** @param {Candidate} o */
  const labelsFor = (o) => { const group = groups.get(o.frame); return group ? labelsOf(o.el, group.counts, group.alone) : []; };
  const byTestId = id.testId ? all.filter((o) => testIdOf(o.el) === id.testId) : [];
  const byText = id.name === '' && id.text !== '' ? elementsByText(all, id) : [];
  return {
    byName: byName.slice(0, 200).map((o) => { const labels = labelsFor(o); return answer(o, { label: labels.at(-1) ?? '', labels }); }),
    byTestId: byTestId.map((o) => answer(o)),
    byText: byText.map((o) => answer(o)),
    otherRole: id.name === '' || id.role === '' ? [] : all.filter((o) => o.role !== id.role && (WIDGETS.has(o.role) || o.role === 'clickable') && o.name === id.name).slice(0, MAX_SIMILAR).map((o) => answer(o)),
    similar: similarCandidates(all, id).map((o) => answer(o)),
  };
}

// An identity without a role is that of a control with the name.
/** @param {Candidate} o @param {Identity} id */
const fitsRole = (o, id) => (id.role === '' && id.name !== '' ? WIDGETS.has(o.role) : o.role === id.role);

// Nameless elements are alike if their text is the same. A field has no text and must be the only
// one of its kind.
/** @param {Candidate} o @param {Identity} id */
const fitsNameless = (o, id) => localName(o.el) === id.tag && shownText(o.el, o.role) === id.text && (id.text !== '' || FIELDS.has(o.role));

// elementsByText returns the innermost elements with the text, where the role carries no meaning:
// wrappers change often.
/** @param {Candidate[]} all @param {Identity} id */
function elementsByText(all, id) {
  if (WIDGETS.has(id.role)) return [];
  const hits = all.filter((o) => !WIDGETS.has(o.role) && shownText(o.el, o.role) === id.text);
  const ancestors = ancestorsOf(hits.map((o) => o.el));
  return hits.filter((o) => !ancestors.has(o.el));
}

// similarCandidates lists elements for the reader of an error. None of them is taken.
/** @param {Candidate[]} all @param {Identity} id */
function similarCandidates(all, id) {
  const tokens = words(id.name || id.text), phrase = (id.name || id.text).toLowerCase();
  const hits = [];
  for (const o of all) {
    if (o.role === 'generic' || o.role !== id.role && !WIDGETS.has(o.role)) continue;
    const score = scoreText(o.name, phrase, tokens) + (o.role === id.role ? 0.5 : 0);
    if (score > 0) hits.push({ o, score });
  }
  hits.sort((a, b) => b.score - a.score);
  return hits.slice(0, MAX_SIMILAR).map((h) => h.o);
}
