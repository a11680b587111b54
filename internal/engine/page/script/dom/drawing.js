// Text of drawings that no person sees: outside of what the SVG shows, clipped away, or below a shape.

import { closest, localName, parentElement, nextElement, rectOf, ownerDocument } from './dom.js';

const MAX_SHAPES = 60;
/** @param {Edges} r @param {Edges} area */
const isOutside = (r, area) => r.right <= area.left || r.left >= area.right || r.bottom <= area.top || r.top >= area.bottom;

// isDrawnOutOfSight reports text of a drawing that a viewport, a clip path or a later shape hides.
/** @param {El} el */
export function isDrawnOutOfSight(el) {
  const text = closest(el, 'text');
  if (!text) return false;
  const r = rectOf(el);
  for (let up = /** @type {El | null} */ (text); up && up instanceof SVGElement; up = parentElement(up)) {
    if (localName(up) === 'svg' && getComputedStyle(up).overflowX !== 'visible' && isOutside(r, viewportOf(up))) return true;
    const area = localName(up) === 'svg' ? null : clipOf(up);
    if (area && isOutside(r, area)) return true;
    let left = MAX_SHAPES;
    for (let n = nextElement(up); n && localName(up) !== 'svg' && left > 0; n = nextElement(n), left--) if (isOpaqueShape(n) && isInside(r, rectOf(n))) return true;
  }
  return false;
}

/** @param {Edges} r @param {Edges} area */
const isInside = (r, area) => r.left >= area.left - 1 && r.right <= area.right + 1 && r.top >= area.top - 1 && r.bottom <= area.bottom + 1;

// viewportOf returns what an svg element shows: its box, of one in another its lengths in the space of that.
/** @param {El} svg @returns {Edges} */
function viewportOf(svg) {
  const own = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (svg)), outer = own.ownerSVGElement;
  if (!outer) return rectOf(svg);
  const [x, y, width, height] = [own.x, own.y, own.width, own.height].map((length) => length.baseVal.value);
  return boxIn(new DOMRect(x, y, width, height), /** @type {SVGGraphicsElement} */ (/** @type {unknown} */ (own.parentElement)).getScreenCTM());
}

/** @param {DOMRect} r @param {DOMMatrix | null} to @returns {Edges} */
function boxIn(r, to) {
  const [a, b] = [new DOMPoint(r.left, r.top), new DOMPoint(r.right, r.bottom)].map((p) => p.matrixTransform(to ?? new DOMMatrix()));
  return { left: Math.min(a.x, b.x), right: Math.max(a.x, b.x), top: Math.min(a.y, b.y), bottom: Math.max(a.y, b.y) };
}

// clipOf returns the box around the shapes of a clip path in the user space of an element; null without one.
/** @param {El} el @returns {Edges | null} */
function clipOf(el) {
  const [, id] = /^url\("?#([^")]+)"?\)/.exec(getComputedStyle(el).clipPath) ?? [], path = id ? ownerDocument(el).getElementById(id) : null;
  if (!path || path.localName !== 'clipPath' || path.getAttribute('clipPathUnits') === 'objectBoundingBox') return null;
  const to = /** @type {SVGGraphicsElement} */ (/** @type {unknown} */ (el)).getScreenCTM(), boxes = [...path.children].map((shape) => boxIn(lengthsOf(shape), to));
  if (!boxes.length || boxes.some((b) => b.left === b.right)) return null; // a shape of another kind
  return { left: Math.min(...boxes.map((b) => b.left)), right: Math.max(...boxes.map((b) => b.right)), top: Math.min(...boxes.map((b) => b.top)), bottom: Math.max(...boxes.map((b) => b.bottom)) };
}

// lengthsOf returns the box of a rectangle, a circle or an ellipse that is not moved; an empty one for other shapes.
/** @param {Element} shape */
function lengthsOf(shape) {
  const [x, y, width, height, cx, cy, r, rx, ry] = ['x', 'y', 'width', 'height', 'cx', 'cy', 'r', 'rx', 'ry'].map((name) => parseFloat(shape.getAttribute(name) ?? '') || 0);
  if (shape.hasAttribute('transform')) return new DOMRect();
  if (shape.localName === 'rect') return new DOMRect(x, y, width, height);
  const across = r || rx, down = r || ry;
  return /^(?:circle|ellipse)$/.test(shape.localName) ? new DOMRect(cx - across, cy - down, 2 * across, 2 * down) : new DOMRect();
}

/** @param {El} shape */
function isOpaqueShape(shape) {
  if (localName(shape) !== 'rect') return false;
  const cs = getComputedStyle(shape);
  return /^rgb\(/.test(cs.fill) && cs.fillOpacity === '1' && cs.opacity === '1' && cs.visibility === 'visible' && cs.display !== 'none' &&
    cs.clipPath === 'none' && cs.maskImage === 'none' && cs.mixBlendMode === 'normal';
}
