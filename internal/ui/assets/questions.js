// Questions of the operator's policy. They are above every view, and go when anyone has answered.

import { fill, h } from './dom.js';

/** @typedef {import('./api.js').Api} Api */
/** @typedef {{ id: string, session: string, tool: string, message: string, at: string, schema: any }} Question */

/** @type {(() => void) | null} */
let stop = null;

/**
 * showQuestions shows the questions that wait, as they come and go.
 * @param {HTMLElement} root
 * @param {Api} api
 */
export function showQuestions(root, api) {
  stop?.();
  /** @type {Map<string, HTMLElement>} */
  const shown = new Map();
  const list = h('ul', { class: 'questions' });
  fill(root, h('h2', {}, 'Questions'), list);
  stop = api.stream('live/questions', {}, {
    questions: (/** @type {Question[]} */ questions) => {
      const open = new Set(questions.map((q) => q.id));
      for (const [id, el] of shown) {
        if (open.has(id)) continue;
        if (el.contains(document.activeElement)) document.getElementById('main')?.focus();
        el.remove();
        shown.delete(id);
      }
      for (const q of questions) {
        if (shown.has(q.id)) continue;
        const el = item(q, api);
        shown.set(q.id, el);
        list.append(el);
        api.announce(`A question waits for you: ${q.message.split('\n')[0]}`);
      }
      root.hidden = shown.size === 0;
    },
  });
}

/**
 * item is one question with its choices.
 * @param {Question} q
 * @param {Api} api
 */
function item(q, api) {
  const [question, ...details] = q.message.split('\n');
  const form = h('form', { 'aria-labelledby': `question-${q.id}` });
  const problem = h('p', { role: 'alert', class: 'problem' });
  let answering = false; // disabled buttons would lose the focus
  const answer = async (/** @type {boolean} */ allow) => {
    if (answering) return;
    answering = true;
    const values = Object.fromEntries(new FormData(form));
    try {
      await api.post('live/answer', { id: q.id, allow, values });
    } catch (e) {
      problem.textContent = /** @type {Error} */ (e).message;
    } finally {
      answering = false;
    }
  };
  form.addEventListener('submit', (e) => { e.preventDefault(); answer(true); });
  form.append(
    h('p', { id: `question-${q.id}`, class: 'question' }, question), ...details.map((line) => h('p', {}, line)),
    h('p', { class: 'quiet' }, `Session ${q.session}`), ...Object.entries(q.schema?.properties ?? {}).map(([name, p]) => choices(q.id, name, p)),
    h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Allow'), h('button', { type: 'button', onclick: () => answer(false) }, 'Refuse')), problem);
  return h('li', {}, form);
}

/**
 * choices is a group of radio buttons for a text with choices; empty for anything else.
 * @param {string} id
 * @param {string} name
 * @param {any} p
 * @returns {Node}
 */
function choices(id, name, p) {
  if (!Array.isArray(p?.enum)) return new DocumentFragment();
  return h('fieldset', {}, h('legend', {}, p.title ?? name), ...p.enum.map((/** @type {string} */ value, /** @type {number} */ i) => h('div', { class: 'choice' },
    h('input', { type: 'radio', name, value, id: `${id}-${name}-${i}`, checked: value === p.default }), h('label', { for: `${id}-${name}-${i}` }, value))));
}
