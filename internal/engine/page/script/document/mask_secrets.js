// Masking for screenshots: password fields, and elements that show one of the given texts, also spread over several. An
// adopted style sheet does it, so that the document does not change and its scripts observe
// nothing.

import { noteShadowCandidate } from '../dom/closed_shadow.js';
import {
  DOCUMENT, ELEMENT, frameDocument, isFrame, localName, nodeType, parentNode, previousElement, shadowRootOf, textsIn,
} from '../dom/dom.js';
import { noteRemoteFrame } from '../dom/frames.js';
import { formsOf, found, maskedPieces } from '../dom/secret_texts.js';

const NO_TRANSITION = '{transition:none!important}';
const MASKED_STYLE = '{color:transparent!important;-webkit-text-fill-color:transparent!important;-webkit-text-security:disc!important;' +
  '-webkit-text-stroke:0!important;fill:transparent!important;stroke:transparent!important;background-clip:border-box!important;' +
  'text-shadow:none!important;text-decoration-color:transparent!important;caret-color:transparent!important;transition:none!important}';
const HIDDEN_STYLE = '{opacity:0!important;transition:none!important}'; // of an element that has nothing else
const GENERATED = ['::before', '::after', '::marker'];

/** @type {{ root: Root, sheet: CSSStyleSheet, elements: El[], selectors: string[] }[]} */
let masks = []; // trees, each with the sheet that it was given, the elements this hides, and its selectors

/** @param {{ values: string[] }} o */
export function maskSecrets({ values }) {
  unmaskSecrets();
  const secrets = formsOf(Object.fromEntries(values.map((value) => [value, ''])));
  let hidden = 0;
  /** @param {Root} root */
  const tree = (root) => {
    const shown = elementsWith(root, secrets);
    for (const el of root.querySelectorAll('*')) {
      const shadow = shadowRootOf(el);
      if (shadow) tree(shadow); else if (localName(el).includes('-')) noteShadowCandidate(el, localName(el), false);
      if (isFrame(el)) {
        const doc = frameDocument(el);
        if (doc) tree(doc); else noteRemoteFrame(el);
      }
    }
    hidden += shown.texts.size;
    maskTree(root, shown);
  };
  tree(document);
  return { hidden };
}

/** @typedef {{ texts: Set<El>, attributes: Set<El>, styles: boolean }} Shown */

// elementsWith finds the elements of a tree that show a secret in their texts or by an attribute, and whether a style
// sheet of the tree has one.
/** @param {Root} root @param {import('../dom/secret_texts.js').Forms} secrets @returns {Shown} */
function elementsWith(root, secrets) {
  const out = { texts: new Set(), attributes: new Set(), styles: false };
  /** @param {unknown} text */
  const shows = (text) => found(String(text), false, secrets).length > 0;
  const nodes = /** @type {Text[]} */ (/** @type {unknown} */ (textsIn(root, NodeFilter.SHOW_TEXT))), parent = nodes.map((n) => /** @type {El | null} */ (parentNode(n)));
  const spread = maskedPieces(nodes.map((n) => n.data), (from, to) => parent[from] === parent[to], secrets);
  nodes.forEach((n, i) => {
    const el = parent[i];
    if (!el || nodeType(el) !== ELEMENT || !spread?.has(i) && !shows(n.data)) return;
    if (localName(el) === 'style') out.styles = true; else out.texts.add(el);
  });
  for (const el of root.querySelectorAll('*')) {
    const tag = localName(el);
    if (tag === 'input' && el.type === 'password' ? el.value !== '' : (tag === 'input' || tag === 'textarea') && shows(el.value)) out.texts.add(el);
    for (const name of Element.prototype.getAttributeNames.call(el)) {
      if (!shows(Element.prototype.getAttribute.call(el, name))) continue;
      if (name === 'placeholder' || name === 'alt' || name === 'label') out.texts.add(el); else out.attributes.add(el);
    }
  }
  for (const el of out.texts) {
    const list = localName(el) === 'option' || localName(el) === 'optgroup' ? el.closest('select') : null;
    if (list) out.texts.add(list);
  }
  return out;
}

/** @param {Root} root @param {Shown} shown */
function maskTree(root, { texts, attributes, styles }) {
  /** @type {string[]} */ const selectors = [];
  /** @type {string[]} */ const rules = [];
  /** @param {string} selector @param {string} style */
  const hide = (selector, style) => { selectors.push(selector); rules.push(selector + style); };
  for (const el of texts) {
    const path = positionOf(el, root), tag = localName(el);
    hide(path, MASKED_STYLE);
    if (tag === 'input' || tag === 'textarea') hide(path + '::placeholder', MASKED_STYLE);
    else if (!el.firstElementChild && tag !== 'select') hide(path, HIDDEN_STYLE);
  }
  for (const el of attributes) for (const part of GENERATED) hide(positionOf(el, root) + part, MASKED_STYLE);
  if (styles) for (const part of GENERATED) hide('*' + part, MASKED_STYLE);
  if (!rules.length) return;
  const view = /** @type {Doc} */ ('defaultView' in root ? root : root.ownerDocument).defaultView;
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(rules.join('\n'));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  masks.push({ root, sheet, elements: [...texts], selectors });
}

export function unmaskSecrets() {
  for (const { root, sheet, elements, selectors } of masks) {
    sheet.replaceSync(selectors.map((selector) => selector + NO_TRANSITION).join('\n'));
    for (const el of elements) getComputedStyle(el).color; // the way back is no transition of the page's
    root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((s) => s !== sheet);
  }
  masks = [];
  return {};
}

// positionOf returns a selector of one element by positions alone.
/** @param {El} el @param {Root} root */
function positionOf(el, root) {
  const steps = [];
  for (let at = /** @type {El | null} */ (el); at && at !== /** @type {Node} */ (root); at = parentNode(at)) {
    if (nodeType(at) !== ELEMENT) break;
    let n = 1;
    for (let before = previousElement(at); before; before = previousElement(before)) n++;
    steps.unshift(`:nth-child(${n})`);
  }
  return (nodeType(root) === DOCUMENT ? '' : ':host>') + steps.join('>');
}
