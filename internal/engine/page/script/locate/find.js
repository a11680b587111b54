// Words to elements, for everything that acts, searches or waits. A hit that the words name has a tier
// (strict.js); the others have a score (loose.js) and are for readers alone.

import {
  attr, childElements, closest, composedContains, cut, firstElement, hasAttr, localName, parentOf, shadowRootOf, textContent, tidy,
} from '../dom/dom.js';
import { codeBoxes } from '../dom/code_boxes.js';
import { EngineError } from '../dom/error.js';
import { elementAt, isControl } from '../dom/hit_test.js';
import { PRESS, listensTo } from '../dom/listeners.js';
import { labelsOf } from '../dom/labels.js';
import { contentText } from '../dom/name.js';
import { isOpenSelect } from '../dom/open_select.js';
import { WIDGETS, hasAuthorName, roleOf } from '../dom/role.js';
import { readable, scan } from '../dom/scan.js';
import { hasArea, isDisabled, isVisible, opensOptions, topBox } from '../dom/state.js';
import { ownText } from '../dom/text.js';
import { describe, provideSimilar, refOf } from '../document/registry.js';
import { displayName, pathOf } from './display_name.js';
import { GRIDS, Grid } from './grid.js';
import { FIELDS, containedCounts } from './identity.js';
import { nearbyLabel } from './label.js';
import { fieldByLabel, takesValue } from './labelled_field.js';
import { layerOf } from './layer.js';
import { codesOf, looseScore, scoreText } from './loose.js';
import { scopesOf } from './scope.js';
import { bySelector } from './selector.js';
import { sharedLabel, splitBoxes } from './split_field.js';
import { LOOSE, TIER, besideHits, cellHits, columnHits, countedHit, nameTier, optionHits, placedHits } from './strict.js';
import { NOT, matchOf, ordinalOf, plainWords, readingsIn, scopedReadings, words } from './words.js';

/** @param {{ query: string, limit: number, want?: string }} o @returns {Query} */
export function parseQuery({ query, limit, want = '' }) {
  /** @type {Query} */
  const q = { text: tidy(query), limit, want, readings: readingsIn(query), scoped: scopedReadings(query), plain: plainWords(query), codes: codesOf(query) };
  const pattern = /^\/(.+)\/(i?)$/su.exec(query);
  if (!pattern) return q;
  try {
    q.expression = new RegExp(pattern[1], pattern[2] + 'u');
  } catch (e) {
    throw new EngineError('badSelector', { reason: String(/** @type {Error} */ (e).message) });
  }
  return q;
}

// find returns the elements that a query names, best first, and those that resemble it. `want` bounds them
// to fields or to what is pressed.
/** @param {{ query: string, limit: number, want?: string, around?: boolean }} o */
export function find(o) {
  const q = parseQuery(o);
  const hits = bySelector(q) ?? searchCounted(q) ?? search(q), shown = hits.slice(0, q.limit);
  const paths = new Map(shown.map((hit) => [hit, pathOf(hit.el)])), around = o.around ? neighboursOf(shown) : [];
  return { total: hits.length, matches: shown.map((hit, i) => ({
    ...describe(hit.el, hit.role), role: hit.role, name: hit.said,
    tier: hit.tier, score: scoreOf(hit), layer: hit.layer, box: topBox(hit.select ?? hit.el), path: placeIn(hit, shown, paths),
    opensOptions: opensOptions(hit.el, hit.role), isCell: hit.isCell || undefined, ...around[i],
  })) };
}

// neighboursOf returns what stands before and after each hit in the page and is neither in it nor around it.
/** @param {Hit[]} hits */
function neighboursOf(hits) {
  /** @type {Seen[]} */ const all = [];
  scan(document.documentElement, (el, role, live, visual) => {
    const seen = visual.visible && !visual.clipped && visual.tag !== 'html' && visual.tag !== 'body' ? seenAs(el, role, live, visual, 0) : null;
    if (seen?.said || hits.some((hit) => hit.el === el)) all.push(seen ?? { el, role, live, said: '', text: '', words: [], textWords: [], order: 0 });
    return all.length > MAX_SEEN;
  });
  return hits.map(({ el }) => {
    const at = all.findIndex((seen) => seen.el === el), isApart = (/** @type {Seen} */ seen) => seen.said !== '' && !composedContains(seen.el, el) && !composedContains(el, seen.el);
    const before = all.slice(0, Math.max(at, 0)).findLast(isApart), after = at < 0 ? undefined : all.slice(at + 1).find(isApart);
    /** @param {Seen | undefined} seen */
    const described = (seen) => seen && { ...describe(seen.el, seen.role), name: seen.said };
    return { before: described(before), after: described(after) };
  });
}

