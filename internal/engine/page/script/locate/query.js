// Exact selection: CSS, optionally through shadow trees and frames, and XPath.

import { noteShadowCandidate } from '../dom/closed_shadow.js';
import {
  ELEMENT, attr, cut, evaluateXPath, frameDocument, hasAttr, hasChildren, isFrame, localName, matches, nodeType,
  parentOf, queryAll, shadowRootOf, textContent, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { noteRemoteFrame } from '../dom/frames.js';
import { roleOf } from '../dom/role.js';
import { isSecret, isVisible, topBox } from '../dom/state.js';
import { describe, entries, numbers } from '../document/registry.js';
import { pathOf } from './display_name.js';
import { maskedCopy, selectMasked } from './masked_copy.js';

/** @param {{ css?: string, xpath?: string, pierce?: boolean }} o @returns {El[]} */
export function selectAll({ css = '', xpath, pierce }) {
  if (xpath) return byXPath(xpath);
  try {
    document.createDocumentFragment().querySelector(css);
  } catch (e) {
    throw new EngineError('badSelector', { reason: String(/** @type {Error} */ (e).message) });
  }
  return pierce ? byPiercing(css, true) : selectMasked(document, css) ?? [...queryAll(document, css)];
}

/** @param {string} xpath @returns {El[]} */
function byXPath(xpath) {
  const masked = maskedCopy(document), within = /** @type {Doc} */ (masked?.copy ?? document);
  let found;
  try {
    found = evaluateXPath(within, xpath, within, null, XPathResult.ANY_TYPE, null);
  } catch (e) {
    throw new EngineError('badSelector', { reason: String(/** @type {Error} */ (e).message) });
  }
  if (found.resultType < XPathResult.UNORDERED_NODE_ITERATOR_TYPE) {
    throw new EngineError('badSelector', { reason: 'the expression answers with a value, not with elements' });
  }
  /** @type {El[]} */
  const out = [];
  for (let n = found.iterateNext(); n; n = found.iterateNext()) {
    if (nodeType(n) === ELEMENT) out.push(/** @type {El} */ (n));
    else throw new EngineError('badSelector', { reason: 'the expression selects attributes or text, not elements' });
  }
  return masked ? out.map((el) => masked.elements[masked.copies.indexOf(el)]) : out;
}

// byPiercing matches in every tree separately: a selector does not cross a shadow boundary. One of a caller meets no
// secret.
/** @param {string} css @param {boolean} [ofCaller] @returns {El[]} */
export function byPiercing(css, ofCaller = false) {
  /** @type {El[]} */
  const out = [];
  /** @param {Root} root */
  const tree = (root) => {
    const found = ofCaller ? selectMasked(root, css) : null, shown = found && new Set(found);
    for (const el of root.querySelectorAll('*')) {
      if (shown ? shown.has(el) : matches(el, css)) out.push(el);
      const shadow = shadowRootOf(el);
      if (shadow) tree(shadow);
      else if (localName(el).includes('-')) noteShadowCandidate(el, localName(el), false);
      else if (!hasChildren(el)) noteShadowCandidate(el, localName(el), true);
      if (isFrame(el)) {
        const doc = frameDocument(el);
        if (doc) tree(doc); else noteRemoteFrame(el);
      }
    }
  };
  tree(document);
  return out;
}

/** @param {{ css?: string, xpath?: string, pierce?: boolean, all?: boolean, limit: number }} q */
export function query(q) {
  const found = selectAll(q);
  const limit = q.all ? q.limit : 1;
  return { total: found.length, elements: found.slice(0, limit).map(inform) };
}

const SHOWN_ATTRIBUTES = ['id', 'class', 'name', 'type', 'href', 'src', 'alt', 'title', 'placeholder', 'for', 'data-testid'];

/** @param {El} el */
export function inform(el) {
  const out = /** @type {Informed} */ (describe(el, shownRoleOf(el)));
  out.tag = localName(el);
  out.text = cut(tidy(isSecret(el) ? '' : textContent(el)), 200);
  out.visible = isVisible(el);
  out.box = topBox(el);
  out.path = pathOf(el);
  /** @type {Record<string, string>} */
  const attributes = {};
  for (const name of SHOWN_ATTRIBUTES) if (hasAttr(el, name)) attributes[name] = cut(attr(el, name) ?? '', 300);
  out.attributes = attributes;
  if (isSecret(el)) out.secret = true;
  return out;
}

// An element without role keeps the role that a reading gave it.
/** @param {El} el */
export function shownRoleOf(el) {
  const n = numbers.get(el);
  if (n !== undefined) return entries.get(n)?.role;
  return roleOf(el) === 'generic' && !pointsAt(el) ? 'generic' : undefined;
}

/** @param {El} el */
const pointsAt = (el) => {
  if (hasAttr(el, 'onclick') || hasAttr(el, 'tabindex')) return true;
  const parent = parentOf(el);
  return getComputedStyle(el).cursor === 'pointer' && (!parent || getComputedStyle(parent).cursor !== 'pointer');
};
