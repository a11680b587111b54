// References: the elements that an attribute of ids names, or a property that a script has set in its place. Such
// a property leaves an empty attribute.

import { attr, getter, rootNode } from './dom.js';

/** @type {Record<string, (el: Element) => El[] | null>} */
const PROPERTIES = Object.fromEntries(Object.entries({
  'aria-controls': 'ariaControlsElements', 'aria-describedby': 'ariaDescribedByElements', 'aria-errormessage': 'ariaErrorMessageElements',
  'aria-labelledby': 'ariaLabelledByElements', 'aria-owns': 'ariaOwnsElements',
}).map(([name, property]) => [name, property in Element.prototype ? getter(Element.prototype, property) : () => null]));

/** @param {El} el @param {string} name @returns {El[]} */
export function referredBy(el, name) {
  const ids = attr(el, name);
  if (ids === null) return [];
  if (!ids) return [...PROPERTIES[name](el) ?? []];
  const root = /** @type {Document} */ (rootNode(el));
  if (!root.getElementById) return [];
  return ids.split(/\s+/).flatMap((id) => { const target = id ? root.getElementById(id) : null; return target ? [target] : []; });
}