// searchCounted returns the first, second or last of the controls of one name, where no other has the words.
/** @param {Query} q @returns {Hit[] | null} */
function searchCounted(q) {
  const counted = q.expression ? null : ordinalOf(q.text);
  if (!counted || search(q).some((hit) => hit.tier < LOOSE)) return null;
  const [first, ...others] = search(parseQuery({ ...q, query: counted.rest }));
  if (!first || first.tier >= LOOSE) return null;
  const alike = [first, ...others.filter((hit) => Math.floor(hit.tier) === Math.floor(first.tier) && hit.layer === first.layer && hit.role === first.role && hit.said === first.said)];
  const meant = alike.length > 1 && alike.sort((a, b) => a.order - b.order).at(counted.n < 0 ? -1 : counted.n - 1);
  return meant ? [{ ...meant, tier: TIER.counted }] : null;
}

/** @param {Hit} hit */
const scoreOf = (hit) => Math.round((hit.tier < LOOSE ? 1 - hit.tier / 700 : hit.score) * 100000) / 100000;

// placeIn returns the path of a hit, with what tells it from one of the same name and path: its card, its
// section, its line.
/** @param {Hit} hit @param {Hit[]} shown @param {Map<Hit, string>} paths */
function placeIn(hit, shown, paths) {
  const path = paths.get(hit) ?? '';
  const alike = shown.filter((other) => other.role === hit.role && other.said === hit.said && paths.get(other) === path);
  if (alike.length < 2) return path;
  const counts = containedCounts(alike.map((other) => other.el)), labels = alike.map((other) => scopesOf(other.el, counts).map((scope) => scope.label));
  const own = labels[alike.indexOf(hit)].filter((said) => said && !path.includes(JSON.stringify(said)));
  const label = own.find((said) => labels.filter((other) => other.includes(said)).length < alike.length) ?? own[0];
  return label ? `${path}${path ? ' > ' : ''}${JSON.stringify(cut(label, 40))}`.toWellFormed() : path;
}

const CELL_ROLES = new Set(['cell', 'gridcell']), PRESSED = new Set(['button', 'link', 'clickable', 'menuitem', 'tab']);
const MAX_SEEN = 20000, MAX_NEAREST = 3;

// search walks the page once. What a place or surroundings name is not looked for beside an element that
// is called as the query says.
/** @param {Query} q @returns {Hit[]} */
function search(q) {
  /** @type {Seen[]} */ const all = [];
  /** @type {Hit[]} */ const hits = [];
  /** @type {El[]} */ const roots = [];
  /** @type {Seen[]} */ const fields = [];
  let order = 0, anchor = 0;
  const asksRow = q.readings.some((r) => r.roles?.includes('row'));
  scan(document.documentElement, (el, role, live, visual) => {
    order++;
    if (!visual.visible || visual.clipped || visual.tag === 'html' || visual.tag === 'body' && !live) return false;
    if (GRIDS.has(role)) roots.push(el);
    if (role === 'row' && !asksRow) return false;
    const seen = seenAs(el, role, live, visual, order);
    if (!seen) return false;
    const tier = q.expression ? patternTier(seen, q.expression) : nameTier(seen, q), isCell = CELL_ROLES.has(role);
    const fits = !q.want || (q.want === 'field' ? takesValue(el, role) || isCell && tier <= TIER.text : PRESSED.has(role));
    if (q.want === 'field' && fits && !isCell) fields.push(seen);
    if (!fits) { if (!anchor && tier <= TIER.words) anchor = order; return false; }
    if (all.length < MAX_SEEN) all.push(seen);
    const score = tier < LOOSE || q.expression ? 0 : looseScore(seen, q);
    if (tier < LOOSE || score > 0) hits.push({ ...seen, tier: tier + (visual.offPage ? 0.4 : 0), score, isCell });
    if (visual.tag === 'select' && !isOpenSelect(el) && !q.expression && !q.want) hits.push(...optionHits(seen, q));
    return false;
  });
  const isNamed = hits.some((hit) => hit.tier <= TIER.option);
  if (!q.expression && !isNamed) {
    const grids = roots.map((root) => new Grid(root));
    for (const hit of [...cellHits(q, grids), ...placedHits(q, all, grids), ...besideHits(q, all), ...countedHit(q, all)]) takeBetter(hits, hit);
    if (q.want === 'field') hits.push(...columnHits(q, grids, hits));
    if (q.want === 'field' && !hits.some((hit) => hit.tier < TIER.label)) addLabelled(hits, q);
  }
  const sorted = withParts(settle(hits, q), q);
  return sorted.length || q.want !== 'field' || !anchor ? sorted : nearest(fields, anchor);
}

