// Concealed text: styles that hide what is displayed, beside those that a walk asks every element for. To ask
// for them too would slow each reading down, so rules and inline styles are searched once a task, and only the
// elements that one of them may hide are asked.

import { allIn, attr, nodeValue, parentElement, rectOf } from './dom.js';
import { textRects } from './hit_test.js';
import { onEnterRoot } from './roots.js';

// HIDING matches declarations that may hide an element: no size, no opacity, or a place far away.
const FAR = '-\\d{3,}(?:\\.\\d+)?px|\\d{4,}(?:\\.\\d+)?px|-?\\d{2,}(?:\\.\\d+)?r?em|-?\\d{3,}(?:\\.\\d+)?(?:[dsl]?v[wh]|%)';
const HIDING = new RegExp('scale[xyz3d]*(?:\\(|:)\\s*(?:[^;]*[,\\s])?0?(?:\\.0\\d*)?%?\\s*[,);]|scale:\\s*0|rotate(?:[xy3d]+\\(|:\\s*[xy\\d]+ )|backface-visibility:\\s*hidden|matrix|filter:[^;]*opacity\\(' +
  '|mask[a-z-]*:[^;]*(?:transparent|rgba?\\([^)]*[,/]\\s*0(?:\\.0\\d*)?%?\\s*\\)|#[0-9a-f]{3}0\\b|#[0-9a-f]{6}00\\b)|text-fill-color:|content:\\s*(?:url|image-set|[a-z-]*gradient)|content-visibility:\\s*hidden|zoom:|offset(?:-path|-position|-distance)?:' +
  `|(?:translate|(?:left|top|right|bottom|inset|margin)[a-z-]*:)[^;]*(?:${FAR})`, 'i');
// RAISING matches declarations that may put an element over one beside it.
const RAISING = /grid-(?:area|row|column)|margin[a-z-]*:[^;]*-\d|(?:top|bottom|inset[a-z-]*):\s*-|translate|z-index:\s*[1-9]/;
const STRIKING = /text-decoration[a-z-]*:[^;]*line-through/;
const MAX_RULES = 20000, MAX_SELECTORS = 300;

/** @type {Set<El>} */ const suspects = new Set(), raised = new Set(), struck = new Set(), carousels = new Set(), marked = new Set();
/** @type {Set<Root>} */ const searched = new Set();

// searchStyles notes the elements of a document or a shadow tree that a style may hide.
/** @param {Root} root */
export function searchStyles(root) {
  if (searched.has(root)) return;
  if (!searched.size) queueMicrotask(() => { for (const found of [searched, suspects, raised, struck, carousels, marked]) found.clear(); });
  searched.add(root);
  const selectors = noSelectors();
  for (const list of [root.styleSheets, root.adoptedStyleSheets]) {
    for (const sheet of list ?? []) {
      const own = selectorsOf(sheet);
      for (const kind of /** @type {const} */ (['hiding', 'raising', 'striking', 'scrolling', 'marking'])) selectors[kind].push(...own[kind]);
    }
  }
  note(root, selectors.hiding, suspects);
  note(root, selectors.raising, raised);
  note(root, selectors.striking, struck);
  note(root, selectors.scrolling, carousels);
  note(root, selectors.marking, marked);
  for (const el of allIn(root, '[style],[hidden=until-found]')) {
    const style = attr(el, 'style') ?? '';
    if (attr(el, 'hidden') === 'until-found' || HIDING.test(style)) suspects.add(el);
    if (RAISING.test(style)) raised.add(el);
    if (STRIKING.test(style)) struck.add(el);
  }
}

/** @param {Root} root @param {string[]} selectors @param {Set<El>} found */
function note(root, selectors, found) {
  try {
    if (selectors.length) for (const el of allIn(root, selectors.slice(0, MAX_SELECTORS).join())) found.add(el);
  } catch { /* a selector of a rule that does not stand alone */ }
}
onEnterRoot(searchStyles);

// selectorsOf returns the selectors of a sheet's rules that may hide or strike through what they match. It searches a
// sheet again when the number of its rules has changed. Sheets of other sites cannot be searched.
/** @typedef {{ hiding: string[], raising: string[], striking: string[], scrolling: string[], marking: string[] }} Selectors */
/** @returns {Selectors} */
const noSelectors = () => ({ hiding: [], raising: [], striking: [], scrolling: [], marking: [] });
/** @type {WeakMap<CSSStyleSheet, { length: number, selectors: Selectors }>} */
const known = new WeakMap();
/** @param {CSSStyleSheet} sheet @returns {Selectors} */
function selectorsOf(sheet) {
  try {
    const { length } = sheet.cssRules, kept = known.get(sheet);
    if (kept && kept.length === length) return kept.selectors;
    const selectors = noSelectors();
    collect(sheet.cssRules, '', selectors, { left: MAX_RULES });
    known.set(sheet, { length, selectors });
    return selectors;
  } catch {
    return noSelectors();
  }
}

