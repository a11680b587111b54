// The live view: sessions and tabs, the picture of one tab, and the calls of its session.

import { count, duration, fill, h, text } from '../dom.js';
import { TakeOver } from '../takeover.js';
import { described } from '../widgets.js';

/** @typedef {import('../api.js').Api} Api */
/** @typedef {{ id: string, connection: string, title: string, url: string, current: boolean, active: boolean, lost?: string, dialog?: string }} Tab */
/** @typedef {{ id: string, client?: string, tabs: Tab[] }} Session */
/** @typedef {{ id: number, session: string, tool: string, at: string, arguments: { text: string, refs?: string[], tab?: string }, ended: boolean, ms: number, bytes: number, tokens: number, code: string }} Call */
/** @typedef {{ ref: string, role: string, name: string, box: { x: number, y: number, width: number, height: number } }} Outline */
/** @typedef {{ jpeg: string, width: number, height: number, top: number, scale: number, hidden: boolean }} Frame */

export const title = 'Live';

const MOST_CALLS = 300;

/**
 * @param {HTMLElement} root
 * @param {Api} api
 * @param {string[]} path session and tab
 */
export function show(root, api, path) {
  const view = new Live(root, api, path);
  const visible = () => view.setVisible(!document.hidden);
  document.addEventListener('visibilitychange', visible);
  visible();
  return {
    follow: (/** @type {string[]} */ next) => view.follow(next),
    close: () => { document.removeEventListener('visibilitychange', visible); view.setVisible(false); view.stops.control(); },
  };
}

class Live {
  /** @param {HTMLElement} root @param {Api} api @param {string[]} path */
  constructor(root, api, path) {
    this.api = api;
    [this.session = '', this.tab = ''] = path;
    this.shownFor = location.hash;
    /** @type {Session[]} */
    this.sessions = [];
    /** @type {Map<number, HTMLElement>} */
    this.entries = new Map();
    this.visible = false;
    this.stops = { events: () => {}, picture: () => {}, control: () => {} };
    this.list = h('div', { class: 'sessions' });
    this.picture = new Picture(api);
    this.takeOver = new TakeOver(api, this.picture);
    this.calls = h('ol', { class: 'calls', 'aria-label': 'Calls, the latest first' });
    this.noCalls = h('p', { class: 'quiet' }, 'No call yet.');
    this.heading = h('h1', {}, 'Live');
    fill(root, h('nav', { 'aria-label': 'Sessions and tabs', class: 'side' }, h('h2', {}, 'Sessions'), this.list),
      h('section', { class: 'stage', 'aria-label': 'Tab' }, this.heading, this.takeOver.bar, this.picture.root, this.takeOver.root),
      h('section', { class: 'timeline', 'aria-labelledby': 'calls-title' }, h('h2', { id: 'calls-title' }, 'Calls'), this.noCalls, this.calls));
  }

  /** @param {boolean} visible */
  setVisible(visible) {
    if (visible === this.visible) return;
    this.visible = visible;
    this.stops.events();
    this.stops.picture();
    if (!visible) return;
    this.followSession();
    this.followTab();
  }

  /** @param {string[]} path */
  follow([session = '', tab = '']) {
    const before = this.session;
    [this.session, this.tab] = [session, tab];
    this.shownFor = location.hash;
    if (session !== before) this.followSession();
    this.followTab();
    this.showSessions();
  }

  async followSession() {
    const id = this.session;
    this.stops.events();
    this.entries.clear();
    fill(this.calls);
    this.noCalls.hidden = false;
    this.stops.events = this.api.stream('live/events', { session: id }, {
      sessions: (sessions) => { this.sessions = sessions; this.showSessions(); },
      calls: (calls) => this.addCalls(calls),
    });
    if (!id) return;
    /** @type {Call[]} */
    const earlier = await this.api.get('live/history', { session: id }).catch(() => []);
    if (this.session !== id || !this.visible) return;
    for (const c of earlier) c.arguments.text = described(JSON.parse(c.arguments.text || '{}'));
    this.calls.append(...earlier.reverse().map((c) => this.callItem(c)));
    this.noCalls.hidden = this.calls.childElementCount > 0;
  }

  followTab() {
    this.stops.picture();
    this.stops.picture = this.picture.follow(this.session, this.tab);
    this.followControl();
  }

  /** followControl stays with a session whose tab changes: a person who is away loses the control. */
  followControl() {
    const stop = this.stops.control;
    this.stops.control = this.takeOver.follow(this.session, this.tab);
    stop();
  }

