// The surface: which tool is listed in which state, under any flags. The server computes it.

import { count, fill, h } from '../dom.js';
import { check, field, json, load, select } from '../widgets.js';

/** @typedef {import('../api.js').Api} Api */
/** @typedef {{ tool?: string, event?: string }} Step */
/** @typedef {{ name: string, facts: string[], requires?: string, path: Step[], blocked?: boolean, listed: number, bytes: number }} State */
/** @typedef {{ listed: boolean, cause?: string, reason?: string, path?: Step[] }} Cell */
/** @typedef {{ name: string, area: string, capability: string, tier: number, requires?: string, listing?: string, surfaces?: string[], bytes: number, cells: Cell[] }} Tool */
/** @typedef {{ scopes: string[], profiles: string[], capabilities: { name: string, title?: string, optIn?: boolean }[], surfaces: string[], facts: string[], tools: string[] }} Choices */
/** @typedef {{ scope: string, static: boolean, states: State[], tools: Tool[], deferred: { name: string, record: any }[], choices: Choices }} Report */
/** @typedef {Record<string, string[]>} Options */

export const title = 'Surface';

/**
 * @param {HTMLElement} root
 * @param {Api} api
 */
export function show(root, api) {
  const view = new Surface(root, api);
  load(view.result, async () => [await api.get('surface/options'), await api.get('surface')], ([own, plain]) => view.begin(own, plain));
}

class Surface {
  /** @param {HTMLElement} root @param {Api} api */
  constructor(root, api) {
    this.api = api;
    /** @type {Options} */
    this.own = {};
    this.form = h('form', { class: 'flags', 'aria-label': 'Flags to try' });
    this.command = h('code', { class: 'command' });
    this.problem = h('p', { role: 'alert', class: 'problem' });
    this.result = h('div', { class: 'result' });
    const file = h('input', { id: 'report', type: 'file', accept: 'application/json', onchange: () => this.open(file) });
    fill(root, h('h1', {}, 'Surface'), h('details', {}, h('summary', {}, 'Flags to try'), this.form), h('p', {}, this.command), this.problem, this.result,
      h('details', {}, h('summary', {}, 'Another registry'),
        h('p', {}, 'Any program of toolgen prints its states: ', h('code', {}, 'PROGRAM tools --states > report.json'), '.'), field('Its report', file)));
    this.form.addEventListener('submit', (e) => { e.preventDefault(); this.read(); });
    this.form.addEventListener('change', () => this.read());
  }

  /** begin shows the form with the options of the server. @param {Options} own @param {Report} plain */
  begin(own, plain) {
    this.own = own;
    this.choices = plain.choices;
    this.setOptions(own);
  }

