// Fields by their visible label, and the widgets that scripts draw as fields: ratings, token fields and
// the boxes that stand for a native control.

import { codeBoxes } from '../dom/code_boxes.js';
import {
  SILENT, attr, childElements, closest, composedContains, isEditable, localName, matches, nextElement, ownerDocument, parentElement,
  parentOf, previousElement, rectOf, rootNode, selectAllIn, selectIn, textContent, tidy,
} from '../dom/dom.js';
import { drawnSlider } from '../dom/drawn_slider.js';
import { EngineError } from '../dom/error.js';
import { frameOffset } from '../dom/frames.js';
import { isControl } from '../dom/hit_test.js';
import { PRESS, listensTo } from '../dom/listeners.js';
import { nameOf } from '../dom/name.js';
import { isPlayer } from '../dom/player.js';
import { NATIVE_CONTROLS, WIDGETS, isEditingHost, roleOf } from '../dom/role.js';
import { CLIPPED_TO_NOTHING, readable, scan } from '../dom/scan.js';
import { SET_TYPES, TEXT_TYPES, hasArea, isDisguised, isVisible, opensOptions } from '../dom/state.js';
import { ownText } from '../dom/text.js';
import { bringIntoView } from '../dom/viewport.js';
import { FIELDS } from './identity.js';
import { MESSAGES, OTHER_CONTROLS, isUnitLine, nearbyLabel, standsAtField } from './label.js';
import { splitBoxes } from './split_field.js';

export const MAX_FIELD_LEVELS = 6, MAX_FIELD_NODES = 400;
const MAX_LABELS = 40;

// radiosIn returns the radio buttons of a group that has no other field, else [].
/** @param {El} group @returns {El[]} */
export function radiosIn(group) {
  /** @type {El[]} */ const radios = [];
  let others = false;
  scan(group, (el, role, live) => {
    if (live && role === 'radio') radios.push(el); else others ||= live && FIELDS.has(role);
    return others;
  });
  return others ? [] : radios;
}

// takesValue reports a field, a control that opens a list to choose from, or a group of nothing but radio buttons or
// the boxes of a code or of a split value.
/** @param {El} el @param {string} role */
export const takesValue = (el, role) => role === 'radiogroup' || role === 'group' ? radiosIn(el).length > 1 || codeBoxes(el).length > 0 || splitBoxes(el).length > 0 : FIELDS.has(role) || role === 'menuitemcheckbox' || role === 'menuitemradio' || opensOptions(el, role) || isPlayer(el);

// fieldByLabel returns the field that a visible text labels: by markup, else the next one that follows the
// text, has no name of its own, and stands before any other control. A link, a heading and a button label
// nothing.
/** @param {string} text @returns {El | null} */
export function fieldByLabel(text) {
  const wanted = labelWords(text);
  /** @type {El[]} */ const labels = [];
  if (!wanted) return null;
  scan(document.documentElement, (el, role, live, visual) => {
    if (visual.visible && !visual.clipped && readable(visual) && labelWords(ownText(el)) === wanted && !isNoLabel(el)) labels.push(el);
    return labels.length >= MAX_LABELS;
  });
  for (const label of labels) {
    const field = labelledBy(label) ?? nextField(label);
    if (field) return field;
  }
  return null;
}

/** @param {El} el */
function isNoLabel(el) {
  if (MESSAGES.has(roleOf(el)) || localName(el) !== 'label' && (isControl(el) || listensTo(el, PRESS))) return true;
  for (let up = /** @type {El | null} */ (el); up && localName(up) !== 'label'; up = parentOf(up)) {
    if (roleOf(up) === 'heading' || WIDGETS.has(roleOf(up)) || NATIVE_CONTROLS.has(localName(up))) return true;
  }
  return false;
}

/** @param {string} text */
export const labelWords = (text) => tidy(text).toLowerCase().replace(/[\s:*]+$/, '');

