// Element states: the properties that a contract checks, for all selectors in one call. It issues
// no refs and returns no value of a field that holds a secret.

import { attr, cut, focusedElement, isEditable, localName } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { nameOf } from '../dom/name.js';
import { roleOf } from '../dom/role.js';
import { masked } from '../dom/secret_texts.js';
import {
  SET_TYPES, TEXT_TYPES, checkedOf, isDisabled, isSecret, isVisible, statesOf, valueOf,
} from '../dom/state.js';
import { readText } from '../dom/text.js';
import { drain } from '../settle/mutations.js';
import { selectAll } from './query.js';

const MAX_ELEMENTS = 50, MAX_STATE_TEXT = 100000;

/** @param {{ selectors: string[] }} o */
export function elementStates({ selectors }) {
  drain();
  const focused = focusedElement();
  return { results: selectors.map((css) => {
    try {
      const found = selectAll({ css, pierce: true });
      return { total: found.length, elements: found.slice(0, MAX_ELEMENTS).map((el) => elementState(el, focused)) };
    } catch (e) {
      if (e instanceof EngineError) return { total: 0, problem: e.data.reason };
      throw e;
    }
  }) };
}

/** @param {El} el @param {El | null} focused */
function elementState(el, focused) {
  const role = roleOf(el);
  const tag = localName(el);
  const text = readText(el, MAX_STATE_TEXT);
  const checked = checkedOf(el, role);
  const states = statesOf(el, role, focused);
  const secret = isSecret(el);
  const held = secret ? undefined : tag === 'select' ? masked(el.value) : valueOf(el, role);
  const value = held === undefined ? undefined : String(held);
  const disabled = isDisabled(el);
  const takes = isEditable(el) || tag === 'textarea' || tag === 'select' || tag === 'input' && (TEXT_TYPES.has(el.type) || SET_TYPES.has(el.type));
  return {
    name: elementLabel(el, role, tag), text: text.slice(0, MAX_STATE_TEXT).toWellFormed(), truncated: text.length > MAX_STATE_TEXT || undefined,
    value: value?.slice(0, MAX_STATE_TEXT).toWellFormed(), valueCut: value !== undefined && value.length > MAX_STATE_TEXT || undefined, field: value !== undefined || undefined, secret: secret || undefined,
    visible: isVisible(el), disabled, checkable: checked !== undefined, checked: checked === 'true', focused: el === focused,
    editable: takes && !disabled && !states.includes('readonly'), readonly: states.includes('readonly'), required: states.includes('required'),
  };
}

// elementLabel describes an element to a person.
/** @param {El} el @param {string} role @param {string} tag */
function elementLabel(el, role, tag) {
  const name = role === 'generic' ? '' : nameOf(el, role);
  const id = attr(el, 'id');
  return cut((role === 'generic' || role === 'none' ? '<' + tag + (id ? ' id=' + id : '') + '>' : role) + (name ? ' "' + name + '"' : ''), 120);
}
