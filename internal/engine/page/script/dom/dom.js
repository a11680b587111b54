// The composed tree, read through the accessors of the prototypes.
//
// A form or a document exposes its named children as properties, so a page with
// <input name="parentNode"> would otherwise replace what the engine reads. Markup cannot shadow the
// accessors taken here.

import { observeRoot } from './roots.js';

// Deeper levels are not walked: a walk needs several calls a level, and a page's stack ends near
// ten thousand.
export const MAX_DEPTH = 800;

export const getter = (proto, name) => {
  const get = Object.getOwnPropertyDescriptor(proto, name).get;
  return (node) => get.call(node);
};

export const parentNode = getter(Node.prototype, 'parentNode');
export const firstChild = getter(Node.prototype, 'firstChild');
export const nextSibling = getter(Node.prototype, 'nextSibling');
export const firstElement = getter(Element.prototype, 'firstElementChild');
export const nextElement = getter(Element.prototype, 'nextElementSibling');
export const previousElement = getter(Element.prototype, 'previousElementSibling');
export const parentElement = getter(Node.prototype, 'parentElement');
export const childElements = getter(Element.prototype, 'children');
export const nodeType = getter(Node.prototype, 'nodeType');
export const nodeValue = getter(Node.prototype, 'nodeValue');
export const textContent = getter(Node.prototype, 'textContent');
export const isConnected = getter(Node.prototype, 'isConnected');
export const ownerDocument = getter(Node.prototype, 'ownerDocument');
export const localName = getter(Element.prototype, 'localName');
export const openRootOf = getter(Element.prototype, 'shadowRoot');
export const assignedSlot = getter(Element.prototype, 'assignedSlot');
export const slotOfNode = getter(Text.prototype, 'assignedSlot');
export const tabIndexOf = getter(HTMLElement.prototype, 'tabIndex');
const activeElementOf = getter(Document.prototype, 'activeElement');
const contentDocumentOf = getter(HTMLIFrameElement.prototype, 'contentDocument');

export const method = (proto, name) => {
  const call = proto[name];
  return (node, ...args) => call.apply(node, args);
};

const attrMethod = Element.prototype.getAttribute;
export const attr = (el, name) => attrMethod.call(el, name);
const hasAttrMethod = Element.prototype.hasAttribute;
export const hasAttr = (el, name) => hasAttrMethod.call(el, name);
export const matches = method(Element.prototype, 'matches');
export const closest = method(Element.prototype, 'closest');
const hasChildrenMethod = Node.prototype.hasChildNodes;
export const hasChildren = (node) => hasChildrenMethod.call(node);
const rectMethod = Element.prototype.getBoundingClientRect;
export const rectOf = (el) => rectMethod.call(el);
export const clientRects = method(Element.prototype, 'getClientRects');
const containsNode = method(Node.prototype, 'contains');
export const rootNode = method(Node.prototype, 'getRootNode');
export const queryAll = method(Document.prototype, 'querySelectorAll');
export const selectIn = method(Element.prototype, 'querySelector');
export const selectAllIn = method(Element.prototype, 'querySelectorAll');
export const scrollIntoView = method(Element.prototype, 'scrollIntoView');
export const markupOf = getter(Element.prototype, 'outerHTML'), innerMarkupOf = getter(Element.prototype, 'innerHTML');
export const evaluateXPath = method(Document.prototype, 'evaluate');
const documentPoint = method(Document.prototype, 'elementFromPoint');
const shadowPoint = method(ShadowRoot.prototype, 'elementFromPoint');
export const pointIn = (root, x, y) => (nodeType(root) === FRAGMENT ? shadowPoint(root, x, y) : documentPoint(root, x, y));

// Closed shadow roots by host, added from outside; see closed_shadow.js.
export const closedRoots = new WeakMap();
export let anyClosed = false;
export function addClosedRoot(host, root) {
  closedRoots.set(host, root);
  anyClosed = true;
}
export const shadowRootOf = (el) => openRootOf(el) || anyClosed && closedRoots.get(el) || null;

export const ELEMENT = 1, TEXT = 3, DOCUMENT = 9, FRAGMENT = 11;

// Elements that never hold text for a person.
export const SILENT = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'base', 'title',
  'param', 'source', 'track', 'wbr', 'datalist', 'defs', 'desc', 'metadata', 'symbol', 'clippath', 'mask']);

export const isFrame = (el) => { const tag = localName(el); return tag === 'iframe' || tag === 'frame'; };

// frameDocument returns null for a frame of another origin, which another world reads.
export function frameDocument(el) {
  try {
    const doc = localName(el) === 'frame' ? el.contentDocument : contentDocumentOf(el);
    return doc && doc.documentElement ? doc : null;
  } catch {
    return null;
  }
}