// labelledBy returns the field that a label's markup names.
/** @param {El} text */
function labelledBy(text) {
  const label = closest(text, 'label');
  const id = attr(text, 'id');
  const named = id ? rootNode(text).querySelector?.(`[aria-labelledby~="${CSS.escape(id)}"]`) : null;
  for (const owner of [label?.control, label, named]) {
    if (!owner) continue;
    const field = localName(owner) === 'select' ? owner : fieldIn(owner);
    if (field) return field;
    const box = drawnFor(owner);
    if (box && owner !== label) return fieldIn(box) ?? box;
    const drawn = owner === label?.control && isReplaced(owner) ? [previousElement(owner), nextElement(owner)].find((n) => n && isVisible(n) && fieldIn(n)) : null;
    if (drawn) return fieldIn(drawn);
  }
  return null;
}

// nextField returns the first field after a text, within the same part of the page, or the one before it in the text's own
// block. It is none that has a name or a label of its own, and none behind another control.
/** @param {El} text */
function nextField(text) {
  if ([...selectAllIn(text, OTHER_CONTROLS)].some(isVisible)) return null;
  for (let at = /** @type {El | null} */ (text), level = 0; at && level < MAX_FIELD_LEVELS; at = parentOf(at), level++) {
    if (level && matches(at, 'form,fieldset,section,article,main,body,[role=dialog],tr,li')) break;
    const before = level ? [...selectAllIn(at, OTHER_CONTROLS)].filter(isFieldLike) : [];
    if (before.length) return before.length === 1 && labelsFrom(text, before[0]) ? before[0] : null;
    for (let n = nextElement(at); n; n = nextElement(n)) {
      const field = fieldIn(n), control = matches(n, OTHER_CONTROLS) && isVisible(n) ? n : [...selectAllIn(n, OTHER_CONTROLS)].find(isVisible);
      if (field && (!control || composedContains(field, control) || composedContains(control, field) || isBefore(field, control))) {
        return nameOf(field, roleOf(field)) && !isRange(n) || !standsAtField(text, field) || isUnitLine(n) ? null : field;
      }
      if (control || roleOf(n) === 'heading') return null;
    }
  }
  return null;
}

const NEAR = 24; // px below a field
// labelsFrom reports that a text beside or below a field, or above it, labels the field: that has no other name.
/** @param {El} text @param {El} field */
const labelsFrom = (text, field) => !nameOf(field, roleOf(field)) && !nearbyLabel(field, roleOf(field)) && rectOf(text).top - rectOf(field).bottom < NEAR;

// isRange reports the two sliders of a range, which the text before them names together.
/** @param {El} n */
const isRange = (n) => selectAllIn(n, '[role=slider],input[type=range]').length === 2 && selectAllIn(n, OTHER_CONTROLS).length === 2;