/** @param {CSSRuleList} rules @param {string} parent @param {Selectors} selectors @param {{ left: number }} budget */
function collect(rules, parent, selectors, budget) {
  for (const each of rules) {
    const rule = /** @type {CSSStyleRule & Partial<CSSImportRule>} */ (each); // or of another kind, with some of these properties
    if (--budget.left < 0) return;
    const said = rule.selectorText, selector = said === undefined || !parent ? said ?? parent : said.replaceAll('&', `:is(${parent})`);
    const style = said === undefined ? '' : rule.style.cssText, own = selector.replace(/::?(?:before|after|marker|placeholder)\b/g, '');
    if (HIDING.test(style)) selectors.hiding.push(own);
    if (RAISING.test(style)) selectors.raising.push(own);
    if (STRIKING.test(style)) selectors.striking.push(own);
    if (said?.includes('::scroll-')) noteScrolling(selector, selectors);
    if (rule.cssRules?.length) collect(rule.cssRules, selector, selectors, budget);
    else if (rule.styleSheet) collect(rule.styleSheet.cssRules, '', selectors, budget);
  }
}

// noteScrolling notes the owners of the buttons and markers of scroll containers that a rule makes.
/** @param {string} selector @param {Selectors} selectors */
function noteScrolling(selector, selectors) {
  for (const [, owner, kind] of selector.matchAll(/([^,]*?)::scroll-(button|marker)(?!-)/g)) {
    selectors[kind === 'button' ? 'scrolling' : 'marking'].push(owner.trim() || '*');
  }
}

/** @param {El} el */
export const isCarousel = (el) => carousels.size > 0 && carousels.has(el);
/** @param {El} el */
export const markedIn = (el) => (marked.size ? [...marked].filter((item) => item !== el && el.contains(item)).slice(0, MAX_SELECTORS) : []);

/** @param {El} el */
export const isSuspect = (el) => suspects.size > 0 && suspects.has(el);

// isRaised reports a box that may cover what stands beside it, though it is not taken out of the flow.
/** @param {El} el @param {CSSStyleDeclaration} cs @param {CSSStyleDeclaration} [around] */
export const isRaised = (el, cs, around) => raised.size > 0 && raised.has(el) &&
  (cs.position !== 'static' || cs.zIndex !== 'auto' || cs.transform !== 'none' || /grid|flex/.test(around?.display ?? ''));

// isStruck reports text that a style strikes through.
/** @param {El} el @param {CSSStyleDeclaration} cs */
export const isStruck = (el, cs) => struck.size > 0 && struck.has(el) && cs.textDecorationLine.includes('line-through');

// isConcealed reports that a style of a suspect hides it with all that is in it.
/** @param {El} el @param {CSSStyleDeclaration} cs */
export function isConcealed(el, cs) {
  if (cs.contentVisibility === 'hidden') return true;
  const filtered = /opacity\((\.?\d[\d.]*)(%?)\)/.exec(cs.filter);
  if (filtered && Number(filtered[1]) / (filtered[2] ? 100 : 1) < 0.05) return true;
  if (cs.maskImage !== 'none' && isTransparent(cs.maskImage)) return true;
  if (cs.backfaceVisibility === 'hidden' && isTurnedAway(el)) return true;
  const r = rectOf(el);
  return (r.width < 1 || r.height < 1) && (el.offsetWidth >= 1 && el.offsetHeight >= 1 || Number(cs.zoom) < 0.1);
}

// isTurnedAway reports the back of a card: the transforms of the element and of those that keep its space turn it.
/** @param {El} el */
function isTurnedAway(el) {
  let turned = new DOMMatrix();
  for (let up = /** @type {El | null} */ (el); up && (up === el || getComputedStyle(up).transformStyle === 'preserve-3d'); up = parentElement(up)) {
    const { transform, rotate } = getComputedStyle(up), [, axis, angle] = /^([xy]) (-?[\d.]+deg)$/.exec(rotate) ?? [];
    if (transform !== 'none') turned = new DOMMatrix(transform).multiply(turned);
    if (axis) turned = new DOMMatrix(`rotate${axis.toUpperCase()}(${angle})`).multiply(turned);
  }
  return turned.m33 < 0;
}

