// Taking over: the person's mouse, keyboard and touch reach the page through its picture, until the
// session is handed back. A place can be marked for the agent without taking over.

import { fill, h, text } from './dom.js';
import { Surface } from './surface.js';

/** @typedef {import('./api.js').Api} Api */
/** @typedef {import('./surface.js').InputEvent} InputEvent */
/** @typedef {import('./surface.js').Area} Area */
/** @typedef {{ tab: string, kind: string, message: string, default: string }} Dialog */
/** @typedef {{ held: boolean, mine: boolean, since: string, waiting: number, untold: number, ended: string, dialogs: Dialog[] | null }} State */
/** @typedef {{ screen: HTMLElement, frame: { width: number, height: number, top: number } | null }} Picture */

const PERSON = 'callsheet-person';
const MOST_EVENTS = 100;

/** personName is the name of this page, which stays when it is loaded again. */
function personName() {
  let name = sessionStorage.getItem(PERSON);
  if (!name) {
    name = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
    sessionStorage.setItem(PERSON, name);
  }
  return name;
}

/** TakeOver shows its bar above the picture of a tab, and what a person enters below it. */
export class TakeOver {
  /** @param {Api} api @param {Picture} picture */
  constructor(api, picture) {
    this.api = api;
    this.person = personName();
    this.session = this.tab = '';
    /** @type {State | null} */
    this.state = null;
    /** @type {InputEvent[]} */
    this.queue = [];
    this.sending = false;
    this.shownDialogs = '';
    this.surface = new Surface(picture, {
      input: (events) => this.send(events),
      marked: (area) => this.showMarkForm(area),
      leave: () => (this.marking ? this.markButton : this.note).focus(),
    });
    this.marking = false;
    this.problem = h('p', { role: 'alert', class: 'problem' });
    this.status = h('p', { class: 'quiet control-state' });
    this.takeButton = h('button', { type: 'button', class: 'take', onclick: () => this.take() }, 'Take over');
    this.markButton = h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.setMarking(!this.marking) }, 'Mark a place');
    this.note = h('input', { id: 'control-note', type: 'text', maxlength: 2000, autocomplete: 'off' });
    this.typed = h('input', { id: 'control-text', type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
    this.surface.forwardTextOf(this.typed);
    this.form = h('form', { class: 'hand-back', hidden: true, onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); this.handBack(); } },
      h('label', { for: 'control-note' }, 'Note for the agent'), this.note, h('button', { type: 'submit', class: 'primary' }, 'Hand back'));
    this.typing = h('div', { class: 'hand-back', hidden: true }, h('label', { for: 'control-text' }, 'Text for the page, from an on-screen keyboard or an input method'), this.typed);
    this.dialogs = h('div', { class: 'dialogs' });
    this.mark = h('div', { class: 'mark' });
    this.bar = h('section', { class: 'control', 'aria-label': 'Control', hidden: true }, this.status, this.problem,
      h('div', { class: 'tools' }, this.form, this.takeButton, this.markButton));
    this.root = h('section', { class: 'control', 'aria-label': 'Input', hidden: true }, this.surface.help, this.dialogs, this.mark, this.typing);
  }

  /**
   * follow shows the state of a session until the returned function is called.
   * @param {string} session
   * @param {string} tab
   */
  follow(session, tab) {
    const other = session !== this.session;
    [this.session, this.tab] = [session, tab];
    this.setMarking(false);
    this.root.hidden = this.bar.hidden = !tab;
    if (!tab) return () => {};
    if (other) this.state = null;
    else if (this.state) this.show(this.state);
    return this.api.stream('control/state', { session, person: this.person }, {
      state: (/** @type {State} */ s) => this.show(s),
      failed: ({ error }) => { text(this.problem, error); this.takeButton.disabled = true; },
    });
  }

  /** @param {State} s */
  show(s) {
    const before = this.state;
    this.state = s;
    this.takeButton.disabled = s.held;
    this.takeButton.hidden = s.mine;
    this.form.hidden = this.typing.hidden = !s.mine;
    const waiting = s.waiting ? `; ${s.waiting === 1 ? 'a call' : `${s.waiting} calls`} of the agent ${s.waiting === 1 ? 'waits' : 'wait'}` : '';
    const untold = s.untold && !s.mine ? ' The agent gets your message with its next call.' : '';
    text(this.status, s.mine ? `You have had control since ${time(s.since)}${waiting}.` : s.held ? `Another person has had control since ${time(s.since)}.` : `The agent has control.${untold}`);
    if (before && before.mine !== s.mine) {
      this.api.announce(s.mine ? 'You have control. Keys go to the page while the picture has the focus.' : `You have no control any more: ${s.ended}.`);
      if (before.mine && s.ended !== 'it was handed back') text(this.problem, `You have no control any more: ${s.ended}.`);
    }
    this.surface.setMode(this.marking ? 'mark' : s.mine ? 'act' : 'off');
    if (s.mine && !before?.mine && !this.marking) this.surface.focus();
    this.showDialogs(s.mine ? (s.dialogs ?? []).filter((d) => d.tab === this.tab) : []);
  }

  /** @param {string} path @param {object} body */
  async post(path, body) {
    try {
      const out = await this.api.post(`control/${path}`, { session: this.session, person: this.person, tab: this.tab, ...body });
      text(this.problem, '');
      return out;
    } catch (e) {
      text(this.problem, String(/** @type {Error} */ (e).message));
      return null;
    }
  }

  async take() {
    this.takeButton.disabled = true;
    text(this.status, 'Waiting for the action of the agent to end…');
    const taken = await this.post('take', {});
    if (!taken && this.state) this.show(this.state);
  }

  async handBack() {
    await this.sent();
    if (!(await this.post('return', { note: this.note.value }))) return;
    this.note.value = '';
    this.takeButton.hidden = false;
    this.takeButton.focus();
  }

  /** send queues events; one request is under way at a time, so that they stay in order. @param {InputEvent[]} events */
  async send(events) {
    this.queue.push(...events);
    if (this.sending) return;
    this.sending = true;
    while (this.queue.length) {
      const tab = this.tab;
      const next = this.queue.splice(0, MOST_EVENTS).filter((e, i, all) => e.kind !== 'move' || all[i + 1]?.kind !== 'move');
      this.under = this.post('input', { tab, events: next });
      if (!(await this.under)) this.queue = [];
    }
    this.sending = false;
  }

  /** sent waits until what was queued has reached the page. */
  async sent() {
    while (this.sending) await this.under;
  }

  /** @param {Dialog[]} open */
  showDialogs(open) {
    const shown = open.map((d) => d.kind + d.message).join('\n');
    if (shown === this.shownDialogs) return;
    this.shownDialogs = shown;
    fill(this.dialogs, ...open.map((d) => {
      const answer = h('input', { id: 'control-answer', type: 'text', value: d.default });
      const send = (/** @type {boolean} */ accept) => this.post('dialog', { answer: { accept, text: answer.value } });
      return h('form', { class: 'dialog', 'aria-label': `${d.kind} of the page`, onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); send(true); } },
        h('p', {}, `The page asks: ${d.message}`),
        d.kind === 'prompt' ? h('label', { for: 'control-answer' }, 'Answer') : null, d.kind === 'prompt' ? answer : null,
        h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Accept'),
          d.kind === 'alert' ? null : h('button', { type: 'button', onclick: () => send(false) }, 'Dismiss')));
    }));
    if (open.length) {
      this.api.announce(`The page asks: ${open[0].message}`);
      /** @type {HTMLElement | null} */ (this.dialogs.querySelector('input, button'))?.focus();
    }
  }

  /** setMarking begins and ends the choice of a place. @param {boolean} on */
  setMarking(on) {
    this.marking = on;
    this.markButton.setAttribute('aria-pressed', String(on));
    fill(this.mark);
    this.surface.setMode(on ? 'mark' : this.state?.mine ? 'act' : 'off');
    if (on) this.surface.focus();
  }

  /** @param {Area} area */
  showMarkForm(area) {
    const words = h('input', { id: 'mark-text', type: 'text', maxlength: 2000, autocomplete: 'off' });
    const cancel = () => { this.setMarking(false); this.markButton.focus(); };
    const send = async (/** @type {Event} */ e) => {
      e.preventDefault();
      const marked = await this.post('annotate', { area, text: words.value });
      if (!marked) return;
      this.api.announce(marked.ref ? `Marked ${marked.role} ${marked.name} for the agent.` : 'Marked the place for the agent.');
      cancel();
    };
    fill(this.mark, h('form', { onsubmit: send }, h('label', { for: 'mark-text' }, 'What the agent should know about this place'), words,
      h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Send to the agent'), h('button', { type: 'button', onclick: cancel }, 'Cancel'))));
    words.focus();
  }
}

/** @param {string} at */
const time = (at) => new Date(at).toLocaleTimeString();
