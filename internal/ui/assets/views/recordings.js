// Recordings: the list, the steps of one, two side by side, and a replay to step through.

import { count, duration, fill, h } from '../dom.js';
import { compareView } from '../recordings/compare.js';
import { replayPanel } from '../recordings/replay.js';
import { address, badge, json, load, more, time } from '../widgets.js';

/** @typedef {import('../api.js').Api} Api */
/** @typedef {{ id: string, session: string, label?: string, started: string, stopped?: string, steps: number }} Recording */
/** @typedef {{ name: string, extension: string }} Format */
/** @typedef {{ recordings: Recording[], formats: Format[], next?: number }} List */
/** @typedef {{ method: string, url: string, status: number, error?: string, took: number }} Request */
/** @typedef {{ seq: number, tool: string, args: any, at: string, took: number, outcome: string, summary?: string, tab?: string, url?: string, targets?: Record<string, { role?: string, name?: string }>, masked?: string[], screenshot?: string, requests?: Request[], console?: { level: string, text: string }[], verdict?: any, requestsLeft?: number, consoleLeft?: number }} Step */
/** @typedef {{ recording: Recording, steps: Step[], parameters: { name: string, default?: string }[], next?: number }} Steps */

export const title = 'Recordings';

/**
 * @param {HTMLElement} root
 * @param {Api} api
 * @param {string[]} path nothing, an id, or "compare" and two ids
 */
export function show(root, api, [first = '', a = '', b = '']) {
  if (first === 'compare') return compareView(root, api, a, b);
  if (first) return showRecording(root, api, first);
  const list = h('div', {});
  fill(root, h('h1', {}, 'Recordings'), list);
  load(list, () => api.get('recordings'), (/** @type {List} */ l) => showList(list, api, l));
}

/** @param {Recording} r */
export const nameOf = (r) => r.label || r.id;

/** @param {HTMLElement} root @param {Api} api @param {List} l */
function showList(root, api, l) {
  if (!l.recordings.length) {
    fill(root, h('p', {}, 'No recording. A client makes one between ', h('code', {}, 'oc_recording_start'), ' and ', h('code', {}, 'oc_recording_stop'), '.'));
    return;
  }
  const items = h('ul', { class: 'lines' });
  const form = h('form', { 'aria-label': 'Compare' });
  const button = h('button', { type: 'submit', class: 'primary', disabled: true }, 'Compare two');
  const chosen = () => /** @type {HTMLInputElement[]} */ ([...items.querySelectorAll('input:checked')]);
  items.addEventListener('change', () => { button.disabled = chosen().length !== 2; });
  form.addEventListener('submit', (e) => {
    e.preventDefault();
    const [later, earlier] = chosen();
    if (earlier) location.hash = address('recordings', 'compare', earlier.value, later.value);
  });
  form.append(h('p', { class: 'quiet' }, 'Choose two recordings to see them side by side.'), button, items);
  fill(root, form);
  const add = (/** @type {List} */ part) => {
    items.append(...part.recordings.map((r) => h('li', { class: 'recording' }, h('input', { type: 'checkbox', value: r.id, 'aria-label': `Compare ${nameOf(r)} ${r.id}` }),
      h('div', {}, h('p', {}, h('a', { href: address('recordings', r.id) }, nameOf(r)), ' ', r.stopped ? null : badge('not stopped', 'plain')),
        h('p', { class: 'quiet' }, `${count(r.steps, 'step')} · session ${r.session} · `, time(r.started))))));
    if (part.next) root.append(more('Older recordings', async () => add(await api.get('recordings', { offset: String(part.next) }))));
  };
  add(l);
}

