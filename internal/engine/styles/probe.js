/** Answers questions about an element in an isolated world: nothing of the page is called. @this {Element} @param {Question} o */
function ask(o) {
  const el = this, view = /** @type {Window & typeof globalThis} */ (el.ownerDocument.defaultView);
  const blank = document.createElement('i').style;
  /** @param {string} name @returns {string[]} */
  const longhandsOf = (name) => {
    if (name.startsWith('--')) return [];
    blank.cssText = '';
    blank.setProperty(name, 'inherit');
    return [...blank];
  };
  // substitute replaces each var() by the value that the property has here, or by its fallback.
  /** @param {string} text @param {CSSStyleDeclaration} style @param {number} [depth] @returns {string | null} */
  const substitute = (text, style, depth = 0) => {
    const at = text.search(/var\(/i);
    if (at < 0 || depth > 20) return text;
    let end = at + 4, open = 1;
    while (end < text.length && open) { if (text[end] === '(') open++; if (text[end] === ')') open--; end++; }
    const inner = text.slice(at + 4, end - 1), comma = inner.indexOf(',');
    const name = (comma < 0 ? inner : inner.slice(0, comma)).trim();
    const value = style.getPropertyValue(name).trim();
    if (!value && comma < 0) return null;
    return substitute(text.slice(0, at) + (value || inner.slice(comma + 1).trim()) + text.slice(end), style, depth + 1);
  };
  // hops counts the levels from the element up to the root of a scope; -1 if nothing matches.
  /** @param {string} prelude */
  const hops = (prelude) => {
    const start = /^\s*\(((?:[^()]|\([^()]*\))*)\)/.exec(prelude);
    if (!start) return -1;
    try {
      for (let up = /** @type {Element | null} */ (el), n = 0; up; up = up.parentElement, n++) if (up.matches(start[1])) return n;
    } catch { /* a selector that only style sheets know */ }
    return -1;
  };
  // matches tries the selectors of nested rules, outermost first. Of a pseudo-element, the rest of the
  // selector that names it must match.
  /** @param {string[]} chain */
  const matches = (chain) => {
    if (o.pseudo) {
      const name = o.pseudo.replace(/^:+/, '');
      const named = new RegExp(`::?${name.replace(/[^\w-]/g, '\\$&')}$`);
      const parts = (chain.at(-1) ?? '').split(',').map((p) => p.trim()).filter((p) => named.test(p)).map((p) => p.replace(named, '') || '*');
      if (!parts.length) return false;
      chain = [...chain.slice(0, -1), parts.join(',')];
    }
    let selector = '';
    for (const part of chain) {
      if (!selector) selector = part;
      else selector = part.includes('&') ? part.replaceAll('&', `:is(${selector})`) : part.split(',').map((p) => `:is(${selector}) ${p}`).join(',');
    }
    try { return el.matches(selector); } catch { return false; }
  };
  /** @param {string[]} conditions */
  const failing = (conditions) => conditions.findIndex((c) => {
    if (c.startsWith('@media ')) return !view.matchMedia(c.slice(7)).matches;
    if (c.startsWith('@supports ')) return !view.CSS.supports(c.slice(10));
    return false;
  });
  switch (o.ask) {
    case 'values': {
      const style = view.getComputedStyle(el, o.pseudo || undefined);
      return o.properties.map((name) => ({
        name, longhands: longhandsOf(name), value: style.getPropertyValue(name).slice(0, 1000),
        known: name.startsWith('--') || view.CSS.supports(name, 'inherit'),
      }));
    }
    case 'names': return [...view.getComputedStyle(el)].filter((n) => !n.startsWith('--'));
    case 'longhands': return Object.fromEntries(o.names.map((n) => [n, longhandsOf(n)]));
    case 'hops': return o.scopes.map(hops);
    case 'rules': return o.rules.map((r) => (matches(r.selectors) ? { matches: true, failing: failing(r.conditions) } : { matches: false, failing: -1 }));
    case 'supports': {
      const text = substitute(o.value, view.getComputedStyle(el, o.pseudo || undefined));
      return { text: text === null ? '' : text.slice(0, 1000), valid: text !== null && view.CSS.supports(o.property, text) };
    }
    case 'weigh': {
      // The browser reads a style sheet once for each of its rules that matches the element or an ancestor.
      /** @type {Element[]} */ const chain = [];
      /** @type {Set<CSSStyleSheet>} */ const sheets = new Set();
      for (let up = /** @type {Element | undefined} */ (el); up && chain.length < 60; up = up.parentElement ?? /** @type {Partial<ShadowRoot>} */ (up.getRootNode()).host) {
        chain.push(up);
        const tree = /** @type {Partial<ShadowRoot>} */ (up.getRootNode());
        for (const sheet of [...tree.styleSheets ?? [], ...tree.adoptedStyleSheets ?? []]) sheets.add(sheet);
      }
      let matching = 0, cost = 0;
      /** @param {CSSRuleList} rules @param {number} size */
      const walk = (rules, size) => {
        for (const each of rules) {
          const rule = /** @type {Partial<CSSStyleRule & CSSMediaRule>} */ (each);
          if (rule.selectorText !== undefined) for (const e of chain) {
            try { if (e.matches(rule.selectorText)) { matching++; cost += size; } } catch { /* only for style sheets */ }
          }
          if (cost > o.limit) return;
          if (rule.media && !view.matchMedia(rule.media.mediaText).matches) continue;
          if (rule.cssRules?.length) walk(rule.cssRules, size);
        }
      };
      for (const sheet of sheets) {
        let rules;
        try { rules = sheet.cssRules; } catch { continue; } // of another origin
        if (rules.length > 1000) walk(rules, rules.length);
      }
      return { matching, cost };
    }
    case 'viewport': return { width: view.innerWidth, height: view.innerHeight };
  }
}
