// The engine: one function that the outside calls by operation name. Answers
// are JSON text, because the debugger copies a string far faster than a tree.

observeRoot(document);

function rootFor({ n, selector }) {
  if (n) return resolve(n);
  if (selector) {
    const found = selectAll({ css: selector, pierce: true })[0];
    if (!found) throw new Refusal('nothing', { selector });
    return found;
  }
  return document.documentElement;
}

// A long reading crosses to the other side as far as its budget reaches; the
// rest is kept here, for most are never continued.
const rests = new Map();
let restNumber = 0;
const RESTS_KEPT = 4;

function read(o) {
  let text = outline(rootFor(o), o.mode, o.depth);
  let rest = 0;
  if (text.length > o.head) {
    // A character is at least as many bytes as it is units here.
    const end = o.head + (text.codePointAt(o.head - 1) > 0xffff ? 1 : 0);
    rest = ++restNumber;
    rests.set(rest, text.slice(end));
    rests.delete(rest - RESTS_KEPT);
    text = text.slice(0, end);
  }
  const page = document.scrollingElement ?? document.documentElement;
  return {
    url: location.href, title: tidy(document.title), text, rest,
    scroll: { x: round(scrollX), y: round(scrollY) },
    viewport: { width: innerWidth, height: innerHeight },
    document: { width: page.scrollWidth, height: page.scrollHeight },
  };
}

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

// visibleHas: the text occurs where a person could read it. innerText is the
// quick answer for a document without shadow trees and frames.
function visibleHas(text) {
  const wanted = tidy(text).toLowerCase();
  const quick = document.body ? document.body.innerText : '';
  if (tidy(quick).toLowerCase().includes(wanted)) return true;
  return tidy(readText(document.documentElement, Infinity)).toLowerCase().includes(wanted);
}

const operations = {
  read, find, query, select, nominate, aim, point, notch, reveal, edit, typing, settled, changed, ready, summary, probe,
  rest: ({ rest }) => ({ text: rests.get(rest) ?? null }),
  describe: ({ n }) => inform(resolve(n)),
  near: ({ role, name }) => ({ candidates: candidates(role, name) }),
  focus: ({ n }) => { const el = resolve(n); begin(el, entries.get(n).role); el.focus(); return { element: describe(el, entries.get(n).role) }; },
  still: ({ x, y, n }) => { const el = resolve(n); const found = elementAt(x, y); return { reached: !!found && accepts(el, found) }; },
};

function reply(body) {
  const issued = fresh;
  fresh = [];
  return JSON.stringify({ ...body, next: nextNumber, fresh: issued.length ? issued : undefined });
}

function failure(e) {
  if (e instanceof Refusal) return reply({ refusal: e.kind, data: e.data });
  return reply({ refusal: 'broken', data: { reason: String(e && e.stack || e).slice(0, 600) } });
}

function engine(operation, argument) {
  try {
    const result = operations[operation](argument ?? {});
    if (result instanceof Promise) return result.then((ok) => reply({ ok }), failure);
    return reply({ ok: result });
  } catch (e) {
    return failure(e);
  }
}

engine.raise = raise;
