// Search by words: a score per element, then document order.

import { colourOf } from '../dom/derived_name.js';
import {
  attr, childElements, closest, composedContains, cut, firstElement, hasAttr, localName, matches, parentOf, previousElement, selectIn,
  shadowRootOf, textContent, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { elementAt, isControl } from '../dom/hit_test.js';
import { nameOf } from '../dom/name.js';
import { CONTEXT, WIDGETS, hasAuthorName, roleOf } from '../dom/role.js';
import { clickableName, readable, scan } from '../dom/scan.js';
import { hasArea, isDisabled, isSecret, isVisible, opensOptions, topBox } from '../dom/state.js';
import { ownText } from '../dom/text.js';
import { provideSimilar, refOf } from '../document/registry.js';
import { MAX_LOOSE, besideHits, cellHits, missing, numberedHit, partsOf, scopedHits } from './find_in_row.js';
import { GRIDS, GridRow, cellText, gridOf } from './grid.js';
import { labelIn } from './identity.js';

const SHAPE_BONUS = 0.15, LIVE_BONUS = 0.1;

/** @param {string} s */
export const words = (s) => tidy(s).toLowerCase().normalize('NFC').split(/[^\p{L}\p{N}]+/u).filter(Boolean);

// scoreText returns 1 for the same words, at least 0.75 for the phrase inside, and less for the
// share of tokens that occur. Whole words count more than parts of words.
/** @param {string} text @param {string} phrase @param {string[]} tokens */
export function scoreText(text, phrase, tokens) {
  if (!text || !tokens.length) return 0;
  const low = text.toLowerCase().normalize('NFC');
  if (low === phrase) return 1;
  const own = words(low);
  if (own.join(' ') === tokens.join(' ')) return 0.98;
  const closeness = Math.min(1, phrase.length / low.length);
  if (low.includes(phrase)) return 0.75 + 0.15 * closeness;
  let hits = 0;
  for (const token of tokens) {
    if (own.includes(token)) hits += 1;
    else if (token.length > 2 && low.includes(token)) hits += 0.6;
  }
  const share = hits / tokens.length;
  return share < 0.5 ? 0 : 0.6 * share + 0.1 * closeness;
}

const ALL_HINTED = 0.45; // the score of an element whose markup has each word
/** @param {El} el @param {string[]} tokens */
export function hintScore(el, tokens) {
  let best = 0;
  for (const name of ['placeholder', 'title', 'alt', 'data-testid', 'id', 'name', 'value', 'href', 'class']) {
    const said = attr(el, name);
    if (!said || said.length > 300 || name === 'value' && isSecret(el)) continue;
    const own = words(said.replace(/([a-z])([A-Z])/g, '$1 $2'));
    const hits = tokens.filter((t) => own.includes(t)).length;
    best = Math.max(best, ALL_HINTED * hits / tokens.length);
  }
  if (tokens.length === 1 && colourOf(el) === '#' + tokens[0]) return ALL_HINTED;
  return best >= 0.22 ? best : 0;
}

// hintedBy prefers all words to the rest without a role: "input_1" is a hint, and no input.
/** @param {El} el @param {string[]} wanted @param {Query} q */
function hintedBy(el, wanted, q) {
  const whole = q.roles.length && hintScore(el, q.tokens) === ALL_HINTED;
  return whole ? ALL_HINTED + 0.01 : hintScore(el, wanted);
}

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

// rate scores one element against the query. The whole phrase may be the name, or the rest without
// the role words. `full` says that no word of the query is missing.
/** @param {El} el @param {string} role @param {boolean} live @param {VisualState} visual @param {Query} q @returns {Hit | null} */
export function rate(el, role, live, visual, q) {
  let name = live || role !== 'generic' ? (role === 'clickable' ? clickableName(el) : nameOf(el, role)) : tidy(attr(el, 'aria-label') ?? '');
  if (!name && live) name = nearbyLabel(el, role);
  const text = name && !hasAttr(el, 'aria-label') || visual.tag === 'svg' ? '' : readable(visual) ? lineText(el, visual) : '';
  const said = name || cut(text, 300);
  if (q.pattern) {
    const { expression } = /** @type {{ expression: RegExp }} */ (q); // find has compiled the pattern
    if (!expression.test(said) && !expression.test(text) || !said) return null;
    return { el, role, name: said, score: live ? 1 : 0.9, live, full: true };
  }
  const shaped = q.roles.includes(role), wanted = q.rest.length ? q.rest : q.tokens;
  let score = scoreText(said, q.phrase, q.tokens);
  if (name && text) score = Math.max(score, 0.95 * scoreText(cut(text, 300), q.phrase, q.tokens));
  if (q.roles.length && q.rest.length) {
    const rest = scoreText(said, q.restPhrase, q.rest);
    score = Math.max(score, shaped ? rest : rest * 0.6);
  } else if (q.roles.length && shaped) {
    score = Math.max(score, 0.5);
  }
  const hinted = score < 0.5 && (live || role === 'img') ? hintedBy(el, wanted, q) : 0;
  if (score <= 0 && !hinted) return null;
  const share = hinted > score ? hinted / ALL_HINTED : score >= 0.6 || q.roles.length && !q.rest.length ? 1 :
    1 - missing(said, wanted).length / wanted.length;
  score = Math.max(score, hinted);
  const isCell = (role === 'cell' || role === 'gridcell') && score >= 0.98;
  if (shaped) score += SHAPE_BONUS;
  if (live) score += LIVE_BONUS;
  return { el, role, name: said, score: rounded(score / 1.25), live, isCell, full: share > 0.95, share };
}

// MOSTLY is the share of a query's words from which on an element is taken to be meant.
const MOSTLY = 0.6;
/** @param {number} score */
const rounded = (score) => Math.round(score * 1000) / 1000;

// find returns the elements that a query means, best first.
/** @param {Query} q */
export function find(q) {
  if (q.pattern) {
    try {
      q.expression = new RegExp(q.pattern, q.flags + 'u');
    } catch (e) {
      throw new EngineError('badSelector', { reason: String(/** @type {Error} */ (e).message) });
    }
  }
  const found = q.scope ? search({ ...q, ...q.head }) : [];
  const hits = found.length ? found : search({ ...q, scope: undefined });
  return { total: hits.length, matches: hits.slice(0, q.limit).map((h) => ({
    ref: refOf(h.el, h.role, displayName(h.el, h.role)), role: h.role, name: h.name, score: h.score,
    box: topBox(h.select ?? h.el), visible: true, path: pathOf(h.el), opensOptions: opensOptions(h.el, h.role), isCell: h.isCell || undefined,
    partial: !h.full && h.share !== undefined && h.share < MOSTLY || undefined,
  })) };
}

// search walks the page once. Hits that only their surroundings make are not looked for beside one that
// is called as the query says.
const EXACT_SCORE = 0.85;
/** @param {Query} q */
function search(q) {
  /** @type {Hit[]} */ const hits = [];
  /** @type {Hit[]} */ const loose = [];
  /** @type {El[]} */ const grids = [];
  /** @type {El[]} */ const anchors = [];
  const scope = q.scope?.join(' ');
  let order = 0;
  scan(document.documentElement, (el, role, live, visual) => {
    order++;
    if (!visual.visible || visual.clipped || visual.tag === 'html' || visual.tag === 'body' && !live) return false;
    if (GRIDS.has(role)) grids.push(el);
    if (role === 'row' && !q.roles.includes('row')) return false;
    const hit = rate(el, role, live, visual, q);
    if (hit) { hit.order = order; hits.push(hit); }
    else if (live && q.tokens.length > 1 && loose.length < MAX_LOOSE) loose.push({ el, role, name: '', score: 0, live, order });
    if (visual.tag === 'select' && !q.pattern) hits.push(...closedOptions(el, q, order));
    if (scope && words(ownText(el)).join(' ') === scope) anchors.push(el);
    return false;
  });
  if (scope) return settle(scopedHits(q, hits, grids, anchors), q);
  const exact = hits.some((hit) => hit.full && hit.score >= EXACT_SCORE);
  if (!q.pattern && q.tokens.length > 1 && !exact) {
    const better = [...cellHits(q, grids), ...besideHits(q, hits, loose)];
    for (const hit of better) {
      const same = hits.findIndex((other) => other.el === hit.el);
      if (same < 0) hits.push(hit); else if (hits[same].score < hit.score) hits[same] = hit;
    }
  }
  return settle(hits, q);
}

// closedOptions returns the options of a select that are called as the query says.
const OPTION_SCORE = 0.82;
/** @param {El} select @param {Query} q @param {number} order */
function closedOptions(select, q, order) {
  const options = [...select.options].filter((o) => scoreText(tidy(o.label), q.restPhrase || q.phrase, q.rest.length ? q.rest : q.tokens) >= 0.98);
  return options.slice(0, 1).map((el) => ({ el, select, role: 'option', name: tidy(el.label), score: OPTION_SCORE, live: true, full: true, order }));
}

// orderOf returns the place of a hit in the document; one that its surroundings made has none.
/** @param {Hit} hit */
export const orderOf = (hit) => hit.order ?? NaN;

// settle orders the hits. Of several that fit equally well, one is meant where a rule tells them
// apart: the one that the query counts, an enabled before a disabled one, a control before its wrapper
// or label, one of two that are drawn at the same place.
export const MAX_BEST = 40, DISABLED_COST = 0.012, NUMBERED_GAIN = 0.05;
/** @param {Hit[]} hits @param {Query} q */
function settle(hits, q) {
  /** @param {Hit} a @param {Hit} b */
  const byScore = (a, b) => b.score - a.score || Number(b.live) - Number(a.live) || orderOf(a) - orderOf(b);
  hits.sort(byScore);
  if (hits.length < 2) return hits;
  const counted = q.pattern ? null : numberedHit(q, hits);
  if (counted) Object.assign(counted, { score: rounded(counted.score + NUMBERED_GAIN), full: true });
  for (const hit of hits.slice(0, MAX_BEST)) if (hit.live && (isDisabled(hit.el) || isPart(hit.el))) hit.score = rounded(hit.score - DISABLED_COST);
  hits.sort(byScore);
  const best = hits.filter((h) => h.score === hits[0].score).slice(0, MAX_BEST);
  const dropped = new Set();
  for (const one of best) {
    for (const other of best) {
      if (one !== other && !dropped.has(one) && !dropped.has(other) && isRedundant(one, other)) dropped.add(one);
    }
  }
  const whole = hits[0].full;
  return hits.filter((hit) => !dropped.has(hit) && (!whole || hit.full || (hit.share ?? 0) >= MOSTLY));
}

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
  if (tidy(one.name) === tidy(other.name)) {
    if (composedContains(one.el, other.el)) return !control || otherControl;
    if (composedContains(other.el, one.el)) return otherControl && !control;
    if (!control && otherControl) return isLabelOf(one.el, other.el);
  }
  if (!samePlace(one.el, other.el) || control && !otherControl) return false;
  return control !== otherControl || !isOnTop(one.el);
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

// nearbyLabel returns the text that stands before a control without a name, where no other control is
// between them: a label that refers to nothing, or the line above a slider.
const LABELLED = new Set(['slider', 'combobox', 'listbox', 'textbox', 'searchbox', 'spinbutton', 'switch', 'checkbox', 'date', 'color']);
const MAX_LABEL = 60, MAX_LABEL_LEVELS = 9, MAX_BESIDE = 100;
/** @param {El} el @param {string} role */
export function nearbyLabel(el, role) {
  if (!LABELLED.has(role)) return '';
  let looked = 0;
  for (let at = /** @type {El | null} */ (el), level = 0; at && level < MAX_LABEL_LEVELS; at = parentOf(at), level++) {
    for (let n = previousElement(at); n && looked < MAX_BESIDE; n = previousElement(n), looked++) {
      const control = isControl(n) ? n : selectIn(n, 'input:not([type=hidden]):not(:disabled),button,select,textarea,[role=slider],[role=combobox]');
      if (control && isVisible(control)) return '';
      const text = tidy(textContent(n));
      if (/\p{L}/u.test(text) && isVisible(n)) return text.length <= MAX_LABEL ? text : '';
    }
    if (matches(at, 'form,fieldset,section,article,main,[role=dialog],tr,li')) break;
  }
  return '';
}

/** @param {El} el @param {string} role */
export const displayName = (el, role) => (role === 'clickable' ? clickableName(el) : nameOf(el, role));

// pathOf describes where an element is, by its nearest named ancestors.
/** @param {El} el */
export function pathOf(el) {
  const parts = [];
  for (let up = parentOf(el); up && parts.length < 3; up = parentOf(up)) {
    const role = roleOf(up);
    if (!CONTEXT.has(role) && role !== 'listitem' && role !== 'row' && role !== 'group' && role !== 'article') continue;
    const name = role === 'row' ? rowLabel(up, el) : role === 'listitem' ? labelIn(up, el) : nameOf(up, role);
    parts.unshift(name ? `${role} ${JSON.stringify(cut(name, 40))}` : role);
  }
  return parts.join(' > ').toWellFormed();
}

// rowLabel returns the first text of a row, unless the element is in it.
/** @param {El} row @param {El} el */
function rowLabel(row, el) {
  const grid = gridOf(row);
  const parts = grid ? partsOf(row, grid) : [row];
  for (const cell of Object.assign(new GridRow(row), { parts }).cells) {
    if (roleOf(cell) === 'columnheader') return '';
    const text = cellText(cell);
    if (/\p{L}/u.test(text)) return composedContains(cell, el) ? '' : text;
  }
  return '';
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
