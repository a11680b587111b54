// Frames: where the content of a frame element begins, and the numbers of remote frames, whose document
// this world cannot read because it has another origin. The Go side enters the remote frames that a walk
// met, each with a world of its own.

import {
  activeElementDeep, attached, frameDocument, frameElementOf, isFrame, localName, ownerDocument, rectOf, windowOf,
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
export const frameScale = (frame, r) => (frame.offsetWidth > 0 && r.width > 0 ? r.width / frame.offsetWidth : 1);

// contentOrigin returns where the content of a frame element begins, in the top viewport of this
// world.
/** @param {El} frame @returns {Offset} */
export function contentOrigin(frame) {
  const off = frameOffset(ownerDocument(frame)), r = rectOf(frame), cs = getComputedStyle(frame);
  const scale = frameScale(frame, r);
  return {
    x: off.x + off.scale * (r.left + scale * (frame.clientLeft + parseFloat(cs.paddingLeft))),
    y: off.y + off.scale * (r.top + scale * (frame.clientTop + parseFloat(cs.paddingTop))),
    scale: off.scale * scale,
  };
}

// frameOffset returns where a document's viewport begins, in CSS pixels of the top viewport, and how
// many of those a pixel of the document takes. Frames under a CSS transform are placed by their
// bounding box.
/** @param {Document} doc @returns {Offset} */
export function frameOffset(doc) {
  const frame = doc === document ? null : frameElementOf(doc);
  return frame ? contentOrigin(frame) : { x: 0, y: 0, scale: 1 };
}

export const focusedFrameKey = () => {
  const el = activeElementDeep();
  return el && isRemoteFrame(el) ? frameKeyOf(el) : 0;
};
