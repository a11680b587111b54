// The composed tree, read through the accessors of the prototypes.
//
// A form or a document exposes its named children as properties, so a page with
// <input name="parentNode"> would otherwise replace what the engine reads. Markup cannot shadow the
// accessors taken here.

import { embeddedWindow, isEmbedding } from './embedded.js';
import { areasOf, imageOf, isMapped } from './image_map.js';
import { observeRoot } from './roots.js';
import { knowsSecrets, masked, maskedPieces, setSecretTexts } from './secret_texts.js';

// Deeper levels are not walked: a walk needs several calls a level, and a page's stack ends near
// ten thousand.
export const MAX_DEPTH = 800;

// getter returns the getter of a property as a function. Its caller says the type of that function.
/** @template F @param {object} proto @param {string} name @returns {F} */
export const getter = (proto, name) => {
  const { get } = /** @type {{ get: () => unknown }} */ (Object.getOwnPropertyDescriptor(proto, name));
  return /** @type {F} */ (/** @param {Node} node */ (node) => get.call(node));
};

/** @type {(node: Node) => El | null} */ export const parentNode = getter(Node.prototype, 'parentNode');
/** @type {(node: Node) => El | null} */ export const firstChild = getter(Node.prototype, 'firstChild');
/** @type {(node: Node) => El | null} */ export const nextSibling = getter(Node.prototype, 'nextSibling');
/** @type {(el: Element) => El | null} */ export const firstElement = getter(Element.prototype, 'firstElementChild');
/** @type {(el: Element) => El | null} */ export const nextElement = getter(Element.prototype, 'nextElementSibling');
/** @type {(el: Element) => El | null} */ export const previousElement = getter(Element.prototype, 'previousElementSibling');
/** @type {(node: Node) => El | null} */ export const parentElement = getter(Node.prototype, 'parentElement');
/** @type {(el: Element) => Iterable<El> & ArrayLike<El>} */ export const childElements = getter(Element.prototype, 'children');
/** @type {(node: Node) => number} */ export const nodeType = getter(Node.prototype, 'nodeType');
/** @type {(node: Node) => string} */ const plainNodeValue = getter(Node.prototype, 'nodeValue');
/** @type {(node: Node) => string} */ const plainTextContent = getter(Node.prototype, 'textContent');
/** @type {(node: Node) => string} */ export let nodeValue = plainNodeValue;
/** @type {(node: Node) => string} */ export let textContent = plainTextContent;
/** @type {(node: Node) => boolean} */ export const isConnected = getter(Node.prototype, 'isConnected');
/** @type {(node: Node) => Doc} */ export const ownerDocument = getter(Node.prototype, 'ownerDocument');
/** @type {(el: Element) => string} */ export const localName = getter(Element.prototype, 'localName');
/** @type {(el: Element) => ShadowRoot | null} */ export const openRootOf = getter(Element.prototype, 'shadowRoot');
/** @type {(el: Element) => El | null} */ export const assignedSlot = getter(Element.prototype, 'assignedSlot');
/** @type {(text: Node) => El | null} */ export const slotOfNode = getter(Text.prototype, 'assignedSlot');
/** @type {(el: Element) => number} */ export const tabIndexOf = getter(HTMLElement.prototype, 'tabIndex');
/** @type {(doc: Document) => El | null} */ const activeElementOf = getter(Document.prototype, 'activeElement');
/** @type {(frame: Element) => Win | null} */ export const windowOf = getter(HTMLIFrameElement.prototype, 'contentWindow');
/** @type {(object: Element) => Win | null} */ export const objectWindowOf = getter(HTMLObjectElement.prototype, 'contentWindow');
/** @type {(frame: Element) => Doc | null} */ const contentDocumentOf = getter(HTMLIFrameElement.prototype, 'contentDocument');

// method returns a method as a function whose first argument is the object.
/** @template F @param {object} proto @param {string} name @returns {F} */
export const method = (proto, name) => {
  const call = /** @type {Record<string, Function>} */ (proto)[name];
  return /** @type {F} */ (/** @param {Node} node @param {unknown[]} args */ (node, ...args) => call.apply(node, args));
};

const attrMethod = Element.prototype.getAttribute;
/** @param {Element} el @param {string} name */
const plainAttr = (el, name) => attrMethod.call(el, name) ?? (anyInternals ? internals.get(el)?.[name] ?? null : null);
export let attr = plainAttr;
const hasAttrMethod = Element.prototype.hasAttribute;
/** @param {Element} el @param {string} name */
export const hasAttr = (el, name) => hasAttrMethod.call(el, name) || anyInternals && internals.get(el)?.[name] !== undefined;