  /** @param {Options} o */
  setOptions(o) {
    const c = /** @type {Choices} */ (this.choices);
    const has = (/** @type {string} */ name, /** @type {string} */ value) => (o[name] ?? []).includes(value);
    const group = (/** @type {string} */ legend, /** @type {string} */ name, /** @type {[string, string][]} */ values) => values.length
      ? h('fieldset', {}, h('legend', {}, legend), ...values.map(([v, text]) => check(`${name}-${v}`, text, name, v, has(name, v)))) : null;
    const names = (/** @type {string} */ label, /** @type {string} */ name) => field(label, h('input', { id: name, name, type: 'text', list: 'tool-names', autocomplete: 'off', value: (o[name] ?? []).join(', ') }));
    const capabilities = /** @type {[string, string][]} */ (c.capabilities.map((k) => [k.name, k.name]));
    fill(this.form,
      h('div', { class: 'filters' }, field('Scope', select('scope', c.scopes.map((s) => [s, s]), o.scope?.[0])),
        c.profiles.length ? field('Profile', select('profile', [['', 'none'], .../** @type {[string, string][]} */ (c.profiles.map((p) => [p, p]))], o.profile?.[0])) : null,
        field('Visibility', select('visibility', [['', 'core: states add to the list'], ['follow', 'follow: the list follows the state'], ['static', 'static: the list never changes']], o.visibility?.[0])),
        names('--tools', 'tools'), names('--exclude-tools', 'exclude-tools'), h('datalist', { id: 'tool-names' }, ...c.tools.map((t) => h('option', { value: t })))),
      h('fieldset', {}, h('legend', {}, 'Switches'), ...['all-tools', 'read-only', 'slim', 'output-schemas'].map((name) => check(name, `--${name}`, name, 'true', has(name, 'true')))),
      group('--tools-only', 'tools-only', capabilities), group('--disable-tools', 'disable-tools', capabilities),
      group('Capabilities that are off without their flag', 'opt-in', c.capabilities.filter((k) => k.optIn).map((k) => [k.name, `--${k.name}`])),
      group('A state to add: its facts', 'facts', c.facts.map((f) => [f, f])),
      group('--disable-surfaces', 'disable-surfaces', c.surfaces.map((s) => [s, s])),
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => this.setOptions(this.own) }, 'As the server runs'), h('button', { type: 'button', onclick: () => this.setOptions({}) }, 'No flags')));
    this.read();
  }

  /** options reads the form. @returns {Options} */
  options() {
    /** @type {Options} */
    const out = {};
    for (const [name, value] of new FormData(this.form)) {
      const listed = name === 'tools' || name === 'exclude-tools' ? String(value).split(/[\s,]+/) : [String(value)];
      for (const v of listed) if (v) (out[name] ??= []).push(v);
    }
    if (out.scope?.[0] === this.choices?.scopes[0]) delete out.scope;
    return out;
  }

  async read() {
    const options = this.options();
    this.command.textContent = commandLine(options);
    const at = (this.reads = (this.reads ?? 0) + 1);
    try {
      /** @type {Report} */
      const report = await this.api.get('surface', options);
      if (at !== this.reads) return; // a later choice is on its way
      this.problem.textContent = '';
      this.show(report);
    } catch (e) {
      if (at === this.reads) this.problem.textContent = String(/** @type {Error} */ (e).message);
    }
  }

  /** open shows the report of another registry. @param {HTMLInputElement} file */
  async open(file) {
    const chosen = file.files?.[0];
    if (!chosen) return;
    try {
      const report = JSON.parse(await chosen.text());
      if (!Array.isArray(report.states) || !Array.isArray(report.tools)) throw new Error('no states');
      this.command.textContent = chosen.name;
      this.problem.textContent = '';
      this.show(report);
    } catch {
      this.problem.textContent = `${chosen.name} is no report of tools --states.`;
    }
  }

  /** @param {Report} r */
  show(r) {
    const opened = [...this.result.querySelectorAll('details[open] > summary, button[aria-expanded="true"]')].map((el) => el.id);
    fill(this.result, h('h2', {}, 'States'), states(r), h('h2', {}, 'Tools'), new Matrix(r).root, deferred(r));
    for (const id of opened) if (id) document.getElementById(id)?.click();
    this.api.announce(`${count(r.tools.length, 'tool')}, ${count(r.states.length, 'state')}`);
  }
}

/** @param {Options} o */
function commandLine(o) {
  const words = Object.entries(o).filter(([name]) => name !== 'facts').flatMap(([name, values]) => {
    if (name === 'opt-in') return values.map((v) => `--${v}`);
    return values[0] === 'true' ? [`--${name}`] : [`--${name} ${values.join(',')}`];
  });
  return words.length ? words.join(' ') : 'no flags';
}

/** @param {State} s @param {number} i */
const stateName = (s, i) => s.name || s.facts.join(' + ') || `state ${i}`;

/**
 * route draws a path from the left to the right.
 * @param {string} from
 * @param {Step[]} path
 * @param {string} to
 */
function route(from, path, to) {
  return h('ol', { class: 'route' }, h('li', { class: 'end' }, from),
    ...path.map((s) => h('li', { class: s.tool ? 'step' : 'step event' }, s.tool ? `call ${s.tool}` : `wait for ${s.event}`)), h('li', { class: 'end' }, to));
}

/** @param {State} s */
function pathTo(s) {
  if (!s.path.length) return s.facts.length ? 'no tool needs these facts' : 'sessions begin here';
  return h('div', {}, route('start', s.path, s.requires ?? ''), s.blocked ? h('p', { class: 'problem' }, 'A tool on this path is excluded by these flags.') : null);
}

/** states lists what is listed in each state, and how a session gets there. @param {Report} r */
function states(r) {
  const widest = Math.max(1, ...r.states.map((s) => s.bytes));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'States' }, h('table', { class: 'states' },
    h('thead', {}, h('tr', {}, ...['State', 'Facts', 'Listed', 'Bytes', 'Shortest path'].map((t) => h('th', { scope: 'col' }, t)))),
    h('tbody', {}, ...r.states.map((s, i) => h('tr', {}, h('th', { scope: 'row' }, stateName(s, i)), h('td', {}, s.facts.join(', ') || 'none'), h('td', { class: 'number' }, String(s.listed)),
      h('td', { class: 'number' }, s.bytes.toLocaleString('en'), h('meter', { min: 0, max: widest, value: s.bytes, 'aria-label': `Bytes of ${stateName(s, i)}` })),
      h('td', {}, pathTo(s)))))));
}

/** The sign of each cause, for eyes, and its words, for ears. @type {Record<string, [string, string]>} */
const SIGNS = {
  listed: ['●', 'listed'], tier: ['○', 'hidden until it is revealed'], facts: ['–', 'hidden by facts'], condition: ['◌', 'not in this list'], flag: ['×', 'excluded by a flag'],
};

