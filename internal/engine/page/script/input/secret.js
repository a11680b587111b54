// Secrets: the origin of the document that a text goes into, and the insertion of that text by this world,
// which no other document can receive.

import { focusedElement, isFrame, ownerDocument } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { resolve } from '../document/registry.js';
import { noteFilled } from '../document/secret_copy.js';
import { stopIntercepting } from '../settle/input_interceptor.js';

// originAt returns the origin of an element's document, as the browser compares it. A document of about:blank
// has that of the one that made it.
/** @param {El | null} el */
export const originAt = (el) => String((el ? ownerDocument(el).defaultView : window)?.origin ?? 'null');

// controlled reports whether a service worker answers the requests of a window, or of one around it that can reach it.
/** @param {Window} view @returns {boolean} */
function controlled(view) {
  try {
    return !!view.navigator.serviceWorker?.controller || view.parent !== view && controlled(view.parent);
  } catch { // of another origin
    return false;
  }
}

/** @param {El | null} el */
const placeOf = (el) => ({ origin: originAt(el), worker: controlled((el && ownerDocument(el).defaultView) ?? window) });

/** @param {{ n: number }} o */
export const fieldOrigin = ({ n }) => placeOf(resolve(n));

export const focusOrigin = () => placeOf(focusedElement());

// insertSecret replaces the selection of the focused element.
/** @param {{ text: string, origin: string }} o */
export function insertSecret({ text, origin }) {
  stopIntercepting();
  const el = focusedElement();
  if (!el || isFrame(el) || originAt(el) !== origin || !origin) throw new EngineError('focusElsewhere', {});
  noteFilled(el);
  ownerDocument(el).execCommand('insertText', false, text);
  return {};
}