// What custom elements say of themselves, in the place of attributes; see internals.js.
/** @type {WeakMap<Element, Record<string, string>>} */
const internals = new WeakMap();
let anyInternals = false;
/** @param {Element} el @param {Record<string, string>} said */
export function noteInternals(el, said) {
  internals.set(el, said);
  anyInternals ||= Object.keys(said).length > 0;
}
/** @type {(el: Element, css: string) => boolean} */ export const matches = method(Element.prototype, 'matches');
/** @type {(el: Element, css: string) => El | null} */ export const closest = method(Element.prototype, 'closest');
const hasChildrenMethod = Node.prototype.hasChildNodes;
/** @param {Node} node */
export const hasChildren = (node) => hasChildrenMethod.call(node);
const rectMethod = Element.prototype.getBoundingClientRect;
/** @param {El} el */
export const rectOf = (el) => rectMethod.call(el);
// isRendered reports an element that is drawn, scrolled out of view or not: it has a box and is not hidden.
const checkMethod = Element.prototype.checkVisibility, RENDERED = { visibilityProperty: true }, OPAQUE = { visibilityProperty: true, opacityProperty: true };
/** @param {Element} el */
export const isRendered = (el) => checkMethod.call(el, RENDERED);
// isRenderedOpaque reports one that neither its own opacity nor that of an element around it hides.
/** @param {Element} el */
export const isRenderedOpaque = (el) => checkMethod.call(el, OPAQUE);
/** @type {(el: Element) => DOMRectList} */ export const clientRects = method(Element.prototype, 'getClientRects');
const rootMethod = Node.prototype.getRootNode;
/** @param {Node} node */
export const rootNode = (node) => /** @type {Root} */ (/** @type {unknown} */ (rootMethod.call(node)));
/** @type {(doc: Document, css: string) => Iterable<El> & ArrayLike<El>} */ export const queryAll = method(Document.prototype, 'querySelectorAll');
/** @param {Root} root @param {string} css */
export const allIn = (root, css) => ('host' in root ? root.querySelectorAll(css) : queryAll(root, css));
/** @type {(el: Element, css: string) => El | null} */ export const selectIn = method(Element.prototype, 'querySelector');
/** @type {(el: Element, css: string) => Iterable<El> & ArrayLike<El>} */ export const selectAllIn = method(Element.prototype, 'querySelectorAll');
/** @type {(el: Element, options: ScrollIntoViewOptions) => void} */ const scrollMethod = method(Element.prototype, 'scrollIntoView');
/** @param {El} el @param {ScrollIntoViewOptions} options */
export const scrollIntoView = (el, options) => scrollMethod(localName(el) === 'area' ? imageOf(el) ?? el : el, options);
/** @type {(el: Element) => string} */ export const markupOf = getter(Element.prototype, 'outerHTML');
/** @type {(el: Element) => string} */ export const innerMarkupOf = getter(Element.prototype, 'innerHTML');
/** @type {(doc: Document, ...args: Parameters<Document['evaluate']>) => XPathResult} */ export const evaluateXPath = method(Document.prototype, 'evaluate');
/** @type {(root: Document | Root, x: number, y: number) => El | null} */ const documentPoint = method(Document.prototype, 'elementFromPoint');
/** @type {(root: Document | Root, x: number, y: number) => El | null} */ const shadowPoint = method(ShadowRoot.prototype, 'elementFromPoint');
/** @param {Root} root @param {number} x @param {number} y */
export const pointIn = (root, x, y) => (nodeType(root) === FRAGMENT ? shadowPoint(root, x, y) : documentPoint(root, x, y));

// The texts of the nodes over which a page spreads a secret; see noteSplitSecrets.
/** @type {Map<Node, string>} */
let splitSecrets = new Map();

// knowSecrets has the accessors of texts and attributes mask what the server filled in.
/** @param {{ forms: Record<string, string> }} o */
export function knowSecrets(o) {
  setSecretTexts(o);
  nodeValue = (node) => splitSecrets.get(node) ?? masked(plainNodeValue(node));
  textContent = (node) => {
    if (nodeType(node) !== ELEMENT && nodeType(node) !== FRAGMENT) return nodeValue(node);
    return masked(splitSecrets.size ? textsIn(node, NodeFilter.SHOW_TEXT).map(nodeValue).join('') : plainTextContent(node));
  };
  attr = (el, name) => masked(plainAttr(el, name));
  return {};
}

