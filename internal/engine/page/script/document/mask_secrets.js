// Masking for screenshots: password fields, and elements that show one of the given texts. An
// adopted style sheet does it, so that the document does not change and its scripts observe
// nothing.

import { noteShadowCandidate } from '../dom/closed_shadow.js';
import {
  DOCUMENT, ELEMENT, TEXT, firstChild, frameDocument, isFrame, localName, nextSibling, nodeType, parentNode,
  previousElement, shadowRootOf,
} from '../dom/dom.js';
import { noteRemoteFrame } from '../dom/frames.js';

const MASKED_STYLE = '{color:transparent!important;-webkit-text-fill-color:transparent!important;-webkit-text-security:disc!important;' +
  'text-shadow:none!important;text-decoration-color:transparent!important;caret-color:transparent!important;transition:none!important}';

const NO_TRANSITION = '{transition:none!important}';

/** @type {{ root: Root, sheet: CSSStyleSheet, elements: El[], paths: string[] }[]} */
let masks = []; // trees, each with the sheet that it was given and the elements this hides

/** @param {{ values: string[] }} o */
export function maskSecrets({ values }) {
  unmaskSecrets();
  let hidden = 0;
  /** @param {Root} root */
  const tree = (root) => {
    const shown = [];
    for (const el of root.querySelectorAll('*')) {
      if (showsSecret(el, values)) shown.push(el);
      const shadow = shadowRootOf(el);
      if (shadow) tree(shadow); else if (localName(el).includes('-')) noteShadowCandidate(el, localName(el), false);
      if (isFrame(el)) {
        const doc = frameDocument(el);
        if (doc) tree(doc); else noteRemoteFrame(el);
      }
    }
    hidden += shown.length;
    if (shown.length) maskTree(root, shown);
  };
  tree(document);
  return { hidden };
}

/** @param {Root} root @param {El[]} elements */
function maskTree(root, elements) {
  const view = /** @type {Doc} */ ('defaultView' in root ? root : root.ownerDocument).defaultView;
  const sheet = new view.CSSStyleSheet();
  const paths = elements.map((el) => positionOf(el, root));
  sheet.replaceSync(paths.map((path) => path + MASKED_STYLE).join('\n'));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  masks.push({ root, sheet, elements, paths });
}

export function unmaskSecrets() {
  for (const { root, sheet, elements, paths } of masks) {
    sheet.replaceSync(paths.map((path) => path + NO_TRANSITION).join('\n'));
    for (const el of elements) getComputedStyle(el).color; // the way back is no transition of the page's
    root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((s) => s !== sheet);
  }
  masks = [];
  return {};
}

// showsSecret reports a filled password field, or an element that shows one of the texts.
/** @param {El} el @param {string[]} values */
function showsSecret(el, values) {
  const tag = localName(el);
  if (tag === 'input' && el.type === 'password') return el.value !== '';
  if (tag === 'input' || tag === 'textarea') return showsAny(el.value, values);
  for (let n = firstChild(el); n; n = nextSibling(n)) {
    if (nodeType(n) === TEXT && showsAny(n.data, values)) return true;
  }
  return false;
}

/** @param {string} text @param {string[]} values */
const showsAny = (text, values) => values.some((value) => String(text).includes(value));

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
