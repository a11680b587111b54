// The journal: calls of tools and decisions of the policy, the latest first.

import { duration, fill, h } from '../dom.js';
import { badge, described, field, load, more, select, time } from '../widgets.js';

/** @typedef {import('../api.js').Api} Api */
/** @typedef {{ id: number, session: string, tool: string, at: string, ms: number, outcome: string, args: Record<string, unknown> }} Entry */
/** @typedef {{ kept: boolean, entries: Entry[], next?: number, dropped?: number }} Page */
/** @typedef {{ sessions: string[], tools: string[], outcomes: string[] }} Values */

export const title = 'Journal';

/**
 * @param {HTMLElement} root
 * @param {Api} api
 */
export function show(root, api) {
  const form = h('form', { class: 'filters', 'aria-label': 'Filter' });
  const list = h('div', { class: 'entries' });
  fill(root, h('h1', {}, 'Journal'), form, list);
  const refresh = () => load(list, () => page(api, form), (/** @type {Page} */ p) => showPage(list, api, form, p));
  form.addEventListener('submit', (e) => { e.preventDefault(); refresh(); });
  form.addEventListener('change', refresh);
  load(form, () => api.get('journal/values'), (/** @type {Values} */ v) => {
    showFilters(form, v);
    refresh();
  });
}

/** @param {HTMLFormElement} form @param {Values} v */
function showFilters(form, v) {
  const any = (/** @type {string[]} */ values) => /** @type {[string, string][]} */ ([['', 'any'], ...values.map((x) => [x, x])]);
  const tools = v.tools.filter((t) => t !== 'policy');
  fill(form, field('Session', select('session', any(v.sessions))),
    field('Entries', select('tool', [['', 'calls and decisions'], ['policy', 'decisions of the policy'], .../** @type {[string, string][]} */ (tools.map((t) => [t, t]))])),
    field('Outcome', select('outcome', any(v.outcomes))),
    field('From', h('input', { id: 'since', name: 'since', type: 'datetime-local', step: 1 })), field('Until', h('input', { id: 'until', name: 'until', type: 'datetime-local', step: 1 })),
    h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Refresh'), h('button', { type: 'button', onclick: () => { form.reset(); form.requestSubmit(); } }, 'No filter')));
}

/** @param {Api} api @param {HTMLFormElement} form @param {number} [before] @returns {Promise<Page>} */
function page(api, form, before) {
  /** @type {Record<string, string | undefined>} */
  const params = { before: before ? String(before) : undefined };
  for (const [name, value] of new FormData(form)) {
    if (!value) continue;
    params[name] = name === 'since' || name === 'until' ? new Date(String(value)).toISOString() : String(value);
  }
  return api.get('journal', params);
}

/** @param {HTMLElement} list @param {Api} api @param {HTMLFormElement} form @param {Page} p */
function showPage(list, api, form, p) {
  if (!p.kept) {
    fill(list, h('p', {}, 'This server keeps no journal. It was started with ', h('code', {}, '--no-journal'), '.'));
    return;
  }
  if (!p.entries.length) {
    fill(list, h('p', {}, 'No entry. Every call of a tool becomes one; decisions of a policy do when the server has one.'));
    return;
  }
  const items = h('ol', { class: 'lines', 'aria-label': 'Entries, the latest first' });
  fill(list, p.dropped ? h('p', { class: 'problem' }, `${p.dropped} entries could not be written.`) : null, items);
  const add = (/** @type {Page} */ part) => {
    const first = part.entries.map(item);
    items.append(...first);
    if (part.next) list.append(more('Older entries', async () => add(await page(api, form, part.next))));
  };
  add(p);
}

/** @param {Entry} e */
function item(e) {
  const good = e.outcome === 'ok' || e.outcome === 'allow';
  const head = h('p', {}, h('span', { class: 'tool' }, e.tool || decision(e)), ' ', badge(e.outcome, good ? 'good' : 'bad'), ' ',
    h('span', { class: 'quiet' }, e.session, ' · ', time(e.at), e.tool ? ` · ${duration(e.ms)}` : ''));
  const detail = described(Object.fromEntries(Object.entries(e.args).filter(([name]) => e.tool || name !== 'kind')));
  return h('li', { class: e.tool ? 'entry' : 'entry decision' }, head, detail ? h('p', { class: 'detail' }, detail) : null);
}

/** @param {Entry} e */
const decision = (e) => `decision${typeof e.args.kind === 'string' ? ` about a ${e.args.kind}` : ''}`;
