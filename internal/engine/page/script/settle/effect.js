// Effects: the changes of an action, in a few lines that a person would notice.

import {
  ELEMENT, MAX_DEPTH, SILENT, TEXT, attached, attr, closest, composedContains, containerOf, cut, firstChild,
  focusedElement, isConnected, isEditable, localName, nextSibling, nodeType, nodeValue, parentOf, tidy, titleOf,
} from '../dom/dom.js';
import { playerTurned } from '../dom/player.js';
import { roleOf } from '../dom/role.js';
import { isVisible, sameValue } from '../dom/state.js';
import { visibleText } from '../dom/text.js';
import { describe, entries, numbers, roleAndName } from '../document/registry.js';
import { endActing } from '../document/typed.js';
import { markTimersAfter } from './action_timers.js';
import { commitText } from './commit_text.js';
import { reportRevealed } from './hidden.js';
import { hoverMissed, stopIntercepting } from './input_interceptor.js';
import { CAPTURE_LIFE, actionRecord, drain, waitForParsed, waitForStableDOM } from './mutations.js';
import { waitForPictures } from './pictures.js';
import { expectTyped, isPending, noteInput, readBack, readBackForm, withValue } from './read_back.js';

const LINES = 8, LINE_BYTES = 120, TOTAL_BYTES = 500;
const LIVE = '[aria-live="polite"],[aria-live="assertive"],[role=alert],[role=status],[role=log],output';
export const POPUPS = new Set(['dialog', 'alertdialog', 'menu', 'listbox', 'tooltip', 'alert', 'status', 'tree']);
/** @type {Record<string, [string, string]>} */
const STATES = { 'aria-expanded': ['expanded', 'collapsed'], 'aria-pressed': ['pressed', 'not pressed'],
  'aria-selected': ['selected', 'not selected'], 'aria-checked': ['checked', 'unchecked'] };

// waitForStable reports what an action changed once the DOM is stable. `parsed` is the limit (ms)
// for the parsing of a new document.
/** @param {StableOptions} options */
export async function waitForStable(options) {
  if (options.parsed) await waitForParsed({ limit: options.parsed });
  const hit = stopIntercepting();
  if (hit) return { wrongTarget: describe(hit) };
  if (options.commit) commitText();
  if (options.typed !== undefined) expectTyped(options.typed);
  noteInput();
  await waitForStableDOM(options);
  await playerTurned();
  await waitForPictures();
  const inForm = options.inForm || options.fields !== undefined, notApplied = await readBack(inForm);
  const fields = options.fields && await readBackForm(options.fields);
  markTimersAfter();
  return { ...effect(), notApplied, fields, pending: inForm && isPending(actionRecord?.expected?.el) || undefined };
}

function effect() {
  drain();
  endActing();
  /** @type {EffectRecord} */
  const was = actionRecord ?? { records: [], invalid: [], url: location.href, title: document.title };
  /** @type {Effect} */
  const out = { url: location.href, title: titleOf(), urlChanged: location.href !== was.url, changes: [] };
  const target = was.el && attached(was.el) ? describe(was.el, was.shownRole) : undefined;
  if (target) out.element = withValue(target, was.expected);
  else if (was.el) { out.detached = true; out.element = was.pressed; }
  const focus = focusedElement(), focusRole = focus ? entries.get(numbers.get(focus) ?? 0)?.role : undefined;
  if (focus) out.focus = target && focus === was.el && focusRole === was.shownRole ? target : describe(focus, focusRole);
  if (was.noInput && was.noInput.kind === 'keys' && !sameValue(was.noInput.el, was.noInput.value)) out.textLost = true;
  if (was.noInput && was.noInput.kind === 'pointer' || hoverMissed()) out.pressLost = true;
  out.changes = changeLines(was);
  if (was.until) was.until = performance.now() + CAPTURE_LIFE;
  return out;
}