// noteSplitSecrets finds the secrets that a page shows in several text nodes, in all trees that the engine knows: in
// two of one element, or in more, as letter by letter.
export function noteSplitSecrets() {
  if (!knowsSecrets()) return;
  splitSecrets = new Map();
  /** @param {Root} root */
  const tree = (root) => {
    const nodes = textsIn(root, NodeFilter.SHOW_TEXT);
    const pieces = maskedPieces(nodes.map(plainNodeValue), (from, to) => parentNode(nodes[from]) === parentNode(nodes[to]));
    for (const [i, text] of pieces ?? []) splitSecrets.set(nodes[i], text);
    for (const el of root.querySelectorAll('*')) {
      const inner = shadowRootOf(el) ?? (isFrame(el) ? frameDocument(el) : null);
      if (inner) tree(inner);
    }
  };
  tree(document);
}

/** @param {Node} root @param {number} kinds */
export function textsIn(root, kinds) {
  const walker = document.createTreeWalker(root, kinds), out = [];
  for (let n = walker.nextNode(); n; n = walker.nextNode()) out.push(n);
  return out;
}

// Closed shadow roots by host, added from outside; see closed_shadow.js.
/** @type {WeakMap<Node, ShadowRoot>} */
export const closedRoots = new WeakMap();
export let anyClosed = false;
/** @param {El} host @param {ShadowRoot} root */
export function addClosedRoot(host, root) {
  closedRoots.set(host, root);
  anyClosed = true;
}
/** @param {El} el @returns {ShadowRoot | null} */
export const shadowRootOf = (el) => openRootOf(el) || anyClosed && closedRoots.get(el) || null;

export const ELEMENT = 1, TEXT = 3, DOCUMENT = 9, FRAGMENT = 11;

// Elements that never hold text for a person.
export const SILENT = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'base', 'title',
  'param', 'source', 'track', 'wbr', 'datalist', 'defs', 'desc', 'metadata', 'symbol', 'clippath', 'mask']);

/** @param {El} el */
export const isFrame = (el) => { const tag = localName(el); return tag === 'iframe' || tag === 'frame' || isEmbedding(el); };

// frameDocument returns null for a frame of another origin, which another world reads.
/** @param {El} el @returns {Doc | null} */
export function frameDocument(el) {
  try {
    const doc = localName(el) === 'iframe' ? contentDocumentOf(el) : localName(el) === 'frame' ? el.contentDocument : embeddedWindow(el)?.document;
    return doc && doc.documentElement ? /** @type {Doc} */ (doc) : null;
  } catch {
    return null;
  }
}

// eachChild visits the composed children: a shadow tree instead of its host's light children, and
// the assigned nodes instead of a slot.
/** @param {El} el @param {(node: El) => void} visit */
export function eachChild(el, visit) {
  const shadow = shadowRootOf(el);
  if (shadow) {
    observeRoot(shadow);
    for (let n = firstChild(shadow); n; n = nextSibling(n)) visit(n);
    return;
  }
  const tag = localName(el);
  if (isMapped(el)) {
    for (const area of areasOf(el)) visit(area);
    return;
  }
  if (tag === 'details' && !el.open) {
    const summary = summaryOf(el);
    if (summary) visit(summary);
    return;
  }
  if (tag === 'slot') {
    const shown = el.assignedNodes();
    if (shown.length) {
      for (const n of shown) visit(n);
      return;
    }
  }
  for (let n = firstChild(el); n; n = nextSibling(n)) visit(n);
}

// isShuffled reports whether the composed children differ from the children.
/** @param {El} el @param {string} tag */
export const isShuffled = (el, tag) => tag === 'slot' || tag === 'details' || tag === 'img' || shadowRootOf(el) !== null;

/** @param {El} details @returns {El | null} */
export function summaryOf(details) {
  for (let n = firstChild(details); n; n = nextSibling(n)) if (nodeType(n) === ELEMENT && localName(n) === 'summary') return n;
  return null;
}

// parentOf returns the composed parent element. It leaves shadow roots through their host and
// documents through their frame.
/** @param {El} el @returns {El | null} */
export function parentOf(el) {
  const slot = assignedSlot(el);
  if (slot) return slot;
  const parent = parentNode(el);
  if (!parent) return null;
  if (localName(el) === 'area') return imageOf(el) ?? parent;
  if (anyClosed && closedRoots.has(parent)) return closedSlot(parent, el) ?? parent;
  const type = nodeType(parent);
  if (type === ELEMENT) return parent;
  if (type === FRAGMENT) return parent.host || null;
  if (type === DOCUMENT) return frameElementOf(/** @type {Node} */ (parent));
  return null;
}