  /** showSessions lists sessions and tabs, and chooses a tab where none is chosen. */
  showSessions() {
    if (!this.session) {
      const first = this.sessions.find((s) => s.tabs.length) ?? (this.sessions.length === 1 ? this.sessions[0] : undefined);
      if (first) this.choose(first.id);
    }
    const session = this.sessions.find((s) => s.id === this.session);
    if (session && !this.tab) {
      const tab = session.tabs.find((t) => t.current && t.active) ?? session.tabs[0];
      if (tab) this.choose(session.id, tab.id);
    }
    const tab = session?.tabs.find((t) => t.id === this.tab);
    text(this.heading, tab ? tab.title || tab.url || tab.id : 'Live');
    this.picture.describe(tab, this.sessions.length > 0);
    const focused = document.activeElement?.getAttribute('href');
    fill(this.list, this.sessions.length ? h('ul', {}, ...this.sessions.map((s) => this.sessionItem(s))) : h('p', { class: 'quiet' }, 'No session yet: a client begins one by its first call.'));
    if (focused) /** @type {HTMLElement|undefined} */ ([...this.list.querySelectorAll('a')].find((a) => a.getAttribute('href') === focused))?.focus();
  }

  /**
   * choose shows a session or tab, unless a person has gone elsewhere: the address changes before the view does.
   * @param {string[]} path
   */
  choose(...path) {
    if (location.hash === this.shownFor || location.hash === '#main') location.replace(address(...path));
  }

  /** @param {Session} s */
  sessionItem(s) {
    const here = s.id === this.session;
    return h('li', {}, h('a', { href: address(s.id), class: 'session', 'aria-current': here && !this.tab && 'true' }, ...sessionName(s)), s.tabs.length ? h('ul', {}, ...s.tabs.map((t) => h('li', {},
      h('a', { href: address(s.id, t.id), 'aria-current': here && t.id === this.tab && 'true' }, h('span', { class: 'title' }, t.title || t.url || 'New tab'),
        h('span', { class: 'quiet' }, [t.id, t.current && t.active ? 'current' : '', t.lost ?? '', t.dialog ? `${t.dialog} dialog` : ''].filter(Boolean).join(' · ')))))) : h('p', { class: 'quiet' }, 'No tab'));
  }

  /** @param {Call[]} calls */
  addCalls(calls) {
    for (const call of calls) {
      const entry = this.callItem(call);
      const before = this.entries.get(call.id);
      if (before) {
        const focused = before.contains(document.activeElement);
        before.replaceWith(entry);
        if (focused) entry.querySelector('button')?.focus();
      } else this.calls.prepend(entry);
      this.entries.set(call.id, entry);
    }
    while (this.entries.size > MOST_CALLS) {
      const [oldest, el] = /** @type {[number, HTMLElement]} */ (this.entries.entries().next().value);
      el.remove();
      this.entries.delete(oldest);
    }
    this.noCalls.hidden = this.calls.childElementCount > 0;
  }

  /** callItem is one line of the timeline. Its refs are drawn while the pointer or the focus is on it. @param {Call} c */
  callItem(c) {
    const state = !c.ended ? 'running' : c.code ? 'refused' : 'done';
    const figures = c.ended ? [duration(c.ms), c.bytes ? count(c.bytes, 'byte') : '', c.tokens ? `≈ ${count(c.tokens, 'token')}` : ''] : ['running'];
    const line = h('button', { type: 'button', class: `call ${state}`, 'aria-expanded': 'false' },
      h('span', { class: 'tool' }, c.tool), ' ', c.code ? h('span', { class: 'code' }, c.code) : null, ' ',
      h('span', { class: 'figures' }, [new Date(c.at).toLocaleTimeString(), ...figures].filter(Boolean).join(' · ')), ' ',
      c.arguments.text && c.arguments.text !== 'none' ? h('span', { class: 'arguments' }, c.arguments.text) : null);
    const detail = h('dl', { hidden: true }, h('dt', {}, 'Arguments'), h('dd', {}, c.arguments.text || 'none'), h('dt', {}, 'Began'), h('dd', {}, new Date(c.at).toLocaleString()));
    line.addEventListener('click', () => { detail.hidden = !detail.hidden; line.setAttribute('aria-expanded', String(!detail.hidden)); });
    const refs = c.arguments.refs ?? [];
    if (refs.length && (!c.arguments.tab || c.arguments.tab === this.tab)) {
      for (const on of ['pointerenter', 'focusin']) line.addEventListener(on, () => this.picture.outline(refs));
      for (const off of ['pointerleave', 'focusout']) line.addEventListener(off, () => this.picture.outline([]));
    }
    return h('li', {}, line, detail);
  }
}

/** sessionName writes the name that a person knows first: that of the client where the id is random. @param {Session} s */
function sessionName(s) {
  const client = s.client && s.client !== s.id ? s.client : '';
  const names = /^(s-)?[A-Z2-7]{26}$/.test(s.id) && client ? [client, `${s.id.replace(/^s-/, '').slice(0, 6)}…`] : [s.id, client];
  return [names[0], names[1] ? h('span', { class: 'quiet' }, ` ${names[1]}`) : null];
}

/** @param {...string} parts */
const address = (...parts) => `#/live/${parts.map(encodeURIComponent).join('/')}`;

