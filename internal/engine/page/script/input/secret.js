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

/** @param {{ n: number }} o */
export const fieldOrigin = ({ n }) => ({ origin: originAt(resolve(n)) });

export const focusOrigin = () => ({ origin: originAt(focusedElement()) });

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
