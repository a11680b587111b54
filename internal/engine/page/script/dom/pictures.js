// Pictures that still load: an element that only holds one has no size yet.

import { drawsPicture } from './content.js';
import { attr, localName, ownerDocument, selectIn } from './dom.js';
import { boxOf, hasArea } from './state.js';

// isLoading reports a picture without a size that has not arrived: an <img>, a button of one, or one that a style puts in the place
// of an element.
/** @param {El} el */
export function isLoading(el) {
  if (hasArea(boxOf(el))) return false;
  if (localName(el) === 'img') return !el.complete && !!(attr(el, 'src') || attr(el, 'srcset'));
  const { content, display } = getComputedStyle(el);
  const button = localName(el) === 'input' && el.type === 'image' ? el.src : '';
  const url = button || (display !== 'none' && drawsPicture(content) ? /url\("((?:[^"\\]|\\.)+)"\)/.exec(content)?.[1] : '');
  return !!url && !url.startsWith('data:') && !ownerDocument(el).defaultView.performance.getEntriesByName(url).length;
}

// awaitsPicture reports a control that gets its size from a picture that still loads.
/** @param {El} el */
export function awaitsPicture(el) {
  const img = localName(el) === 'img' ? el : selectIn(el, 'img');
  return isLoading(img ?? el);
}