// withParts adds the fields that the label of the meant field names as well.
/** @param {Hit[]} hits @param {Query} q @returns {Hit[]} */
function withParts(hits, q) {
  const [best] = hits, parts = q.want === 'field' && best && best.tier < LOOSE && !best.isCell ? sharedLabel(best.el) : [];
  return parts.length ? [best, ...parts.map((el) => ({ ...best, el, role: roleOf(el) })), ...hits.slice(1)] : hits;
}

// Roles whose text is a value, which names nothing.
const VALUED = new Set(['textbox', 'searchbox']);

// seenAs returns what an element says: its name, or the label of a field without one, and its own text.
/** @param {El} el @param {string} role @param {boolean} live @param {VisualState} visual @param {number} order @returns {Seen | null} */
export function seenAs(el, role, live, visual, order) {
  let said = live || role !== 'generic' ? displayName(el, role) : tidy(attr(el, 'aria-label') ?? '');
  if (!said && live) said = nearbyLabel(el, role);
  const text = said && !hasAttr(el, 'aria-label') || visual.tag === 'svg' || !readable(visual) ? '' : cut(lineText(el, visual), 300);
  if (!said && !text && !live && role === 'generic') return null;
  const names = !VALUED.has(role), shown = FIELDS.has(role) && (hasAttr(el, 'aria-label') || hasAttr(el, 'title')) ? shownLabel(el) : names ? text : '';
  if (names) said ||= text;
  return { el, role, live, said, text, words: words(said.replace(/[\s:*]+$/u, '') || said), textWords: shown && shown !== said ? words(shown) : [], order };
}

// shownLabel returns what a person sees as the label of a field that has a hidden name, or ''.
/** @param {El} el */
function shownLabel(el) {
  const labels = labelsOf(el).filter(isVisible).map((label) => contentText(label, { seen: new Set([el]), within: true, referred: true, inLabel: true }));
  return tidy(labels.join(' ') || (attr(el, 'placeholder') ?? ''));
}

// isNamedUnseen reports a control that a query names by its hidden name, while a person reads other words on it.
/** @param {Hit} hit @param {Query} q */
const isNamedUnseen = ({ textWords }, q) => /\p{L}/u.test(textWords.join('')) && q.readings.every((r) => matchOf(textWords, r) === NOT);

// lineText returns the text of an element as a line: with that of the runs in it, where it has nothing
// but runs.
const RUNS = new Set('span b i em strong code mark u s small sub sup'.split(' ')), MAX_RUNS = 60;
/** @param {El} el @param {VisualState} visual */
function lineText(el, visual) {
  const first = firstElement(el);
  if (!first || visual.display === 'inline' || !RUNS.has(localName(first)) || shadowRootOf(el)) return ownText(el);
  const all = childElements(el);
  if (all.length > MAX_RUNS || [...all].some((n) => !RUNS.has(localName(n)) || hasAttr(n, 'role') || isControl(n))) return ownText(el);
  const text = textContent(el);
  return text.length > 300 ? ownText(el) : tidy(text);
}

