// The labels of controls. The list that an element has of its own walks its whole tree, so when one task asks
// for many, each tree is searched once.

import { attr, rootNode } from './dom.js';
import { paintOf } from './scan.js';

const ASKED_FIRST = 3;
let asked = 0;

// labelsOf returns the labels of a control in the order of the tree; [] for one without.
/** @param {El} el @returns {El[]} */
export function labelsOf(el) {
  if (asked++ === 0) queueMicrotask(() => { asked = 0; });
  const id = attr(el, 'id'), alike = id && el.labels ? [...rootNode(el).querySelectorAll(`[id="${CSS.escape(id)}"]`)] : [];
  if (alike.length > 1) return alike.flatMap((each) => [...each.labels ?? []]).filter((label) => ownerOf(label, alike) === el);
  return asked <= ASKED_FIRST ? [...el.labels ?? []] : paintOf(rootNode(el), labelsByControl).get(el) ?? [];
}

// ownerOf returns the one of several elements with one id that a label stands before or around: the browser gives the
// labels of all to the first.
/** @param {El} label @param {El[]} alike */
const ownerOf = (label, alike) => alike.find((el) => label.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING) ?? alike.at(-1);

/** @param {Root} root */
function labelsByControl(root) {
  /** @type {Map<El, El[]>} */ const out = new Map();
  for (const label of root.querySelectorAll('label')) {
    const { control } = label;
    if (control) out.set(control, [...out.get(control) ?? [], label]);
  }
  return out;
}
