// Remote frames: frames whose document this world cannot read, because it has another origin. The
// Go side enters the frames that a walk met, each with a world of its own.

import { EngineError } from '../dom/error.js';
import { contentOrigin, focusedFrameKey, frameElementByKey } from '../dom/frames.js';
import { coveringElement, elementAt } from '../dom/hit_test.js';
import { hiddenReason, inertReason } from '../dom/state.js';
import { frame } from '../dom/timers.js';
import { scrolledAway } from '../dom/viewport.js';
import { describe } from './registry.js';

/** @param {{ frameKey: number }} o */
export function frameOrigin({ frameKey }) {
  const el = frameElementByKey(frameKey);
  if (!el) throw new EngineError('otherDocument', {});
  return contentOrigin(el);
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
  const off = contentOrigin(el);
  x += off.x;
  y += off.y;
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || scrolledAway(el, { left: x, top: y, width: 0, height: 0 })) {
    if (!scroll) return { reason: 'the frame it is in is out of view' };
    el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const now = contentOrigin(el);
    scrollBy({ left: x - off.x + now.x - innerWidth / 2, top: y - off.y + now.y - innerHeight / 2, behavior: 'instant' });
    return { scrolled: true };
  }
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