// isClippedAway reports a clip path that leaves nothing of a box.
/** @param {string} path @param {El} el */
export function isClippedAway(path, el) {
  const [, shape, said] = /^(inset|polygon|circle|ellipse)\(([^()]*)\)$/.exec(path) ?? [];
  if (!shape) return false;
  const { width, height } = rectOf(el);
  /** @param {string} length @param {number} of */
  const px = (length, of) => parseFloat(length) * (length.endsWith('%') ? of / 100 : 1);
  if (shape === 'inset') {
    const [top, right = top, bottom = top, left = right] = said.split(' round ')[0].split(' ');
    return Math.max(0, px(top, height)) >= Math.min(height, height - px(bottom, height)) || Math.max(0, px(left, width)) >= Math.min(width, width - px(right, width));
  }
  if (shape !== 'polygon') return /^0(?:px|%)?(?: |$)/.test(said) || shape === 'ellipse' && /^\S+ 0(?:px|%)?(?: |$)/.test(said);
  const points = said.replace(/^\w+, /, '').split(', ').map((point) => point.split(' ')), xs = points.map(([x]) => px(x, width)), ys = points.map(([, y]) => px(y, height));
  const area = xs.reduce((sum, x, i) => sum + x * ys[(i + 1) % ys.length] - xs[(i + 1) % xs.length] * ys[i], 0) / 2;
  return Math.abs(area) < 1 || Math.max(...xs) <= 0 || Math.max(...ys) <= 0 || Math.min(...xs) >= width || Math.min(...ys) >= height;
}

// rgb returns a colour as rgb() or rgba(), in whatever colour space a style has it.
/** @type {Map<string, string>} */
const converted = new Map();
/** @param {string} colour */
export function rgb(colour) {
  if (colour === '' || colour.startsWith('rgb')) return colour;
  let found = converted.get(colour);
  if (found === undefined) {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    if (!canvas) return colour;
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    converted.set(colour, found = a === 255 ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${a / 255})`);
  }
  return found;
}

// isDrawnOtherwise reports text of a transparent colour that a person sees by its shadow, its outline or the
// background in its shape.
/** @param {CSSStyleDeclaration} cs */
export const isDrawnOtherwise = (cs) => cs.backgroundClip === 'text' || cs.textShadow !== 'none' && !isTransparent(cs.textShadow) ||
  parseFloat(cs.webkitTextStrokeWidth) > 0 && !isTransparent(cs.webkitTextStrokeColor);

// isTransparent reports a picture of gradients between transparent colours.
/** @param {string} image */
function isTransparent(image) {
  const colours = image.match(/rgba?\([^)]*\)/g);
  return !!colours && !/url\(|image|element\(/.test(image) && colours.every((colour) => /^rgba.*[,/]\s*0(?:\.0[0-4]\d*)?\)$/.test(colour));
}

// isFarAway reports an element whose text no scrolling brings into view: beyond the start of the page, or fixed
// outside of the viewport. A box that only begins there may have text that does not.
const MAX_TEXTS = 30;
/** @param {El} el @param {CSSStyleDeclaration} cs @param {Win} view */
export function isFarAway(el, cs, view) {
  const r = rectOf(el), fixed = cs.position === 'fixed' && !el.offsetParent, x = fixed ? 0 : view.scrollX, y = fixed ? 0 : view.scrollY;
  if (r.left + x >= 0 && r.top + y >= 0) return fixed && (r.left >= view.innerWidth || r.top >= view.innerHeight);
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode(), texts = 0; n && texts < MAX_TEXTS; n = walker.nextNode()) {
    if (!/\S/.test(nodeValue(n))) continue;
    texts++;
    for (const rect of textRects(n)) if (rect.right + x > 0 && rect.bottom + y > 0) return false;
  }
  return true;
}

// isAlike reports colours that no person tells apart: the contrast is under 1.1.
/** @type {Map<string, Map<string, boolean>>} */
const compared = new Map();
/** @param {string} colour @param {string} background */
export function isAlike(colour, background) {
  if (colour === background) return true;
  let of = compared.get(colour);
  if (!of) { if (compared.size > 500) compared.clear(); compared.set(colour, of = new Map()); }
  let alike = of.get(background);
  if (alike === undefined) of.set(background, alike = compareColours(colour, background));
  return alike;
}

/** @param {string} colour @param {string} background */
function compareColours(colour, background) {
  const [a, b] = [colour, background].map((c) => /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(c)?.slice(1).map((n) => (n === undefined ? 1 : Number(n))));
  if (!a || !b || b[3] < 1) return false;
  /** @param {number[]} rgb */
  const luminance = (rgb) => rgb.map((n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, n, i) => sum + n * [0.2126, 0.7152, 0.0722][i], 0.05);
  const drawn = [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])), under = b.slice(0, 3);
  if (drawn.some((n, i) => Math.abs(n - under[i]) > 40)) return false; // another hue
  const one = luminance(drawn), other = luminance(under);
  return Math.max(one, other) / Math.min(one, other) < 1.1;
}
