// Aiming at elements that keep moving: where an element will be when the pointer arrives, from two frames.

import { attached, ownerDocument } from '../dom/dom.js';
import { frameMatrix } from '../dom/frames.js';
import { boxOf } from '../dom/state.js';
import { frame } from '../dom/timers.js';
import { pressDelay } from '../settle/input_interceptor.js';

const FRAMES = 4; // at most, until one shows a move: a script may move the element in each second one

// leadOf returns how far the centre of an element will have moved when a press arrives that is sent now, or null for one
// that has left the page. The press is seen in the middle of a frame.
/** @param {El} el */
export async function leadOf(el) {
  const before = centreOf(el), begun = frameTime();
  for (let n = 0; n < FRAMES; n++) {
    await frame();
    if (!attached(el)) return null;
    const now = centreOf(el), elapsed = frameTime() - begun;
    if (elapsed <= 0 || now.x === before.x && now.y === before.y) continue;
    const ahead = (performance.now() - frameTime() + pressDelay()) / elapsed;
    return { x: (now.x - before.x) * ahead, y: (now.y - before.y) * ahead };
  }
  return { x: 0, y: 0 };
}

const frameTime = () => Number(document.timeline.currentTime);

/** @param {El} el */
function centreOf(el) {
  const r = boxOf(el);
  return frameMatrix(ownerDocument(el)).transformPoint({ x: r.left + r.width / 2, y: r.top + r.height / 2 });
}