/** @param {Cell} c */
const signOf = (c) => (c.listed && !c.cause ? 'listed' : c.cause === 'listed' ? 'condition' : c.cause ?? 'listed');

/** Matrix is the table of tools and states. */
class Matrix {
  /** @param {Report} r */
  constructor(r) {
    this.report = r;
    this.body = h('tbody', {});
    this.total = h('p', { class: 'quiet' });
    this.filter = h('input', { id: 'matrix-filter', type: 'text', autocomplete: 'off', oninput: () => this.fillRows() });
    this.only = select('matrix-only', [['', 'all tools'], ['listed', 'listed somewhere'], ['tier', 'hidden until revealed'], ['facts', 'hidden by facts'], ['flag', 'excluded by a flag']]);
    this.only.addEventListener('change', () => this.fillRows());
    this.root = h('div', { class: 'matrix' }, h('div', { class: 'filters' }, field('Name or capability', this.filter), field('Show', this.only)),
      h('ul', { class: 'legend', 'aria-label': 'Signs' }, ...Object.entries(SIGNS).map(([name, [sign, words]]) => h('li', {}, h('span', { class: `sign ${name}`, 'aria-hidden': 'true' }, sign), ` ${words}`))), this.total,
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Tools in each state' }, h('table', {},
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Tool'), h('th', { scope: 'col' }, 'Tier'), h('th', { scope: 'col' }, 'Bytes'), ...r.states.map((s, i) => h('th', { scope: 'col', class: 'state' }, stateName(s, i))))), this.body)));
    this.fillRows();
  }

  fillRows() {
    const words = this.filter.value.trim().toLowerCase();
    const only = this.only.value;
    const shown = this.report.tools.filter((t) => (!words || `${t.name} ${t.capability}`.toLowerCase().includes(words)) && (!only || t.cells.some((c) => signOf(c) === only)));
    this.total.textContent = `${shown.length} of ${count(this.report.tools.length, 'tool')}`;
    fill(this.body, ...shown.map((t) => this.row(t)));
  }

  /** @param {Tool} t */
  row(t) {
    const button = h('button', { type: 'button', id: `tool-${t.name}`, class: 'name', 'aria-expanded': 'false' }, t.name);
    const row = h('tr', {}, h('th', { scope: 'row' }, button), h('td', { class: 'number' }, String(t.tier)), h('td', { class: 'number' }, t.bytes.toLocaleString('en')), ...t.cells.map((c) => {
      const [sign, text] = SIGNS[signOf(c)];
      return h('td', { class: `sign ${signOf(c)}`, title: c.reason ?? text }, h('span', { 'aria-hidden': 'true' }, sign), h('span', { class: 'unseen' }, text));
    }));
    /** @type {HTMLElement | null} */
    let detail = null;
    button.addEventListener('click', () => {
      button.setAttribute('aria-expanded', String(!detail));
      if (detail) detail.remove();
      else row.after(detail = this.detail(t));
      detail = detail?.isConnected ? detail : null;
    });
    return row;
  }

  /** detail says in which states the tool is listed, and why not in the others. @param {Tool} t */
  detail(t) {
    const states = this.report.states;
    /** @type {Map<string, { cell: Cell, names: string[], from: string }>} */
    const groups = new Map();
    t.cells.forEach((cell, i) => {
      const key = JSON.stringify([signOf(cell), cell.reason, cell.path]);
      const name = stateName(states[i], i);
      const group = groups.get(key) ?? { cell, names: [], from: name };
      group.names.push(name);
      groups.set(key, group);
    });
    const facts = [`capability ${t.capability}`, t.requires ? `visible when ${t.requires}` : 'always visible', t.listing ? `listed when ${t.listing}` : '', t.surfaces?.length ? `policy surfaces ${t.surfaces.join(', ')}` : ''];
    return h('tr', { class: 'detail' }, h('td', { colspan: states.length + 3 }, h('div', { class: 'why' }, h('p', { class: 'quiet' }, facts.filter(Boolean).join(' · ')), h('dl', {}, ...[...groups.values()].flatMap((g) => [
      h('dt', {}, g.names.join(', ')), h('dd', {}, g.cell.listed ? `listed${g.cell.reason ? `, but a call is refused: it ${g.cell.reason}` : ''}` : g.cell.reason ?? ''),
      g.cell.path?.length ? h('dd', {}, route(g.names.length > 1 ? 'each of these' : g.from, g.cell.path, `${t.name} can be called`)) : null])))));
  }
}

/** @param {Report} r */
function deferred(r) {
  if (!r.deferred.length) return null;
  return h('details', {}, h('summary', { id: 'deferred' }, `${count(r.deferred.length, 'tool')} that are deliberately not there`),
    h('p', {}, 'No flag shows them. A call is answered with this record.'), h('dl', {}, ...r.deferred.flatMap((d) => [h('dt', {}, d.name), h('dd', {}, json(d.record))])));
}
