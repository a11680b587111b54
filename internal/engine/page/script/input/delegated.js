// Handlers that React, Svelte and Solid delegate: they are properties of the elements. This runs in the
// page's own world, which may lie: it answers with numbers alone. Each element found is two numbers, its
// place among all elements of the document and the kinds of input, as in listeners.js. The argument is the
// kinds of the events that the page listens to, and whether one of its roots is React's.
(/** @param {Record<string, number>} kindOf @param {boolean} isReact */ (kindOf, isReact) => {
  const MAX_ELEMENTS = 30000, MAX_PROBES = 3000;
  /** @type {[string, number][]} */
  const names = Object.entries(kindOf).flatMap(([name, kind]) => [['__' + name, kind], ['$$' + name, kind]]);
  /** @type {Record<string, number>} */
  const props = { onClick: 1, onDoubleClick: 1, onMouseDown: 1, onMouseUp: 1, onPointerDown: 1, onPointerUp: 1, onTouchStart: 1, onDragStart: 2, onKeyDown: 4, onKeyUp: 4 };
  const all = document.getElementsByTagName('*'), count = all.length;
  let key = '', probes = isReact ? MAX_PROBES : 0, out = '';
  for (let i = 0; i < count && i < MAX_ELEMENTS; i++) {
    const el = /** @type {Record<string, Record<string, unknown> | undefined>} */ (/** @type {unknown} */ (all[i]));
    let kinds = 0;
    if (key === '' && probes-- > 0) key = Object.keys(el).find((k) => k.startsWith('__reactProps$')) ?? '';
    const said = key && el[key];
    if (said) for (const name in props) if (typeof said[name] === 'function') kinds |= props[name];
    for (const [name, kind] of names) if (el[name] !== undefined) kinds |= kind;
    if (kinds) out += (out && ',') + i + ',' + kinds;
  }
  return '{"count":' + count + ',"found":[' + out + ']}';
})