// closedSlot finds the slot by its assigned nodes: an element does not expose its slot in a closed
// tree.
/** @param {El} host @param {El} el @returns {El | null} */
export function closedSlot(host, el) {
  for (const slot of /** @type {ShadowRoot} */ (closedRoots.get(host)).querySelectorAll('slot')) if (slot.assignedNodes().includes(el)) return slot;
  return null;
}

/** @param {Node} doc @returns {El | null} */
export function frameElementOf(doc) {
  try {
    const view = /** @type {Document} */ (doc).defaultView;
    return /** @type {El | null} */ (view ? view.frameElement : null);
  } catch {
    return null;
  }
}

// containerOf returns the element that holds a node of any kind.
/** @param {El} node @returns {El | null} */
export function containerOf(node) {
  if (nodeType(node) === ELEMENT) return parentOf(node);
  const parent = parentNode(node);
  if (!parent) return node.host ?? null;
  return nodeType(parent) === ELEMENT ? parent : parent.host ?? null;
}

/** @param {El} outer @param {Element | null} inner */
export function composedContains(outer, inner) {
  for (let el = /** @type {El | null} */ (inner); el; el = parentOf(el)) if (el === outer) return true;
  return false;
}

// ancestorsOf returns every ancestor of the elements in linear time. Comparing each pair does not
// end in time on a large page.
/** @param {Iterable<El>} elements @returns {Set<El>} */
export function ancestorsOf(elements) {
  const out = new Set();
  for (const el of elements) for (let up = parentOf(el); up && !out.has(up); up = parentOf(up)) out.add(up);
  return out;
}

// attached is stricter than isConnected: an element of a removed frame is still connected to its
// own document.
/** @param {El} el */
export function attached(el) {
  /** @type {El} */
  let node = el;
  for (;;) {
    if (!isConnected(node)) return false;
    const doc = ownerDocument(node);
    if (doc === document) return true;
    if (!doc || !doc.defaultView) return false;
    const frame = frameElementOf(doc);
    if (!frame) return false;
    node = frame;
  }
}

// focusedElement follows the focus into shadow trees and frames. It returns null when only the body
// has the focus.
/** @returns {El | null} */
export function focusedElement() {
  const el = activeElementDeep();
  if (!el || isFrame(el)) return el;
  const doc = ownerDocument(el);
  return el === doc.body && !isEditable(el) || el === doc.documentElement ? null : el;
}

/** @returns {El | null} */
export function activeElementDeep() {
  let el = activeElementOf(document);
  for (;;) {
    if (!el) return null;
    const shadow = shadowRootOf(el);
    if (shadow && shadow.activeElement) { el = /** @type {El} */ (shadow.activeElement); continue; }
    if (isFrame(el)) {
      const doc = frameDocument(el);
      const inner = doc && activeElementOf(doc);
      if (inner && (inner !== doc.body || isEditable(inner)) && inner !== doc.documentElement) { el = inner; continue; }
      return doc && doc.designMode !== 'on' ? null : el;
    }
    return el;
  }
}

/** @param {El} el */
export const isEditable = (el) => el.isContentEditable === true;

// Invisible and private-use characters are not part of a spoken name and are a known way to hide
// text from people. Joiners stay: scripts and emoji need them.
export const UNSEEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\u034f\u061c\u115f\u1160\u180e\u3164\uffa0\ue000-\uf8ff\u{e0000}-\u{e01ef}\u{f0000}-\u{10fffd}]/gu;
export const UNEVEN = /[^ -~]|  /; // what flat may change
/** @param {string} s */
export const flat = (s) => (UNEVEN.test(s) ? s.replace(UNSEEN, '').replace(/\s+/g, ' ') : s);
/** @param {string} s */
export const tidy = (s) => flat(s).trim();
/** @param {string} s @param {number} n */
export const cut = (s, n) => {
  if (s.length <= n) return s;
  let end = n - 1;
  const c = s.charCodeAt(end - 1);
  if (c >= 0xd800 && c <= 0xdbff) end--;
  return s.slice(0, end) + '…';
};
// titleOf returns the title of the document; a page can make it as long as it likes.
export const titleOf = () => cut(tidy(masked(document.title)), 500);

/** @template T @param {T[]} list @returns {T | null} */
export const single = (list) => (list.length === 1 ? list[0] : null);