// eachChild visits the composed children: a shadow tree instead of its host's light children, and
// the assigned nodes instead of a slot.
export function eachChild(el, visit) {
  const shadow = shadowRootOf(el);
  if (shadow) {
    observeRoot(shadow);
    for (let n = firstChild(shadow); n; n = nextSibling(n)) visit(n);
    return;
  }
  const tag = localName(el);
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
export const isShuffled = (el, tag) => tag === 'slot' || tag === 'details' || shadowRootOf(el) !== null;

export function summaryOf(details) {
  for (let n = firstChild(details); n; n = nextSibling(n)) if (nodeType(n) === ELEMENT && localName(n) === 'summary') return n;
  return null;
}

// parentOf returns the composed parent element. It leaves shadow roots through their host and
// documents through their frame.
export function parentOf(el) {
  const slot = assignedSlot(el);
  if (slot) return slot;
  const parent = parentNode(el);
  if (!parent) return null;
  if (anyClosed && closedRoots.has(parent)) return closedSlot(parent, el) ?? parent;
  const type = nodeType(parent);
  if (type === ELEMENT) return parent;
  if (type === FRAGMENT) return parent.host || null;
  if (type === DOCUMENT) return frameElementOf(parent);
  return null;
}

// closedSlot finds the slot by its assigned nodes: an element does not expose its slot in a closed
// tree.
export function closedSlot(host, el) {
  for (const slot of closedRoots.get(host).querySelectorAll('slot')) if (slot.assignedNodes().includes(el)) return slot;
  return null;
}

export function frameElementOf(doc) {
  try {
    return doc.defaultView ? doc.defaultView.frameElement : null;
  } catch {
    return null;
  }
}

// containerOf returns the element that holds a node of any kind.
export function containerOf(node) {
  if (nodeType(node) === ELEMENT) return parentOf(node);
  const parent = parentNode(node);
  if (!parent) return node.host ?? null;
  return nodeType(parent) === ELEMENT ? parent : parent.host ?? null;
}

export function composedContains(outer, inner) {
  for (let el = inner; el; el = parentOf(el)) if (el === outer) return true;
  return false;
}

// ancestorsOf returns every ancestor of the elements in linear time. Comparing each pair does not
// end in time on a large page.
export function ancestorsOf(elements) {
  const out = new Set();
  for (const el of elements) for (let up = parentOf(el); up && !out.has(up); up = parentOf(up)) out.add(up);
  return out;
}

// attached is stricter than isConnected: an element of a removed frame is still connected to its
// own document.
export function attached(el) {
  for (let node = el; ;) {
    if (!isConnected(node)) return false;
    const doc = ownerDocument(node);
    if (doc === document) return true;
    if (!doc || !doc.defaultView) return false;
    node = frameElementOf(doc);
    if (!node) return false;
  }
}

// focusedElement follows the focus into shadow trees and frames. It returns null when only the body
// has the focus.
export function focusedElement() {
  const el = activeElementDeep();
  if (!el || isFrame(el)) return el;
  const doc = ownerDocument(el);
  return el === doc.body && !isEditable(el) || el === doc.documentElement ? null : el;
}

export function activeElementDeep() {
  let el = activeElementOf(document);
  for (;;) {
    if (!el) return null;
    const shadow = shadowRootOf(el);
    if (shadow && shadow.activeElement) { el = shadow.activeElement; continue; }
    if (isFrame(el)) {
      const doc = frameDocument(el);
      const inner = doc && activeElementOf(doc);
      if (inner && (inner !== doc.body || isEditable(inner)) && inner !== doc.documentElement) { el = inner; continue; }
      return doc && doc.designMode !== 'on' ? null : el;
    }
    return el;
  }
}

export const isEditable = (el) => el.isContentEditable === true;

// Invisible and private-use characters are not part of a spoken name and are a known way to hide
// text from people. Joiners stay: scripts and emoji need them.
export const UNSEEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\u034f\u061c\u115f\u1160\u180e\u3164\uffa0\ue000-\uf8ff\u{e0000}-\u{e01ef}\u{f0000}-\u{10fffd}]/gu;
export const flat = (s) => s.replace(UNSEEN, '').replace(/\s+/g, ' ');
export const tidy = (s) => flat(s).trim();
export const cut = (s, n) => {
  if (s.length <= n) return s;
  let end = n - 1;
  const c = s.charCodeAt(end - 1);
  if (c >= 0xd800 && c <= 0xdbff) end--;
  return s.slice(0, end) + '…';
};

export const single = (list) => (list.length === 1 ? list[0] : null);
