// Remote frames: frames whose document this world cannot read, because it has another origin. The
// Go side enters the frames that a walk met, each with a world of its own.

import { frameElementOf, ownerDocument } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { IN_SPACE, focusedFrameKey, frameElementByKey, frameMatrix, innerMatrix, isDrawnInSpace } from '../dom/frames.js';
import { coveringElement, elementAt } from '../dom/hit_test.js';
import { hiddenReason, inertReason } from '../dom/state.js';
import { frame } from '../dom/timers.js';
import { scrolledAway } from '../dom/viewport.js';
import { describe } from './registry.js';

// frameTransform returns the matrix from the content of a remote frame to the viewport of this world.
/** @param {{ frameKey: number }} o */
export function frameTransform({ frameKey }) {
  const el = frameElementByKey(frameKey);
  if (!el) throw new EngineError('otherDocument', {});
  const { a, b, c, d, e, f } = frameMatrix(ownerDocument(el)).multiply(innerMatrix(el));
  return { a, b, c, d, e, f };
}

// frameFromViewport converts a point of this world to the document of a remote frame.
/** @param {{ frameKey: number } & Point} o */
export function frameFromViewport({ frameKey, x, y }) {
  const el = frameElementByKey(frameKey);
  if (!el) throw new EngineError('otherDocument', {});
  const p = frameMatrix(ownerDocument(el)).multiply(innerMatrix(el)).inverse().transformPoint({ x, y });
  return { x: p.x, y: p.y };
}

// frameToViewport converts a point of a remote frame's document to this world and says why the
// pointer would not reach it there. With `scroll` it brings the frame into view once; the caller
// then has to compute the point again.
/** @param {{ frameKey: number, x: number, y: number, scroll?: boolean }} o */
export function frameToViewport({ frameKey, x, y, scroll }) {
  const el = frameElementByKey(frameKey);
  if (!el) throw new EngineError('otherDocument', {});
  const hidden = hiddenReason(el) || inertReason(el);
  if (hidden) return { reason: 'the frame it is in cannot be seen: ' + hidden };
  if (isDrawnInSpace(el)) return { reason: IN_SPACE, final: true };
  const own = innerMatrix(el).transformPoint({ x, y }), at = frameMatrix(ownerDocument(el)).transformPoint(own);
  if (at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight || scrolledAway(el, { left: own.x, top: own.y, width: 0, height: 0 })) {
    if (!scroll) return { reason: 'the frame it is in is out of view' };
    el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    // Only a part of a frame that is larger than what is around it may be in view.
    for (let up = /** @type {El | null} */ (el), /** @type {Point} */ p = { x, y }; up; up = ownerDocument(up) === document ? null : frameElementOf(ownerDocument(up))) {
      const view = ownerDocument(up).defaultView, to = innerMatrix(up).transformPoint(p);
      view.scrollBy({ left: to.x - view.innerWidth / 2, top: to.y - view.innerHeight / 2, behavior: 'instant' });
      p = innerMatrix(up).transformPoint(p);
    }
    const now = frameMatrix(ownerDocument(el)).multiply(innerMatrix(el)).transformPoint({ x, y });
    return Math.hypot(now.x - at.x, now.y - at.y) < 1 ? { reason: 'the frame it is in is out of view' } : { scrolled: true };
  }
  ({ x, y } = at);
  const found = elementAt(x, y);
  if (found === el) return { x, y };
  if (!found) return { reason: 'the frame it is in is out of view' };
  return { reason: 'another element covers it', covering: describe(coveringElement(found, el)) };
}

// waitForFrameFocus resolves when this document knows that the frame has the focus. The frame knows
// that earlier.
/** @param {{ frameKey: number, limit: number }} o */
export async function waitForFrameFocus({ frameKey, limit }) {
  const until = performance.now() + limit;
  while (focusedFrameKey() !== frameKey && performance.now() < until) await frame();
  return { focused: focusedFrameKey() === frameKey };
}
