// Page secrets: the values of password fields and the contents of web storage. The Go side removes
// these texts from whatever it stores and must not use them for anything else.

import { noteShadowCandidate } from '../dom/closed_shadow.js';
import { focusedElement, frameDocument, isFrame, localName, shadowRootOf } from '../dom/dom.js';
import { noteRemoteFrame } from '../dom/frames.js';
import { isSecret } from '../dom/state.js';

const MAX_STORED_ITEMS = 200; // items of one storage

export function pageSecrets() {
  /** @type {string[]} */
  const fieldValues = [];
  /** @type {string[]} */
  const storageValues = [];
  let fieldCount = 0;
  /** @param {Win} view */
  const keep = (view) => {
    for (const name of /** @type {const} */ (['localStorage', 'sessionStorage'])) {
      try {
        const items = view[name];
        for (let i = 0; i < Math.min(items.length, MAX_STORED_ITEMS); i++) storageValues.push(String(items.getItem(/** @type {string} */ (items.key(i)))).slice(0, 2000));
      } catch { /* a document without an origin has none */ }
    }
  };
  /** @param {Root} root */
  const tree = (root) => {
    for (const el of root.querySelectorAll('*')) {
      if (isSecret(el)) { fieldCount++; if (el.value) fieldValues.push(el.value); }
      const shadow = shadowRootOf(el);
      if (shadow) tree(shadow); else if (localName(el).includes('-')) noteShadowCandidate(el, localName(el), false);
      if (isFrame(el)) {
        const doc = frameDocument(el);
        if (doc) { keep(doc.defaultView); tree(doc); } else noteRemoteFrame(el);
      }
    }
  };
  keep(window);
  tree(document);
  const focused = focusedElement();
  return { fieldValues, storageValues, fieldCount, focused: !!focused && isSecret(focused) };
}
