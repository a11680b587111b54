// Parts that several views share: what is being loaded, times, JSON, fields and pages of lists.

import { fill, h } from './dom.js';

/** @typedef {import('./api.js').Api} Api */

/**
 * load shows what a request returns, or its error with a button that tries again.
 * @template T
 * @param {HTMLElement} root
 * @param {() => Promise<T>} request
 * @param {(data: T) => void} render fills root
 */
export async function load(root, request, render) {
  root.setAttribute('aria-busy', 'true');
  if (!root.childElementCount) fill(root, h('p', { class: 'quiet' }, 'Loading…'));
  try {
    render(await request());
  } catch (e) {
    fill(root, h('p', { role: 'alert', class: 'problem' }, String(/** @type {Error} */ (e).message)),
      h('p', {}, h('button', { type: 'button', onclick: () => load(root, request, render) }, 'Try again')));
  }
  root.removeAttribute('aria-busy');
}

/**
 * time shows a time in the zone of the reader.
 * @param {string} iso
 */
export function time(iso) {
  const at = new Date(iso);
  return h('time', { datetime: iso }, `${at.toLocaleDateString()} ${at.toLocaleTimeString()}`);
}

/**
 * json shows a value as indented text.
 * @param {unknown} value
 */
export const json = (value) => h('pre', { tabindex: 0, 'aria-label': 'JSON' }, JSON.stringify(value, null, 1));

/**
 * field is a control with its label.
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement} control whose id the label names
 */
export function field(label, control) {
  return h('div', { class: 'field' }, h('label', { for: control.id }, label), control);
}

/**
 * select is a list to choose one value from.
 * @param {string} id
 * @param {[string, string][]} options value and text of each
 * @param {string} [chosen]
 */
export function select(id, options, chosen = '') {
  return h('select', { id, name: id }, ...options.map(([value, name]) => h('option', { value, selected: value === chosen }, name)));
}

/**
 * check is a box to tick with its label.
 * @param {string} id
 * @param {string} label
 * @param {string} name
 * @param {string} value
 * @param {boolean} checked
 */
export function check(id, label, name, value, checked) {
  return h('div', { class: 'choice' }, h('input', { type: 'checkbox', id, name, value, checked }), h('label', { for: id }, label));
}

/**
 * more is a button that loads the next page of a list; it goes while it works.
 * @param {string} label
 * @param {() => Promise<void>} next
 */
export function more(label, next) {
  const button = h('button', { type: 'button', class: 'more' }, label);
  const problem = h('p', { role: 'alert', class: 'problem' });
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await next();
      button.remove();
    } catch (e) {
      problem.textContent = String(/** @type {Error} */ (e).message);
      button.disabled = false;
    }
  });
  return h('div', {}, button, problem);
}

/**
 * badge is a short word whose class colors it.
 * @param {string} word
 * @param {'good' | 'bad' | 'plain'} kind
 */
export const badge = (word, kind) => h('span', { class: `badge ${kind}` }, word);

/** @param {string[]} parts */
export const address = (...parts) => `#/${parts.map(encodeURIComponent).join('/')}`;

/** described writes arguments as the journal keeps them. @param {Record<string, unknown>} args */
export const described = (args) => Object.entries(args).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ');