/** @param {EffectRecord} was */
function changeLines(was) {
  /** @type {string[]} */
  const lines = [];
  /** @param {string} line */
  const say = (line) => {
    const short = line && cutBytes(line, LINE_BYTES);
    if (short && !lines.includes(short)) lines.push(short);
  };
  if (was.scroll && (was.scroll[0] !== scrollX || was.scroll[1] !== scrollY)) {
    say(`scrolled to ${Math.round(scrollX)},${Math.round(scrollY)} of ${document.documentElement.scrollHeight}`);
  }
  if (was.releaseMissed === 'moved') say('it moved away between press and release: no click came of it');
  if (was.releaseMissed === 'replaced') say('the press replaced it by another like it: no click came of it');
  if (was.releaseMissed === 'strayed') say('the release arrived beside its frame: no click came of it');
  if (was.releaseMissed === 'covered') say('something covered it between press and release: no click came of it');
  for (const el of was.invalid) if (isConnected(el)) say(`${label(el, roleOf(el))} is invalid: ${tidy(el.validationMessage)}`);
  if (document.title !== was.title && titleOf()) say(`title: ${titleOf()}`);
  const reported = new Set();
  for (const r of was.records) reportLiveRegion(r, say, reported);
  for (const r of was.records) if (r.type === 'attributes') reportAttribute(r, say);
  for (const el of was.hidden ?? []) reportRevealed(el, say, reported);
  const added = new Set(), removed = new Set(), came = new Set();
  for (const r of was.records) if (!isOwnText(r.target, was.el)) gather(r, added, removed, reported, came);
  /** @type {string[]} */ const shown = [];
  for (const el of added) reportShown(el, added, (line) => { shown.push(line); }, reported);
  const again = drawnAgain(shown, removed);
  for (const line of [...shown, ...[...removed].map((text) => `- ${text}`)]) if (!again.has(line.slice(2))) say(line);
  return fit(lines);
}

// drawnAgain returns the texts that left and came in one order: the page drew them anew.
/** @param {string[]} shown @param {Set<string>} removed @returns {Set<string>} */
function drawnAgain(shown, removed) {
  const came = [...new Set(shown.filter((line) => line.startsWith('+ ')).map((line) => line.slice(2)).filter((text) => removed.has(text)))];
  const left = [...removed].filter((text) => came.includes(text));
  return new Set(came.every((text, i) => text === left[i]) ? came : []);
}

// isOwnText reports what changed in the editor that an action is in: its value shows that already.
/** @param {El} node @param {El | null | undefined} editor */
const isOwnText = (node, editor) => !!editor && isConnected(node) && isEditable(editor) && composedContains(editor, elementOf(node) ?? document.documentElement);

/** @param {string[]} lines */
function fit(lines) {
  const out = [];
  let bytes = 0;
  for (const line of lines) {
    const size = byteLength(line);
    if (out.length === LINES || bytes + size > TOTAL_BYTES) break;
    bytes += size;
    out.push(line.toWellFormed());
  }
  return out;
}

const encoder = new TextEncoder();
/** @param {string} s */
const byteLength = (s) => encoder.encode(s).length;

/** @param {string} s @param {number} max */
function cutBytes(s, max) {
  let text = cut(s, max);
  while (byteLength(text) > max) text = cut(text, Math.floor(text.length * 0.8));
  return text;
}

/** @param {El} node @returns {El | null} */
const elementOf = (node) => (nodeType(node) === ELEMENT ? node : containerOf(node));

/** @param {Change} record @param {(line: string) => void} say @param {Set<El | null>} reported @returns {void} */
function reportLiveRegion(record, say, reported) {
  const el = elementOf(record.target);
  const region = el && isConnected(el) && closest(el, LIVE);
  if (!region || reported.has(region)) return;
  reported.add(region);
  const text = visibleText(region);
  if (text) say(`${roleOf(region) === 'generic' ? 'status' : roleOf(region)}: ${text}`);
}

/** @param {Change} record @param {(line: string) => void} say */
function reportAttribute(record, say) {
  const el = record.target, name = record.attributeName ?? '';
  if (!isConnected(el) || !isVisible(el)) return;
  const role = roleOf(el);
  const now = attr(el, name);
  if (STATES[name] && now !== record.oldValue && (now === 'true' || record.oldValue === 'true')) {
    say(`${label(el, role)} ${STATES[name][now === 'true' ? 0 : 1]}`);
  } else if (name === 'open' && now !== null && role === 'dialog') {
    say(`${label(el, role)} opened`);
  } else if (name === 'disabled' && (now === null) !== (record.oldValue === null)) {
    say(`${label(el, role)} ${now === null ? 'enabled' : 'disabled'}`);
  } else if (isReveal(record, now) || POPUPS.has(role) && (name === 'class' || name === 'style') && now !== record.oldValue) {
    const text = visibleText(el);
    if (POPUPS.has(role) && role !== 'alert' && role !== 'status') say(`${label(el, role)} ${isVanishing(el) ? 'closed' : 'shown'}`);
    else if (text && !isVanishing(el)) say(`+ ${text}`);
  }
}

