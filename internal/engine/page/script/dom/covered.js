// Covered text: a reading leaves out what lies below an opaque layer. A layer is an absolute or fixed box with
// an opaque background that a walk met; it covers the static boxes, and the positioned ones before it, that lie
// in its area.

import {
  ELEMENT, SILENT, TEXT, composedContains, firstChild, localName, nextSibling, nodeType, nodeValue, ownerDocument,
  parentNode, rectOf, textContent,
} from './dom.js';
import { rgb } from './concealed.js';
import { elementAt, textRects } from './hit_test.js';
import { isOpaquePicture } from './opaque.js';

const MAX_LAYERS = 60, MIN_AREA = 200, MAX_LEVELS = 12, MAX_CHECKED = 2000;
/** @type {VisualState[]} */ let layers = [];
/** @type {WeakSet<El>} */ let boxes = new WeakSet(), texts = new WeakSet();
export let anyCovered = false;

// forgetLayers begins a reading.
export function forgetLayers() {
  layers = [];
  if (anyCovered) { boxes = new WeakSet(); texts = new WeakSet(); anyCovered = false; }
}

/** @param {VisualState} visual */
export function noteLayer(visual) {
  if (!anyCovered && layers.length < MAX_LAYERS && visual.visible && (/^rgb\(/.test(rgb(visual.cs.backgroundColor)) || isOpaquePicture(visual.el, visual.cs))) layers.push(visual);
}

/** @param {El} el */
export const isCoveredBox = (el) => boxes.has(el);
/** @param {El} el */
export const isCoveredText = (el) => texts.has(el);

// findCovered looks for text below the layers that were noted, and reports whether there is any.
export function findCovered() {
  const budget = { left: MAX_CHECKED };
  for (const layer of layers) if (isOpaque(layer)) coverAround(layer, budget);
  layers = [];
  return anyCovered;
}

/** @param {VisualState} layer */
function isOpaque(layer) {
  const { cs } = layer;
  if (cs.clipPath !== 'none' || cs.maskImage !== 'none' || layer.offPage || layer.clipped) return false;
  for (let up = /** @type {ParentVisual | undefined} */ (layer); up?.cs; up = up.up) if (up.cs.opacity !== '1' || Number(up.cs.zIndex) < 0) return false;
  return true;
}

/** @param {VisualState} layer @param {{ left: number }} budget */
function coverAround(layer, budget) {
  const area = rectOf(layer.el), view = ownerDocument(layer.el).defaultView, above = Number(layer.cs.zIndex) || 0;
  if (area.width * area.height < MIN_AREA) return;
  const whole = layer.cs.position === 'fixed' && area.left <= 0 && area.top <= 0 && area.right >= view.innerWidth && area.bottom >= view.innerHeight;
  if (layer.cs.position === 'fixed' && !whole) return; // what it covers can be scrolled out from under it
  /** @param {Edges} r */
  const inside = (r) => whole || r.left >= area.left - 1 && r.top >= area.top - 1 && r.right <= area.right + 1 && r.bottom <= area.bottom + 1;
  let child = layer.el, up = parentNode(child);
  for (let level = 0; up && nodeType(up) === ELEMENT && level < MAX_LEVELS; child = up, up = parentNode(up), level++) {
    let before = true, text = 0, hidden = 0;
    for (let n = firstChild(up); n && --budget.left > 0; n = nextSibling(n)) {
      if (n === child) { before = false; continue; }
      const type = nodeType(n);
      if (type === TEXT && /\S/.test(nodeValue(n))) { text++; if ([...textRects(n)].every(inside)) hidden++; }
      if (type === ELEMENT && !SILENT.has(localName(n)) && isBelow(n, layer, before, above, inside)) { boxes.add(n); anyCovered = true; }
    }
    if (text && text === hidden) { texts.add(up); anyCovered = true; }
  }
}

/** @param {El} el @param {VisualState} layer @param {boolean} before @param {number} above @param {(r: Edges) => boolean} inside */
function isBelow(el, layer, before, above, inside) {
  const r = rectOf(el);
  if (!inside(r) || r.width < 1 || !/\S/.test(textContent(el))) return false;
  const cs = getComputedStyle(el), own = Number(cs.zIndex) || 0, flat = cs.position === 'static' && cs.transform === 'none' && cs.opacity === '1' && !own;
  if (!flat && !(above > own || above === own && before)) return false;
  const hit = layer.cs.pointerEvents === 'none' ? null : elementAt((r.left + r.right) / 2, (r.top + r.bottom) / 2);
  return !hit || ownerDocument(el) !== document || !composedContains(el, hit);
}
