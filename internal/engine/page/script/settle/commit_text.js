// Events that follow text which an action has set.

import { attached, attr, localName, ownerDocument } from '../dom/dom.js';
import { LISTS, isFloating } from '../dom/popup.js';
import { isVisible } from '../dom/state.js';
import { actionRecord } from './mutations.js';

// commitText sends the events that follow text which was set: keyup, and change as when the focus leaves the
// field, because some scripts look at a field only then. An open list of suggestions still waits for a
// choice, and the change event would close it.
export function commitText() {
  const record = actionRecord, { el, text } = record ?? /** @type {Partial<ActionRecord>} */ ({});
  if (!record || !el || text === undefined || !attached(el) || el.value === text) return;
  releaseKey(el);
  if (!attached(el) || attr(el, 'aria-expanded') === 'true') return;
  if ([...ownerDocument(el).querySelectorAll(LISTS)].some((list) => isVisible(list) && isFloating(list))) return;
  record.text = undefined;
  el.dispatchEvent(new Event('change', { bubbles: true }));
}

// releaseKey sends the keyup of the last letter or digit of a one-line field. The browser would answer for
// such an input only with the next frame.
/** @param {El} el */
function releaseKey(el) {
  const last = localName(el) === 'input' ? el.value.slice(-1) : '';
  if (!/^[a-z0-9]$/i.test(last)) return;
  const upper = last.toUpperCase(), keyCode = upper.charCodeAt(0);
  el.dispatchEvent(new KeyboardEvent('keyup', { key: last, code: (/\d/.test(last) ? 'Digit' : 'Key') + upper, keyCode,
    shiftKey: /[A-Z]/.test(last), bubbles: true, cancelable: true, composed: true }));
}
