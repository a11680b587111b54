// What a page shows: roles, names, visibility. Elements are known by these, never by classes or order.

/** @param {string | null | undefined} text */
const collapse = (text) => (text ?? '').replace(/\s+/g, ' ').trim();

/** documents yields the page's document and those of its frames that this script may read. */
/** @param {Document} [doc] @returns {Generator<Document>} */
function* documents(doc = document) {
  yield doc;
  for (const frame of doc.querySelectorAll('iframe')) {
    let inner = null;
    try { inner = /** @type {HTMLIFrameElement} */ (/** @type {Element} */ (frame)).contentDocument; } catch { /* of another origin */ }
    if (inner?.body) yield* documents(inner);
  }
}

/** @type {Record<string, string>} */
const INPUT_ROLES = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', hidden: '' };
/** @type {Record<string, string>} */
const TAG_ROLES = {
  button: 'button', summary: 'button', textarea: 'textbox', option: 'option', article: 'article', nav: 'navigation', main: 'main', table: 'table',
  tr: 'row', td: 'cell', li: 'listitem', ul: 'list', ol: 'list', img: 'img', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading',
};

/** @param {SiteElement} el */
function roleOf(el) {
  const given = el.getAttribute('role')?.trim().split(/\s+/)[0];
  if (given) return given;
  const tag = el.localName;
  if (tag === 'a' || tag === 'area') return el.hasAttribute('href') ? 'link' : '';
  if (tag === 'input') return INPUT_ROLES[el.type] ?? 'textbox';
  if (tag === 'select') return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
  if (tag === 'th') return el.scope === 'row' || el.parentElement?.querySelector('td') ? 'rowheader' : 'columnheader';
  return TAG_ROLES[tag] ?? '';
}

const NAMED_BY_CONTENT = new Set(['button', 'link', 'heading', 'tab', 'option', 'cell', 'columnheader', 'rowheader', 'menuitem', 'checkbox', 'radio', 'switch']);

/** @param {SiteElement} el @returns {string} */
function nameOf(el) {
  const ids = el.getAttribute('aria-labelledby');
  if (ids) return collapse(ids.split(/\s+/).map((id) => el.ownerDocument.getElementById(id)?.textContent).join(' '));
  const given = collapse(el.getAttribute('aria-label'));
  if (given) return given;
  if (el.labels?.length) return collapse([...el.labels].map((l) => l.textContent).join(' '));
  if (el.localName === 'img') return collapse(el.alt);
  if (el.localName === 'input' && ['submit', 'button', 'reset'].includes(el.type)) return collapse(el.value || el.type);
  const own = NAMED_BY_CONTENT.has(roleOf(el)) ? collapse(el.textContent) : '';
  return own || collapse(el.title) || collapse(el.getAttribute('placeholder'));
}

/** @param {SiteElement} el */
const isVisible = (el) => el.checkVisibility({ visibilityProperty: true }) && el.getClientRects().length > 0;

/** @param {SiteElement} el */
const textOf = (el) => collapse(el.innerText ?? el.textContent);

/** @param {SiteElement} el */
const isSecret = (el) => el.localName === 'input' && el.type === 'password';

/** select returns the visible elements that fit the marks, below root where one is given. */
/** @param {Marks} marks @param {SiteElement | null} [root] @returns {SiteElement[]} */
function select(marks, root) {
  const roots = marks.within ? select(marks.within, root) : [root];
  const out = [];
  for (const at of roots) {
    for (const doc of at ? [at] : documents()) {
      for (const el of doc.querySelectorAll(marks.css || '*')) {
        if (isVisible(el) && fits(el, marks)) out.push(el);
      }
    }
  }
  return [...new Set(out)];
}

/** @param {SiteElement} el @param {Marks} marks */
function fits(el, marks) {
  return (!marks.role || roleOf(el) === marks.role) && (!marks.name || nameOf(el) === marks.name) && (!marks.tag || el.localName === marks.tag) && (!marks.kind || el.type === marks.kind) &&
    (!marks.testId || ['data-testid', 'data-test', 'data-test-id'].some((a) => el.getAttribute(a) === marks.testId)) &&
    (!marks.text || textOf(el) === marks.text) && (!marks.has || textOf(el).includes(marks.has)) && (!marks.notText || textOf(el) !== marks.notText);
}

/** labelled keeps the elements in the card, row or section that shows a label. */
/** @param {SiteElement[]} found @param {string} label */
function labelled(found, label) {
  return found.filter((el) => {
    for (let at = el.parentElement; at; at = at.parentElement) {
      const heading = at.querySelector('h1,h2,h3,h4,h5,h6,[role=heading],th,td,dt,label,legend');
      if (heading) return collapse(heading.textContent) === label;
    }
    return false;
  });
}

/** @param {SiteElement} el */
const framePath = (el) => (el.ownerDocument === document ? '' : el.ownerDocument.location.pathname);

/**
 * inFrame keeps the elements of the frames with a path. Where none is in such a frame, it keeps those of any frame: addresses
 * change more often than content. Without a path it keeps those of the page itself.
 */
/** @param {SiteElement[]} found @param {string} [path] */
function inFrame(found, path = '') {
  const same = found.filter((el) => framePath(el) === path);
  return same.length || !path ? same : found.filter(framePath);
}

/** describe says an element's marks as a person would: button "Save" beside "Alice". */
/** @param {Marks} marks */
function describe(marks) {
  const words = [marks.role || marks.css || 'element'];
  if (marks.name) words.push(JSON.stringify(marks.name));
  if (marks.text) words.push('with text ' + JSON.stringify(marks.text));
  if (marks.label) words.push('beside ' + JSON.stringify(marks.label));
  if (marks.frame) words.push(`in frame ${marks.frame}, if this page may read it`);
  if (marks.of) words.push(`(${marks.nth} of ${marks.of})`);
  return words.join(' ');
}

/** resolve returns the one element that is meant, or a reason why there is none. It never takes a similar one. */
/** @param {Marks} marks @returns {Outcome} */
function resolve(marks) {
  let found = inFrame(select(marks), marks.frame);
  if (!marks.name && !marks.text && !marks.testId && !marks.css) found = found.filter((el) => !nameOf(el)); // a nameless field
  if (marks.label && (found.length > 1 || !marks.name)) found = labelled(found, marks.label);
  if (marks.of ? found.length !== marks.of : found.length !== 1) {
    const near = select({ role: marks.role }).map(nameOf).filter(Boolean).slice(0, 8);
    return { reason: `expected ${describe(marks)}, found ${found.length || 'nothing'}${near.length ? '; near are ' + near.map((n) => JSON.stringify(n)).join(', ') : ''}` };
  }
  return { el: found[marks.of ? (marks.nth ?? 0) - 1 : 0] };
}
