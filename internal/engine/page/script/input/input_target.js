// The element that a person's input reaches, by role and name. It gets no ref, and a ref that it has keeps
// the name that a reading showed: to the agent the ref is stale when the name has changed.

import { closest, cut, focusedElement, localName } from '../dom/dom.js';
import { focusedFrameKey, frameKeyOf, isRemoteFrame } from '../dom/frames.js';
import { elementAt } from '../dom/hit_test.js';
import { isSecret, valueOf } from '../dom/state.js';
import { roleAndName } from '../document/registry.js';

const inputKeys = new WeakMap();
let inputKeyCount = 0;

const TYPED_INTO = new Set(['input', 'textarea', 'select']);

/** @param {El | null} el @param {number} frameKey */
function inputTarget(el, frameKey) {
  if (!el) return { frameKey };
  if (!inputKeys.has(el)) inputKeys.set(el, ++inputKeyCount);
  const { role, name } = roleAndName(el);
  /** @type {{ key: string, role: string, name: string, frameKey: number, editable?: boolean, value?: string }} */
  const out = { key: `${performance.timeOrigin}/${inputKeys.get(el)}`, role, name: cut(name, 200), frameKey };
  if (isSecret(el)) return { ...out, secret: true, editable: true };
  out.editable = TYPED_INTO.has(localName(el)) || el.isContentEditable === true;
  const value = out.editable ? valueOf(el, role) : undefined;
  if (value !== undefined) out.value = cut(value, 200);
  return out;
}

/** @param {{ x: number, y: number }} o */
export function inputTargetAt({ x, y }) {
  const found = elementAt(x, y);
  const el = found && (closest(found, 'a,button,input,select,textarea,label,summary,[role]') ?? found);
  return inputTarget(el, found && isRemoteFrame(found) ? frameKeyOf(found) : 0);
}

export const inputTargetFocus = () => inputTarget(focusedElement(), focusedFrameKey());
