// The engine: one function that the outside calls by operation name. Answers
// are JSON text, because the debugger copies a string far faster than a tree.

globalThis[Symbol.for('callsheet.fence')]?.(); // who puts the engine in knows of this document, and means it from now on
observeRoot(document);

const summary = () => ({ url: location.href, title: tidy(document.title), generation });

// probe looks at what a wait waits for.
function probe(o) {
  drain();
  const out = { url: location.href, generation };
  if (o.selector) {
    const found = selectAll({ css: o.selector, pierce: true });
    out.count = found.length;
    out.shown = found.filter(isVisible).length;
  }
  if (o.text) out.text = visibleHas(o.text);
  return out;
}

// visibleHas: the text occurs where a person could read it, with whatever blanks: a heading may be a box for each letter.
// innerText would be quicker, and has what is transparent, clipped or moved away too.
function visibleHas(text) {
  const bare = (s) => flat(s).replaceAll(' ', '').toLowerCase();
  return bare(readText(document.documentElement, Infinity)).includes(bare(text));
}

const operations = {
  read, content, conceal, unveil, confidential, survey, observe, data, find, query, select, testify, nominate, aim, point, notch, reveal, edit, typing, settled,
  changed, ready, identify, recognise, summary, probe, interactions, doorway, through, awaitDoor, missed, place, scroll, pick, fileInput,
  mark: ({ door, press }) => { begin(); const el = press && doorElement(door); if (el) arm('pointer', el); return {}; },
  rest: ({ rest }) => ({ text: rests.get(rest) ?? null }),
  describe: ({ n }) => inform(resolve(n)),
  level: ({ n }) => ({ now: levelNow(resolve(n)) }),
  near: ({ role, name }) => ({ candidates: candidates(role, name) }),
  still: ({ x, y, n }) => { const el = resolve(n); const found = elementAt(x, y); return { reached: !!found && accepts(el, found) }; },
  draggable: ({ x, y }) => { const at = elementAt(x, y); return { native: !!at && nativelyDragged(at) }; },
  focus,
};

function reply(body) {
  const issued = fresh;
  fresh = [];
  return JSON.stringify({ ...body, next: nextNumber, fresh: issued.length ? issued : undefined,
    doors: met.length ? met : undefined, suspects: suspects.length || undefined });
}

function failure(e) {
  if (e instanceof Refusal) return reply({ refusal: e.kind, data: e.data });
  return reply({ refusal: 'broken', data: { reason: String(e && e.stack || e).slice(0, 600) } });
}

// What looks at the page waits for the frame that an action did not.
const LOOKING = new Set(['read', 'find', 'query', 'select', 'describe', 'near', 'probe', 'nominate', 'testify', 'identify', 'recognise']);

function engine(operation, argument) {
  if (owed && LOOKING.has(operation)) return owed.then(() => engine(operation, argument));
  try {
    const result = operations[operation](argument ?? {});
    if (result instanceof Promise) return result.then((ok) => reply({ ok }), failure);
    return reply({ ok: result });
  } catch (e) {
    return failure(e);
  }
}

// node gives an element itself to the debugger, which alone can name it elsewhere.
engine.node = resolve;
engine.turnTo = turnTo;
engine.door = doorElement;
engine.accused = accused;
engine.open = open;
