// What was hidden: a rule that shows an element leaves no trace at the element
// itself - a class far above it, a checkbox beside it, the pointer over it - so
// what is hidden is noted before an action and looked at again after it.

// A walk over a large page is cut off at this time (ms): an action must not
// become slow for the sake of its report.
const HIDDEN_TIME = 3, HIDDEN_KEPT = 300;

const SHOWN = { visibilityProperty: true, opacityProperty: true };
const isShown = method(Element.prototype, 'checkVisibility');

let hiddenList = [], hiddenGeneration = -1;

// hiddenNow lists the outermost hidden elements in document order. Nothing can
// have changed it but a pointer that moved, which only shows what is listed.
function hiddenNow() {
  if (hiddenGeneration === generation) return hiddenList.filter((el) => !isShown(el, SHOWN) || isCollapsed(el));
  const until = performance.now() + HIDDEN_TIME;
  const out = [];
  let visited = 0;
  const go = (el, depth) => {
    if (out.length >= HIDDEN_KEPT || depth > 500 || (++visited & 63) === 0 && performance.now() > until) return;
    if (SILENT.has(localName(el))) return;
    if (!isShown(el, SHOWN) || isCollapsed(el)) { if (localName(el) !== 'option') out.push(el); return; }
    const shadow = shadowRootOf(el);
    for (let n = firstChild(shadow ?? el); n; n = nextSibling(n)) if (nodeType(n) === ELEMENT) go(n, depth + 1);
  };
  if (document.body) go(document.body, 0);
  hiddenList = out;
  hiddenGeneration = generation;
  return out;
}

// isCollapsed: a box without height that clips what it holds, as of an accordion.
const isCollapsed = (el) => el.clientHeight === 0 && el.scrollHeight > 0 && firstChild(el) !== null &&
  el.offsetHeight === 0 && getComputedStyle(el).overflowY !== 'visible' && getComputedStyle(el).display !== 'inline';

// sayRevealed reports one element of the list that a person can see now.
function sayRevealed(el, say, told) {
  if (!isConnected(el) || told.has(el) || !isShown(el, SHOWN) || isCollapsed(el) || !isVisible(el)) return;
  for (let up = parentOf(el); up; up = parentOf(up)) if (told.has(up)) return;
  told.add(el);
  const role = roleOf(el);
  if (POPUPS.has(role) && role !== 'alert' && role !== 'status') return say(`${label(el, role)} shown`);
  const text = visibleText(el);
  if (text) say(`+ ${text}`);
}
