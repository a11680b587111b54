// Identity: what an element is called, and which element has that identity in a document that was opened anew.

const TEXT_KEPT = 120, NEAR_MOST = 5, CLIMB = 12;
const TESTS = ['data-testid', 'data-test', 'data-test-id'];
const FIELDS = new Set('textbox searchbox combobox listbox spinbutton slider checkbox radio switch date time color'.split(' '));

const testIdOf = (el) => TESTS.map((name) => attr(el, name)).find(Boolean) ?? '';
const kindOf = (el) => (localName(el) === 'input' ? el.type : '');
const framePath = (el) => {
  const doc = ownerDocument(el);
  return doc === document && window === window.top ? '' : doc.location.pathname;
};

// shownText is what a person reads on an element; what a field holds is its value and no mark of it.
function shownText(el, role) {
  if (FIELDS.has(role) || isField(localName(el), role) || isSecret(el)) return '';
  return cut(tidy(visibleText(el)), TEXT_KEPT);
}

// Names are dear, and of most elements nobody asks: only those of the right role, and controls, are named.
class Somebody {
  constructor(el, role) { this.el = el; this.role = role; this.kind = kindOf(el); this.frame = framePath(el); }
  get name() { return this.said ??= nameShown(this.el, this.role); }
}

// population is everyone who could be meant: who can be seen, and file inputs, which pages hide behind something nicer.
function population() {
  const all = [], met = new Set();
  const add = (el, role) => { met.add(el); all.push(new Somebody(el, role)); };
  scan(document.documentElement, (el, role, live, here) => {
    if (here.tag !== 'html' && here.tag !== 'body' && here.visible && (!here.clipped || isDisguised(el))) add(el, role);
    return false;
  });
  for (const el of byPiercing('input[type=file]')) if (!met.has(el)) add(el, roleOf(el));
  return all;
}

// aboutOf is what is said beside an element, outside of it and of other controls, from near to far: a row's first cell, a
// card's heading. It ends below what also holds another of those alike, or, for the only one, at what said something and has
// like siblings: beyond begin the other rows. counts is of those alike.
function aboutOf(el, counts, alone) {
  const said = [];
  for (let up = parentOf(el), n = 0; up && n < CLIMB && localName(up) !== 'body'; up = parentOf(up), n++) {
    if (counts.get(up) > 1) break;
    const text = firstSaid(up, el);
    if (text && said.at(-1) !== text) said.push(text);
    if (alone && said.length && hasLikeSibling(up)) break;
  }
  return said;
}

// countsOf says how many of the elements each element is or holds.
function countsOf(elements) {
  const counts = new Map();
  for (const el of elements) for (let up = el; up; up = parentOf(up)) counts.set(up, (counts.get(up) ?? 0) + 1);
  return counts;
}

function hasLikeSibling(el) {
  const parent = parentNode(el);
  if (!parent || nodeType(parent) !== ELEMENT) return false;
  for (let n = firstChild(parent); n; n = nextSibling(n)) if (n !== el && nodeType(n) === ELEMENT && localName(n) === localName(el)) return true;
  return false;
}

// firstSaid prefers a heading or the head of a row to what merely comes first.
function firstSaid(root, except) {
  const label = tidy(attr(root, 'aria-label') || '');
  if (label) return cut(label, 80);
  let first = '', head = '';
  scan(root, (el, role, live, here) => {
    if (el === root) return false;
    if (!here.visible || here.clipped) return false;
    if (role === 'heading' || role === 'rowheader') {
      const name = composedContains(except, el) ? '' : nameOf(el, role);
      if (name) { head = name; return true; }
    }
    if (first || live || el === except || composedContains(except, el) || inControl(el, root)) return false;
    first = readable(here) ? ownText(el) : '';
    return false;
  });
  return cut(head || first || ownText(root), 80);
}

const inControl = (el, root) => {
  for (let up = el; up && up !== root; up = parentOf(up)) if (WIDGETS.has(roleOf(up)) || NATIVE_CONTROLS.has(localName(up))) return true;
  return false;
};

