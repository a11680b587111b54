// Frames: where the content of a frame element begins, and the numbers of remote frames, whose document
// this world cannot read because it has another origin. The Go side enters the remote frames that a walk
// met, each with a world of its own.

import {
  activeElementDeep, attached, frameDocument, frameElementOf, isFrame, localName, ownerDocument, parentOf, rectOf, windowOf,
} from './dom.js';
import { embeddedWindow } from './embedded.js';

// A frame element keeps its key while its frame lives. An element that is put back into the page
// holds a new frame.
const frameKeys = new WeakMap();
const frameElements = new Map();
let frameCount = 0;
/** @type {number[]} */
export let remoteFrames = [];
export const clearRemoteFrames = () => { remoteFrames = []; };

/** @param {El} el */
export function frameKeyOf(el) {
  const view = localName(el) === 'iframe' ? windowOf(el) : localName(el) === 'frame' ? el.contentWindow : embeddedWindow(el);
  let entry = frameKeys.get(el);
  if (!entry || entry.view !== view) {
    entry = { key: ++frameCount, view };
    frameKeys.set(el, entry);
    frameElements.set(entry.key, new WeakRef(el));
  }
  return entry.key;
}

/** @param {El} el */
export function noteRemoteFrame(el) {
  const key = frameKeyOf(el);
  if (!remoteFrames.includes(key)) remoteFrames.push(key);
  return key;
}

/** @param {El} el */
export const isRemoteFrame = (el) => isFrame(el) && frameDocument(el) === null;

/** @param {number} key */
export function frameElementByKey(key) {
  const el = frameElements.get(key)?.deref();
  return el && attached(el) ? el : null;
}

// frameScale returns how large a CSS transform draws a pixel of a frame.
/** @param {El} frame @param {Size} r */
const frameScale = (frame, r) => (frame.offsetWidth > 0 && r.width > 0 ? r.width / frame.offsetWidth : 1);

// contentOrigin returns where the content of a frame element begins, in the top viewport of this
// world.
/** @param {El} frame @returns {Offset} */
function contentOrigin(frame) {
  const off = frameOffset(ownerDocument(frame)), r = rectOf(frame), cs = getComputedStyle(frame);
  const scale = frameScale(frame, r);
  return {
    x: off.x + off.scale * (r.left + scale * (frame.clientLeft + parseFloat(cs.paddingLeft))),
    y: off.y + off.scale * (r.top + scale * (frame.clientTop + parseFloat(cs.paddingTop))),
    scale: off.scale * scale,
  };
}

// linearPart returns how the transforms of an element and of those around it turn and stretch it, as far as the screen shows.
/** @param {El} el */
function linearPart(el) {
  let all = new DOMMatrix();
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) {
    const { transform, rotate, scale } = getComputedStyle(up);
    if (transform === 'none' && rotate === 'none' && scale === 'none') continue;
    const turn = rotate.split(' '), axis = turn.length === 2 ? `rotate${turn[0].toUpperCase()}(${turn[1]})` : turn.length === 4 ? `rotate3d(${turn.join()})` : `rotate(${rotate})`;
    const own = new DOMMatrix(`${rotate === 'none' ? '' : axis} ${scale === 'none' ? '' : `scale3d(${[...scale.split(' '), scale.split(' ')[0], 1].slice(0, 2).join()},1)`} ${transform === 'none' ? '' : transform}`.trim());
    all = new DOMMatrix([own.a, own.b, own.c, own.d, 0, 0]).multiply(all);
    if (ownerDocument(up) !== ownerDocument(el)) break;
  }
  return all;
}

// innerMatrix leads from the content of a frame element to the viewport of the element's document. What is parallel stays so,
// hence the middle of the bounding box is that of the frame, and its width tells how far the frame is zoomed.
/** @param {El} frame */
export function innerMatrix(frame) {
  const r = rectOf(frame), cs = getComputedStyle(frame), m = linearPart(frame), width = frame.offsetWidth, height = frame.offsetHeight;
  const zoom = r.width / (Math.abs(m.a) * width + Math.abs(m.c) * height) || 1;
  return new DOMMatrix().translate(r.left + r.width / 2, r.top + r.height / 2).scale(zoom).multiply(m)
    .translate(frame.clientLeft + parseFloat(cs.paddingLeft) - width / 2, frame.clientTop + parseFloat(cs.paddingTop) - height / 2);
}

// IN_SPACE is why no point of a frame is used that perspective draws: its place is not known.
export const IN_SPACE = 'the frame it is in is drawn in perspective: the place of what is in it is not known';

// isDrawnInSpace reports a frame that perspective draws, its own, or that of an element around it or of a frame that has it.
/** @param {El | null | undefined} frame @returns {boolean} */
export function isDrawnInSpace(frame) {
  for (let up = frame ?? null; up; up = parentOf(up)) {
    const { transform, rotate, translate } = getComputedStyle(up), around = parentOf(up), outer = around && getComputedStyle(around);
    const m = transform.startsWith('matrix3d') ? new DOMMatrix(transform) : null;
    if (m && (m.m14 || m.m24 || m.m34 || m.m44 !== 1)) return true;
    if ((m || rotate.includes(' ') || translate.split(' ').length > 2) && outer && (outer.perspective !== 'none' || outer.transformStyle === 'preserve-3d')) return true;
  }
  return !!frame && ownerDocument(frame) !== document && isDrawnInSpace(frameElementOf(ownerDocument(frame)));
}

// frameMatrix leads from a document's viewport to that of this world.
/** @param {Document} doc @returns {DOMMatrix} */
export function frameMatrix(doc) {
  const frame = doc === document ? null : frameElementOf(doc);
  return frame ? frameMatrix(ownerDocument(frame)).multiply(innerMatrix(frame)) : new DOMMatrix();
}

// frameOffset returns where a document's viewport begins, in CSS pixels of the top viewport, and how
// many of those a pixel of the document takes. Frames under a CSS transform are placed by their
// bounding box.
/** @param {Document} doc @returns {Offset} */
export function frameOffset(doc) {
  const frame = doc === document ? null : frameElementOf(doc);
  return frame ? contentOrigin(frame) : { x: 0, y: 0, scale: 1 };
}

// boxIn returns the box around what a box becomes by the six numbers of a matrix; without them it is the same.
/** @param {Size & Point} r @param {number[]} [matrix] */
export function boxIn(r, matrix) {
  if (!matrix) return r;
  const [a, b, c, d, e, f] = matrix, width = Math.abs(a) * r.width + Math.abs(c) * r.height, height = Math.abs(b) * r.width + Math.abs(d) * r.height;
  const x = r.x + r.width / 2, y = r.y + r.height / 2;
  return { x: a * x + c * y + e - width / 2, y: b * x + d * y + f - height / 2, width, height };
}

export const focusedFrameKey = () => {
  const el = activeElementDeep();
  return el && isRemoteFrame(el) ? frameKeyOf(el) : 0;
};
