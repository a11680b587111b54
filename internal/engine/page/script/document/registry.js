// The registry of refs: the element of each number, and the role and name that a reading last
// showed for it.

import { clearShadowCandidates } from '../dom/closed_shadow.js';
import { attached, cut, focusedElement, ownerDocument } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { clearRemoteFrames, frameOffset } from '../dom/frames.js';
import { listTitle } from '../dom/list_title.js';
import { nameOf } from '../dom/name.js';
import { roleOf } from '../dom/role.js';
import { clickableName, liveRole } from '../dom/scan.js';
import { boxOf, checkedOf, statesOf, valueOf } from '../dom/state.js';

/** @type {WeakMap<El, number>} */ export const numbers = new WeakMap();
/** @type {Map<number, { weak: WeakRef<El>, role: string, name: string }>} */ export const entries = new Map();
export let nextNumber = 1;
let lastIssued = 0;
/** @type {{ n: number, role: string, name: string }[]} */
let newRefs = [];

// findSimilar returns the elements that a stale ref may have meant; locate/find.js provides it.
/** @type {(role: string, name: string) => Similar[]} */
let findSimilar = () => [];
/** @param {(role: string, name: string) => Similar[]} find */
export const provideSimilar = (find) => { findSimilar = find; };

// takeNewRefs returns the refs that no response has listed yet.
export function takeNewRefs() {
  const issued = newRefs;
  newRefs = [];
  return issued;
}

// clearResponse drops what the next response would list beside its result.
export function clearResponse() {
  takeNewRefs();
  clearRemoteFrames();
  clearShadowCandidates();
}

// UNACKNOWLEDGED comes from a caller that knows no response of this document, for example because
// the document came back from the back-forward cache. The next response repeats all refs.
const UNACKNOWLEDGED = 2 ** 40;

// acknowledge prepares for a call. Refs from `acknowledged` on were issued in a response that never
// arrived, so they name nothing. Numbers below `start` belong to other documents and tabs. A number that an
// earlier call was given and did not use is not kept: by now another tab may have issued it.
/** @param {number} acknowledged @param {number} start */
export function acknowledge(acknowledged, start) {
  for (; lastIssued >= acknowledged; lastIssued--) {
    const el = entries.get(lastIssued)?.weak.deref();
    if (el) numbers.delete(el);
    entries.delete(lastIssued);
  }
  nextNumber = Math.max(start, lastIssued + 1);
  newRefs = [];
  clearRemoteFrames();
  if (acknowledged === UNACKNOWLEDGED) for (const [n, { role, name }] of entries) newRefs.push({ n, role, name });
}

/** @param {El} el @param {string} role @param {string} name */
export function refOf(el, role, name) {
  let n = numbers.get(el);
  if (n === undefined) {
    lastIssued = n = nextNumber++;
    numbers.set(el, n);
    entries.set(n, { weak: new WeakRef(el), role, name });
    newRefs.push({ n, role, name });
    return 'e' + n;
  }
  const entry = /** @type {{ role: string, name: string }} */ (entries.get(n));
  if (entry.role !== role || entry.name !== name) {
    entry.role = role;
    entry.name = name;
    newRefs.push({ n, role, name });
  }
  return 'e' + n;
}

// liveRole returns the role that a reading shows of an element that takes input.
const LIVE_ROLES = new Set(['clickable', 'slider', 'group']);

// roleAndName returns an element's role and name as a reading shows them.
/** @param {El} el @param {string} [shownRole] */
export function roleAndName(el, shownRole) {
  let role = roleOf(el);
  if (role === 'generic' && (shownRole === undefined || LIVE_ROLES.has(shownRole))) role = shownRole ?? liveRole(el, role);
  if (role === 'group' && roleOf(el) === 'generic') return { role, name: listTitle(el) };
  return { role, name: role === 'clickable' ? clickableName(el) : nameOf(el, role) };
}

/** @param {El} el @param {string} [shownRole] */
export function describe(el, shownRole) {
  const { role, name } = roleAndName(el, shownRole);
  /** @type {Described} */
  const out = { ref: refOf(el, role, name), role, name };
  const value = valueOf(el, role);
  if (value !== undefined) out.value = cut(value, 500);
  const checked = checkedOf(el, role);
  if (checked !== undefined) out.checked = checked;
  const states = statesOf(el, role, focusedElement());
  if (states.length) out.states = states;
  return out;
}

// rename makes a ref stand for its element under a name that an earlier response showed.
/** @param {{ n: number, role: string, name: string }} o */
export function rename({ n, role, name }) {
  const entry = entries.get(n);
  if (entry) Object.assign(entry, { role, name });
  return {};
}

// resolve returns the element of a ref, or throws why the ref no longer holds. It never picks
// another element instead: the caller decides that. The error shows the element's new name, and the ref
// holds under it then, unless a caller peeks, who shows nothing.
/** @param {number} n @param {boolean} [peek] */
export function resolve(n, peek) {
  const entry = entries.get(n);
  if (!entry) throw new EngineError('otherDocument', {});
  const el = entry.weak.deref();
  if (!el || !attached(el)) {
    throw new EngineError('stale', { reason: 'its element is no longer in the page', candidates: peek ? [] : findSimilar(entry.role, entry.name) });
  }
  const now = roleAndName(el, entry.role);
  if (now.role !== entry.role || now.name !== entry.name) {
    const reason = now.role !== entry.role
      ? `its role changed from ${entry.role} to ${now.role}`
      : `its name changed from ${JSON.stringify(entry.name)} to ${JSON.stringify(now.name)}`;
    const itself = { ref: peek ? 'e' + n : refOf(el, now.role, now.name), role: now.role, name: now.name };
    const others = peek ? [] : findSimilar(entry.role, entry.name).filter((c) => c.ref !== itself.ref);
    throw new EngineError('stale', { reason, candidates: [itself, ...others].slice(0, 3) });
  }
  return el;
}

// successor returns the one element that has the role and the name of a ref, whose own element left the page, or null.
/** @param {number} n @returns {El | null} */
export function successor(n) {
  const entry = entries.get(n);
  if (!entry?.name) return null;
  const same = findSimilar(entry.role, entry.name).filter((c) => c.role === entry.role && c.name === entry.name);
  return same.length === 1 ? entries.get(Number(same[0].ref.slice(1)))?.weak.deref() ?? null : null;
}

// outlines returns the boxes of the elements in the viewport that have refs, for a person who watches.
// It changes nothing of the registry, so it may run between any two operations. An empty list of numbers,
// which stands for all, does not arrive: the protocol's encoder leaves it out.
/** @param {number[]} [asked] @param {number} [most] */
export function outlines(asked = [], most = 0) {
  const wanted = asked.length ? asked : entries.keys();
  const found = [];
  for (const n of wanted) {
    const entry = entries.get(n), el = entry?.weak.deref();
    if (!entry || !el || !attached(el)) continue;
    const r = boxOf(el), off = frameOffset(ownerDocument(el));
    const box = { x: r.left * off.scale + off.x, y: r.top * off.scale + off.y, width: r.width * off.scale, height: r.height * off.scale };
    if (!(box.width > 0 && box.height > 0) || box.x + box.width <= 0 || box.y + box.height <= 0 || box.x >= innerWidth || box.y >= innerHeight) continue;
    found.push({ ref: 'e' + n, role: entry.role, name: entry.name, box });
    if (found.length >= most) break;
  }
  return found;
}
