// A replay that a person steps through: in a session of its own, which the live view shows.

import { duration, fill, h, text } from '../dom.js';
import { address, badge, field } from '../widgets.js';

/** @typedef {import('../api.js').Api} Api */
/** @typedef {{ seq: number, tool: string, tab?: string, outcome: string, ms: number, notes?: string[], try?: number, branch?: number }} Played */
/** @typedef {{ step: number, tool: string, kind: string, expected: string, found: string, reason: string, near?: string[] }} Drift */
/** @typedef {{ status: string, played: number, total: number, ms: number, drift?: Drift, contract?: string }} Report */
/** @typedef {{ version: number, recording: string, session: string, phase: 'idle' | 'waiting' | 'playing' | 'ended', done: number, total: number, next?: string, steps: Played[], report?: Report, error?: string }} State */
/** @typedef {{ name: string, default?: string }} Parameter */

/**
 * replayPanel shows the replay of a recording, with its buttons.
 * @param {Api} api
 * @param {string} id
 */
export function replayPanel(api, id) {
  const panel = new Panel(api, id);
  return {
    root: panel.root, close: api.stream('replay/events', {}, { replay: (/** @type {State} */ s) => panel.show(s) }),
    setParameters: (/** @type {Parameter[]} */ p, /** @type {boolean} */ any) => panel.setParameters(p, any),
  };
}

class Panel {
  /** @param {Api} api @param {string} id */
  constructor(api, id) {
    this.api = api;
    this.id = id;
    this.parameters = h('div', { class: 'filters' });
    this.start = h('button', { type: 'submit', class: 'primary', disabled: true }, 'Start a replay');
    this.form = h('form', {}, this.parameters, this.start);
    this.next = this.button('Next step', 'next');
    this.run = this.button('Run to the end', 'run');
    this.stop = this.button('Stop', 'stop');
    this.status = h('p', { role: 'status' });
    this.problem = h('p', { role: 'alert', class: 'problem' });
    this.watch = h('p', {});
    this.steps = h('ol', { class: 'lines', 'aria-label': 'Played steps' });
    this.form.addEventListener('submit', (e) => {
      e.preventDefault();
      this.send('start', { recording: this.id, params: Object.fromEntries(new FormData(this.form)) });
    });
    this.root = h('details', { class: 'replay' }, h('summary', {}, 'Replay step by step'),
      h('p', { class: 'quiet' }, 'The steps are played in a session of their own, with a new tab. The policy of the server holds for them.'), this.form,
      h('div', { class: 'buttons' }, this.next, this.run, this.stop), this.status, this.watch, this.problem, this.steps);
  }

  /** @param {string} label @param {string} what */
  button(label, what) {
    return h('button', { type: 'button', disabled: true, onclick: () => this.send(what, {}) }, label);
  }

  /** @param {string} what @param {unknown} body */
  async send(what, body) {
    this.problem.textContent = '';
    try {
      this.show(await this.api.post(`replay/${what}`, body));
    } catch (e) {
      this.problem.textContent = String(/** @type {Error} */ (e).message);
    }
  }

  /** @param {Parameter[]} parameters @param {boolean} any whether there are steps */
  setParameters(parameters, any) {
    this.any = any;
    fill(this.parameters, ...parameters.map((p) => field(p.name, h('input', {
      id: `parameter-${p.name}`, name: p.name, type: p.default === undefined ? 'password' : 'text', value: p.default, required: p.default === undefined, autocomplete: 'off',
    }))));
    if (this.state) this.show(this.state);
  }

  /** @param {State} s */
  show(s) {
    if (this.state && s.version < this.state.version) return; // an answer may come after later events
    this.state = s;
    const goesOn = s.phase === 'waiting' || s.phase === 'playing';
    const own = s.recording === this.id;
    this.start.disabled = goesOn || !this.any;
    const focused = document.activeElement;
    this.next.disabled = !own || s.phase !== 'waiting';
    this.run.disabled = !own || !goesOn;
    this.stop.disabled = !own || !(goesOn || s.session);
    if (own && goesOn) /** @type {HTMLDetailsElement} */ (this.root).open = true;
    if (focused instanceof HTMLButtonElement && focused.disabled && this.root.contains(focused) && !this.stop.disabled) this.stop.focus();
    text(this.status, own ? statusOf(s) : goesOn ? 'Another recording is being replayed.' : '');
    fill(this.watch, own && s.session ? h('a', { href: address('live', s.session) }, 'Watch it live') : null);
    fill(this.steps, ...(own ? s.steps : []).map(playedItem));
  }
}

/** @param {State} s */
function statusOf(s) {
  const at = `${s.done} of ${s.total} steps`;
  if (s.phase === 'waiting') return `${at}. Next is ${s.next}.`;
  if (s.phase === 'playing') return `${at}. ${s.next ? `${s.next} is played.` : ''}`;
  if (s.phase !== 'ended') return '';
  if (!s.report) return `Ended: ${s.error}.`;
  const { status, played, total, ms, drift, contract } = s.report;
  const found = drift ? ` Step ${drift.step} (${drift.tool}): expected ${drift.expected}, found ${drift.found}: ${drift.reason}.${drift.near?.length ? ` Near are ${drift.near.join(', ')}.` : ''}` : '';
  return `${status}: ${played} of ${total} steps in ${duration(ms)}.${contract ? ` Contract: ${contract}.` : ''}${found}`;
}

/** @param {Played} p */
function playedItem(p) {
  const kind = p.outcome === 'ok' ? 'good' : p.outcome === 'skipped' ? 'plain' : 'bad';
  return h('li', {}, h('p', {}, h('span', { class: 'quiet' }, `${p.seq}. `), h('span', { class: 'tool' }, p.tool), ' ', badge(p.outcome, kind), ' ',
    h('span', { class: 'quiet' }, [duration(p.ms), p.try ? `try ${p.try}` : '', p.branch ? `error branch of step ${p.branch}` : ''].filter(Boolean).join(' · '))), ...(p.notes ?? []).map((n) => h('p', { class: 'detail' }, n)));
}
