// The custom elements whose class attaches internals. This runs in the page's own world, which may lie: it answers
// with numbers alone, the places of such tags in the argument.
(/** @param {string[]} tags */ (tags) => {
  const source = Function.prototype.toString, parentOf = Object.getPrototypeOf;
  /** @param {string} tag */
  const attaches = (tag) => {
    for (let c = customElements.get(tag), level = 0; typeof c === 'function' && c !== HTMLElement && level < 20; c = parentOf(c), level++) {
      if (source.call(c).includes('attachInternals')) return true;
    }
    return false;
  };
  return '[' + tags.map((tag, i) => (attaches(tag) ? i : -1)).filter((i) => i >= 0).join() + ']';
})