/** @param {El} a @param {El} b */
const isBefore = (a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

// fieldIn returns the first field in an element, which may be the element itself.
/** @param {El} root */
export function fieldIn(root) {
  const all = [root, ...selectAllIn(root, '*')].slice(0, MAX_FIELD_NODES);
  return all.find(isFieldLike) ?? null;
}

/** @param {El} el */
function isFieldLike(el) {
  const tag = localName(el), role = roleOf(el);
  if (SILENT.has(tag) || tag === 'input' && !TEXT_TYPES.has(el.type) && !SET_TYPES.has(el.type) && el.type !== 'checkbox') return false;
  if (!isVisible(el) && !(isDisguised(el) && tag !== 'select')) return false;
  return FIELDS.has(role) || tag === 'input' || tag === 'textarea' || isEditable(el) && isEditingHost(el) ||
    role !== 'button' && opensOptions(el, role) || ratingOf(el) !== null || drawnSlider(el) !== null;
}

// drawnFor returns the box that a script draws in place of a native control that a person cannot see.
/** @param {El} el */
export function drawnFor(el) {
  if (!isReplaced(el)) return null;
  const parent = parentElement(el), around = parent && closest(parent, BOXES);
  if (around && isVisible(around)) return around;
  for (const beside of [nextElement(el), previousElement(el)]) {
    if (!beside || !isVisible(beside)) continue;
    const box = matches(beside, BOXES) ? beside : selectIn(beside, BOXES);
    if (box && isVisible(box)) return box;
  }
  return null;
}

const BOXES = '[role=combobox],[role=listbox],[aria-haspopup=listbox],[aria-haspopup=true]';

// isReplaced reports a native control that a person cannot see.
/** @param {El} el */
export function isReplaced(el) {
  const cs = getComputedStyle(el), r = rectOf(el);
  return cs.display === 'none' || cs.visibility !== 'visible' || cs.opacity === '0' || r.width <= 1 || r.height <= 1 ||
    cs.pointerEvents === 'none' || attr(el, 'aria-hidden') === 'true' || CLIPPED_TO_NOTHING.test(cs.clip);
}

// ratingOf returns the items of a row of stars, or the strip of one repeated picture, or null. The items
// look alike but for those that are filled.
const MIN_STARS = 3, MAX_STARS = 12, MAX_STAR = 80;
/** @param {El} el */
export function ratingOf(el) {
  if (localName(el) === 'input') return null;
  const strip = starStrip(el);
  if (strip) return strip;
  for (const row of [el, ...childElements(el)]) {
    const items = [...childElements(row)].filter((c) => localName(c) !== 'input' && hasArea(rectOf(c)));
    if (items.length < MIN_STARS || items.length > MAX_STARS || !isStarRow(items)) continue;
    return { items, strip: 0 };
  }
  return null;
}

/** @param {El[]} items */
function isStarRow(items) {
  const first = rectOf(items[0]);
  const level = items.every((c) => {
    const r = rectOf(c);
    return Math.abs(r.top - first.top) < 3 && Math.abs(r.width - first.width) < 12 && r.height <= MAX_STAR && r.width <= MAX_STAR;
  });
  return level && items.every(isPressable) && looksOf(items) <= 2 && items.every((c, i) => likeClasses(items[0], c) || i === items.length);
}

/** @param {El} el */
export const isPressable = (el) => getComputedStyle(el).cursor === 'pointer' || selectIn(el, '[role=radio],input[type=radio]') !== null ||
  matches(el, '[role=radio],button,label');

// looksOf counts how differently items are drawn. Words tell items apart, a filled star from an empty
// one does not.
/** @param {El[]} items */
function looksOf(items) {
  return new Set(items.map((el) => {
    const shapes = [...selectAllIn(el, 'path,use,img,polygon')].map((s) => attr(s, 'd') ?? attr(s, 'points') ?? attr(s, 'href') ?? attr(s, 'src'));
    return [localName(el), matches(el, 'label') || selectIn(el, 'label') ? '' : tidy(textContent(el)), getComputedStyle(el).backgroundImage, ...new Set(shapes)].join('|');
  })).size;
}

/** @param {El} a @param {El} b */
export function likeClasses(a, b) {
  /** @param {El} el */
  const classes = (el) => new Set((attr(el, 'class') ?? '').split(/\s+/).filter(Boolean));
  const one = classes(a), two = classes(b);
  return one.size + two.size === 0 || one.intersection(two).size / one.union(two).size >= 0.25;
}

/** @param {El} el */
function starStrip(el) {
  const cs = getComputedStyle(el);
  if (cs.cursor !== 'pointer' || cs.backgroundImage === 'none' || !/repeat-x|^repeat$/.test(cs.backgroundRepeat)) return null;
  const size = parseFloat(cs.backgroundSize), count = Math.round(rectOf(el).width / size);
  return size > 4 && count >= MIN_STARS && count <= MAX_STARS ? { items: [], strip: count } : null;
}

// prepareRating returns the point that gives so many stars, relative to the box of the element of `ref`.
/** @param {Rating} rating @param {El} el @param {string} value */
export function prepareRating(rating, el, value) {
  const count = rating.strip || rating.items.length, wanted = Number(value);
  if (value.trim() === '' || !(wanted > 0 && wanted <= count) || wanted * 2 % 1) {
    throw new EngineError('valueRefused', { reason: `it takes a number from 1 to ${count}`, example: String(count) });
  }
  bringIntoView(rating.items[0] ?? el);
  const part = wanted % 1 ? 0.25 : 0.5;
  const r = rating.strip ? rectOf(el) : rectOf(rating.items[Math.ceil(wanted) - 1]), off = frameOffset(ownerDocument(el));
  const width = rating.strip ? r.width / count : r.width, left = rating.strip ? r.left + (Math.ceil(wanted) - 1) * width : r.left;
  return { x: left + width * part + off.x, y: r.top + r.height / 2 + off.y };
}
