// Typed text: which fields hold what a person typed, which readings show only on request. What a page
// or an action of this server put there is shown.

import { isEditable, localName } from '../dom/dom.js';

const personTyped = new WeakSet();
const ACTING_LIMIT = 15000; // ms; an action without an end is over by then
let actingUntil = 0;

// beginActing and endActing enclose an action, whose input is not a person's.
export const beginActing = () => { actingUntil = performance.now() + ACTING_LIMIT; };
export const endActing = () => { actingUntil = 0; };

// watchTyping notes the fields of a tree that a person changed before it was observed, fills by the
// browser included, and those that one types into from now on.
/** @param {Root} root */
export function watchTyping(root) {
  for (const el of root.querySelectorAll(':is(input,textarea):is(:user-valid,:user-invalid,:autofill,:focus)')) {
    if (el.value !== el.defaultValue) personTyped.add(el);
  }
  root.addEventListener('input', (e) => {
    if (e.isTrusted && performance.now() > actingUntil) personTyped.add(e.composedPath()[0]);
  }, { capture: true, passive: true });
}

// isTyped reports a field with text that a person typed.
/** @param {El} el */
export function isTyped(el) {
  return personTyped.has(el) && (localName(el) === 'textarea' || localName(el) === 'input' && el.type !== 'range' && el.type !== 'color' || isEditable(el));
}
