// The frame of the page: who is signed in, which view is shown, and what the views share.
//
// A view is a module views/NAME.js with `title`, a string, and `show(root, api, path)`, which fills the
// element root and returns what is open. Its address is #/NAME/PART/…; path has the parts, decoded.

import { Api } from './api.js';
import { fill, h, text } from './dom.js';
import { showQuestions } from './questions.js';

/**
 * Shown is a view that is on the page. follow is called when another part of the view is addressed; without it
 * the view is closed and shown again.
 * @typedef {{ close?: () => void, follow?: (path: string[]) => void }} Shown
 */
/** @typedef {{ title: string, show(root: HTMLElement, api: Api, path: string[]): Shown | void }} View */

const api = new Api();
const main = /** @type {HTMLElement} */ (document.getElementById('main'));
const tabs = /** @type {HTMLElement} */ (document.getElementById('views'));
const connection = /** @type {HTMLElement} */ (document.getElementById('connection'));
const announcements = /** @type {HTMLElement} */ (document.getElementById('announcements'));

/** @type {string[]} */
let names = [];
/** @type {Map<string, View>} */
const modules = new Map();
/** @type {{ name: string, shown: Shown } | null} */
let open = null;

api.announce = (message) => text(announcements, message);
api.onConnection = (problem) => {
  if (connection.textContent === problem) return;
  connection.textContent = problem;
  if (problem) api.announce(problem);
};
api.onSignedOut = () => { closeView(); showSignIn(); };

function closeView() {
  open?.shown.close?.();
  open = null;
}

/** @param {string} [problem] */
function showSignIn(problem = '') {
  const field = h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true });
  const error = h('p', { role: 'alert', class: 'problem' }, problem);
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    try {
      await api.signIn(field.value.trim());
      await begin();
    } catch (e) {
      error.textContent = String(/** @type {Error} */ (e).message);
    }
  };
  names = [];
  fill(tabs);
  document.title = 'Sign in – Callsheet';
  fill(main, h('section', { class: 'sign-in' }, h('h1', {}, 'Sign in'), h('p', {}, 'Run ', h('code', {}, 'callsheet ui'), ' and open the address that it prints, or enter the token of the server.'),
    error, h('form', { onsubmit: submit }, h('label', { for: 'token' }, 'Token'), field, h('button', { type: 'submit', class: 'primary' }, 'Sign in'))));
}

async function begin() {
  const server = await api.get('server');
  names = server.views;
  for (const name of names) if (!modules.has(name)) modules.set(name, await import(`./views/${name}.js`));
  showQuestions(/** @type {HTMLElement} */ (document.getElementById('questions')), api);
  route();
}

/** route shows the view that the address names, or the first one. */
function route() {
  const [name, ...path] = location.hash.replace(/^#\/?/, '').split('/').map(decode);
  const chosen = names.includes(name) ? name : names.includes('live') ? 'live' : names[0];
  const view = modules.get(chosen);
  if (!view) return;
  fill(tabs, h('ul', {}, ...names.map((n) => h('li', {}, h('a', { href: `#/${n}`, 'aria-current': n === chosen && 'page' }, modules.get(n)?.title ?? n)))));
  if (open?.name === chosen && open.shown.follow) {
    open.shown.follow(path);
    return;
  }
  const moved = open !== null;
  closeView();
  document.title = `${view.title} – Callsheet`;
  const root = h('div', { class: `view view-${chosen}` });
  fill(main, root);
  open = { name: chosen, shown: view.show(root, api, path) ?? {} };
  if (moved) main.focus();
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function start() {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token) {
    history.replaceState(null, '', location.pathname); // the token is good once; it does not stay in the address
    try {
      await api.signIn(token);
    } catch (e) {
      showSignIn(/** @type {Error} */ (e).message);
      return;
    }
  }
  await begin();
}

const restart = () => start().catch((e) => { if (!main.querySelector('form')) fill(main, h('p', { role: 'alert' }, String(e.message ?? e))); });
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) restart(); // the address of a ticket, opened in this page
  else if (names.length && location.hash !== '#main') route();
});
restart();
