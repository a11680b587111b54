// Closed shadow-host candidates: elements that may hide a closed shadow tree. No script can tell,
// so the Go side inspects each candidate once. A candidate is a custom element, an element that
// takes room and has no children, or an element whose children are not rendered.

import { addClosedRoot, localName } from './dom.js';
import { observeRoot } from './roots.js';

const HOSTS = new Set('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '));
// A page of empty spacers must not cost a call for each. These limits hold for plain elements of a
// document, for the candidates of one response, and for a custom tag that was inspected without a
// find.
const MAX_PLAIN = 100, MAX_SAME_TAG = 3;
let plainCount = 0, maxCandidates = 200;
const examined = new WeakSet();
const rejectedTags = new Map();
/** @type {El[]} */
export let shadowCandidates = [];
export const clearShadowCandidates = () => { shadowCandidates = []; };

/** @param {El} el @param {string} tag @param {boolean} only */
export function noteShadowCandidate(el, tag, only) {
  if (examined.has(el) || shadowCandidates.length >= maxCandidates) return;
  if (tag.includes('-')) {
    if ((rejectedTags.get(tag) ?? 0) >= MAX_SAME_TAG) return;
  } else {
    if (!HOSTS.has(tag) || only && (plainCount >= MAX_PLAIN || !(el.offsetWidth > 1 && el.offsetHeight > 1))) return;
    plainCount++;
  }
  examined.add(el);
  shadowCandidates.push(el);
}

// takeShadowCandidates hands the candidates over. addShadowRoot receives the closed roots that were
// found.
export function takeShadowCandidates() {
  const out = shadowCandidates;
  shadowCandidates = [];
  if (out.length === maxCandidates) maxCandidates *= 2; // each response costs a walk
  for (const el of out) {
    const tag = localName(el);
    if (tag.includes('-')) rejectedTags.set(tag, (rejectedTags.get(tag) ?? 0) + 1);
  }
  return out;
}

/** @param {El} host @param {ShadowRoot} root */
export function addShadowRoot(host, root) {
  addClosedRoot(host, root);
  rejectedTags.set(localName(host), -Infinity);
  observeRoot(root);
}
