// Image maps: the areas of a map are not rendered. They are the children of the picture that they divide.

import { attr, closest, hasAttr, localName, rectOf, rootNode } from './dom.js';

/** @param {El} img @returns {El[]} */
export function areasOf(img) {
  const name = /#(.+)/s.exec(attr(img, 'usemap') ?? '')?.[1], id = name && CSS.escape(name);
  const map = id && rootNode(img).querySelector(`map[name="${id}"],map[id="${id}"]`);
  return map ? [...map.querySelectorAll('area')] : [];
}

// imageOf returns the first rendered picture that uses the map of an area, or null.
/** @param {El} area @returns {El | null} */
export function imageOf(area) {
  const map = closest(area, 'map'), names = map ? [attr(map, 'name'), attr(map, 'id')].flatMap((name) => (name ? ['#' + name] : [])) : [];
  for (const img of names.length ? rootNode(area).querySelectorAll('img[usemap]') : []) {
    if (names.some((name) => (attr(img, 'usemap') ?? '').endsWith(name)) && rectOf(img).width > 0) return img;
  }
  return null;
}

/** @param {Element} el */
export const isMapped = (el) => localName(el) === 'img' && hasAttr(el, 'usemap');

// areaBox returns the box around the shape of an area in the viewport of its document.
/** @param {El} area @returns {DOMRect} */
export function areaBox(area) {
  const img = imageOf(area);
  if (!img) return new DOMRect();
  const r = rectOf(img), cs = getComputedStyle(img), scale = img.offsetWidth ? r.width / img.offsetWidth : 1;
  const x = r.left + scale * (img.clientLeft + parseFloat(cs.paddingLeft)), y = r.top + scale * (img.clientTop + parseFloat(cs.paddingTop));
  const [a = 0, b = 0, c = 0, d = 0, ...more] = (attr(area, 'coords') ?? '').split(/[\s,;]+/).filter(Boolean).map(Number);
  /** @param {number[]} at */
  const box = (at) => new DOMRect(x + scale * at[0], y + scale * at[1], scale * (at[2] - at[0]), scale * (at[3] - at[1]));
  switch ((attr(area, 'shape') ?? 'rect').toLowerCase()) {
    case 'default': return r;
    case 'circle': case 'circ': return box([a - c, b - c, a + c, b + c]);
    case 'poly': case 'polygon': {
      const all = [a, b, c, d, ...more], xs = all.filter((_, i) => i % 2 === 0), ys = all.filter((_, i) => i % 2);
      return box([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]);
    }
  }
  return box([Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)]);
}

// areaPoints yields points all over the box of an area: its middle may lie outside of its shape, or in another.
const GRID = [0.5, 0.25, 0.75, 0.1, 0.9];
/** @param {DOMRect} r */
export function* areaPoints(r) {
  for (const fy of GRID) for (const fx of GRID) yield { x: r.left + r.width * fx, y: r.top + r.height * fy };
}
