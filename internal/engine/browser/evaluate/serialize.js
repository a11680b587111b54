// Turns any value into a tree that the protocol can carry by value: what JSON cannot
// say becomes a short text. Runs in the page's own world, so it calls nothing that a
// page commonly replaces, such as JSON.stringify or Array.prototype.map.
/** @param {unknown} root */
(root) => {
  const maxDepth = 16, maxValues = 50000;
  let values = 0, cut = false;
  /** @type {unknown[]} */
  const path = [];
  /** @param {unknown} o @returns {string} */
  const tag = (o) => Object.prototype.toString.call(o).slice(8, -1);
  /** @param {Element} n */
  const element = (n) => {
    let s = '<' + n.localName;
    for (let i = 0; i < n.attributes.length && i < 8; i++) {
      const a = n.attributes[i];
      const v = a.value.length > 80 ? a.value.slice(0, 79) + '…' : a.value;
      s += ' ' + a.name + (v === '' ? '' : /^[^\s"'=<>`]+$/.test(v) ? '=' + v : '="' + v + '"');
    }
    return s + '>';
  };
  /** @param {Node} n */
  const node = (n) => {
    switch (n.nodeType) {
      case 1: return element(/** @type {Element} */ (n));
      case 3: return /** @type {Text} */ (n).data;
      case 8: return '<!--' + /** @type {Comment} */ (n).data + '-->';
      case 9: return '#document ' + /** @type {Document} */ (n).URL;
      case 11: return /** @type {Partial<ShadowRoot>} */ (n).host ? '#shadow-root' : '#document-fragment';
    }
    return n.nodeName;
  };
  /** @param {ArrayLike<unknown>} o @returns {unknown} */
  const list = (o) => {
    /** @type {unknown[]} */
    const out = [];
    for (let i = 0; i < o.length; i++) {
      if (values >= maxValues) { cut = true; break; }
      const v = tree(o[i]);
      out[i] = v === undefined ? null : v;
    }
    return out;
  };
  /** @param {string[]} keys @param {(key: string) => unknown} get */
  const entries = (keys, get) => {
    const out = {};
    for (let i = 0; i < keys.length; i++) {
      if (values >= maxValues) { cut = true; break; }
      let v;
      try { v = tree(get(keys[i])); } catch (e) { v = '[Threw: ' + String(e) + ']'; }
      if (v !== undefined) {
        Object.defineProperty(out, keys[i], {value: v, enumerable: true, configurable: true, writable: true});
      }
    }
    return out;
  };
  /** @param {Map<unknown, unknown>} m */
  const map = (m) => {
    const keys = [...m.keys()];
    for (let i = 0; i < keys.length; i++) {
      if (typeof keys[i] !== 'string') return list([...m.entries()]);
    }
    return entries(/** @type {string[]} */ (keys), (k) => m.get(k));
  };
  /** @param {object} o @returns {unknown} */
  const object = (o) => {
    if (typeof Node === 'function' && o instanceof Node) return node(o);
    if (o === window) return '[Window ' + location.href + ']';
    const kind = tag(o);
    if (Array.isArray(o) || kind === 'NodeList' || kind === 'HTMLCollection' || kind === 'DOMTokenList' ||
        kind === 'FileList' || kind === 'Set' || (ArrayBuffer.isView(o) && kind !== 'DataView')) {
      return list(kind === 'Set' ? [.../** @type {Set<unknown>} */ (o)] : /** @type {ArrayLike<unknown>} */ (o));
    }
    switch (kind) {
      case 'Map': return map(/** @type {Map<unknown, unknown>} */ (o));
      case 'Date': {
        const date = /** @type {Date} */ (o);
        return isNaN(+date) ? 'Invalid Date' : date.toISOString();
      }
      case 'RegExp': return String(o);
      case 'Promise': case 'WeakMap': case 'WeakSet': case 'WeakRef': case 'Window':
        return '[' + kind + ']';
      case 'ArrayBuffer': case 'DataView': return '[' + kind + ' ' + /** @type {ArrayBuffer} */ (o).byteLength + ' bytes]';
      case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol':
        return tree(o.valueOf());
    }
    if (o instanceof Error || kind === 'Error' || kind === 'DOMException') return String(o);
    const proto = Object.getPrototypeOf(o);
    const members = /** @type {Record<string, unknown>} */ (o);
    if (proto !== null && proto !== Object.prototype && typeof members.toJSON === 'function') return tree(members.toJSON());
    return entries(Object.keys(o), (k) => members[k]);
  };
  /** @param {unknown} v @returns {unknown} */
  const tree = (v) => {
    values++;
    switch (typeof v) {
      case 'undefined': return undefined;
      case 'number': return Number.isFinite(v) ? v : String(v);
      case 'bigint': return v + 'n';
      case 'symbol': return String(v);
      case 'function': return '[Function: ' + (v.name || 'anonymous') + ']';
      case 'object': break;
      default: return v;
    }
    if (v === null) return null;
    if (path.indexOf(v) >= 0) return '[Circular]';
    if (path.length >= maxDepth) { cut = true; return '[' + tag(v) + ']'; }
    path[path.length] = v;
    try { return object(v); } catch (e) { return '[Threw: ' + String(e) + ']'; } finally { path.length--; }
  };
  const value = tree(root);
  return {value, cut};
}
//# sourceURL=callsheet:serialize
