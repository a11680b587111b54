// Target: the element that a person means, and how a recording describes it.

import { clearResponse, numbers, refOf, roleAndName } from '../../../engine/page/script/document/registry.js';
import { ELEMENT, attr, hasAttr, localName, parentElement, parentOf, tidy } from '../../../engine/page/script/dom/dom.js';
import { NATIVE_CONTROLS, WIDGETS } from '../../../engine/page/script/dom/role.js';
import { isSecret } from '../../../engine/page/script/dom/state.js';
import { Candidate, allCandidates, identify, shownText, testIdOf } from '../../../engine/page/script/locate/identity.js';

export const HOST = 'callsheet-recorder';
export const MAX_OUTER = 12; // levels that are climbed for the control around an element

// isOurs reports an event on the recorder's own bar or menu.
/** @param {Event} e */
export const isOurs = (e) => e.composedPath().some((n) => n.nodeType === ELEMENT && localName(n) === HOST);

/** @param {Event} e */
export const innermost = (e) => e.composedPath().find((n) => n.nodeType === ELEMENT) ?? null;

// means returns the candidate that a person means by an element: the control around it, else the
// nearest element that has a name, a text or a test id.
/** @param {El | null} el @returns {Candidate | null} */
export function means(el) {
  const byElement = new Map(allCandidates().map((o) => [o.el, o]));
  let plain = null;
  for (let up = el, level = 0; up && level < MAX_OUTER && localName(up) !== 'body' && localName(up) !== 'html'; up = parentOf(up), level++) {
    const found = byElement.get(up);
    if (NATIVE_CONTROLS.has(localName(up)) || found && (WIDGETS.has(found.role) || found.role === 'clickable')) return found ?? new Candidate(up, roleAndName(up).role);
    if (!plain && found && level < 5 && (found.name || testIdOf(up) || shownText(up, found.role))) plain = found;
  }
  return plain ?? (el ? byElement.get(el) : null) ?? (el ? new Candidate(el, roleAndName(el).role) : null);
}

// identityOf describes a candidate as readings do, and numbers its element in this document.
/** @param {Candidate | null} found @returns {Target | null} */
export function identityOf(found) {
  if (!found) return null;
  refOf(found.el, found.role, found.name);
  const n = /** @type {number} */ (numbers.get(found.el));
  clearResponse();
  try {
    const { ref: _, ...id } = identify({ n });
    return { id, n };
  } catch { // the element left the document in the meantime
    return null;
  }
}

/** @param {El | null} el */
export const describeElement = (el) => (el ? identityOf(means(el)) : null);

// Kinds of fields, by how a person sets them.
const TEXT_TYPES = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number', '']);
const CHOSEN_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);

/** @param {El | null} el */
export function fieldKind(el) {
  if (!el || el.nodeType !== ELEMENT) return '';
  switch (localName(el)) {
    case 'textarea': return 'text';
    case 'select': return 'select';
    case 'input':
      if (el.type === 'checkbox' || el.type === 'radio') return 'toggle';
      if (el.type === 'file') return 'file';
      if (CHOSEN_TYPES.has(el.type)) return 'chosen';
      return TEXT_TYPES.has(el.type) ? 'text' : '';
  }
  return el.isContentEditable ? 'text' : '';
}

// editingHost returns the element that holds an editable text.
/** @param {El | null} el */
export function editingHost(el) {
  if (!el || el.nodeType !== ELEMENT || !el.isContentEditable) return el;
  let host = el;
  for (let up = parentElement(el); up && up.isContentEditable; up = parentElement(up)) host = up;
  return host;
}

/** @param {El} el */
export function fieldValue(el) {
  switch (fieldKind(el)) {
    case 'toggle': return String(el.checked);
    case 'file': return [...el.files ?? []].map((f) => f.name);
    case 'select': {
      const labels = [...el.selectedOptions].map((o) => tidy(o.label));
      return el.multiple ? JSON.stringify(labels) : labels[0] ?? '';
    }
  }
  return localName(el) === 'input' || localName(el) === 'textarea' ? el.value : el.innerText;
}

/** @param {El} el */
export const isCompleted = (el) => attr(el, 'role') === 'combobox' || hasAttr(el, 'aria-autocomplete') || hasAttr(el, 'list');

// A person may be asked for any part of a card; readings hide the number and the code alone.
const CARD = /(?:^|\s)cc-/;
/** @param {El} el */
export const holdsSecret = (el) => isSecret(el) || CARD.test(attr(el, 'autocomplete') || '');