/** @param {Seen} seen @param {RegExp} expression */
function patternTier({ said, text, live }, expression) {
  if (!said || !expression.test(said) && !expression.test(text)) return LOOSE;
  return live ? TIER.name : TIER.text;
}

/** @param {Hit[]} hits @param {Hit} hit */
function takeBetter(hits, hit) {
  const same = hits.findIndex((other) => other.el === hit.el);
  if (same < 0) hits.push(hit); else if (hits[same].tier > hit.tier) hits[same] = { ...hit, order: hits[same].order };
}

// addLabelled adds the widget that a script draws as a field, if a visible text labels it.
/** @param {Hit[]} hits @param {Query} q */
function addLabelled(hits, q) {
  const el = fieldByLabel(q.text);
  if (!el) return;
  const role = roleOf(el) === 'generic' ? 'clickable' : roleOf(el);
  takeBetter(hits, { el, role, live: true, said: displayName(el, role) || q.text, text: '', words: [], textWords: [], order: 0, tier: TIER.label, score: 0 });
}

// nearest returns the fields around an element that the query names and that is no field.
/** @param {Seen[]} fields @param {number} anchor @returns {Hit[]} */
function nearest(fields, anchor) {
  const near = fields.toSorted((a, b) => Math.abs(a.order - anchor) - Math.abs(b.order - anchor)).slice(0, MAX_NEAREST);
  return near.map((seen) => ({ ...seen, tier: LOOSE, score: 0.1 }));
}

// settle orders the hits. Of several that fit equally well, one is meant where a rule tells them apart: an
// enabled before a disabled one, a control before its wrapper or label, one of two that are drawn at the
// same place, the one that is written as the query, the one in the topmost layer.
const MAX_BEST = 40;
/** @param {Hit[]} hits @param {Query} q @returns {Hit[]} */
function settle(hits, q) {
  hits.sort((a, b) => a.tier - b.tier || b.score - a.score || a.order - b.order);
  const head = hits.slice(0, MAX_BEST), dropped = new Set();
  for (const one of head) {
    for (const other of head) {
      if (one === other || dropped.has(one) || dropped.has(other)) continue;
      if (one.tier >= other.tier && isRedundant(one, other) || q.want === 'field' && isLaterBox(one, other) || isFrameOf(one, other)) dropped.add(one);
    }
  }
  const kept = hits.filter((hit) => !dropped.has(hit));
  const strict = kept.filter((hit) => hit.tier < LOOSE).length;
  for (const hit of kept.slice(0, MAX_BEST)) {
    if (hit.tier < LOOSE && hit.live && (isDisabled(hit.el) || isPart(hit.el))) hit.tier += 0.2;
    if (hit.tier < LOOSE && hit.live && isNamedUnseen(hit, q)) hit.tier += FIELDS.has(hit.role) ? 0.15 : 0.1;
    else if (hit.tier < LOOSE && tidy(hit.said) !== q.text) hit.tier += 0.1;
    hit.layer = kept.length > 1 ? layerOf(hit.el) : 1;
  }
  const places = kept.map((hit) => ({ hit, tier: Math.floor(hit.tier), layer: hit.layer ?? 1 }));
  places.sort((a, b) => a.tier - b.tier || b.layer - a.layer || a.hit.tier - b.hit.tier || b.hit.score - a.hit.score || a.hit.order - b.hit.order);
  return places.slice(0, Math.max(strict, q.limit, kept.length)).map(({ hit }) => hit);
}

// isFrameOf reports an element whose name is made of another's, which the query names by its place in it:
// the header cell "Score Sort" around the button "Sort".
/** @param {Hit} one @param {Hit} other */
const isFrameOf = (one, other) => one.tier >= TIER.phrase && other.tier >= TIER.placed &&
  other.tier < TIER.hint && WIDGETS.has(other.role) && one.el !== other.el && composedContains(one.el, other.el);

// isPart reports a control outside of the tab order inside one that is in it and has a name of its own.
/** @param {El} el */
function isPart(el) {
  if (attr(el, 'tabindex') !== '-1') return false;
  const parent = parentOf(el), outer = parent && closest(parent, '[tabindex="0"]');
  return !!outer && !GRIDS.has(roleOf(outer)) && hasAuthorName(outer);
}

