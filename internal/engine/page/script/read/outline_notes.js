// Notes of the outline: what stands after the name and the ref of an element.

import {
  UNSEEN, attr, cut, isEditable, localName, ownerDocument, parentElement, parentOf, rectOf, selectIn, textContent, tidy,
} from '../dom/dom.js';
import { nameOf } from '../dom/name.js';
import { isOffered, isOpenSelect } from '../dom/open_select.js';
import { referredBy } from '../dom/referred.js';
import { paintOf } from '../dom/scan.js';
import { levelOf, statesOf, valueOf } from '../dom/state.js';
import { isTyped } from '../document/typed.js';
import { nearbyLabel } from '../locate/label.js';
import { drawnValueNote } from '../locate/slider_scale.js';
import { FULL } from './modes.js';
import { boxNote } from './read.js';
import { MAX_RICH, richText } from './rich_text.js';

const MAX_OPTIONS = 12, MAX_ASKED = 1000, MAX_VALUE = 120, MAX_URL = 80, WHOLE = 1e6;

// notesOf returns what stands after an element's name and ref.
/**
 * @param {El} el
 * @param {string} role
 * @param {string} name
 * @param {string} ref
 * @param {boolean} live
 * @param {VisualState} visual
 * @param {Plan} plan
 */
export function notesOf(el, role, name, ref, live, visual, plan) {
  let head = kindNote(el, visual.tag);
  if (role === 'heading') head += ` level ${levelOf(el)}`;
  for (const state of statesOf(el, role, plan.focused)) head += ' ' + state + (state === 'invalid' ? messageNote(el) : '');
  if (live || VALUED.has(role)) head += valueNote(el, role, plan) + rangeNote(el, role);
  if (role === 'link') head += urlNote(el, plan);
  if (ref || name) head += boxNote(el, plan.o);
  if (plan.mode === FULL) {
    const about = attr(el, 'aria-description') || textOfIds(el, 'aria-describedby');
    if (about) head += ' description ' + bounded(tidy(about), MAX_VALUE);
  }
  return head;
}

// kindNote tells field types apart that share a role.
const KINDS = new Set(['email', 'url', 'tel', 'password', 'file', 'datetime-local', 'month', 'week']);
/** @param {El} el @param {string} tag */
const kindNote = (el, tag) => (tag === 'textarea' ? ' multiline' : tag === 'input' && KINDS.has(el.type) ? ' ' + el.type :
  tag === 'label' && el.control ? ' ' + el.control.type : '');

/** @param {El} el @param {string} role @param {Plan} plan */
function valueNote(el, role, plan) {
  let note = '';
  const value = valueOf(el, role), most = plan.root === el ? WHOLE : plan.mode === FULL ? 2000 : MAX_VALUE;
  if (value && !plan.o.values && isTyped(el)) note += ' filled';
  else if (value && isEditable(el)) note += ' value ' + richNote(el, Math.max(most, MAX_RICH));
  else if (value) note += ' value ' + bounded(localName(el) === 'textarea' ? tidyLines(value) : tidy(value), most);
  if (localName(el) === 'select') {
    if (isOpenSelect(el)) return note; // they have lines of their own
    const max = most > MAX_VALUE ? 1000 : MAX_OPTIONS;
    const options = [...el.options], all = options.length > MAX_ASKED ? options : options.filter(isOffered);
    note += ' options ' + all.slice(0, max).map((o) => JSON.stringify(cut(tidy(o.label), 60)) + groupNote(o, all)).join(' | ');
    if (all.length > max) note += ` (+${all.length - max} more)`;
  } else if (!value && typeof el.placeholder === 'string' && el.placeholder && tidy(el.placeholder) !== nameOf(el, role)) {
    note += ' placeholder ' + bounded(tidy(el.placeholder), most);
  }
  return note;
}

// groupNote returns the group of an option that another of the list is called like.
/** @param {El} option @param {El[]} all */
function groupNote(option, all) {
  const group = parentElement(option), name = group && localName(group) === 'optgroup' ? tidy(attr(group, 'label') ?? '') : '';
  return name && all.some((o) => o !== option && tidy(o.label) === tidy(option.label)) ? ` in ${JSON.stringify(cut(name, 60))}` : '';
}

// bounded quotes the start of a text, and says how many characters follow: a reading of the element itself
// has all of them.
/** @param {string} text @param {number} most @param {number} [length] */
function bounded(text, most, length = text.length) {
  const shown = text.length > most ? cut(text, most + 1) : text, rest = length - Math.min(most, text.length);
  return JSON.stringify(shown) + (rest > 0 ? ` (+${rest} more)` : '');
}

// richNote returns the text of an editor. What lies behind its start is counted without its marks.
/** @param {El} el @param {number} most */
function richNote(el, most) {
  const text = richText(el, most);
  return bounded(text, most, text.length > most ? Math.max(text.length, tidy(textContent(el)).length) : text.length);
}

// tidyLines is tidy for each line of a text.
/** @param {string} text */
const tidyLines = (text) => text.split(/\r\n?|\n/).map((line) => line.replace(UNSEEN, '').trimEnd()).join('\n').trim();

