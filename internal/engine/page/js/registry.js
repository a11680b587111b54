// The registry of refs: which element each number means, and what it was
// called when a reading last showed it.

class Refusal extends Error {
  constructor(kind, data) {
    super(kind);
    this.kind = kind;
    this.data = data;
  }
}

const numbers = new WeakMap();
const entries = new Map();
let nextNumber = 1;
let fresh = [];

// UNHEARD is told by an outside that knows no answer of this document, because it has come back from the back-forward cache,
// say. It is told all refs again.
const UNHEARD = 2 ** 40;

// turnTo prepares for a question: numbers from `heard` on were issued in an answer
// that never arrived, so they name nothing, and numbers below `start` are taken
// by other documents of the tab.
function turnTo(heard, start) {
  for (let n = nextNumber - 1; n >= heard; n--) {
    const el = entries.get(n)?.weak.deref();
    if (el) numbers.delete(el);
    entries.delete(n);
  }
  nextNumber = Math.max(start, Math.min(nextNumber, heard));
  fresh = [];
  met = [];
  if (heard === UNHEARD) for (const [n, { role, name }] of entries) fresh.push({ n, role, name });
}

function refOf(el, role, name) {
  let n = numbers.get(el);
  if (n === undefined) {
    n = nextNumber++;
    numbers.set(el, n);
    entries.set(n, { weak: new WeakRef(el), role, name });
    fresh.push({ n, role, name });
    return 'e' + n;
  }
  const entry = entries.get(n);
  if (entry.role !== role || entry.name !== name) {
    entry.role = role;
    entry.name = name;
    fresh.push({ n, role, name });
  }
  return 'e' + n;
}

// look is an element's role and name as a reading shows them.
function look(el, shownRole) {
  let role = roleOf(el);
  if (role === 'generic' && (shownRole === undefined || shownRole === 'clickable')) role = 'clickable';
  return { role, name: role === 'clickable' ? clickableName(el) : nameOf(el, role) };
}

function describe(el, shownRole) {
  const { role, name } = look(el, shownRole);
  const out = { ref: refOf(el, role, name), role, name };
  const value = valueOf(el, role);
  if (value !== undefined) out.value = cut(value, 500);
  const checked = checkedOf(el, role);
  if (checked !== undefined) out.checked = checked;
  const states = statesOf(el, role, focusedElement());
  if (states.length) out.states = states;
  return out;
}

// resolve finds the element of a ref or says why the ref no longer holds. It
// never picks another element in its place: that choice is the caller's.
function resolve(n) {
  const entry = entries.get(n);
  if (!entry) throw new Refusal('foreign', {});
  const el = entry.weak.deref();
  if (!el || !attached(el)) {
    throw new Refusal('stale', { reason: 'its element is no longer in the page', candidates: candidates(entry.role, entry.name) });
  }
  const now = look(el, entry.role);
  if (now.role !== entry.role || now.name !== entry.name) {
    const reason = now.role !== entry.role
      ? `its role changed from ${entry.role} to ${now.role}`
      : `its name changed from ${JSON.stringify(entry.name)} to ${JSON.stringify(now.name)}`;
    const itself = { ref: refOf(el, now.role, now.name), role: now.role, name: now.name };
    const others = candidates(entry.role, entry.name).filter((c) => c.ref !== itself.ref);
    throw new Refusal('stale', { reason, candidates: [itself, ...others].slice(0, 3) });
  }
  return el;
}
