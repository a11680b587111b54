// Roles: HTML-AAM for what markup means, WAI-ARIA 1.2 for what authors say.

import {
  ELEMENT, attr, closest, firstChild, hasAttr, isEditable, localName, nextSibling, nodeType, parentNode, parentOf,
  tidy,
} from './dom.js';
import { isEmbedding } from './embedded.js';
import { referredBy } from './referred.js';
import { paintOf } from './scan.js';

const ARIA_ROLES = new Set(('alert alertdialog application article banner blockquote button caption cell checkbox code ' +
  'columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure ' +
  'form generic grid gridcell group heading img image insertion link list listbox listitem log main marquee math menu ' +
  'menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation ' +
  'progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton ' +
  'status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree ' +
  'treegrid treeitem').split(' '));

export const WIDGETS = new Set(('button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio ' +
  'scrollbar searchbox slider spinbutton switch tab textbox treeitem').split(' '));

export const LANDMARKS = new Set('banner complementary contentinfo form main navigation region search'.split(' '));

// Roles whose name is their content.
export const NAMED_BY_CONTENT = new Set(('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox ' +
  'menuitemradio option radio row rowheader switch tab term tooltip treeitem').split(' '));

// Roles that ARIA forbids an author to name.
export const UNNAMEABLE = new Set(('caption code definition deletion emphasis generic insertion none paragraph presentation ' +
  'strong subscript superscript time').split(' '));

/** @type {Record<string, string>} */
const BY_TAG = {
  address: 'group', article: 'article', aside: 'complementary', blockquote: 'blockquote', body: 'generic', button: 'button',
  caption: 'caption', code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group',
  dfn: 'term', dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure',
  h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group',
  hr: 'separator', html: 'document', iframe: 'iframe', frame: 'iframe', ins: 'insertion', li: 'listitem', main: 'main',
  mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option',
  output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search', strike: 'deletion', strong: 'strong', sub: 'subscript',
  summary: 'button', sup: 'superscript', svg: 'img', table: 'table', tbody: 'rowgroup', textarea: 'textbox',
  tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list', video: 'video', audio: 'audio',
  canvas: 'canvas', object: 'object', embed: 'object',
};

/** @type {Record<string, string>} */
const BY_INPUT_TYPE = {
  button: 'button', checkbox: 'checkbox', image: 'button', number: 'spinbutton', radio: 'radio', range: 'slider',
  reset: 'button', search: 'searchbox', submit: 'button', file: 'button', color: 'color', date: 'date',
  'datetime-local': 'date', month: 'date', time: 'time', week: 'date', hidden: 'generic',
};

// Roles that a reading prints, also those of elements without an ARIA role.
export const PRINTED_ROLES = new Set([...ARIA_ROLES, ...Object.values(BY_TAG), ...Object.values(BY_INPUT_TYPE), 'clickable']);

/** @param {El} el @returns {string} */
export function roleOf(el) {
  const said = attr(el, 'role');
  if (said) {
    for (const token of said.toLowerCase().split(/\s+/)) {
      if (!ARIA_ROLES.has(token)) continue;
      if (token === 'none' || token === 'presentation') {
        if (!isFocusable(el) && !hasGlobalAria(el)) return 'generic';
        break;
      }
      if (token === 'region' && !hasAuthorName(el)) return 'generic';
      return token === 'image' ? 'img' : token;
    }
  }
  return nativeRole(el);
}

/** @param {El} el */
const hasGlobalAria = (el) => hasAttr(el, 'aria-label') || hasAttr(el, 'aria-labelledby') ||
  hasAttr(el, 'aria-describedby') || hasAttr(el, 'aria-live');

/** @param {El} el */
const isFocusable = (el) => hasAttr(el, 'tabindex') || NATIVE_CONTROLS.has(localName(el)) ||
  localName(el) === 'a' && hasAttr(el, 'href');

export const NATIVE_CONTROLS = new Set(['button', 'input', 'select', 'textarea', 'summary']);

