// The engine: one function that the Go side calls with an operation's name. It answers with JSON
// text, because the debugger copies a string far faster than an object tree.

globalThis[Symbol.for('callsheet.inputBarrier')]?.(); // the caller that injects the engine addresses this document
observeRoot(document);
noteTimers([window]);

const pageState = () => ({ url: location.href, title: tidy(document.title), generation });

// probe evaluates the conditions of a wait.
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

// visibleHas reports whether the text occurs where a person can read it. It ignores white space,
// because a heading may be a box for each letter. innerText would be faster, but includes
// transparent, clipped and displaced text.
function visibleHas(text) {
  const bare = (s) => flat(s).replaceAll(' ', '').toLowerCase();
  return !!document.documentElement && bare(readText(document.documentElement, Infinity)).includes(bare(text));
}

const operations = {
  read, content, maskSecrets, unmaskSecrets, pageSecrets, overview, observe, data, find, query, select, elementStates, suggestSelectors, waitActionable, elementAtPoint, wheelStep, wheelMoved, reveal, edit, waitForToggle, guardSubmit, fieldByLabel, drawnSliderState, transferByLabel, transferStep, comboboxValue, calendar, clock, focusTarget, waitForStable,
  waitForChange, waitForParsed, identify, relocate, consequence, siteValues, request, pageState, probe, interactions, frameOrigin, frameToViewport, waitForFrameFocus, pressHit, aimDrop, dropTarget, dragPlace, scroll, findOption, fileInput,
  waitForEditorText,
  beginAroundFrame: ({ frameKey, press }) => { beginRecord(); const el = press && frameElementByKey(frameKey); if (el) interceptInput('pointer', el); return {}; },
  remainder: ({ remainder }) => ({ text: remainders.get(remainder) ?? null }),
  describe: ({ n }) => inform(resolve(n)),
  ancestors: ({ n, levels }) => { const out = []; for (let el = resolve(n), level = 0; el && level <= 1000; el = parentOf(el), level++) if (levels.includes(level)) out.push({ level, ...inform(el) }); return out; },
  documents: () => { byPiercing('iframe, frame'); return {}; },
  cellEditor, cellShows, cellRef, optionOwner,
  sliderValue: ({ n }) => ({ value: sliderValue(resolve(n)) }),
  similarElements: ({ role, name }) => ({ candidates: candidates(role, name) }),
  hitTest: ({ x, y, n }) => { const el = resolve(n); const found = elementAt(x, y); return { reached: !!found && isHitTarget(el, found) }; },
  draggable: ({ x, y }) => { const at = elementAt(x, y); return { native: !!at && nativelyDragged(at) }; },
  focus,
  inputTargetAt, inputTargetFocus,
  fieldOrigin, focusOrigin, insertSecret,
  atRest: () => ({ rest: isAtRest() }),
};

function reply(body) {
  const issued = newRefs;
  newRefs = [];
  return JSON.stringify({ ...body, next: nextNumber, generation, newRefs: issued.length ? issued : undefined,
    remoteFrames: remoteFrames.length ? remoteFrames : undefined, shadowCandidates: shadowCandidates.length || undefined });
}

function failure(e) {
  if (e instanceof EngineError) return reply({ error: e.kind, data: e.data });
  if (!document.documentElement) return reply({ error: 'emptyDocument', data: {} });
  return reply({ error: 'internal', data: { reason: String(e && e.stack || e).slice(0, 600) } });
}

// Operations that read the page wait for the frame that an action skipped.
const READING = new Set(['read', 'find', 'query', 'select', 'describe', 'similarElements', 'probe', 'suggestSelectors', 'elementStates', 'identify', 'relocate', 'consequence', 'siteValues']);

// A document has no root while a script replaces it, and it may stay without one.
const ROOT_TIME = 300;

function rootArrives() {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => { if (document.documentElement) finish(); });
    const finish = () => { observer.disconnect(); resolve(); };
    observer.observe(document, { childList: true });
    ownTimeout(finish, ROOT_TIME);
  });
}

const NEEDS_ROOT = new Set([...READING, 'content', 'overview', 'observe', 'data', 'documents']);

function engine(operation, argument, expected = 0, waited = false) {
  if (!waited && !document.documentElement && NEEDS_ROOT.has(operation)) return rootArrives().then(() => engine(operation, argument, expected, true));
  if (expected) {
    drain();
    if (expected !== generation) return reply({ ok: null, changed: true });
  }
  if (deferredFrame && READING.has(operation)) return deferredFrame.then(() => engine(operation, argument));
  try {
    if (READING.has(operation)) noteTimers([window]);
    const result = operations[operation](argument ?? {});
    if (result instanceof Promise) return result.then((ok) => reply({ ok }), failure);
    return reply({ ok: result });
  } catch (e) {
    return failure(e);
  }
}

// element hands an element to the debugger, which alone can address it from another world.
engine.element = resolve;
// describeNodes describes elements that the debugger hands over; null stands for a node that is gone or no element.
engine.describeNodes = (nodes) => {
  try {
    return reply({ ok: nodes.map((el) => (el && nodeType(el) === ELEMENT && attached(el) ? describe(el, shownRoleOf(el)) : null)) });
  } catch (e) {
    return failure(e);
  }
};
// frameOfElement returns the frame element around an element of a frame of this origin, or null.
engine.frameOfElement = (el) => (ownerDocument(el) === document ? null : ownerDocument(el).defaultView?.frameElement ?? null);
engine.acknowledge = acknowledge;
engine.frameElement = frameElementByKey;
engine.takeShadowCandidates = takeShadowCandidates;
engine.addShadowRoot = addShadowRoot;
engine.setListeners = setListeners;
engine.setDelegated = setDelegated;
engine.outlines = outlines;
