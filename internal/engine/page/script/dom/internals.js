// Element internals: the role, the name and the states that a custom element gives itself (ElementInternals). No
// script but the element's own sees them, so the Go side asks the accessibility tree, for the elements whose class
// attaches internals. They are read in the place of missing attributes.

import { attached, localName, noteInternals } from './dom.js';

const MAX_ELEMENTS = 300, MAX_TAGS = 200;
/** @type {Map<string, boolean>} */ const tags = new Map(); // whether the class of a tag attaches internals
/** @type {Set<string>} */ const unknown = new Set();
/** @type {Set<WeakRef<El>>} */ const elements = new Set(); // also those of unknown tags
const noted = new WeakSet();
let fresh = 0; // elements that were noted and not asked for

// noteCustom notes a custom element that a walk meets.
/** @param {El} el @param {string} tag */
export function noteCustom(el, tag) {
  const attaches = tags.get(tag);
  if (attaches === false || noted.has(el)) return;
  if (attaches === undefined && unknown.size < MAX_TAGS) unknown.add(tag);
  if (elements.size >= MAX_ELEMENTS) return;
  noted.add(el);
  elements.add(new WeakRef(el));
  if (attaches) fresh++;
}

// pendingInternals returns how much the Go side has to ask for before a walk sees all.
export const pendingInternals = () => unknown.size + fresh;

// unknownTags returns the tags whose classes are to be looked at, and judgeTags what was found.
export const unknownTags = () => [...unknown];
/** @param {string[]} attaching */
export function judgeTags(attaching) {
  for (const tag of unknown) tags.set(tag, attaching.includes(tag));
  unknown.clear();
  return attaching.length;
}

// elementsWithInternals returns the elements to ask for.
export function elementsWithInternals() {
  fresh = 0;
  /** @type {El[]} */ const out = [];
  for (const weak of elements) { const el = weak.deref(); if (el && attached(el) && tags.get(localName(el))) out.push(el); else elements.delete(weak); }
  return out;
}

// setInternals stores the internals of elements, which are read in the place of attributes.
/** @param {Record<string, string>[]} values @param {El[]} of */
export function setInternals(values, of) {
  of.forEach((el, i) => noteInternals(el, values[i]));
}
