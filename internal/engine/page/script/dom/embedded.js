// Documents of <object> and <embed>: frames whose element does not always tell their window.

import { localName, objectWindowOf, ownerDocument, windowOf } from './dom.js';

/** @type {Map<Doc, Map<El, Win>>} */
const embeds = new Map(); // of this task

// embeddedWindow returns the window of the document that an <object> or <embed> shows, or null.
/** @param {El} el @returns {Win | null} */
export function embeddedWindow(el) {
  const tag = localName(el);
  if (tag === 'object') return objectWindowOf(el);
  if (tag !== 'embed') return null;
  if (!embeds.size) queueMicrotask(() => embeds.clear());
  const doc = ownerDocument(el), known = embeds.get(doc) ?? embedWindows(doc);
  embeds.set(doc, known);
  return known.get(el) ?? null;
}

/** @param {El} el */
export const isEmbedding = (el) => { const tag = localName(el); return (tag === 'object' || tag === 'embed') && embeddedWindow(el) !== null; };

// embedWindows returns the windows of the embed elements of a document. The browser numbers the windows of a
// document in the order in which they were made, and tells the element of those of the same origin alone.
/** @param {Doc} doc */
function embedWindows(doc) {
  /** @type {Map<El, Win>} */ const out = new Map();
  const others = new Set([...doc.querySelectorAll('iframe')].map(windowOf));
  for (const el of doc.querySelectorAll('frame,object')) others.add(localName(el) === 'frame' ? el.contentWindow : objectWindowOf(el));
  const strange = [];
  for (let i = 0; i < doc.defaultView.length; i++) {
    const view = /** @type {Win} */ (/** @type {unknown} */ (doc.defaultView[i]));
    if (others.has(view)) continue;
    const owner = ownerOf(view);
    if (owner) out.set(owner, view); else strange.push(view);
  }
  for (const el of doc.querySelectorAll('embed')) if (!out.has(el) && el.offsetWidth > 0) { const view = strange.shift(); if (view) out.set(el, view); }
  return out;
}

/** @param {Win} view */
function ownerOf(view) {
  try {
    return /** @type {El | null} */ (view.frameElement);
  } catch {
    return null;
  }
}
