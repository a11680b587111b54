// Buttons and markers of scroll containers that a style makes (::scroll-button, ::scroll-marker). They are no elements
// and have no refs: what they do, a scroll of the container does.

import { isRendered } from '../dom/dom.js';
import { isCarousel, markedIn } from '../dom/concealed.js';
import { textOfContent } from '../dom/content.js';

// isAtEnd reports that a button has nothing more to scroll to.
/** @type {Record<string, (el: El) => boolean>} */
const isAtEnd = {
  left: (el) => Math.abs(el.scrollLeft) < 1, right: (el) => Math.abs(el.scrollLeft) + el.clientWidth > el.scrollWidth - 1,
  up: (el) => el.scrollTop < 1, down: (el) => el.scrollTop + el.clientHeight > el.scrollHeight - 1,
};

/** @param {El} el @param {string} part */
function nameOfPart(el, part) {
  const cs = getComputedStyle(el, part);
  return cs.content === 'none' || cs.content === 'normal' || cs.display === 'none' ? null : textOfContent(cs, el).trim();
}

/** @param {El} el @param {string} role @param {string} name @param {string} tail @returns {OutlineNode} */
const nodeOf = (el, role, name, tail) => ({ el, head: (role + (name && ' ' + JSON.stringify(name)) + tail).toWellFormed(), tail, hint: '', role, name, ref: '',
  named: true, live: false, leaf: true, frameKey: 0, kids: [] });

// pushScrollButtons pushes the buttons of a scroll container before what it holds, and pushScrollMarkers its markers
// after that.
/** @param {El} el @param {VisualState} visual @param {Kid[]} kids */
export function pushScrollButtons(el, visual, kids) {
  if (!isCarousel(el) || visual.cs.overflowX === 'visible') return;
  /** @type {Set<string>} */ const names = new Set();
  for (const side in isAtEnd) {
    const name = nameOfPart(el, `::scroll-button(${side})`);
    if (name === null || names.has(name)) continue; // the style of a side without a button is that of another
    names.add(name);
    kids.push(nodeOf(el, 'button', name, isAtEnd[side](el) ? ' disabled' : ''));
  }
}

/** @param {El} el @param {VisualState} visual @param {Kid[]} kids */
export function pushScrollMarkers(el, visual, kids) {
  const items = markedIn(el);
  if (!items.length || visual.cs.overflowX === 'visible' || !/before|after/.test(visual.cs.getPropertyValue('scroll-marker-group'))) return;
  for (const item of items) {
    const name = isRendered(item) ? nameOfPart(item, '::scroll-marker') : null;
    if (name !== null) kids.push(nodeOf(item, 'link', name, ''));
  }
}