// isRedundant reports that of two equal hits the first is a wrapper, a label or a second drawing of the
// other. The control stays, else the inner one.
/** @param {Hit} one @param {Hit} other */
function isRedundant(one, other) {
  const control = WIDGETS.has(one.role), otherControl = WIDGETS.has(other.role);
  if (tidy(one.said) === tidy(other.said)) {
    if (composedContains(one.el, other.el)) return !control || otherControl;
    if (composedContains(other.el, one.el)) return otherControl && !control;
    if (!control && otherControl) return isLabelOf(one.el, other.el);
    if (isDrawnFor(one.el, other.el)) return true;
    if (one.order > other.order && leadAlike(one.el, other.el)) return true;
  }
  if (!samePlace(one.el, other.el) || control && !otherControl) return false;
  return control !== otherControl || !isOnTop(one.el);
}

// leadAlike reports two links of one card to one address: its picture and its text.
const MAX_CARD_LEVELS = 4;
/** @param {El} a @param {El} b */
function leadAlike(a, b) {
  if (localName(a) !== 'a' || localName(b) !== 'a' || !a.href || a.href !== b.href || attr(a, 'target') !== attr(b, 'target')) return false;
  if (/^(?:#|$|javascript:)/i.test((attr(a, 'href') ?? '').trim()) || [a, b].some((el) => listensTo(el, PRESS) || hasAttr(el, 'onclick'))) return false;
  let up = parentOf(a);
  for (let level = 1; up && level < MAX_CARD_LEVELS && !composedContains(up, b); level++) up = parentOf(up);
  return up !== null && localName(up) !== 'body' && composedContains(up, b);
}

// isLaterBox reports a box of a code or of a split value of which an earlier one fits as well.
/** @param {Hit} one @param {Hit} other */
const isLaterBox = (one, other) => one.tier === other.tier && one.order > other.order && (codeBoxes(other.el).includes(one.el) || splitBoxes(other.el).includes(one.el));

// isDrawnFor reports the text field of the box that a script draws around a select of the same name.
/** @param {El} field @param {El} select */
function isDrawnFor(field, select) {
  const box = localName(select) === 'select' && localName(field) === 'input' ? closest(field, '[role=combobox]') : null;
  return box !== null && composedContains(box, select);
}

/** @param {El} label @param {El} control */
function isLabelOf(label, control) {
  if (localName(label) === 'label' || (attr(control, 'aria-labelledby') ?? '').split(/\s+/).includes(attr(label, 'id') || ' ')) return true;
  const holder = parentOf(label);
  return !!holder && composedContains(holder, control);
}

/** @param {El} a @param {El} b */
const samePlace = (a, b) => {
  const r = topBox(a), s = topBox(b);
  return hasArea(r) && Math.abs(r.x - s.x) < 2 && Math.abs(r.y - s.y) < 2 && Math.abs(r.width - s.width) < 3 && Math.abs(r.height - s.height) < 3;
};

// isOnTop reports that the pointer reaches an element where it is now.
/** @param {El} el */
function isOnTop(el) {
  const r = topBox(el), found = elementAt(r.x + r.width / 2, r.y + r.height / 2);
  return found !== null && composedContains(el, found);
}

// candidates returns the elements that a stale ref may have meant: near in role and name.
/** @param {string} role @param {string} name */
export function candidates(role, name) {
  const tokens = words(name), phrase = name.toLowerCase();
  /** @type {{ el: El, role: string, name: string, score: number, order: number }[]} */
  const hits = [];
  let order = 0;
  scan(document.documentElement, (el, r, live, visual) => {
    order++;
    if (!visual.visible || visual.clipped || !live && r !== role || r === 'generic') return false;
    const called = displayName(el, r);
    let score = scoreText(called, phrase, tokens);
    if (!score && r === role && !tokens.length && !called) score = 0.3;
    if (!score) return false;
    if (r === role) score += 0.5;
    hits.push({ el, role: r, name: called, score, order });
    return false;
  });
  hits.sort((a, b) => b.score - a.score || a.order - b.order);
  return hits.slice(0, 3).map((h) => ({ ref: refOf(h.el, h.role, h.name), role: h.role, name: h.name }));
}

provideSimilar(candidates);
