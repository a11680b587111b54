// Text that a person can read.

import {
  ELEMENT, MAX_DEPTH, TEXT, cut, eachChild, firstChild, frameDocument, isFrame, nextSibling, nodeType, nodeValue,
  tidy,
} from './dom.js';
import { noteRemoteFrame } from './frames.js';
import { UNKNOWN_PARENT, parentVisual, readable, visualState } from './scan.js';

// visibleText returns the start of an element's text that a person can read.
/** @param {El} el */
export const visibleText = (el) => cut(tidy(readText(el, 400)), 300);

/** @param {Element} el @param {number} enough */
export function readText(el, enough) {
  let text = '';
  /** @param {El} node @param {ParentVisual} up @param {number} depth */
  const go = (node, up, depth) => {
    if (text.length > enough || depth > MAX_DEPTH) return;
    const visual = visualState(node, up);
    if (!visual) return;
    if (visual.display !== 'inline') text += ' ';
    if (visual.tag === 'textarea') return; // its text is a value
    const doc = isFrame(node) ? frameDocument(node) : null;
    if (doc) go(doc.documentElement, UNKNOWN_PARENT, depth + 1); else if (isFrame(node)) noteRemoteFrame(node);
    eachChild(node, (n) => {
      const type = nodeType(n);
      if (type === TEXT) { if (/\S/.test(nodeValue(n)) ? readable(visual) : true) text += nodeValue(n); }
      else if (type === ELEMENT) go(n, visual, depth + 1);
    });
    if (visual.display !== 'inline') text += ' ';
  };
  go(/** @type {El} */ (el), parentVisual(el), 0);
  return text;
}

/** @param {El} el */
export function ownText(el) {
  let text = '';
  for (let n = firstChild(el); n; n = nextSibling(n)) if (nodeType(n) === TEXT) text += nodeValue(n);
  return tidy(text);
}
