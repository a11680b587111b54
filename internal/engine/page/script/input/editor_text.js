// Text of drawn editors: the field that takes their keys, and the lines that they draw.

import { attached, attr, cut, flat, focusedElement, tidy } from '../dom/dom.js';
import { drawnEditor } from '../dom/drawn_editor.js';
import { EngineError } from '../dom/error.js';
import { masked } from '../dom/secret_texts.js';
import { readText } from '../dom/text.js';
import { frame } from '../dom/timers.js';
import { entries } from '../document/registry.js';

// prepareEditor focuses the field of an editor. A terminal has a line to type in and no text to
// select, and says so (aria-multiline).
/** @param {El} el @param {El} editor */
export function prepareEditor(el, editor) {
  el.focus();
  if (focusedElement() !== el) throw new EngineError('notEditable', { reason: 'it does not keep the focus' });
  return { select: attr(el, 'aria-multiline') !== 'false' && editorLines(editor) !== '' };
}

/** @param {El} editor */
const editorLines = (editor) => tidy(readText(editor, Infinity));

// waitForEditorText waits until an editor draws the last line of a text, and returns what it draws
// otherwise.
/** @param {{ n: number, value: string, limit: number }} o */
export async function waitForEditorText({ n, value, limit }) {
  /** @param {string} s */
  const bare = (s) => flat(s).replaceAll(' ', '');
  const wanted = bare(masked(value).trim().split('\n').at(-1) ?? '');
  const until = performance.now() + limit;
  for (;;) {
    const el = entries.get(n)?.weak.deref(), editor = el && attached(el) ? drawnEditor(el) : null;
    if (!editor) return { shown: true };
    const text = editorLines(editor);
    if (wanted === '' ? bare(text).replace(/\d/g, '') === '' : bare(text).includes(wanted)) return { shown: true };
    if (performance.now() > until) return { shown: false, text: cut(text, 200) };
    await frame();
  }
}
