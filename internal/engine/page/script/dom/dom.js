// The composed tree, read through the accessors of the prototypes.
//
// A form or a document exposes its named children as properties, so a page with
// <input name="parentNode"> would otherwise replace what the engine reads. Markup cannot shadow the
// accessors taken here.

// Deeper levels are not walked: a walk needs several calls a level, and a page's stack ends near
// ten thousand.
const MAX_DEPTH = 800;

const getter = (proto, name) => {
  const get = Object.getOwnPropertyDescriptor(proto, name).get;
  return (node) => get.call(node);
};

const parentNode = getter(Node.prototype, 'parentNode');
const firstChild = getter(Node.prototype, 'firstChild');
const nextSibling = getter(Node.prototype, 'nextSibling');
const firstElement = getter(Element.prototype, 'firstElementChild');
const nextElement = getter(Element.prototype, 'nextElementSibling');
const previousElement = getter(Element.prototype, 'previousElementSibling');
const parentElement = getter(Node.prototype, 'parentElement');
const childElements = getter(Element.prototype, 'children');
const nodeType = getter(Node.prototype, 'nodeType');
const nodeValue = getter(Node.prototype, 'nodeValue');
const textContent = getter(Node.prototype, 'textContent');
const isConnected = getter(Node.prototype, 'isConnected');
const ownerDocument = getter(Node.prototype, 'ownerDocument');
const localName = getter(Element.prototype, 'localName');
const openRootOf = getter(Element.prototype, 'shadowRoot');
const assignedSlot = getter(Element.prototype, 'assignedSlot');
const slotOfNode = getter(Text.prototype, 'assignedSlot');
const tabIndexOf = getter(HTMLElement.prototype, 'tabIndex');
const activeElementOf = getter(Document.prototype, 'activeElement');
const contentDocumentOf = getter(HTMLIFrameElement.prototype, 'contentDocument');

const method = (proto, name) => {
  const call = proto[name];
  return (node, ...args) => call.apply(node, args);
};

const attrMethod = Element.prototype.getAttribute;
const attr = (el, name) => attrMethod.call(el, name);
const hasAttrMethod = Element.prototype.hasAttribute;
const hasAttr = (el, name) => hasAttrMethod.call(el, name);
const matches = method(Element.prototype, 'matches');
const closest = method(Element.prototype, 'closest');
const hasChildrenMethod = Node.prototype.hasChildNodes;
const hasChildren = (node) => hasChildrenMethod.call(node);
const rectMethod = Element.prototype.getBoundingClientRect;
const rectOf = (el) => rectMethod.call(el);
const clientRects = method(Element.prototype, 'getClientRects');
const containsNode = method(Node.prototype, 'contains');
const rootNode = method(Node.prototype, 'getRootNode');
const queryAll = method(Document.prototype, 'querySelectorAll');
const selectIn = method(Element.prototype, 'querySelector');
const selectAllIn = method(Element.prototype, 'querySelectorAll');
const scrollIntoView = method(Element.prototype, 'scrollIntoView');
const markupOf = getter(Element.prototype, 'outerHTML'), innerMarkupOf = getter(Element.prototype, 'innerHTML');
const evaluateXPath = method(Document.prototype, 'evaluate');
const documentPoint = method(Document.prototype, 'elementFromPoint');
const shadowPoint = method(ShadowRoot.prototype, 'elementFromPoint');
const pointIn = (root, x, y) => (nodeType(root) === FRAGMENT ? shadowPoint(root, x, y) : documentPoint(root, x, y));

// Closed shadow roots by host, added from outside; see closed_shadow.js.
const closedRoots = new WeakMap();
let anyClosed = false;
const shadowRootOf = (el) => openRootOf(el) || anyClosed && closedRoots.get(el) || null;

const ELEMENT = 1, TEXT = 3, DOCUMENT = 9, FRAGMENT = 11;

// Elements that never hold text for a person.
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'base', 'title',
  'param', 'source', 'track', 'wbr', 'datalist', 'defs', 'desc', 'metadata', 'symbol', 'clippath', 'mask']);

const isFrame = (el) => { const tag = localName(el); return tag === 'iframe' || tag === 'frame'; };

// frameDocument returns null for a frame of another origin, which another world reads.
function frameDocument(el) {
  try {
    const doc = localName(el) === 'frame' ? el.contentDocument : contentDocumentOf(el);
    return doc && doc.documentElement ? doc : null;
  } catch {
    return null;
  }
}

// eachChild visits the composed children: a shadow tree instead of its host's light children, and
// the assigned nodes instead of a slot.
function eachChild(el, visit) {
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
const isShuffled = (el, tag) => tag === 'slot' || tag === 'details' || shadowRootOf(el) !== null;

function summaryOf(details) {
  for (let n = firstChild(details); n; n = nextSibling(n)) if (nodeType(n) === ELEMENT && localName(n) === 'summary') return n;
  return null;
}

// parentOf returns the composed parent element. It leaves shadow roots through their host and
// documents through their frame.
function parentOf(el) {
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
function closedSlot(host, el) {
  for (const slot of closedRoots.get(host).querySelectorAll('slot')) if (slot.assignedNodes().includes(el)) return slot;
  return null;
}

function frameElementOf(doc) {
  try {
    return doc.defaultView ? doc.defaultView.frameElement : null;
  } catch {
    return null;
  }
}

// containerOf returns the element that holds a node of any kind.
function containerOf(node) {
  if (nodeType(node) === ELEMENT) return parentOf(node);
  const parent = parentNode(node);
  if (!parent) return node.host ?? null;
  return nodeType(parent) === ELEMENT ? parent : parent.host ?? null;
}

function composedContains(outer, inner) {
  for (let el = inner; el; el = parentOf(el)) if (el === outer) return true;
  return false;
}

// ancestorsOf returns every ancestor of the elements in linear time. Comparing each pair does not
// end in time on a large page.
function ancestorsOf(elements) {
  const out = new Set();
  for (const el of elements) for (let up = parentOf(el); up && !out.has(up); up = parentOf(up)) out.add(up);
  return out;
}

// attached is stricter than isConnected: an element of a removed frame is still connected to its
// own document.
function attached(el) {
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
function focusedElement() {
  const el = activeElementDeep();
  if (!el || isFrame(el)) return el;
  const doc = ownerDocument(el);
  return el === doc.body && !isEditable(el) || el === doc.documentElement ? null : el;
}

function activeElementDeep() {
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

// frameOffset returns where a document's viewport begins, in CSS pixels of the top viewport, and how
// many of those a pixel of the document takes. Frames under a CSS transform are placed by their
// bounding box.
function frameOffset(doc) {
  const frame = doc === document ? null : frameElementOf(doc);
  return frame ? contentOrigin(frame) : { x: 0, y: 0, scale: 1 };
}

const isEditable = (el) => el.isContentEditable === true;

// Invisible and private-use characters are not part of a spoken name and are a known way to hide
// text from people. Joiners stay: scripts and emoji need them.
const UNSEEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\u034f\u061c\u115f\u1160\u180e\u3164\uffa0\ue000-\uf8ff\u{e0000}-\u{e01ef}\u{f0000}-\u{10fffd}]/gu;
const flat = (s) => s.replace(UNSEEN, '').replace(/\s+/g, ' ');
const tidy = (s) => flat(s).trim();
const cut = (s, n) => {
  if (s.length <= n) return s;
  let end = n - 1;
  const c = s.charCodeAt(end - 1);
  if (c >= 0xd800 && c <= 0xdbff) end--;
  return s.slice(0, end) + '…';
};
