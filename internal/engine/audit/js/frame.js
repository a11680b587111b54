// What the audit asks of a document: one object in a world of its own, into which axe was evaluated
// before. Elements stay here; the Go side names them by selectors of axe or by indices. This file follows
// facts.js in the body of one function, which returns audit.

// context turns what Go passes into a context of axe: an element, a frame context of a parent's
// axe, or the whole document.
/** @param {Element | null} element @param {object | null} context */
const contextOf = (element, context) => element ?? context ?? document;

/** @param {string} selector */
const find = (selector) => axe.utils.shadowSelect(selector);

// brief keeps what a report shows of a node. axe's html has attributes of the page; values of
// fields stay out of it.
const SHOWN_NODES = 200;
/** @param {AxeNode} node */
const brief = (node) => ({
  target: node.target,
  html: node.html.replace(/\s(value|srcdoc|data-[\w-]+)=("[^"]*"|'[^']*'|[^\s>]+)/gi, '').slice(0, 200),
  why: (node.failureSummary ?? '').slice(0, 600),
});
/** @param {AxeRule} r */
const rule = (r) => ({
  id: r.id, impact: r.impact ?? 'minor', help: r.help, helpUrl: r.helpUrl, tags: r.tags,
  total: r.nodes.length, nodes: r.nodes.slice(0, SHOWN_NODES).map(brief),
});

/** @type {unknown} */
let partial = null;
/** @type {AxeResults | null} */
let whole = null;
const audit = {
  hasRoot: () => !!documentElement(),

  // frames lists the frames in the context: the selector of each, and its own context.
  /** @param {object} options @param {Element | null} element @param {object | null} context */
  frames: (options, element, context) => JSON.stringify(axe.utils.getFrameContexts(contextOf(element, context), options)
    .map(({ frameSelector, frameContext }) => ({ selector: frameSelector, context: frameContext }))),

  /** @param {string} selector */
  frameElement: (selector) => find(selector),

  // rules lists the rules of axe with their tags.
  rules: () => JSON.stringify(axe.getRules().map(({ ruleId, tags }) => ({ id: ruleId, tags }))),

  // run runs the rules in this document. The result of the top document stays here, that of a frame
  // travels as JSON. A page without frames needs no joining, and axe then describes only the nodes
  // that a report shows.
  /** @param {object} options @param {Element | null} element @param {object | null} context @param {boolean} stays */
  run: async (options, element, context, stays) => {
    const of = contextOf(element, context);
    whole = partial = null;
    if (stays && !axe.utils.getFrameContexts(of, options).length) whole = await axe.run(of, { ...options, iframes: false });
    else partial = await axe.runPartial(of, options);
    return stays ? '' : JSON.stringify(partial);
  },

  // finish joins the results of all documents, in the order of their frames; null is a frame
  // without one.
  /** @param {object} options @param {{ texts: string[] }} results */
  finish: async (options, { texts }) => {
    const all = [partial, ...texts.map((text) => (text ? JSON.parse(text) : null))];
    partial = null;
    const r = whole ?? await axe.finishRun(all, options);
    whole = null;
    return JSON.stringify({
      version: r.testEngine.version,
      violations: r.violations.map(rule), incomplete: r.incomplete.map(rule),
      passes: r.passes.map(({ id }) => id), inapplicable: r.inapplicable.map(({ id }) => id),
    });
  },

  /** @param {string[]} selectors */
  elements: (selectors) => selectors.map((s) => { try { return find(s); } catch { return null; } }),
  facts: () => JSON.stringify(collectFacts()),
  /** @param {number[]} indices */
  kept: (indices) => indices.map((i) => keptElements[i] ?? null),
};
