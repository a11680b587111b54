// Dragging: where to drop, and how far a container can be scrolled.

import {
  attached, childElements, closest, cut, localName, nextElement, ownerDocument, parentElement, parentOf, previousElement,
  rectOf, tidy,
} from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { frameOffset } from '../dom/frames.js';
import { elementAt } from '../dom/hit_test.js';
import { nameOf } from '../dom/name.js';
import { CONTEXT, roleOf } from '../dom/role.js';
import { boxOf, hiddenReason, isVisible, topBox } from '../dom/state.js';
import { readText } from '../dom/text.js';
import { frame } from '../dom/timers.js';
import { bringIntoView } from '../dom/viewport.js';
import { describe, entries, resolve } from '../document/registry.js';
import { stopIntercepting } from '../settle/input_interceptor.js';
import { beginRecord } from '../settle/mutations.js';
import { dropPoint, dropShare, shareAt } from './drop_cover.js';

// pressHit ends the interception of a held press and returns the wrong target, if any.
export function pressHit() {
  const hit = stopIntercepting();
  return { wrongTarget: hit ? describe(hit) : null };
}

// dropTarget returns the point of a drop target that aimDrop picked, else its centre, or just inside the edge
// at which its list begins or ends; its size, and its place in its parent. It runs again for each step, because
// pages move elements during a drag.
/** @param {{ n: number, position: string, scroll: boolean, arrived: boolean, beyond: Point, from: number }} o */
export async function dropTarget({ n, position, scroll, arrived, beyond, from }) {
  const el = resolve(n);
  if (arrived) arrived = await dragArrived(beyond); else watchDrags(ownerDocument(el).defaultView);
  const shownRole = entries.get(n)?.role;
  if (scroll && bringIntoView(el)) await frame();
  const why = hiddenReason(el);
  if (why) throw new EngineError('notActionable', { reason: why });
  const r = boxOf(el), off = frameOffset(ownerDocument(el));
  const share = dropShare?.el === el ? dropShare : shareAt(el, r, position), { fx, fy } = share, { x, y } = dropPoint(el, share);
  aim = { x: r.left + r.width * fx, y: r.top + r.height * fy };
  const list = parentElement(el), l = list ? rectOf(list) : r;
  return {
    x, y, arrived, sibling: isListedWith(el, entries.get(from)?.weak.deref()), width: r.width * off.scale, height: r.height * off.scale, element: describe(el, shownRole), native: nativelyDragged(el),
    list: { x: (r.left - l.left + (list?.scrollLeft ?? 0)) * off.scale, y: (r.top - l.top + (list?.scrollTop ?? 0)) * off.scale },
  };
}

// isListedWith reports two alike elements that lie in the flow of one parent.
/** @param {El} el @param {El | undefined} other */
const isListedWith = (el, other) => !!other && other !== el && parentOf(el) === parentOf(other) && localName(el) === localName(other) &&
  !/absolute|fixed/.test(getComputedStyle(el).position);

// watchDrags notes where the browser's own drag is: its messages do not wait
// until the page has handled them, and some are lost.
const MAX_DRAG_DELAY = 60; // ms
const watched = new WeakSet();
/** @type {Point | null} */ let aim = null;
/** @type {Point | null} */ let dragAt = null;
/** @param {Win} view */
function watchDrags(view) {
  dragAt = null;
  if (watched.has(view)) return;
  watched.add(view);
  view.addEventListener('dragover', (e) => { dragAt = { x: e.clientX, y: e.clientY }; }, { capture: true, passive: true });
  view.addEventListener('drop', () => { dropSeen = true; }, { capture: true, passive: true });
}

// holdsBefore is the content of a drag's target before the drop; dropSeen says that the browser dropped there.
/** @type {{ el: El, parts: Map<El, string> } | null} */ let holdsBefore = null;
let dropSeen = false;
const MAX_PARTS = 300;
/** @param {El} el @returns {Map<El, string>} */
const partsOf = (el) => new Map([...childElements(el)].slice(0, MAX_PARTS).map((c) => [c, cut(tidy(readText(c, 200)), 60)]));

// beginDrop notes what a target holds before a drag.
/** @param {El} el */
export function beginDrop(el) {
  dropSeen = false;
  holdsBefore = { el, parts: partsOf(el) };
  watchDrags(ownerDocument(el).defaultView);
}

// dropResult returns whether the browser dropped on the target, and what that has gained.
/** @param {{ n: number }} o */
export function dropResult({ n }) {
  const el = entries.get(n)?.weak.deref(), was = holdsBefore;
  holdsBefore = null;
  if (!el || !was || was.el !== el || !attached(el)) return { seen: true, gained: [] };
  const had = new Set(was.parts.values());
  const gained = [...partsOf(el)].filter(([part, text]) => !was.parts.has(part) && !had.has(text) && text !== '').map(([, text]) => text);
  return { seen: dropSeen, gained: gained.slice(0, 3), name: nameOf(el, roleOf(el)), role: roleOf(el) };
}

