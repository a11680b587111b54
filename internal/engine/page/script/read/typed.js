// Typed text: which fields hold what a person typed, which readings show only on request. What a page
// or an action of this server put there is shown.

const personTyped = new WeakSet();
const ACTING_LIMIT = 15000; // ms; an action without an end is over by then
let actingUntil = 0;

// beginActing and endActing enclose an action, whose input is not a person's.
const beginActing = () => { actingUntil = performance.now() + ACTING_LIMIT; };
const endActing = () => { actingUntil = 0; };

// watchTyping notes the fields of a tree that a person changed before it was observed, fills by the
// browser included, and those that one types into from now on.
function watchTyping(root) {
  for (const el of root.querySelectorAll(':is(input,textarea):is(:user-valid,:user-invalid,:autofill,:focus)')) {
    if (el.value !== el.defaultValue) personTyped.add(el);
  }
  root.addEventListener('input', (e) => {
    if (e.isTrusted && performance.now() > actingUntil) personTyped.add(e.composedPath()[0]);
  }, { capture: true, passive: true });
}

// isTyped reports a field with text that a person typed.
function isTyped(el) {
  return personTyped.has(el) && (localName(el) === 'textarea' || localName(el) === 'input' && el.type !== 'range' && el.type !== 'color' || isEditable(el));
}

// richText returns the text of an editor with its headings, lists and emphasis in Markdown.
const MAX_RICH = 300;
const MARKS = { b: '**', strong: '**', i: '*', em: '*', s: '~~', del: '~~', code: '`' };
function richText(host) {
  let out = '';
  const go = (el, depth) => eachChild(el, (n) => {
    const type = nodeType(n);
    if (type === TEXT) { out += flat(nodeValue(n)); return; }
    if (type !== ELEMENT || depth > MAX_NAME_DEPTH || out.length > 2 * MAX_RICH) return;
    const tag = localName(n), display = getComputedStyle(n).display;
    if (SILENT.has(tag) || display === 'none') return;
    if (tag === 'br') { out += '\n'; return; }
    const block = !display.startsWith('inline');
    if (block && out && !out.endsWith('\n')) out += '\n';
    if (/^h[1-6]$/.test(tag)) out += '#'.repeat(+tag[1]) + ' ';
    if (tag === 'li' && !/^(?:- |\d+\. )$/.test(out.slice(-3))) out += localName(parentNode(n)) === 'ol' ? `${indexIn(n)}. ` : '- ';
    const mark = MARKS[tag] && tidy(textContent(n)) ? MARKS[tag] : '';
    out += mark;
    go(n, depth + 1);
    out += mark;
    if (block && !out.endsWith('\n')) out += '\n';
  });
  go(host, 0);
  return out.replace(/[ \t]*\n\s*/g, '\n').trim();
}

const indexIn = (item) => { let n = 1; for (let p = previousElement(item); p; p = previousElement(p)) n++; return n; };
