// Sliders that a script draws without a role: a track and a handle that lies across it.

import {
  attr, firstElement, hasAttr, localName, matches, parentOf, rectOf, selectAllIn, textContent, tidy,
} from './dom.js';
import { paintOf } from './scan.js';
import { isVisible } from './state.js';

const MIN_TRACK = 60, MAX_THICKNESS = 24, MAX_HANDLE = 48, MAX_SLIDER_PARTS = 60;

// drawnSlider returns the track and the handles of a slider that el is or belongs to, or null. A handle is
// placed by an inline style.
/** @param {El} el */
export function drawnSlider(el) {
  for (let box = /** @type {El | null} */ (el), level = 0; box && level < 3; box = parentOf(box), level++) {
    if (matches(box, 'body,form') || rectOf(box).height > 4 * MAX_HANDLE) return null;
    const found = paintOf(box, sliderIn);
    if (found) return found.handles ? found : null;
  }
  return null;
}

// sliderIn returns the slider that an element is the box of, an object without handles where no box
// around the element is one either, or null.
/** @param {El} box */
function sliderIn(box) {
  const parts = [box, ...selectAllIn(box, '*')].slice(0, MAX_SLIDER_PARTS);
  if (parts.some((e) => localName(e) === 'input' && e.type !== 'hidden' && e.readOnly !== true && isVisible(e))) return {};
  const handles = parts.filter(isHandle);
  if (!handles.length || handles.length > 2) return null;
  const track = parts.find((e) => !handles.includes(e) && holdsHandle(e, handles[0]));
  return track ? { track, handles, box } : null;
}

const PLACED = /(?:^|[;\s])(?:left|right|top|bottom|inset[\w-]*|margin-left|transform|translate)\s*:\s*[^;]*?-?\d/;

/** @param {El} el */
function isHandle(el) {
  const r = rectOf(el);
  if (r.width < 6 || r.height < 6 || r.width > MAX_HANDLE || r.height > MAX_HANDLE || !PLACED.test(attr(el, 'style') ?? '')) return false;
  const cs = getComputedStyle(el);
  return /absolute|relative/.test(cs.position) && cs.visibility === 'visible' && cs.pointerEvents !== 'none' && !tidy(textContent(el)) &&
    (hasAttr(el, 'tabindex') || /pointer|grab|move|resize/.test(cs.cursor) || hasAttr(el, 'draggable') || r.width < 2 * r.height && r.height < 2 * r.width);
}

/** @param {El} track @param {El} handle */
function holdsHandle(track, handle) {
  const t = rectOf(track), h = rectOf(handle);
  if (t.width < MIN_TRACK || t.height > MAX_THICKNESS || t.height === 0) return false;
  const x = h.left + h.width / 2, y = h.top + h.height / 2;
  return Math.abs(y - t.top - t.height / 2) < 8 && x > t.left - h.width && x < t.right + h.width;
}

// isSliderHandle reports the handle of a drawn slider. It is asked of every element without a role that
// takes input, so the cheap conditions come first.
/** @param {El} el */
export const isSliderHandle = (el) => hasAttr(el, 'style') && isHandle(el) && drawnSlider(el)?.handles.includes(el) === true;

// isSliderPart reports the track, the bar or a number of a drawn slider: its handle takes the input.
/** @param {El} el */
export function isSliderPart(el) {
  if (firstElement(el) || hasAttr(el, 'tabindex') || rectOf(el).height > MAX_THICKNESS || /[^\d\s.,%-]/.test(textContent(el))) return false;
  const slider = drawnSlider(el);
  return slider !== null && !slider.handles.includes(el);
}
