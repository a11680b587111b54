// The engine: one function that the Go side calls with an operation's name. It answers with JSON
// text, because the debugger copies a string far faster than an object tree.

import { addShadowRoot, shadowCandidates, takeShadowCandidates } from './dom/closed_shadow.js';
import { ELEMENT, attached, flat, knowSecrets, nodeType, noteSplitSecrets, ownerDocument, parentOf, tidy } from './dom/dom.js';
import { EngineError } from './dom/error.js';
import { frameElementByKey, remoteFrames } from './dom/frames.js';
import { elementAt, isHitTarget } from './dom/hit_test.js';
import { setDelegated, setListeners } from './dom/listeners.js';
import { observeRoot } from './dom/roots.js';
import { elementsWithInternals, judgeTags, pendingInternals, setInternals, unknownTags } from './dom/internals.js';
import { masked } from './dom/secret_texts.js';
import { isVisible } from './dom/state.js';
import { readText } from './dom/text.js';
import { ownTimeout } from './dom/timers.js';
import { maskSecrets, unmaskSecrets } from './document/mask_secrets.js';
import { pageSecrets } from './document/page_secrets.js';
import { acknowledge, describe, nextNumber, outlines, rename, resolve, takeNewRefs } from './document/registry.js';
import { frameFromViewport, frameTransform, frameToViewport, waitForFrameFocus } from './document/remote_frames.js';
import { waitForStable } from './settle/effect.js';
import { interceptInput } from './settle/input_interceptor.js';
import { interactions } from './settle/interactions.js';
import { beginRecord, deferredFrame, drain, generation, waitForChange, waitForParsed } from './settle/mutations.js';
import { editorSettled, keySettled, readBackForm } from './settle/read_back.js';
import { isAtRest, noteTimers } from './settle/rest.js';
import { consequence } from './locate/consequence.js';
import { elementStates } from './locate/element_state.js';
import { candidates, find } from './locate/find.js';
import { identify, relocate } from './locate/identity.js';
import { byPiercing, inform, query, selectAll, shownRoleOf } from './locate/query.js';
import { select } from './locate/select.js';
import { siteValues } from './locate/site_values.js';
import { drawnSliderState } from './locate/slider_scale.js';
import { suggestSelectors } from './locate/suggest_selectors.js';
import { observe, overview } from './read/overview.js';
import { content, read, remainders } from './read/read.js';
import { data } from './read/structured_data.js';
import { elementAtPoint, reveal, waitActionable, wheelMoved, wheelStep } from './input/actionability.js';
import { dragPlace, dropResult, dropTarget, nativelyDragged, pressHit, scroll } from './input/drag.js';
import { documentFile } from './input/document_file.js';
import { aimDrop } from './input/drop_cover.js';
import { waitForEditorText } from './input/editor_text.js';
import { focus, focusTarget } from './input/focus.js';
import { inputTargetAt, inputTargetFocus } from './input/input_target.js';
import { request } from './input/request.js';
import { finishSelection, selectText } from './input/select_text.js';
import { fieldOrigin, focusOrigin, insertSecret } from './input/secret.js';
import { calendar, clock } from './widget/calendar.js';
import { cellEditor, cellRef, cellShows, optionOwner } from './widget/cell.js';
import { waitForChosen } from './widget/chosen.js';
import { drawnSelect } from './widget/drawn_select.js';
import { boxLeft, focusBox, pasteCode } from './widget/code.js';
import { comboboxValue, edit, guardSubmit, waitForToggle } from './widget/edit.js';
import { fileInput, findOption } from './widget/options.js';
import { sliderState } from './widget/slider.js';
import { transferByLabel } from './widget/transfer_list.js';
import { transferStep } from './widget/transfer_step.js';

/** @type {{ [barrier: symbol]: (() => void) | undefined }} */ (globalThis)[Symbol.for('callsheet.inputBarrier')]?.(); // the caller that injects the engine addresses this document
observeRoot(document);
noteTimers([window]);

const pageState = () => ({ url: location.href, title: tidy(document.title), generation });

