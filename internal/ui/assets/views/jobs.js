// Jobs: work that outlives a call, such as a crawl.

import { count, duration, fill, h } from '../dom.js';
import { address, badge, load, more, time } from '../widgets.js';

/** @typedef {import('../api.js').Api} Api */
/** @typedef {{ id: string, kind: string, title: string, hands: number, state: string, note?: string, created: string, finished?: string, total: number, done: number, failed: number }} Job */
/** @typedef {{ id: string, host: string, pid: number, slots: number, since: string }} Worker */
/** @typedef {Job & { outcomes: Record<string, number>, depth: number, traps?: { pattern: string, pages: number, dropped: number }[] }} Report */
/** @typedef {{ seq: number, url: string, outcome: string, status?: number, title?: string, error?: string, depth: number, ms: number }} Line */
/** @typedef {{ jobs: Job[], workers: Worker[], next?: number }} List */
/** @typedef {{ lines: Line[], next?: number }} Lines */

export const title = 'Jobs';

const REFRESH = 2000; // ms between two looks at what runs

/**
 * @param {HTMLElement} root
 * @param {Api} api
 * @param {string[]} path the id of a job
 */
export function show(root, api, [id = '']) {
  const view = new (id ? JobDetail : JobList)(root, api, id);
  const timer = setInterval(() => { if (!document.hidden && view.runs) view.refresh(); }, REFRESH);
  view.refresh();
  return { close: () => clearInterval(timer) };
}

class JobList {
  /** @param {HTMLElement} root @param {Api} api */
  constructor(root, api) {
    this.api = api;
    this.runs = false;
    this.list = h('div', {});
    fill(root, h('h1', {}, 'Jobs'), this.list);
  }

  refresh() {
    return load(this.list, () => this.api.get('jobs'), (/** @type {List} */ l) => this.show(l));
  }

  /** @param {List} l */
  show(l) {
    this.runs = l.jobs.some((j) => j.state === 'running');
    if (!l.jobs.length) {
      fill(this.list, h('p', {}, 'No job. A client begins one by ', h('code', {}, 'crawl'), '; it goes on when the call has ended.'));
      return;
    }
    const items = h('ul', { class: 'lines' });
    const add = (/** @type {List} */ part) => {
      items.append(...part.jobs.map((j) => h('li', {}, h('p', {}, h('a', { href: address('jobs', j.id) }, j.title || j.id), ' ', stateBadge(j)), progress(j))));
      if (part.next) this.list.append(more('Older jobs', async () => { this.runs = false; add(await this.api.get('jobs', { offset: String(part.next) })); }));
    };
    fill(this.list, h('p', { class: 'quiet' }, l.workers.length
      ? `${count(l.workers.length, 'process')} at work: ${l.workers.map((w) => `${w.host} ${w.pid}`).join(', ')}`.replace('processs', 'processes') : 'No process works on jobs now.'), items);
    add(l);
  }
}

/** @param {Job} j */
const stateBadge = (j) => badge(j.state, j.state === 'done' ? 'good' : j.state === 'failed' ? 'bad' : 'plain');

/** @param {Job} j */
function progress(j) {
  const bar = h('progress', { max: Math.max(1, j.total), value: j.done, 'aria-label': `Progress of ${j.title || j.id}` });
  const took = j.finished ? ` in ${duration(new Date(j.finished).getTime() - new Date(j.created).getTime())}` : '';
  return h('div', { class: 'progress' }, bar, h('p', { class: 'quiet' }, `${j.done} of ${count(j.total, 'step')}${took}${j.failed ? `, ${j.failed} failed` : ''} · `, time(j.created)),
    j.note ? h('p', { class: 'problem' }, j.note) : null);
}

class JobDetail {
  /** @param {HTMLElement} root @param {Api} api @param {string} id */
  constructor(root, api, id) {
    this.api = api;
    this.id = id;
    this.runs = true;
    this.heading = h('h1', {}, 'Job');
    this.detail = h('div', {});
    this.lines = h('div', {});
    this.failed = h('input', { type: 'checkbox', id: 'failed', onchange: () => this.readLines() });
    this.results = h('section', { 'aria-labelledby': 'results', hidden: true }, h('h2', { id: 'results' }, 'Results'),
      h('div', { class: 'choice' }, this.failed, h('label', { for: 'failed' }, 'Only what failed or was forbidden')), this.lines);
    fill(root, h('p', {}, h('a', { href: address('jobs') }, 'All jobs')), this.heading, this.detail, this.results);
    this.readLines();
  }

  refresh() {
    return load(this.detail, () => this.api.get(`jobs/${encodeURIComponent(this.id)}`), (/** @type {Report} */ r) => this.show(r));
  }

  /** @param {Report} r */
  show(r) {
    const ended = this.runs && r.state !== 'running';
    this.runs = r.state === 'running';
    if (ended) this.readLines();
    this.heading.textContent = r.title || r.id;
    this.results.hidden = r.kind !== 'crawl';
    const focused = this.detail.contains(document.activeElement);
    const cancel = this.runs ? h('button', { type: 'button', onclick: () => this.cancel() }, 'Cancel the job') : null;
    fill(this.detail, h('p', {}, `${r.kind} `, stateBadge(r), ` ${r.id}`), progress(r),
      h('ul', { class: 'figures' }, ...Object.entries(r.outcomes).map(([what, n]) => h('li', {}, `${what}: ${n}`)), r.depth ? h('li', {}, `depth: ${r.depth}`) : null),
      r.traps?.length ? h('p', {}, `Patterns with too many pages: ${r.traps.map((t) => `${t.pattern} (${t.dropped} left out)`).join(', ')}`) : null, cancel ? h('p', {}, cancel) : null);
    if (focused && cancel) cancel.focus();
  }

  async cancel() {
    await load(this.detail, () => this.api.post(`jobs/${encodeURIComponent(this.id)}/cancel`, {}), () => {});
    this.api.announce('The job is cancelled.');
    await this.refresh();
  }

  readLines() {
    const failed = this.failed.checked ? 'true' : undefined;
    const get = (/** @type {number} */ after) => this.api.get(`jobs/${encodeURIComponent(this.id)}/lines`, { after: String(after), failed });
    return load(this.lines, () => get(0), (/** @type {Lines} */ first) => {
      const items = h('ol', { class: 'lines', 'aria-label': 'Results' });
      fill(this.lines, items, first.lines.length || first.next ? null : h('p', { class: 'quiet' }, failed ? 'Nothing failed.' : 'No result yet.'));
      const add = (/** @type {Lines} */ part) => {
        items.append(...part.lines.map(line));
        if (part.next) this.lines.append(more('More results', async () => add(await get(/** @type {number} */ (part.next)))));
      };
      add(first);
    });
  }
}

/** @param {Line} l */
function line(l) {
  const bad = l.outcome === 'failed' || l.outcome === 'robots';
  return h('li', {}, h('p', {}, badge(l.outcome, bad ? 'bad' : l.outcome === 'ok' ? 'good' : 'plain'), ' ', h('span', { class: 'address' }, l.url)),
    h('p', { class: 'quiet' }, [l.title, l.status ? `status ${l.status}` : '', `depth ${l.depth}`, duration(l.ms)].filter(Boolean).join(' · ')), l.error ? h('p', { class: 'problem' }, l.error) : null);
}