// rangeNote returns the limits of a slider, and where its handle is when it does not tell its value.
const RANGED = new Set(['slider', 'spinbutton', 'scrollbar']);
// VALUED roles have a line for a value that is drawn without text.
export const VALUED = new Set([...RANGED, 'progressbar', 'meter']);
/** @param {El} el @param {string} role */
function rangeNote(el, role) {
  if (!RANGED.has(role)) return '';
  const min = attr(el, 'aria-valuemin') ?? attr(el, 'min'), max = attr(el, 'aria-valuemax') ?? attr(el, 'max');
  const limits = min !== null && max !== null && min !== max ? ` (${tidy(min)} to ${tidy(max)})` : '';
  return role === 'slider' && valueOf(el, role) === undefined ? drawnValueNote(el) || placeNote(el) + limits : limits;
}

// placeNote returns the place of a slider's handle on the smallest longer element around it.
/** @param {El} el */
function placeNote(el) {
  const own = rectOf(el);
  for (let up = parentOf(el), level = 0; up && level < 3; up = parentOf(up), level++) {
    const r = rectOf(up), wide = r.width >= r.height;
    if (Math.max(r.width, r.height) < 3 * Math.max(own.width, own.height)) continue;
    const at = wide ? (own.left + own.width / 2 - r.left) / r.width : 1 - (own.top + own.height / 2 - r.top) / r.height;
    return ` at ${Math.round(100 * Math.min(1, Math.max(0, at)))} %`;
  }
  return '';
}

// messageNote returns what a page says about an invalid field.
/** @param {El} el */
function messageNote(el) {
  const said = textOfIds(el, 'aria-errormessage') || textOfIds(el, 'aria-describedby') || el.validationMessage || '';
  return tidy(said) ? ' ' + bounded(tidy(said), MAX_VALUE) : '';
}

// siteOf returns the prefix of this site's addresses; '' for a document without one.
export const siteOf = () => (/^https?:$/.test(location.protocol) ? location.origin + '/' : '');

// onSite shortens an address of this site to its path, also with credentials before the host.
/** @param {string} full @param {string} site */
function onSite(full, site) {
  if (!site) return full.trim();
  const bare = /^https?:\/\/[^/?#]*@/.test(full) ? full.replace(/\/\/[^/?#]*@/, '//') : full;
  return bare.startsWith(site) ? bare.slice(site.length - 1) : full.trim();
}

// pageOf returns the address of a document without its fragment, and its path.
// based says that a fragment alone is a place in it.
/** @param {Doc} doc */
const pageOf = (doc) => { const page = doc.URL.replace(/#.*$/s, ''); return { page, path: page.replace(/^\w+:\/\/[^/]*/, ''), based: doc.baseURI.replace(/#.*$/s, '') === page }; };

// urlNote returns where a link leads: nothing for the page itself, and a place in it by its fragment.
/** @param {El} el @param {Plan} plan */
function urlNote(el, plan) {
  const href = attr(el, 'href') ?? attr(el, 'xlink:href');
  if (href === null || /^\s*javascript:/i.test(href)) return '';
  let url = href.trim();
  const own = paintOf(ownerDocument(el), pageOf);
  if (plan.mode !== FULL && plan.root !== el && /^\/(?!\/)[^\s#]*$/.test(url) && url !== own.path) return ' → ' + cut(url, MAX_URL);
  if (own.based && plan.mode !== FULL && plan.root !== el && /^#[\w-]+$/.test(url)) return ' → ' + cut(url, MAX_URL);
  const full = el.href; // whole and in its normal form, unless it cannot be parsed
  if (typeof full === 'string') {
    const [page, fragment] = full.split(/#(.*)/s), here = page === own.page;
    if (here && !fragment) return '';
    url = plan.mode === FULL ? full.trim() : here ? '#' + fragment : onSite(full, plan.site);
  }
  const most = plan.root === el ? WHOLE : plan.mode === FULL ? 2000 : MAX_URL;
  return ' → ' + cut(url.replace(/\s+/g, '%20'), most);
}

// hintNote describes a control without name and content by words of its markup: #id, .class, a file.
/** @param {El} el @param {string} role */
export function hintNote(el, role) {
  const near = nearbyLabel(el, role, true);
  if (near) return ` near ${JSON.stringify(near)}`;
  const inner = selectIn(el, '[class*="icon" i], svg, i');
  const src = localName(el) === 'img' ? /([^/?#]+)(?:[?#].*)?$/.exec((attr(el, 'src') || '').replace(/^data:.*/s, '')) : null;
  const id = attr(el, 'id');
  for (const hint of [src && src[1], attr(el, 'data-testid'), id && '#' + id, attr(el, 'name'), tellingClass(el), inner && tellingClass(inner)]) {
    if (hint && tidy(hint)) return ` (${cut(tidy(hint), 40).toWellFormed()})`;
  }
  return '';
}

// tellingClass returns the longest of an element's first classes that is no generated one: of
// "fa fa-trash", .fa-trash.
/** @param {El} el */
function tellingClass(el) {
  const names = (attr(el, 'class') ?? '').split(/\s+/).filter((name) => name && !/[a-z]\d+[a-z]|\d[a-z]+\d/i.test(name)).slice(0, 4);
  return names.length ? '.' + names.reduce((best, name) => (name.length > best.length ? name : best)) : '';
}

/** @param {El} el @param {string} name */
function textOfIds(el, name) {
  return referredBy(el, name).map(textContent).join(' ');
}
