// The focus, which decides where keys go.

import { attached, composedContains, focusedElement, isEditable, localName } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { focusedFrameKey } from '../dom/frames.js';
import { describe, entries, numbers, resolve } from '../document/registry.js';
import { actionRecord, beginRecord, lastTarget } from '../settle/mutations.js';
import { prepareTyping } from '../settle/read_back.js';

// focus gives an element the focus and throws when it does not have it then: typed text would go
// elsewhere.
/** @param {{ n: number }} o */
export function focus({ n }) {
  const el = resolve(n), shownRole = entries.get(n)?.role;
  beginRecord(el, shownRole);
  el.focus();
  const at = focusedElement();
  if (!at || !composedContains(el, at)) {
    throw new EngineError('notActionable', { reason: at ? 'it does not take the focus, which stays with another element' : 'it does not take the focus', covering: at ? describe(at) : undefined });
  }
  return { element: describe(el, shownRole) };
}

// focusTarget returns the element that receives keys. A canvas that was pressed takes no focus: a script of the page gets
// the keys for it.
export function focusTarget() {
  const el = focusedElement(), last = el ? null : lastTarget?.deref();
  beginRecord(el, el ? entries.get(numbers.get(el) ?? 0)?.role : undefined);
  prepareTyping(el);
  return { element: el ? describe(el, actionRecord?.shownRole) : null, editor: !!el && isEditable(el), canvas: !!last && attached(last) && localName(last) === 'canvas', frameKey: focusedFrameKey() };
}
