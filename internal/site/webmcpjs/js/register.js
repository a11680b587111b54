// Which tools the page offers now: those whose condition holds on what it shows.

const facts = () => Object.fromEntries(Object.entries(SITE.facts).map(([name, o]) => [name, observe(/** @type {Observation} */ (fill(o, SITE.values)))]));

/** changed reports whether the page shows the facts that a tool sets and clears. */
/** @param {Tool} tool @returns {Outcome} */
function changed(tool) {
  const now = facts();
  const wrong = [...tool.sets.filter((f) => !now[f]), ...tool.clears.filter((f) => now[f])];
  return wrong.length ? { reason: `${tool.name} changed nothing: ${wrong.join(', ')}` } : { ok: true };
}

let running = 0;

/** @param {Tool} tool @param {Args} given @param {AbortSignal | undefined} signal */
async function execute(tool, given, signal) {
  const args = { ...SITE.values, ...tool.defaults, ...given };
  if (!tool.visible(facts())) throw new Error(`${tool.name} needs ${tool.needs}`);
  running++;
  try {
    if (tool.start) openStart(fillAddress(tool.start, args));
    for (const [i, s] of tool.steps.entries()) {
      if (mentions(s).some((name) => tool.parameters.includes(name) && !(name in args))) continue; // of a parameter without a value
      try {
        await step(/** @type {Step} */ (fill(s, args)), signal);
      } catch (e) {
        throw new Error(`${tool.name}, step ${i + 1}: ${/** @type {Error} */ (e).message}`);
      }
    }
    await until(() => changed(tool), signal);
    if (tool.postcondition) await until(() => judge(/** @type {Contract} */ (fill(tool.postcondition, args))), signal);
    return tool.extract ? extract(/** @type {Extraction[]} */ (fill(tool.extract, args))) : { done: true };
  } finally {
    running--;
    refresh();
  }
}

const offered = new Map();

/** refresh registers the tools that became visible and takes back those that are no longer. */
function refresh() {
  if (running) return;
  const now = facts();
  for (const tool of SITE.tools) {
    const visible = tool.visible(now);
    if (visible && !offered.has(tool.name)) {
      const end = new AbortController();
      offered.set(tool.name, end);
      document.modelContext?.registerTool?.({
        name: tool.name, description: tool.description, inputSchema: tool.inputSchema, annotations: { readOnlyHint: tool.readOnly },
        execute: (args, context) => execute(tool, args ?? {}, context?.signal),
      }, { signal: end.signal });
    } else if (!visible && offered.has(tool.name)) {
      offered.get(tool.name).abort();
      offered.delete(tool.name);
    }
  }
}

if (document.modelContext?.registerTool) {
  let due = 0;
  new MutationObserver(() => { due ||= setTimeout(() => { due = 0; refresh(); }, 100); }).observe(document, { subtree: true, childList: true, attributes: true });
  addEventListener('hashchange', refresh);
  refresh();
}
