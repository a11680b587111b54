// Drawn editors: code editors and terminals draw their text themselves and take keys in a field
// without size. The field stands for the editor: it has the editor's box, and is set by keys.

const MAX_HELPER_AREA = 400, MIN_EDITOR_WIDTH = 60, MIN_EDITOR_HEIGHT = 14, MAX_EDITOR_LEVELS = 6;

// drawnEditor returns the editor that an invisible field takes the keys of, or null. A hidden field
// without listeners for keys is a trap for machines or a helper of the page, not an editor's.
const drawnEditor = (el) => (listensTo(el, KEYS) ? paintOf(el, findDrawnEditor) : null);

function findDrawnEditor(el) {
  const tag = localName(el);
  const takesText = tag === 'textarea' || tag === 'input' && TEXT_TYPES.has(el.type) && !isOptionsInput(el) || isTextboxByRole(el);
  if (!takesText || isDisabled(el) || el.readOnly === true || tabIndex(el) < 0 || attr(el, 'aria-hidden') === 'true') return null;
  let unseen = isTooSmall(el) || getComputedStyle(el).opacity < 0.05;
  for (let up = parentOf(el), level = 0; up && level < MAX_EDITOR_LEVELS; up = parentOf(up), level++) {
    const r = rectOf(up);
    if (r.width >= MIN_EDITOR_WIDTH && r.height >= MIN_EDITOR_HEIGHT) return unseen && localName(up) !== 'body' && isVisible(up) ? up : null;
    unseen ||= getComputedStyle(up).overflowY !== 'visible' && isTooSmall(up);
  }
  return null;
}

const isTextboxByRole = (el) => attr(el, 'role') === 'textbox' && localName(el) !== 'input';
const isTooSmall = (el) => { const r = rectOf(el); return r.width * r.height < MAX_HELPER_AREA; };

// isInEditor reports a part of a drawn editor: its listeners serve the field.
const isInEditor = (el) => editorAround(el) !== null;

function editorAround(el) {
  const editors = paintOf(ownerDocument(el), editorsIn);
  for (let up = el; editors.size && up; up = parentOf(up)) if (editors.has(up)) return up;
  return null;
}

function editorsIn(doc) {
  const out = new Set();
  for (const weak of keyed) {
    const el = weak.deref();
    const editor = el && ownerDocument(el) === doc && isConnected(el) ? drawnEditor(el) : null;
    if (editor) out.add(editor);
  }
  return out;
}

// prepareEditor focuses the field of an editor. A terminal has a line to type in and no text to
// select, and says so (aria-multiline).
function prepareEditor(el, editor) {
  el.focus();
  if (focusedElement() !== el) throw new EngineError('notEditable', { reason: 'it does not keep the focus' });
  return { select: attr(el, 'aria-multiline') !== 'false' && editorLines(editor) !== '' };
}

const editorLines = (editor) => tidy(readText(editor, Infinity));

// waitForEditorText waits until an editor draws the last line of a text, and returns what it draws
// otherwise.
async function waitForEditorText({ n, value, limit }) {
  const bare = (s) => flat(s).replaceAll(' ', '');
  const wanted = bare(value.trim().split('\n').at(-1));
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