// isVanishing reports that the animations of an element, or of one around it, end with it hidden.
/** @param {El | null} el @returns {boolean} */
export const isVanishing = (el) => !!el && (el.getAnimations().some((a) => {
  const effect = /** @type {KeyframeEffect | null} */ (a.effect), timing = effect?.getComputedTiming();
  if (!effect?.getKeyframes || a.playState !== 'running' || timing?.iterations === Infinity) return false;
  const frames = effect.getKeyframes();
  const last = timing?.direction === 'reverse' ? frames[0] : frames[frames.length - 1];
  return !!last && (last.opacity !== undefined && Number(last.opacity) < 0.05 || last.visibility === 'hidden' || last.display === 'none' ||
    /scale(3d)?\(0[,)]/.test(String(last.transform)));
}) || isVanishing(parentOf(el)));

const HIDING = /display:\s*none|visibility:\s*hidden|opacity:\s*0(?![.\d])/;
/** @param {Change} record @param {string | null} now */
function isReveal(record, now) {
  const old = record.oldValue;
  switch (record.attributeName) {
    case 'hidden': case 'inert': case 'open': return (old === null) !== (now === null);
    case 'aria-hidden': return old === 'true' && now !== 'true';
    case 'style': return HIDING.test(old ?? '') && !HIDING.test(now ?? '');
  }
  return false;
}

/** @param {El} el @param {string} role */
export const label = (el, role) => {
  const { name } = roleAndName(el, role);
  return role === 'generic' ? name || 'element' : name ? `${role} ${JSON.stringify(cut(name, 60))}` : role;
};

// gather collects what a record added and removed. What came with this action and left again, which `came`
// knows, is no change.
/** @param {Change} record @param {Set<El>} added @param {Set<string>} removed @param {Set<El | null>} reported @param {Set<El>} came */
function gather(record, added, removed, reported, came) {
  if (record.type === 'characterData') {
    const el = containerOf(record.target);
    if (el) added.add(el);
    return;
  }
  if (record.type !== 'childList' || nodeType(record.target) === ELEMENT && SILENT.has(localName(record.target))) return;
  let inside = false;
  for (let up = /** @type {El | null} */ (record.target); came.size && up && !inside; up = parentOf(up)) inside = came.has(up);
  for (const n of record.addedNodes) {
    came.add(n);
    const el = nodeType(n) === ELEMENT ? n : nodeType(n) === TEXT ? containerOf(n) : null;
    if (el && added.size < 200) added.add(el);
  }
  for (const n of record.removedNodes) {
    if (inside || came.has(n) || isConnected(n) || removed.size > 50 || reported.has(elementOf(record.target))) continue;
    const type = nodeType(n);
    // The added text describes a replacement in place.
    if (type === TEXT && record.addedNodes.length) continue;
    const text = type === TEXT ? tidy(nodeValue(n)) : type === ELEMENT ? removedText(n) : '';
    if (text) removed.add(text);
  }
}

// removedText returns the start of the text of an element that left the page, without scripts and styles.
/** @param {El} el */
function removedText(el) {
  let text = '';
  /** @param {Node} node @param {number} depth */
  const go = (node, depth) => {
    for (let n = firstChild(node); n && depth < MAX_DEPTH && text.length < 300; n = nextSibling(n)) {
      if (nodeType(n) === TEXT) text += nodeValue(n);
      else if (nodeType(n) === ELEMENT && !SILENT.has(localName(n))) go(n, depth + 1);
    }
  };
  if (!SILENT.has(localName(el))) go(el, 0);
  return tidy(text);
}

/** @param {El} el @param {Set<El>} added @param {(line: string) => void} say @param {Set<El | null>} reported */
function reportShown(el, added, say, reported) {
  if (!isConnected(el) || SILENT.has(localName(el)) || !isVisible(el)) return;
  for (let up = parentOf(el); up; up = parentOf(up)) if (added.has(up) || reported.has(up)) return;
  if (reported.has(el) || isVanishing(el)) return;
  const role = roleOf(el);
  if (POPUPS.has(role)) { say(`${label(el, role)} ${role === 'alert' || role === 'status' ? 'says ' + visibleText(el) : 'opened'}`); return; }
  const text = visibleText(el);
  if (text) say(`+ ${text}`);
}
