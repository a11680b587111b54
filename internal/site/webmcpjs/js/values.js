// What a tool says: the postcondition that must hold, and the values of its output.

const matches = (want, text) => (typeof want === 'string' ? text.includes(want) :
  (want.contains === undefined || text.includes(want.contains)) && (want.equals === undefined || text === want.equals) && (want.matches === undefined || new RegExp(want.matches).test(text)));

const counts = (want, n) => (want.eq === undefined || n === want.eq) && (want.min === undefined || n >= want.min) && (want.max === undefined || n <= want.max);

const visibleOf = (css) => select({ css });

const ASSERTIONS = {
  url: (v) => matches(v, location.href),
  dom_text: (v) => visibleOf(v.selector ?? 'body').some((el) => matches(v, textOf(el))),
  dom_count: (v) => counts(v, [...document.querySelectorAll(v.selector)].length),
  element: (v) => {
    const found = visibleOf(v.selector ?? v);
    return [v.state ?? 'visible'].flat().every((state) => (['hidden', 'absent'].includes(state) ? !found.length : found.length > 0));
  },
  value: (v) => visibleOf(v.selector).some((el) => !isSecret(el) && matches(v, el.value)),
  and: (list) => list.every(holds),
  or: (list) => list.some(holds),
  not: (inner) => !holds(inner),
};

const holds = (contract) => Object.entries(contract).every(([kind, value]) => ASSERTIONS[kind](value));

const judge = (contract) => (holds(contract) ? { ok: true } : { reason: `it does not hold: ${JSON.stringify(contract)}` });

/** places returns the elements of an extraction, or texts for values that are no element of their own. */
function places(x, root) {
  const e = x.element;
  if (e.label && !e.name) return ['cell', 'gridcell'].includes(e.role) && root ? column(root, e.label) : beside(e.label, root);
  return select(e, root).filter((el) => !(roleOf(el) === 'row' && el.querySelector('th') && !el.querySelector('td')));
}

function column(row, label) {
  const head = [...(row.closest('table')?.rows ?? [])].find((r) => r.querySelector('th') && !r.querySelector('td'));
  const at = head ? [...head.cells].findIndex((c) => collapse(c.textContent) === label) : -1;
  return at >= 0 && row.cells?.[at] ? [row.cells[at]] : [];
}

function beside(label, root) {
  return [...(root ?? document).querySelectorAll('th,td,dt,label,b,strong,span')].filter((el) => isVisible(el) && collapse(el.textContent).replace(/:$/, '') === label)
    .map((el) => (el.closest('th,td,dt') ?? el).nextElementSibling).filter(Boolean);
}

function valueOf(x, el) {
  if (isSecret(el)) throw new Error('a field for a secret is not read');
  let text = x.read === 'attribute' ? el.getAttribute(x.attribute) : x.read === 'value' || 'value' in el && el.localName !== 'li' && el.localName !== 'button' ? el.value : textOf(el);
  if (x.pattern) text = text?.match(new RegExp(x.pattern))?.[1];
  if (text === undefined || text === null) throw new Error(`${x.property}: the page has no such value`);
  if (x.read !== 'number') return text;
  const number = text.match(/-?[\d.,\u00a0 ]*\d/)?.[0].replace(/[\u00a0 ,](?=\d{3}(\D|$))/g, '').replace(',', '.');
  if (number === undefined) throw new Error(`${x.property}: ${JSON.stringify(text)} has no number`);
  return Number(number);
}

/** extract returns the object of the values. */
function extract(list, root) {
  return Object.fromEntries(list.map((x) => {
    if (x.read === 'url') return [x.property, location.href];
    const found = places(x, root);
    if (x.read === 'count') return [x.property, found.length];
    if (x.read === 'present') return [x.property, found.length > 0];
    if (x.list) return [x.property, found.map((el) => (x.members ? extract(x.members, el) : valueOf(x, el)))];
    if (found.length !== 1) throw new Error(`${x.property}: expected one ${describe(x.element)}, found ${found.length || 'nothing'}`);
    return [x.property, valueOf(x, found[0])];
  }));
}