// probe evaluates the conditions of a wait.
/** @param {{ selector?: string, text?: string, words?: boolean }} o */
function probe(o) {
  drain();
  /** @type {{ url: string, generation: number, count?: number, shown?: number, text?: boolean }} */
  const out = { url: masked(location.href), generation };
  if (o.selector) {
    const found = selectAll({ css: o.selector, pierce: true });
    out.count = found.length;
    out.shown = found.filter(isVisible).length;
  }
  if (o.text) out.text = o.words && tidy(o.text).length <= MAX_WORD ? visibleHasWord(tidy(o.text)) : visibleHas(o.text);
  return out;
}

// visibleHas reports whether the text occurs where a person can read it. It ignores white space,
// because a heading may be a box for each letter. innerText would be faster, but includes
// transparent, clipped and displaced text.
/** @param {string} text */
function visibleHas(text) {
  /** @param {string} s */
  const bare = (s) => flat(s).replaceAll(' ', '').toLowerCase();
  return !!document.documentElement && bare(readText(document.documentElement, Infinity)).includes(bare(text));
}

// visibleHasWord reports whether a person can read a short text as whole words: "M", and not a part of "Small".
const MAX_WORD = 4; // characters
/** @param {string} text */
function visibleHasWord(text) {
  const [before, after] = [/^[\p{L}\p{N}]/u, /[\p{L}\p{N}]$/u].map((end) => end.test(text));
  const word = new RegExp((before ? '(?<![\\p{L}\\p{N}])' : '') + RegExp.escape(text) + (after ? '(?![\\p{L}\\p{N}])' : ''), 'iu');
  return !!document.documentElement && word.test(flat(readText(document.documentElement, Infinity)));
}

const operations = {
  read, content, maskSecrets, unmaskSecrets, pageSecrets, overview, observe, data, find, query, select, elementStates, suggestSelectors, waitActionable, elementAtPoint, wheelStep, wheelMoved, reveal, edit, focusBox, pasteCode, drawnSelect, waitForToggle, guardSubmit, drawnSliderState, transferByLabel, transferStep, comboboxValue, calendar, clock, focusTarget, waitForStable,
  waitForChange, waitForParsed, identify, relocate, consequence, siteValues, request, pageState, probe, interactions, frameFromViewport, frameTransform, frameToViewport, waitForFrameFocus, pressHit, aimDrop, dropTarget, dropResult, dragPlace, scroll, findOption, waitForChosen, fileInput,
  waitForEditorText,
  /** @param {{ frameKey: number, press?: boolean }} o */
  beginAroundFrame: ({ frameKey, press }) => { beginRecord(); const el = press && frameElementByKey(frameKey); if (el) interceptInput('pointer', el).around = true; return {}; },
  /** @param {{ remainder: number }} o */
  remainder: ({ remainder }) => ({ text: remainders.get(remainder) ?? null }),
  rename,
  /** @param {{ n: number, peek?: boolean }} o */
  describe: ({ n, peek }) => inform(resolve(n, peek)),
  /** @param {{ n: number, levels: number[] }} o */
  ancestors: ({ n, levels }) => {
    const out = [];
    for (let el = /** @type {El | null} */ (resolve(n)), level = 0; el && level <= 1000; el = parentOf(el), level++) {
      if (levels.includes(level)) out.push({ level, ...inform(el) });
    }
    return out;
  },
  documents: () => { byPiercing('iframe, frame, object, embed'); return {}; },
  cellEditor, cellShows, cellRef, optionOwner,
  sliderState,
  /** @param {{ role: string, name: string }} o */
  similarElements: ({ role, name }) => ({ candidates: candidates(role, name) }),
  /** @param {Point & { n: number }} o */
  hitTest: ({ x, y, n }) => { const el = resolve(n); const found = elementAt(x, y); return { reached: !!found && isHitTarget(el, found) }; },
  /** @param {Point} o */
  draggable: ({ x, y }) => { const at = elementAt(x, y); return { native: !!at && nativelyDragged(at) }; },
  focus, editorSettled, keySettled, boxLeft,
  /** @param {{ fields: FormField[] }} o */
  readBackForm: async ({ fields }) => ({ fields: await readBackForm(fields) }),
  inputTargetAt, inputTargetFocus, documentFile,
  fieldOrigin, focusOrigin, insertSecret, knowSecrets, selectText, finishSelection,
  atRest: () => ({ rest: isAtRest() }),
};

