// Selectors for a described element, the most stable first: attributes that an author wrote outlast
// those that a build tool or a layout made.

import {
  ELEMENT, ancestorsOf, attr, childElements, composedContains, localName, nodeType, ownerDocument, parentElement,
  tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { scan } from '../dom/scan.js';
import { topBox } from '../dom/state.js';
import { parseQuery, seenAs } from './find.js';
import { looseScore } from './loose.js';
import { inform, selectAll } from './query.js';
import { attributeSelector, containsText } from './select.js';
import { LOOSE, nameTier } from './strict.js';

const STABLE = 60;
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

/**
 * @param {{ words?: string, text?: string, tag?: string, attributes: { name: string, value?: string }[], near?: string, direction?: string, stableOnly?: boolean, limit: number }} o
 */
export function suggestSelectors({ words, text, tag, attributes, near, direction, stableOnly, limit }) {
  const q = words ? parseQuery({ query: words, limit }) : undefined;
  const anchor = near ? selectAll({ css: near, pierce: true })[0] : undefined;
  if (near && !anchor) throw new EngineError('noElement', { selector: near });
  /** @type {{ el: El, score: number, far: number }[]} */
  const found = [];
  scan(document.documentElement, (el, role, live, visual) => {
    if (!visual.visible || visual.clipped || visual.tag === 'html' || visual.tag === 'body' || el === anchor) return false;
    const score = descriptionScore(el, { role, live, visual }, { q, text, tag, attributes });
    if (score > 0 && (!anchor || isPlaced(el, anchor, direction))) found.push({ el, score, far: anchor ? distance(el, anchor) : 0 });
    return false;
  });
  const ancestors = text && !q ? ancestorsOf(found.map((o) => o.el)) : null;
  const kept = ancestors ? found.filter(({ el }) => !ancestors.has(el)) : found;
  kept.sort((a, b) => b.score - a.score || a.far - b.far);
  const out = [];
  for (const { el, score } of kept.slice(0, limit)) {
    const selectors = selectorsOf(el).filter((s) => !stableOnly || s.stability >= STABLE);
    out.push({ ...inform(el), score, selectors: selectors.slice(0, 4) });
  }
  return { total: kept.length, elements: out };
}

// descriptionScore returns how well an element fits; 0 is not at all. All parts but the words are
// conditions.
/**
 * @param {El} el
 * @param {{ role: string, live: boolean, visual: VisualState }} o
 * @param {{ q?: Query, text?: string, tag?: string, attributes: { name: string, value?: string }[] }} o
 */
function descriptionScore(el, { role, live, visual }, { q, text, tag, attributes }) {
  if (tag && visual.tag !== tag.toLowerCase()) return 0;
  for (const { name, value } of attributes) {
    const said = name === 'role' ? role : attr(el, name);
    if (said === null || value && !said.toLowerCase().includes(value.toLowerCase())) return 0;
  }
  if (text && !containsText(el, tidy(text).toLowerCase())) return 0;
  if (!q) return live ? 0.6 : 0.5;
  const seen = seenAs(el, role, live, visual, 0), tier = seen ? nameTier(seen, q) : LOOSE;
  return !seen ? 0 : tier < LOOSE ? 1 - tier / LOOSE : looseScore(seen, q);
}

/** @param {El} el @param {El} anchor @param {string | undefined} direction */
function isPlaced(el, anchor, direction) {
  if (direction === 'inside') return composedContains(anchor, el);
  const a = topBox(anchor), b = topBox(el);
  switch (direction) {
    case 'above': return b.y + b.height <= a.y + 1;
    case 'below': return b.y >= a.y + a.height - 1;
    case 'left': return b.x + b.width <= a.x + 1;
    case 'right': return b.x >= a.x + a.width - 1;
    default: return true;
  }
}

/** @param {El} el @param {El} anchor */
function distance(el, anchor) {
  const a = topBox(anchor), b = topBox(el);
  return Math.hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2);
}

// selectorsOf lists selectors of an element with their stability, 0 to 100. `matches` and `index`
// tell which of several matches is meant.
/** @param {El} el */
export function selectorsOf(el) {
  /** @type {{ selector: string, stability: number, matches: number, index: number }[]} */
  const all = [];
  /** @param {string} selector @param {number} stability */
  const addSelector = (selector, stability) => {
    const found = selectAll({ css: selector, pierce: true });
    const index = found.indexOf(el);
    if (index < 0 || all.some((s) => s.selector === selector)) return;
    all.push({ selector, stability: found.length > 1 ? stability - 30 : stability, matches: found.length, index });
  };
  const tag = localName(el), id = attr(el, 'id');
  if (id) addSelector('#' + CSS.escape(id), generatedName(id) ? 40 : 95);
  for (const name of TEST_IDS) { const value = attr(el, name); if (value) addSelector(attributeSelector(name, value), 90); }
  const own = attr(el, 'name'), label = attr(el, 'aria-label');
  if (own) addSelector(tag + attributeSelector('name', own), 85);
  if (label) addSelector(tag + attributeSelector('aria-label', label), 80);
  for (const name of ['placeholder', 'href', 'alt', 'title', 'type']) {
    const value = attr(el, name);
    if (value && value.length < 120) addSelector(tag + attributeSelector(name, value), name === 'type' ? 55 : 70);
  }
  for (const name of (attr(el, 'class') ?? '').split(/\s+/).filter(Boolean)) {
    addSelector(tag + '.' + CSS.escape(name), generatedName(name) ? 20 : 65);
  }
  addSelector(pathTo(el), 30);
  return all.sort((a, b) => b.stability - a.stability || a.selector.length - b.selector.length);
}

// generatedName reports digits between letters, long numbers or hashes, as build tools and
// frameworks make them.
/** @param {string} name */
const generatedName = (name) => /\d{3,}|[a-z]\d[a-z]|[:]|^(css|sc|jss|emotion|ember|react)-?\w*\d/i.test(name) ||
  /[A-Za-z0-9]{6,}$/.test(name) && /\d/.test(name) && /[a-z]/.test(name) && /[A-Z]/.test(name);

// pathTo describes an element by position, from its nearest ancestor with a stable id.
/** @param {El} el */
function pathTo(el) {
  const steps = [];
  for (let at = /** @type {El | null} */ (el); at && nodeType(at) === ELEMENT; at = parentElement(at)) {
    const id = attr(at, 'id');
    if (at !== el && id && !generatedName(id)) { steps.unshift('#' + CSS.escape(id)); break; }
    if (at === ownerDocument(at).body) { steps.unshift('body'); break; }
    const parent = parentElement(at);
    const same = parent ? [...childElements(parent)].filter((o) => localName(o) === localName(at)) : [at];
    steps.unshift(localName(at) + (same.length > 1 ? `:nth-of-type(${same.indexOf(at) + 1})` : ''));
  }
  return steps.join(' > ');
}
