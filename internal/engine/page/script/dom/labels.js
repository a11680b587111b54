// The labels of controls. The list that an element has of its own walks its whole tree, so when one task asks
// for many, each tree is searched once.

import { rootNode } from './dom.js';
import { paintOf } from './scan.js';

const ASKED_FIRST = 3;
let asked = 0;

// labelsOf returns the labels of a control in the order of the tree; [] for one without.
/** @param {El} el @returns {El[]} */
export function labelsOf(el) {
  if (asked++ === 0) queueMicrotask(() => { asked = 0; });
  return asked <= ASKED_FIRST ? [...el.labels ?? []] : paintOf(rootNode(el), labelsByControl).get(el) ?? [];
}

/** @param {Root} root */
function labelsByControl(root) {
  /** @type {Map<El, El[]>} */ const out = new Map();
  for (const label of root.querySelectorAll('label')) {
    const { control } = label;
    if (control) out.set(control, [...out.get(control) ?? [], label]);
  }
  return out;
}
