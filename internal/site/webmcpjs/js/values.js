// What a tool says: the postcondition that must hold, and the values of its output.

/** @param {Want} want @param {string} text */
const matches = (want, text) => (typeof want === 'string' ? text.includes(want) :
  (want.contains === undefined || text.includes(want.contains)) && (want.equals === undefined || text === want.equals) && (want.matches === undefined || new RegExp(want.matches).test(text)));

/** @param {CountWant} want @param {number} n */
const counts = (want, n) => (want.eq === undefined || n === want.eq) && (want.min === undefined || n >= want.min) && (want.max === undefined || n <= want.max);

/** @param {string} css */
const visibleOf = (css) => select({ css });

const ASSERTIONS = {
  /** @param {Want} v */
  url: (v) => matches(v, location.href),
  /** @param {Exclude<Want, string> & { selector?: string }} v */
  dom_text: (v) => visibleOf(v.selector ?? 'body').some((el) => matches(v, textOf(el))),
  /** @param {CountWant} v */
  dom_count: (v) => counts(v, [...document.querySelectorAll(v.selector)].length),
  /** @param {string | { selector: string, state?: string | string[] }} v */
  element: (v) => {
    const { selector, state: wanted = 'visible' } = typeof v === 'string' ? { selector: v } : v;
    const found = visibleOf(selector);
    return [wanted].flat().every((state) => (['hidden', 'absent'].includes(state) ? !found.length : found.length > 0));
  },
  /** @param {Exclude<Want, string> & { selector: string }} v */
  value: (v) => visibleOf(v.selector).some((el) => !isSecret(el) && matches(v, el.value)),
  /** @param {Contract[]} list */
  and: (list) => list.every(holds),
  /** @param {Contract[]} list */
  or: (list) => list.some(holds),
  /** @param {Contract} inner */
  not: (inner) => !holds(inner),
};

/** @param {Contract} contract @returns {boolean} */
const holds = (contract) => Object.entries(contract).every(([kind, value]) => /** @type {Record<string, (value: unknown) => boolean>} */ (ASSERTIONS)[kind](value));

/** @param {Contract} contract @returns {Outcome} */
const judge = (contract) => (holds(contract) ? { ok: true } : { reason: `it does not hold: ${JSON.stringify(contract)}` });

/** places returns the elements of an extraction, or texts for values that are no element of their own. */
/** @param {Extraction} x @param {SiteElement | undefined} root @returns {SiteElement[]} */
function places(x, root) {
  const e = x.element;
  if (e.label && !e.name) return ['cell', 'gridcell'].includes(e.role ?? '') && root ? column(root, e.label) : beside(e.label, root);
  return select(e, root).filter((el) => !(roleOf(el) === 'row' && el.querySelector('th') && !el.querySelector('td')));
}

/** @param {SiteElement} row @param {string} label */
function column(row, label) {
  const head = [...(row.closest('table')?.rows ?? [])].find((r) => r.querySelector('th') && !r.querySelector('td'));
  const at = head ? [...head.cells ?? []].findIndex((c) => collapse(c.textContent) === label) : -1;
  return at >= 0 && row.cells?.[at] ? [row.cells[at]] : [];
}

/** @param {string} label @param {SiteElement | undefined} root @returns {SiteElement[]} */
function beside(label, root) {
  return [...(root ?? document).querySelectorAll('th,td,dt,label,b,strong,span')].filter((el) => isVisible(el) && collapse(el.textContent).replace(/:$/, '') === label)
    .map((el) => /** @type {SiteElement | null} */ ((el.closest('th,td,dt') ?? el).nextElementSibling)).filter((el) => el !== null);
}

/** @param {Extraction} x @param {SiteElement} el */
function valueOf(x, el) {
  if (isSecret(el)) throw new Error('a field for a secret is not read');
  /** @type {string | null | undefined} */
  let text = x.read === 'attribute' ? el.getAttribute(x.attribute ?? '') : x.read === 'value' || 'value' in el && el.localName !== 'li' && el.localName !== 'button' ? el.value : textOf(el);
  if (x.pattern) text = text?.match(new RegExp(x.pattern))?.[1];
  if (text === undefined || text === null) throw new Error(`${x.property}: the page has no such value`);
  if (x.read !== 'number') return text;
  const number = text.match(/-?[\d.,\u00a0 ]*\d/)?.[0].replace(/[\u00a0 ,](?=\d{3}(\D|$))/g, '').replace(',', '.');
  if (number === undefined) throw new Error(`${x.property}: ${JSON.stringify(text)} has no number`);
  return Number(number);
}

/** extract returns the object of the values. */
/** @param {Extraction[]} list @param {SiteElement} [root] @returns {Record<string, unknown>} */
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