/** @param {HTMLElement} root @param {Api} api @param {string} id */
function showRecording(root, api, id) {
  const head = h('div', {});
  const steps = h('div', {});
  /** @type {string[]} */
  const pictures = [];
  /** @type {IntersectionObserver} */
  const seen = new IntersectionObserver((entries) => entries.forEach((e) => { if (e.isIntersecting) showPicture(/** @type {HTMLElement} */ (e.target)); }), { rootMargin: '200px' });
  /** @param {HTMLElement} place */
  async function showPicture(place) {
    seen.unobserve(place);
    try {
      const address = URL.createObjectURL(await api.blob(`recordings/${encodeURIComponent(id)}/picture/${place.dataset.seq}`));
      pictures.push(address);
      fill(place, h('img', { src: address, alt: `The tab after step ${place.dataset.seq}` }));
    } catch (e) {
      fill(place, h('p', { class: 'quiet' }, String(/** @type {Error} */ (e).message)));
    }
  }
  const panel = replayPanel(api, id);
  fill(root, h('p', {}, h('a', { href: address('recordings') }, 'All recordings')), head, panel.root, steps);
  const get = (/** @type {number} */ from) => api.get(`recordings/${encodeURIComponent(id)}`, { from: String(from) });
  load(steps, () => get(0), async (/** @type {Steps} */ first) => {
    const items = h('ol', { class: 'steps', 'aria-label': 'Steps' });
    fill(steps, items, first.steps.length ? null : h('p', {}, 'The recording has no step.'));
    const add = (/** @type {Steps} */ part) => {
      items.append(...part.steps.map((s) => stepItem(s)));
      for (const place of items.querySelectorAll('.shot:empty')) seen.observe(place);
      if (part.next) steps.append(more('More steps', async () => add(await get(/** @type {number} */ (part.next)))));
    };
    add(first);
    panel.setParameters(first.parameters, first.steps.length > 0);
    const { formats } = /** @type {List} */ (await api.get('recordings'));
    showHead(head, api, first.recording, formats);
  });
  return { close: () => { seen.disconnect(); panel.close(); pictures.forEach((p) => URL.revokeObjectURL(p)); } };
}

/** @param {HTMLElement} root @param {Api} api @param {Recording} r @param {Format[]} formats */
function showHead(root, api, r, formats) {
  const problem = h('p', { role: 'alert', class: 'problem' });
  const download = async (/** @type {Format} */ format) => {
    problem.textContent = '';
    try {
      const file = URL.createObjectURL(await api.blob(`recordings/${encodeURIComponent(r.id)}/file/${format.name}`));
      h('a', { href: file, download: r.id + format.extension }).click();
      setTimeout(() => URL.revokeObjectURL(file), 60000);
    } catch (e) {
      problem.textContent = String(/** @type {Error} */ (e).message);
    }
  };
  fill(root, h('h1', {}, nameOf(r)), h('p', { class: 'quiet' }, `${r.id} · ${count(r.steps, 'step')} · session ${r.session} · `, time(r.started), r.stopped ? '' : ' · not stopped'),
    h('div', { class: 'tools', role: 'group', 'aria-label': 'Download' }, ...formats.map((f) => h('button', { type: 'button', onclick: () => download(f) }, `Download ${f.name}`))), problem);
}

/** @param {Step} s */
function stepItem(s) {
  const verdict = s.verdict?.verdict;
  const elements = Object.values(s.targets ?? {}).map((t) => `${t.role ?? ''} ${t.name ? `“${t.name}”` : ''}`.trim());
  const failed = (s.requests ?? []).filter((q) => q.error || q.status >= 400).length;
  const head = h('p', {}, h('span', { class: 'quiet' }, `${s.seq}. `), h('span', { class: 'tool' }, s.tool), ' ', badge(s.outcome, s.outcome === 'ok' ? 'good' : 'bad'), ' ',
    verdict ? badge(verdict, verdict === 'pass' ? 'good' : 'bad') : null, h('span', { class: 'quiet' }, ` ${[...elements, duration(Math.round(s.took / 1e6)), s.tab ?? ''].filter(Boolean).join(' · ')}`));
  const detail = h('details', {}, h('summary', {}, 'Arguments and answer'), json(s.args), s.masked?.length ? h('p', { class: 'quiet' }, `Not recorded: ${s.masked.join(', ')}`) : null,
    s.summary ? h('p', { class: 'detail' }, s.summary) : null,
    s.requests?.length ? h('ul', { 'aria-label': 'Requests' }, ...s.requests.map((q) => h('li', { class: 'detail' }, `${q.method} ${q.url} ${q.error || q.status} ${Math.round(q.took)} ms`))) : null,
    s.console?.length ? h('ul', { 'aria-label': 'Console' }, ...s.console.map((m) => h('li', { class: 'detail' }, `${m.level}: ${m.text}`))) : null,
    s.requestsLeft || s.consoleLeft ? h('p', { class: 'quiet' }, `Left out: ${s.requestsLeft ?? 0} requests, ${s.consoleLeft ?? 0} messages`) : null);
  return h('li', {}, head, s.url ? h('p', { class: 'address' }, s.url) : null, failed ? h('p', { class: 'problem' }, `${count(failed, 'request')} failed`) : null, detail,
    s.screenshot ? h('div', { class: 'shot', 'data-seq': s.seq }) : null);
}
