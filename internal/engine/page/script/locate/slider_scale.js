// The scale and the values of a slider that a script draws.

import { attr, hasAttr, ownerDocument, parentElement, parentOf, rectOf, selectAllIn } from '../dom/dom.js';
import { drawnSlider } from '../dom/drawn_slider.js';
import { frameOffset } from '../dom/frames.js';
import { isVisible } from '../dom/state.js';
import { ownText } from '../dom/text.js';
import { bringIntoView } from '../dom/viewport.js';
import { resolve } from '../document/registry.js';

// drawnValueNote returns the value and the scale of the drawn slider that an element is a handle of, where
// the page says them.
/** @param {El} el */
export function drawnValueNote(el) {
  const slider = hasAttr(el, 'style') ? drawnSlider(el) : null;
  if (!slider?.handles.includes(el)) return '';
  const { handles, min, max, known } = measureSlider(slider, { x: 0, y: 0 });
  return known ? ` value "${handles.find((h) => h.el === el)?.value}" (${min} to ${max})` : '';
}

// drawnSliderState returns the value of each handle and the point of its centre, the ends of the track
// and its scale. Numbers that are printed at the ends are the scale, else it goes from 0 to 100.
/** @param {{ n: number }} o */
export function drawnSliderState({ n }) {
  const el = resolve(n), slider = drawnSlider(el);
  if (!slider) return { found: false };
  bringIntoView(slider.track);
  const { handles, ...scale } = measureSlider(slider, frameOffset(ownerDocument(el)));
  return { found: true, ...scale, handles: handles.map(({ el: _, ...h }) => h), own: handles.findIndex((h) => h.el === el) };
}

/** @param {DrawnSlider} slider @param {Point} off */
function measureSlider(slider, off) {
  const t = rectOf(slider.track);
  const { min, max, printed } = scaleOf(slider, t);
  const held = heldNumbers(slider), known = held.length === slider.handles.length;
  const handles = slider.handles.map((h) => { const r = rectOf(h); return { el: h, value: 0, x: r.left + r.width / 2 + off.x, y: r.top + r.height / 2 + off.y, share: shareOf(h, r, t) }; });
  handles.sort((a, b) => a.x - b.x);
  handles.forEach((h, i) => { h.value = known ? held[i] : Math.round((min + h.share * (max - min)) * 100) / 100; });
  return { min, max, left: t.left + off.x, right: t.right + off.x, handles, known: known && printed };
}

/** @param {El} handle @param {DOMRect} r @param {DOMRect} t */
function shareOf(handle, r, t) {
  const said = /(?:^|[;\s])left:\s*(-?[\d.]+)%/.exec(attr(handle, 'style') ?? '');
  return said && rectOf(/** @type {El} */ (parentElement(handle))).width >= 0.9 * t.width ? Number(said[1]) / 100 : (r.left + r.width / 2 - t.left) / t.width;
}

// heldNumbers returns the numbers of the inputs that belong to a slider: a script keeps its value there.
/** @param {DrawnSlider} slider */
function heldNumbers(slider) {
  for (const root of [slider.box, parentOf(slider.box)]) {
    const inputs = root ? [...selectAllIn(root, 'input')].filter((i) => i.readOnly || !isVisible(i)) : [];
    const numbers = inputs.flatMap((i) => i.value.split(/[;,]/)).map((v) => (v.trim() === '' ? NaN : Number(v)));
    if (numbers.length && numbers.every(Number.isFinite)) return numbers;
  }
  return [];
}

/** @param {DrawnSlider} slider @param {DOMRect} t */
function scaleOf(slider, t) {
  const printed = [];
  for (const el of selectAllIn(slider.box, '*')) {
    const text = ownText(el).replace(/[\s,]/g, ''), r = rectOf(el);
    if (/^-?\d+(?:\.\d+)?$/.test(text) && isVisible(el)) printed.push({ number: Number(text), left: r.left, right: r.right });
  }
  const first = printed.find((p) => Math.abs(p.left - t.left) < 12), last = printed.findLast((p) => Math.abs(p.right - t.right) < 12);
  return first && last && first.number < last.number ? { min: first.number, max: last.number, printed: true } : { min: 0, max: 100, printed: false };
}