// alikeTo are those of one document who cannot be told apart by role, kind and name, nor, if nameless, by text.
function alikeTo(all, { role, name, kind, text, frame }) {
  return all.filter((o) => o.role === role && o.name === name && o.kind === kind && o.frame === frame &&
    (name !== '' || shownText(o.el, o.role) === text));
}

function identify({ n }) {
  const el = resolve(n), { role, name } = entries.get(n);
  const me = { el, role, name, kind: kindOf(el), text: shownText(el, role), frame: framePath(el) };
  const out = { ref: 'e' + n, role, name, testId: cut(testIdOf(el), 200), text: me.text, tag: localName(el), kind: me.kind, frame: me.frame };
  const alike = alikeTo(population(), me).map((o) => o.el);
  if (alike.length < 2 || !alike.includes(el)) return out;
  const counts = countsOf(alike);
  const label = (o) => aboutOf(o, counts, false).at(-1) ?? '';
  out.label = label(el);
  const same = alike.filter((o) => label(o) === out.label);
  if (same.length > 1) { out.nth = same.indexOf(el) + 1; out.of = same.length; }
  return out;
}

// recognise says who in this document may be the one described, by each of the marks; the outside, which hears all
// documents, decides. Nobody is preferred here: counts are what tells a certain answer from a guess.
const UNSAID = { role: '', name: '', testId: '', text: '', tag: '', kind: '' }; // what an identity leaves out is empty
function recognise(said) {
  const id = { ...UNSAID, ...said };
  const all = population();
  const answer = (o, extra) => ({ ref: refOf(o.el, o.role, o.name), role: o.role, name: o.name, kind: o.kind, frame: o.frame, ...extra });
  const named = all.filter((o) => o.role === id.role && o.name === id.name && o.kind === id.kind && (id.name !== '' || fitsNameless(o, id)));
  const groups = new Map([...Map.groupBy(named, (o) => o.frame)].map(([frame, of]) => [frame, { counts: countsOf(of.map((m) => m.el)), alone: of.length === 1 }]));
  const told = (o) => { const group = groups.get(o.frame); return aboutOf(o.el, group.counts, group.alone); };
  const marked = id.testId ? all.filter((o) => testIdOf(o.el) === id.testId) : [];
  const texted = id.name === '' && id.text !== '' ? saying(all, id) : [];
  return {
    named: named.slice(0, 200).map((o) => { const about = told(o); return answer(o, { label: about.at(-1) ?? '', labels: about }); }),
    marked: marked.map((o) => answer(o)),
    texted: texted.map((o) => answer(o)),
    called: id.name === '' ? [] : all.filter((o) => o.role !== id.role && (WIDGETS.has(o.role) || o.role === 'clickable') && o.name === id.name).slice(0, NEAR_MOST).map((o) => answer(o)),
    near: nearest(all, id).map((o) => answer(o)),
  };
}

// The nameless are alike if they read the same; a field reads nothing, and is known by being the only one of its kind.
const fitsNameless = (o, id) => localName(o.el) === id.tag && shownText(o.el, o.role) === id.text && (id.text !== '' || FIELDS.has(o.role));

// saying are the innermost who read the same, where the role carries no meaning: wrappers come and go.
function saying(all, id) {
  if (WIDGETS.has(id.role)) return [];
  const hits = all.filter((o) => !WIDGETS.has(o.role) && shownText(o.el, o.role) === id.text);
  const holders = holdersOf(hits.map((o) => o.el));
  return hits.filter((o) => !holders.has(o.el));
}

// nearest are for the reader of a refusal: nobody of them is taken.
function nearest(all, id) {
  const tokens = words(id.name || id.text), phrase = (id.name || id.text).toLowerCase();
  const hits = [];
  for (const o of all) {
    if (o.role === 'generic' || o.role !== id.role && !WIDGETS.has(o.role)) continue;
    const score = scoreText(o.name, phrase, tokens) + (o.role === id.role ? 0.5 : 0);
    if (score > 0) hits.push({ o, score });
  }
  hits.sort((a, b) => b.score - a.score);
  return hits.slice(0, NEAR_MOST).map((h) => h.o);
}