/** @param {Record<string, unknown>} body */
function reply(body) {
  const issued = takeNewRefs();
  return JSON.stringify({ ...body, next: nextNumber, generation, newRefs: issued.length ? issued : undefined,
    remoteFrames: remoteFrames.length ? remoteFrames : undefined, shadowCandidates: shadowCandidates.length || undefined, internals: pendingInternals() || undefined });
}

/** @param {unknown} e */
function failure(e) {
  if (e instanceof EngineError) return reply({ error: e.kind, data: e.data });
  if (!document.documentElement) return reply({ error: 'emptyDocument', data: {} });
  return reply({ error: 'internal', data: { reason: String(e instanceof Error && e.stack || e).slice(0, 600) } });
}

// Operations that read the page wait for the frame that an action skipped.
const READING = new Set(['read', 'find', 'query', 'select', 'describe', 'similarElements', 'probe', 'suggestSelectors', 'elementStates', 'identify', 'relocate', 'consequence', 'siteValues']);

// A document has no root while a script replaces it, and it may stay without one.
const ROOT_TIME = 300;

/** @returns {Promise<void>} */
function rootArrives() {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => { if (document.documentElement) finish(); });
    const finish = () => { observer.disconnect(); resolve(); };
    observer.observe(document, { childList: true });
    ownTimeout(finish, ROOT_TIME);
  });
}

const NEEDS_ROOT = new Set([...READING, 'content', 'overview', 'observe', 'data', 'documents']);

/**
 * @param {string} operation
 * @param {object} [argument]
 * @param {number} [expected]
 * @param {boolean} [waited]
 * @returns {string | Promise<string>}
 */
function engine(operation, argument, expected = 0, waited = false) {
  if (!waited && !document.documentElement && NEEDS_ROOT.has(operation)) return rootArrives().then(() => engine(operation, argument, expected, true));
  if (expected) {
    drain();
    if (expected !== generation) return reply({ ok: null, changed: true });
  }
  if (deferredFrame && READING.has(operation)) return deferredFrame.then(() => engine(operation, argument));
  try {
    if (READING.has(operation)) { noteTimers([window]); noteSplitSecrets(); }
    const run = /** @type {Record<string, (argument: object) => unknown>} */ (/** @type {unknown} */ (operations))[operation];
    const result = run(argument ?? {});
    if (result instanceof Promise) return result.then((ok) => reply({ ok }), failure);
    return reply({ ok: result });
  } catch (e) {
    return failure(e);
  }
}

// element hands an element to the debugger, which alone can address it from another world.
engine.element = resolve;
// describeNodes describes elements that the debugger hands over; null stands for a node that is gone or no element.
/** @param {(El | null)[]} nodes */
engine.describeNodes = (nodes) => {
  try {
    return reply({ ok: nodes.map((el) => (el && nodeType(el) === ELEMENT && attached(el) ? describe(el, shownRoleOf(el)) : null)) });
  } catch (e) {
    return failure(e);
  }
};
// frameOfElement returns the frame element around an element of a frame of this origin, or null.
/** @param {El} el */
engine.frameOfElement = (el) => (ownerDocument(el) === document ? null : ownerDocument(el).defaultView?.frameElement ?? null);
engine.acknowledge = acknowledge;
engine.frameElement = frameElementByKey;
engine.takeShadowCandidates = takeShadowCandidates;
engine.addShadowRoot = addShadowRoot;
engine.setListeners = setListeners;
engine.setDelegated = setDelegated;
Object.assign(engine, { outlines, unknownTags, judgeTags, elementsWithInternals, setInternals });

// The property of this world says that the engine is in the document; the wrapper of the bundle reads it.
Object.defineProperty(globalThis, 'callsheetEngine', { value: engine });