// dragArrived waits until a drag is where the last drop target was, and reports whether it is.
/** @param {Point} beyond */
async function dragArrived(beyond) {
  const until = performance.now() + MAX_DRAG_DELAY, { x, y } = aim ?? { x: NaN, y: NaN };
  const there = () => dragAt && Math.abs(dragAt.x - x - beyond.x) < 2 && Math.abs(dragAt.y - y - beyond.y) < 2;
  while (!there() && performance.now() < until) await frame();
  return !!there();
}

// dragPlace returns where a dragged element is: its box and its place among its siblings.
/** @param {{ n: number }} o */
export function dragPlace({ n }) {
  const el = resolve(n), parent = parentOf(el);
  const siblings = parent ? [...childElements(parent)].filter((s) => s === el || isVisible(s)) : [el];
  const index = siblings.indexOf(el);
  let around = parent;
  while (around && !CONTEXT.has(roleOf(around)) && roleOf(around) !== 'group') around = parentOf(around);
  const name = around ? nameOf(around, roleOf(around)) : '';
  return {
    box: topBox(el), index: index + 1, count: siblings.length,
    after: index > 0 ? cut(tidy(readText(siblings[index - 1], 200)), 40) : '',
    in: around && name ? `${roleOf(around)} ${JSON.stringify(cut(name, 40))}` : '',
  };
}

/** @param {number} v @param {number} size */
export const clamp = (v, size) => Math.min(Math.max(v, 1), size - 2);

// flowsAcross reports that the siblings lie beside the element, not below it.
/** @param {El} el @param {DOMRect} r */
export function flowsAcross(el, r) {
  const next = nextElement(el) ?? previousElement(el);
  if (!next) return false;
  const s = rectOf(next);
  return s.width > 0 && Math.abs(s.top - r.top) < r.height / 2 && Math.abs(s.left - r.left) >= Math.min(r.width, s.width) / 2;
}

// nativelyDragged reports that the browser starts a drag with a data transfer here.
/** @param {El} el */
export const nativelyDragged = (el) => !!closest(el, '[draggable=true],a[href]:not([draggable=false]),img:not([draggable=false])');

const SCROLLS = /auto|scroll|overlay/;

// scroll moves a container by script. It needs no pointer, so it works in covered and disabled
// containers. Without an element it scrolls the page, or the one large scroll container that
// replaces it.
/** @param {{ n?: number, dx: number, dy: number, end?: boolean }} o */
export async function scroll({ n, dx, dy, end }) {
  const el = n ? resolve(n) : null;
  const box = el ? scrollerOf(el, dx, dy) : pageScroller();
  const shownRole = n ? entries.get(n)?.role : undefined;
  beginRecord(el, shownRole);
  const before = [box.scrollLeft, box.scrollTop];
  const far = end ? 1e9 : 1;
  box.scrollBy({ left: dx * far, top: dy * far, behavior: 'instant' });
  await frame();
  const most = [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight];
  const across = dx !== 0;
  const at = Math.abs(across ? box.scrollLeft : box.scrollTop);
  const forward = (across ? dx : dy) > 0;
  return {
    x: Math.round(box.scrollLeft), y: Math.round(box.scrollTop), width: box.scrollWidth, height: box.scrollHeight,
    viewWidth: box.clientWidth, viewHeight: box.clientHeight,
    by: Math.round(across ? box.scrollLeft - before[0] : box.scrollTop - before[1]),
    scrolled: before[0] !== box.scrollLeft || before[1] !== box.scrollTop,
    atEnd: forward ? at >= most[across ? 0 : 1] - 1 : at <= 1,
    element: el ? describe(el, shownRole) : null,
  };
}

/** @param {El} el @param {number} dx @param {number} dy */
const canScroll = (el, dx, dy) => {
  const cs = getComputedStyle(el);
  return dx !== 0 && el.scrollWidth > el.clientWidth + 1 && (SCROLLS.test(cs.overflowX) || localName(el) === 'textarea') ||
    dy !== 0 && el.scrollHeight > el.clientHeight + 1 && (SCROLLS.test(cs.overflowY) || localName(el) === 'textarea' || localName(el) === 'select');
};

/** @param {El} el @param {number} dx @param {number} dy */
function scrollerOf(el, dx, dy) {
  for (let up = /** @type {El | null} */ (el); up; up = parentOf(up)) {
    if (up === ownerDocument(up).scrollingElement) return up;
    if (canScroll(up, dx, dy)) return up;
  }
  return pageScroller();
}

// pageScroller exists because many applications lock the document and scroll one element.
function pageScroller() {
  const page = document.scrollingElement ?? document.documentElement;
  if (page.scrollHeight > page.clientHeight + 1 || page.scrollWidth > page.clientWidth + 1) return page;
  for (let up = elementAt(innerWidth / 2, innerHeight / 2); up; up = parentOf(up)) if (canScroll(up, 1, 1)) return up;
  return page;
}
