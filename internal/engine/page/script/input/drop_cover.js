// Covered drop targets: a drop lands on what is on top at its point.

import { attached, composedContains, ownerDocument, scrollIntoView } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { frameOffset } from '../dom/frames.js';
import { coveringElement, elementAt, isHitTarget } from '../dom/hit_test.js';
import { boxOf, hiddenReason } from '../dom/state.js';
import { frame } from '../dom/timers.js';
import { bringIntoView } from '../dom/viewport.js';
import { describe, entries, resolve } from '../document/registry.js';
import { isAtRest } from '../settle/rest.js';
import { EDGES, LEAST_PATIENCE, clickPoints } from './actionability.js';
import { beginDrop, clamp, flowsAcross } from './drag.js';

// dropShare is the part of its target's box at which the drag that was begun last is dropped.
/** @type {Share & { el: El } | null} */
export let dropShare = null;

// aimDrop picks the point of a target that no other element covers, before the drag begins: what appears
// only while something is dragged, such as a drop zone or a ghost, covers nothing yet. It waits as a click
// does for what is about to leave. A drag from a point is not checked.
/** @param {{ n: number, from: number, position: string, check: boolean, limit: number }} o */
export async function aimDrop({ n, from, position, check, limit }) {
  const el = resolve(n), source = entries.get(from)?.weak.deref(), begun = performance.now(), until = begun + limit;
  dropShare = null;
  beginDrop(el);
  const why = hiddenReason(el);
  if (why) throw new EngineError('notActionable', { reason: why });
  if (!check) return {};
  if (bringIntoView(el)) await frame();
  for (let edge = 0; ;) {
    if (!attached(el)) resolve(n);
    /** @type {El[]} */ const covers = [];
    const free = dropShares(el, position).find((share) => { const cover = coverAt(el, share, source); if (cover) covers.push(cover); return !cover; });
    if (free) { dropShare = { el, ...free }; return {}; }
    if (edge < EDGES.length) {
      scrollIntoView(el, { block: EDGES[edge++], inline: 'nearest', behavior: 'instant' }); // from below sticky content
      await frame();
      continue;
    }
    const rest = performance.now() - begun > LEAST_PATIENCE && isAtRest();
    if (rest || performance.now() > until) {
      throw new EngineError('notActionable', { reason: 'another element covers it', covering: describe(coveringElement(covers[0], el)), rest });
    }
    await frame();
  }
}

// dropShares yields where a target is dropped on, as parts of its box: its middle before other points of it,
// or the middle of one edge before other points of that edge.
/** @param {El} el @param {string} position */
function* dropShares(el, position) {
  const r = boxOf(el), main = shareAt(el, r, position);
  yield main;
  if (position === 'inside') {
    for (const p of clickPoints(el, el, () => true)) yield { fx: (p.x - r.left) / r.width, fy: (p.y - r.top) / r.height };
    return;
  }
  for (const along of [0.25, 0.75, 0.1, 0.9]) yield main.fx === 0.5 ? { ...main, fx: along } : { ...main, fy: along };
}

// shareAt is where a target is dropped on unless that is covered.
/** @param {El} el @param {DOMRect} r @param {string} position */
export function shareAt(el, r, position) {
  if (position === 'inside') return { fx: 0.5, fy: 0.5 };
  const edge = position === 'before' ? 0.1 : 0.9;
  return flowsAcross(el, r) ? { fx: edge, fy: 0.5 } : { fx: 0.5, fy: edge };
}

// coverAt returns the element that would get a drop instead of the target, or null. What is dragged covers
// nothing, as it leaves its place, and neither does a clear layer that holds it.
/** @param {El} el @param {Share} share @param {El | undefined} source */
function coverAt(el, share, source) {
  const { x, y } = dropPoint(el, share), found = elementAt(x, y);
  if (!found || isHitTarget(el, found) || composedContains(found, el)) return null;
  if (source && (composedContains(source, found) || composedContains(found, source) && isClear(found))) return null;
  return found;
}

/** @param {El} el */
function isClear(el) {
  const cs = getComputedStyle(el);
  return cs.backgroundImage === 'none' && /^rgba\(.*, 0\)$|^transparent$/.test(cs.backgroundColor);
}

// dropPoint returns a point of a target in the top viewport of this document tree.
/** @param {El} el @param {{ fx: number, fy: number }} o */
export function dropPoint(el, { fx, fy }) {
  const r = boxOf(el), off = frameOffset(ownerDocument(el));
  return { x: clamp(off.x + off.scale * (r.left + r.width * fx), innerWidth), y: clamp(off.y + off.scale * (r.top + r.height * fy), innerHeight) };
}