/** Picture shows what a tab shows, with the outlines of refs over it. */
class Picture {
  /** @param {Api} api */
  constructor(api) {
    this.api = api;
    this.session = this.tab = '';
    /** @type {Frame | null} */
    this.frame = null;
    /** @type {string[]} */
    this.refs = [];
    this.all = false;
    this.image = h('img', { alt: '', hidden: true });
    this.boxes = h('div', { class: 'boxes', 'aria-hidden': 'true' });
    this.screen = h('div', { class: 'screen', hidden: true }, this.image, this.boxes);
    this.address = h('p', { class: 'address' });
    this.note = h('p', { class: 'note quiet' }, 'Choose a tab to watch it.');
    this.toggle = h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.showAll(!this.all) }, 'Refs');
    this.refList = h('ul', { class: 'refs', 'aria-label': 'Elements with refs', hidden: true });
    this.tools = h('div', { class: 'tools', hidden: true }, this.toggle);
    this.root = h('div', { class: 'picture' }, this.address, this.screen, this.note, this.tools, this.refList);
  }

  /**
   * follow shows a tab until the returned function is called.
   * @param {string} session
   * @param {string} tab
   */
  follow(session, tab) {
    [this.session, this.tab] = [session, tab];
    this.frame = null;
    this.image.hidden = true;
    fill(this.boxes);
    if (!tab) return () => {};
    text(this.note, 'Waiting for the first picture…');
    const stop = this.api.stream('live/picture', { session, tab }, {
      frame: (/** @type {Frame} */ f) => this.draw(f),
      failed: ({ error }) => { text(this.note, error); this.image.hidden = true; },
    });
    const timer = setInterval(() => { if (this.all) this.readRefs([]); }, 1000);
    return () => { stop(); clearInterval(timer); };
  }

  /** @param {Frame} f */
  draw(f) {
    this.frame = f;
    text(this.note, f.hidden ? 'The tab is in the background of its window, which draws no picture.' : '');
    if (!f.jpeg) return;
    this.image.src = `data:image/jpeg;base64,${f.jpeg}`;
    this.image.hidden = false;
  }

  /** @param {Tab | undefined} tab @param {boolean} any whether there are sessions */
  describe(tab, any) {
    text(this.address, tab?.url ?? '');
    this.screen.hidden = this.tools.hidden = !tab;
    this.image.alt = tab ? `Picture of the tab ${tab.title || tab.id}` : '';
    if (!tab && this.tab) text(this.note, 'The tab is closed.');
    else if (!tab) text(this.note, any ? 'Choose a tab to watch it.' : 'There is no tab to watch yet.');
  }

  /** outline draws the boxes of some refs, or none. @param {string[]} refs */
  outline(refs) {
    this.refs = refs;
    if (refs.length) this.readRefs(refs);
    else if (this.all) this.readRefs([]);
    else fill(this.boxes);
  }

  /** showAll lists and draws every element that has a ref. @param {boolean} on */
  showAll(on) {
    this.all = on;
    this.toggle.setAttribute('aria-pressed', String(on));
    this.refList.hidden = !on;
    if (on) this.readRefs([]);
    else fill(this.boxes);
  }

  /** @param {string[]} refs */
  async readRefs(refs) {
    const { session, tab } = this;
    /** @type {Outline[]} */
    const found = await this.api.get('live/refs', { session, tab, ref: refs.length ? refs : undefined }).catch(() => []);
    if (this.tab !== tab || this.refs.join() !== refs.join() && !(this.all && !refs.length)) return;
    const f = this.frame;
    if (!f?.width) return;
    if (!this.refs.length || refs.length) {
      fill(this.boxes, ...found.map((o) => {
        const top = (o.box.y + f.top) / (f.height + f.top);
        const box = h('div', { class: top * this.screen.clientHeight < 18 ? 'box top' : 'box' }, h('span', {}, o.ref)); // room for the label
        box.style.left = `${(100 * o.box.x) / f.width}%`;
        box.style.top = `${100 * top}%`;
        box.style.width = `${(100 * o.box.width) / f.width}%`;
        box.style.height = `${(100 * o.box.height) / (f.height + f.top)}%`;
        return box;
      }));
    }
    if (!refs.length) this.listRefs(found);
  }

  /** @param {Outline[]} found */
  listRefs(found) {
    const names = found.map((o) => `${o.ref} ${o.role} ${o.name}`);
    if (names.join('\n') === this.listed) return;
    this.listed = names.join('\n');
    const focused = this.refList.contains(document.activeElement) ? document.activeElement?.textContent : null;
    fill(this.refList, ...found.map((o, i) => h('li', {}, h('button', {
      type: 'button', onpointerenter: () => this.outline([o.ref]), onfocus: () => this.outline([o.ref]), onpointerleave: () => this.outline([]), onblur: () => this.outline([]),
    }, names[i]))));
    if (!found.length) fill(this.refList, h('li', { class: 'quiet' }, 'No reading has named an element of this page yet: read_page, find and inspect give out refs.'));
    if (focused) [...this.refList.querySelectorAll('button')].find((b) => b.textContent === focused)?.focus();
  }
}
