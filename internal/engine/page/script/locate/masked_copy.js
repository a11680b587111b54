// Masked copies: where a tree holds a secret, a selector or a path of the caller runs over a copy of the tree that has
// the marks of results in the secret's place, and so tells no part of it.

import { DOCUMENT, firstChild, nextSibling, nodeType, nodeValue, textsIn } from '../dom/dom.js';
import { masked } from '../dom/secret_texts.js';
import { MASK, isSecret } from '../dom/state.js';

const TEXTS = NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT | NodeFilter.SHOW_CDATA_SECTION | NodeFilter.SHOW_PROCESSING_INSTRUCTION;

// shownIn returns an attribute as a caller may see it: without what the server filled in, and without the value of a
// field for a secret.
/** @param {El} el @param {string} value */
const shownIn = (el, value) => (value && isSecret(el) && el.value && value.includes(el.value) ? MASK : masked(value));

/** @param {Root} root @param {El[]} elements */
const holdsSecret = (root, elements) => elements.some((el) => [...el.attributes].some((a) => shownIn(el, a.value) !== a.value)) ||
  textsIn(root, TEXTS).some((n) => nodeValue(n) !== n.nodeValue);

// copyOf returns a copy of a tree in a document that loads and runs nothing.
/** @param {Root} root @returns {Root} */
function copyOf(root) {
  if (nodeType(root) === DOCUMENT) return /** @type {Root} */ (/** @type {Node} */ (root).cloneNode(true));
  const idle = document.implementation.createHTMLDocument('');
  const host = /** @type {El} */ (idle.importNode(/** @type {Node} */ (/** @type {El} */ (/** @type {Node} */ (root)).host), false));
  const copy = (host.shadowRoot ? idle.createElement('div') : host).attachShadow({ mode: 'closed' });
  for (let n = firstChild(root); n; n = nextSibling(n)) copy.append(idle.importNode(n, true));
  return /** @type {Root} */ (/** @type {unknown} */ (copy));
}

// maskedCopy returns the copy of a tree and the originals of the elements of the copy, or null where the tree holds no
// secret.
/** @param {Root} root */
export function maskedCopy(root) {
  const elements = /** @type {El[]} */ ([...root.querySelectorAll('*')]);
  if (!holdsSecret(root, elements)) return null;
  const copy = copyOf(root), texts = textsIn(root, TEXTS);
  textsIn(copy, TEXTS).forEach((n, i) => { n.nodeValue = nodeValue(texts[i]); });
  const copies = /** @type {El[]} */ ([...copy.querySelectorAll('*')]);
  copies.forEach((el, i) => {
    for (const a of el.attributes) { const shown = shownIn(elements[i], a.value); if (shown !== a.value) a.value = shown; }
  });
  return { copy, copies, elements };
}

// A copy has no focus and no validity: what a selector says of the state of an element is asked of the original.
const STRUCTURE = /^:(?:root|scope|empty|first-child|last-child|only-child|first-of-type|last-of-type|only-of-type|host)$/i;
const QUOTED = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const TOKENS = new RegExp(String.raw`\\.|${QUOTED}|\[(?:${QUOTED}|[^\]"'])*\]|:{1,2}[a-z][a-z-]*(?![\w(-])`, 'gisu');

// selectMasked returns the elements of a tree that a selector matches, or null where the tree holds no secret.
/** @param {Root} root @param {string} css @returns {El[] | null} */
export function selectMasked(root, css) {
  const held = maskedCopy(root);
  if (!held) return null;
  /** @type {string[]} */ const states = [];
  const asked = css.replace(TOKENS, (token) => {
    if (!/^:[a-z]/i.test(token) || STRUCTURE.test(token)) return token;
    if (!states.includes(token)) states.push(token);
    return `[callsheet-state-${states.indexOf(token)}]`;
  });
  states.forEach((state, i) => {
    const matching = new Set(/** @type {Iterable<El>} */ (root.querySelectorAll(state)));
    held.copies.forEach((copy, at) => { if (matching.has(held.elements[at])) copy.setAttribute(`callsheet-state-${i}`, ''); });
  });
  const found = new Set(/** @type {Iterable<El>} */ (held.copy.querySelectorAll(asked)));
  return held.elements.filter((_, i) => found.has(held.copies[i]));
}
