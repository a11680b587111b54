// Two recordings side by side: steps that are the same, that changed, and that only one has.

import { count, duration, fill, h } from '../dom.js';
import { nameOf } from '../views/recordings.js';
import { address, badge, json, load } from '../widgets.js';

/** @typedef {import('../api.js').Api} Api */
/** @typedef {import('../views/recordings.js').Recording} Recording */
/** @typedef {{ seq: number, tool: string, args: any, elements?: Record<string, string>, outcome: string, verdict?: string, url?: string, tab?: string, ms: number, picture?: boolean }} Side */
/** @typedef {{ kind: 'same' | 'changed' | 'onlyA' | 'onlyB', differences?: string[], a?: Side, b?: Side }} Row */
/** @typedef {{ a: Recording, b: Recording, rows: Row[], same: number, clipped?: boolean }} Comparison */

/** @type {Record<string, string>} */
const KINDS = { same: 'same', changed: 'changed', onlyA: 'only in A', onlyB: 'only in B' };

/**
 * compareView shows two recordings.
 * @param {HTMLElement} root
 * @param {Api} api
 * @param {string} a
 * @param {string} b
 */
export function compareView(root, api, a, b) {
  const result = h('div', {});
  fill(root, h('p', {}, h('a', { href: address('recordings') }, 'All recordings')), h('h1', {}, 'Two recordings'), result);
  load(result, () => api.get('comparison', { a, b }), (/** @type {Comparison} */ c) => showComparison(result, c, api));
}

/** @param {HTMLElement} root @param {Comparison} c @param {Api} api */
function showComparison(root, c, api) {
  const changedOnly = h('input', { type: 'checkbox', id: 'changed-only' });
  const rows = h('ol', { class: 'pairs', 'aria-label': 'Steps of A and B' });
  const showRows = () => fill(rows, ...c.rows.filter((r) => !changedOnly.checked || r.kind !== 'same').map((r) => rowItem(r, c, api)));
  changedOnly.addEventListener('change', showRows);
  const tally = Object.keys(KINDS).map((k) => [k, c.rows.filter((r) => r.kind === k).length]);
  fill(root, h('div', { class: 'sides' }, head('A', c.a, sum(c, 'a')), head('B', c.b, sum(c, 'b'))),
    h('p', { class: 'tally' }, tally.map(([k, n]) => `${n} ${KINDS[k]}`).join(', ')), c.clipped ? h('p', { class: 'problem' }, 'Only the first steps are compared: the recordings are too long.') : null,
    h('div', { class: 'choice' }, changedOnly, h('label', { for: 'changed-only' }, 'Only differences')), rows);
  showRows();
}

/** @param {Comparison} c @param {'a' | 'b'} side */
const sum = (c, side) => c.rows.reduce((n, r) => n + (r[side]?.ms ?? 0), 0);

/** @param {string} letter @param {Recording} r @param {number} ms */
function head(letter, r, ms) {
  return h('div', {}, h('h2', {}, `${letter}: `, h('a', { href: address('recordings', r.id) }, nameOf(r))), h('p', { class: 'quiet' }, `${r.id} · ${count(r.steps, 'step')} · ${duration(ms)} in calls`));
}

/** @param {Row} r @param {Comparison} c @param {Api} api */
function rowItem(r, c, api) {
  const changes = r.differences?.length ? `: ${r.differences.join(', ')}` : '';
  return h('li', { class: r.kind }, h('p', {}, badge(KINDS[r.kind] + changes, r.kind === 'same' ? 'good' : r.kind === 'changed' ? 'bad' : 'plain'), times(r)),
    h('div', { class: 'sides' }, side('A', r.a, r, c.a, api), side('B', r.b, r, c.b, api)));
}

/** @param {Row} r */
function times(r) {
  if (!r.a || !r.b) return null;
  const by = r.b.ms - r.a.ms;
  return h('span', { class: 'quiet' }, ` ${duration(r.a.ms)} → ${duration(r.b.ms)}${by ? ` (${by > 0 ? '+' : '−'}${duration(Math.abs(by))})` : ''}`);
}

/** @param {string} letter @param {Side | undefined} s @param {Row} r @param {Recording} recording @param {Api} api */
function side(letter, s, r, recording, api) {
  if (!s) return h('div', { class: 'absent' }, h('p', { class: 'quiet' }, `not in ${letter}`));
  const differs = (/** @type {string} */ what) => r.differences?.includes(what);
  const facts = h('dl', {});
  const add = (/** @type {string} */ what, /** @type {string} */ label, /** @type {string | undefined} */ value) => {
    if (value) facts.append(h('dt', {}, label), h('dd', { class: differs(what) ? 'differs' : '' }, value));
  };
  if (differs('element')) add('element', 'Element', Object.values(s.elements ?? {}).join(', '));
  if (r.kind !== 'same') add('outcome', 'Outcome', s.outcome);
  add('verdict', 'Verdict', s.verdict);
  if (differs('address')) add('address', 'Address after', s.url);
  if (differs('tab')) add('tab', 'Tab', s.tab);
  const place = h('div', { class: 'shot' });
  const picture = s.picture ? h('button', { type: 'button', 'aria-label': `Picture of step ${s.seq} of ${letter}`, onclick: async () => {
    const { width } = place.getBoundingClientRect();
    try {
      const url = URL.createObjectURL(await api.blob(`recordings/${encodeURIComponent(recording.id)}/picture/${s.seq}`));
      fill(place, h('img', { src: url, width: Math.round(width), alt: `The tab after step ${s.seq} of ${letter}`, onload: () => URL.revokeObjectURL(url) }));
    } catch (e) {
      fill(place, h('p', { class: 'problem' }, String(/** @type {Error} */ (e).message)));
    }
  } }, 'Picture') : null;
  return h('div', {}, h('p', {}, h('span', { class: 'quiet' }, `${letter} ${s.seq}. `), h('span', { class: 'tool' }, s.tool)), facts,
    h('details', { open: differs('arguments') ?? false }, h('summary', {}, 'Arguments'), json(s.args)), picture, place);
}
