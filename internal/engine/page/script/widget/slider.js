// Sliders with a role that a script draws: what they hold, and from where to where their handle is dragged.

import { attr, composedContains, focusedElement, ownerDocument, parentOf, rectOf } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { frameOffset } from '../dom/frames.js';
import { elementAt } from '../dom/hit_test.js';
import { roleOf } from '../dom/role.js';
import { bringIntoView } from '../dom/viewport.js';
import { resolve } from '../document/registry.js';

// prepareSlider prepares a slider that a script draws: keys move it, one step at a time.
/** @param {El} el @param {string} role @param {string} value */
export function prepareSlider(el, role, value) {
  const wanted = Number(value), now = sliderValue(el), min = attr(el, 'aria-valuemin'), max = attr(el, 'aria-valuemax');
  if (value.trim() === '' || !Number.isFinite(wanted)) throw new EngineError('valueRefused', { reason: `a ${role} takes a number`, example: min ?? '1' });
  const bounded = min === null || max === null || Number(min) < Number(max); // an element without bounds says 0 to 0
  if (bounded && (min !== null && wanted < Number(min) || max !== null && wanted > Number(max))) {
    throw new EngineError('valueRefused', { reason: `it goes from ${min ?? 'any number'} to ${max ?? 'any number'}`, example: min !== null && wanted < Number(min) ? min : max });
  }
  if (now === null) throw new EngineError('notEditable', { reason: 'it does not tell its value (aria-valuenow)', remedy: 'drag' });
  el.focus();
  if (focusedElement() !== el) throw new EngineError('notEditable', { reason: 'it takes no focus, so that keys cannot move it', remedy: 'drag' });
  return { current: now, target: wanted };
}

/** @param {El} el */
export const sliderValue = (el) => { const said = parseFloat(attr(el, 'aria-valuenow') ?? ''); return Number.isFinite(said) ? said : null; };

// sliderState returns the value of a slider, and the drag of its handle that would bring it near a value, in the
// viewport; none where the scale or the track is unknown, or something else covers the handle.
/** @param {{ n: number, target: number }} o */
export function sliderState({ n, target }) {
  const el = resolve(n);
  return { value: sliderValue(el), drag: roleOf(el) === 'slider' ? dragTo(el, target) : undefined };
}

const MAX_HANDLE = 48, MIN_TRACK = 60, MAX_LEVELS = 4;

/** @param {El} el @param {number} target */
function dragTo(el, target) {
  const now = sliderValue(el), min = parseFloat(attr(el, 'aria-valuemin') ?? '0'), max = parseFloat(attr(el, 'aria-valuemax') ?? '100');
  const upright = attr(el, 'aria-orientation') === 'vertical';
  /** @param {DOMRect} r */
  const size = (r) => (upright ? r.height : r.width);
  let track = /** @type {El | null} */ (el);
  if (size(rectOf(el)) <= MAX_HANDLE) for (let level = 0; track && size(rectOf(track)) < MIN_TRACK; level++) track = level < MAX_LEVELS ? parentOf(track) : null;
  if (now === null || !(max > min) || !track) return undefined;
  bringIntoView(el);
  const t = rectOf(track), handle = rectOf(el), off = frameOffset(ownerDocument(el));
  const back = upright || getComputedStyle(track).direction === 'rtl';
  /** @param {number} value */
  const along = (value) => { const share = (value - min) / (max - min); return (back ? 1 - share : share) * size(t); };
  const own = track === el, x = own && !upright ? t.left + along(now) : handle.left + handle.width / 2;
  const y = own && upright ? t.top + along(now) : handle.top + handle.height / 2, by = along(target) - along(now);
  /** @param {number} px @param {number} py */
  const place = (px, py) => ({ x: px * off.scale + off.x, y: py * off.scale + off.y });
  const from = place(x, y), hit = elementAt(from.x, from.y);
  if (hit && !composedContains(track, hit)) return undefined;
  return { from, to: place(upright ? x : x + by, upright ? y + by : y) };
}
