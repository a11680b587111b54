// Consequence: where a click on an element, or Enter in it, leads. It looks at links and forms as they
// are written; what scripts do instead is not known.

import {
  attr, closest, cut, focusedElement, getter, hasAttr, localName, matches, ownerDocument,
} from '../dom/dom.js';
import { roleOf } from '../dom/role.js';
import { resolve } from '../document/registry.js';
import { displayName } from './display_name.js';

/** @type {(form: Element) => Iterable<El>} */
const formElements = getter(HTMLFormElement.prototype, 'elements');
const MAX_MISSING = 10;

// consequence answers for an element, or for the one with the focus: the link or the form that it
// belongs to, whether a click on it submits, and the fields that the form asks for and that are empty.
/** @param {{ n?: number }} o */
export function consequence({ n }) {
  const el = n ? resolve(n, true) : focusedElement();
  if (!el) return {};
  const link = closest(el, 'a[href],area[href]');
  if (link) return { method: 'GET', url: absolute(link, attr(link, 'href') ?? '') };
  const button = submitterOf(el);
  const form = button ? button.form : (localName(el) === 'input' ? el.form : null);
  if (!form || localName(form) !== 'form') return {};
  const via = button ?? form;
  return {
    method: ((button && attr(button, 'formmethod')) || attr(form, 'method') || 'GET').toUpperCase(),
    url: absolute(form, (button && attr(button, 'formaction')) || attr(form, 'action') || ownerDocument(form).location.href),
    submits: button !== null,
    missing: hasAttr(form, 'novalidate') || hasAttr(via, 'formnovalidate') ? [] : missingFields(form),
  };
}

// submitterOf returns the button around an element whose click submits a form, or null.
/** @param {El} el */
function submitterOf(el) {
  const button = closest(el, 'button,input');
  if (!button) return null;
  if (localName(button) === 'button') return button.type === 'submit' && button.form ? button : null;
  return (button.type === 'submit' || button.type === 'image') && button.form ? button : null;
}

/** @param {El} form */
function missingFields(form) {
  /** @type {{ role: string, name: string }[]} */
  const out = [];
  for (const field of formElements(form)) {
    if (!field.willValidate || !field.validity.valueMissing || out.length >= MAX_MISSING) continue;
    const role = roleOf(field), name = displayName(field, role) || attr(field, 'name') || attr(field, 'id') || '';
    if (!out.some((o) => o.role === role && o.name === name)) out.push({ role, name });
  }
  return out;
}

/** @param {El} el @param {string} address */
export function absolute(el, address) {
  try {
    return new URL(address, ownerDocument(el).baseURI).href;
  } catch {
    return address ?? '';
  }
}

// leadsOf writes the consequence of a click for an identity: "GET /cart", with the origin where it is
// another one. Queries and fragments are left out.
/** @param {El} el @param {number} n */
export function leadsOf(el, n) {
  if (!matches(el, 'a[href],area[href],button,input,a[href] *,button *')) return '';
  const { method, url, submits } = consequence({ n });
  if (!url || submits === false || !/^https?:/.test(url)) return '';
  const to = new URL(url);
  return method + ' ' + (to.origin === ownerDocument(el).location.origin ? '' : to.origin) + cut(to.pathname, 300);
}