/** @param {El} el @returns {string} */
function nativeRole(el) {
  const tag = localName(el);
  switch (tag) {
    case 'a': case 'area': return hasAttr(el, 'href') || hasAttr(el, 'xlink:href') ? 'link' : 'generic';
    case 'input': return inputRole(el);
    case 'select': return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    case 'img': return attr(el, 'alt') === '' && !hasAttr(el, 'title') && !hasGlobalAria(el) ? 'generic' : 'img';
    case 'header': return inSectioning(el) ? 'generic' : 'banner';
    case 'footer': return inSectioning(el) ? 'generic' : 'contentinfo';
    case 'section': return hasAuthorName(el) ? 'region' : 'generic';
    case 'form': return 'form';
    case 'object': case 'embed': return isEmbedding(el) ? 'iframe' : 'object';
    case 'td': return cellRole(el, 'cell');
    case 'th': return headerCellRole(el);
    case 'summary': return isDisclosure(el) ? 'button' : 'generic';
    case 'aside': return inSectioning(el) && !hasAuthorName(el) ? 'generic' : 'complementary';
    case 'li': return isListItem(el) ? 'listitem' : 'generic';
    case 'tr': case 'tbody': case 'thead': case 'tfoot': return tableRole(el) ? BY_TAG[tag] : 'generic';
  }
  const role = BY_TAG[tag];
  if (role && (tag !== 'body' || !isEditable(el))) return role;
  return isEditable(el) && isEditingHost(el) ? 'textbox' : 'generic';
}

/** @param {El} el */
function inputRole(el) {
  const type = el.type;
  const role = BY_INPUT_TYPE[type];
  if (!role) return hasAttr(el, 'list') ? 'combobox' : 'textbox';
  if (role === 'searchbox' && hasAttr(el, 'list')) return 'combobox';
  if (role === 'checkbox' && hasAttr(el, 'switch')) return 'switch';
  return role;
}

/** @param {El} el */
const inSectioning = (el) => {
  const parent = parentNode(el);
  return parent && nodeType(parent) === ELEMENT && closest(parent, 'article,aside,main,nav,section') !== null;
};
/** @param {El} el */
export const hasAuthorName = (el) => !!(tidy(attr(el, 'aria-label') || '') || attr(el, 'aria-labelledby') || attr(el, 'title') || referredBy(el, 'aria-labelledby').length);
/** @param {El} el */
export const isDisclosure = (el) => { const p = parentNode(el); return !!p && nodeType(p) === ELEMENT && localName(p) === 'details'; };
/** @param {El} el */
export const isEditingHost = (el) => { const p = parentNode(el); return !p || nodeType(p) !== ELEMENT || !isEditable(p); };
/** @param {El} el @returns {boolean} */
const isListItem = (el) => {
  const p = parentOf(el);
  return !!p && (roleOf(p) === 'list' || localName(p) === 'slot' || localName(p) === 'menu');
};

// tableRole returns the role of the table that an element belongs to, or '' when the author removed
// the table's semantics.
/** @param {El} el @returns {string} */
export function tableRole(el) {
  const table = closest(el, 'table');
  if (!table) return 'table';
  const role = roleOf(table);
  return role === 'table' || role === 'grid' || role === 'treegrid' ? role : '';
}

/** @param {El} el @param {string} plain @returns {string} */
function cellRole(el, plain) {
  const role = tableRole(el);
  if (!role) return 'generic';
  return role === 'table' ? plain : 'gridcell';
}

/** @param {El} el @returns {string} */
function headerCellRole(el) {
  if (!tableRole(el)) return 'generic';
  const scope = (attr(el, 'scope') || '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const row = parentNode(el);
  return row && paintOf(row, hasDataCell) ? 'rowheader' : 'columnheader';
}

/** @param {El} row */
function hasDataCell(row) {
  for (let n = firstChild(row); n; n = nextSibling(n)) if (nodeType(n) === ELEMENT && localName(n) === 'td') return true;
  return false;
}

export const CONTEXT = new Set([...LANDMARKS, 'dialog', 'alertdialog', 'iframe', 'menu', 'listbox', 'tablist', 'toolbar',
  'tree', 'grid', 'radiogroup', 'menubar']);
