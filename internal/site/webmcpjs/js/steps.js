// What a tool does: steps one after the other, each on the one element that it means.

const WAIT = 10_000;

/** until polls a condition for at most ten seconds. The condition returns {ok} or {reason}. */
/** @param {() => Outcome} check @param {AbortSignal | undefined} signal @returns {Promise<Outcome>} */
async function until(check, signal) {
  for (const end = Date.now() + WAIT; ;) {
    signal?.throwIfAborted();
    const state = check();
    if (!state.reason) return state;
    if (Date.now() > end) throw new Error(state.reason);
    await new Promise((resume) => setTimeout(resume, 30));
  }
}

/** settle waits until the page has changed nothing for a tenth of a second, for at most two seconds: a page draws after its events. */
/** @param {AbortSignal | undefined} signal */
async function settle(signal) {
  let last = Date.now();
  const observers = [...documents()].map((doc) => {
    const observer = new MutationObserver(() => { last = Date.now(); });
    observer.observe(doc, { subtree: true, childList: true, attributes: true, characterData: true });
    return observer;
  });
  for (const end = Date.now() + 2000; Date.now() - last < 100 && Date.now() < end;) {
    signal?.throwIfAborted();
    await new Promise((resume) => setTimeout(resume, 20));
  }
  for (const observer of observers) observer.disconnect();
}

const ownPage = () => location.origin + location.pathname + location.search;

/** openStart follows the start of a tool, which is a fragment of this document. */
/** @param {string} start */
function openStart(start) {
  const address = new URL(start, location.origin);
  if (address.origin + address.pathname + address.search !== ownPage()) throw new Error(`the tool begins at ${start}, and this page is ${ownPage()}`);
  location.hash = address.hash;
}

/** @param {SiteElement} el */
const viewOf = (el) => /** @type {Window & typeof globalThis} */ (el.ownerDocument.defaultView);

/** click clicks an element. It refuses what would load another document, because the call ends with this one. */
/** @param {SiteElement} el */
function click(el) {
  let leaves = '';
  /** @param {Event} event */
  const guard = (event) => {
    if (event.defaultPrevented) return;
    const link = event.type === 'click' && /** @type {Partial<Element> | null} */ (event.target)?.closest?.('a[href],area[href]');
    const target = link && new URL(/** @type {HTMLAnchorElement} */ (/** @type {Element} */ (link)).href, location.href);
    if (event.type === 'submit') leaves = 'the form loads another document';
    else if (target && target.href.split('#')[0] !== location.href.split('#')[0]) leaves = `the link leads to ${target.href}, another document`;
    if (leaves) event.preventDefault();
  };
  const view = viewOf(el);
  view.addEventListener('click', guard);
  view.addEventListener('submit', guard);
  try {
    el.scrollIntoView?.({ block: 'nearest' });
    for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup']) {
      const Kind = type.startsWith('pointer') ? view.PointerEvent : view.MouseEvent;
      el.dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, composed: true, view }));
    }
    el.click();
  } finally {
    view.removeEventListener('click', guard);
    view.removeEventListener('submit', guard);
  }
  if (leaves) throw new Error(leaves);
}

/** set gives a field a value, as typing, choosing or checking does. */
/** @param {SiteElement} el @param {unknown} value */
function set(el, value) {
  const view = viewOf(el), role = roleOf(el);
  if (isSecret(el)) throw new Error('a field for a secret is filled in by the person');
  if (['checkbox', 'radio', 'switch'].includes(role)) {
    if (String(el.checked ?? el.getAttribute('aria-checked') === 'true') !== String(value)) click(el);
    return;
  }
  el.focus();
  if (el.localName === 'select') {
    const option = [...el.options].find((o) => collapse(o.label) === collapse(String(value)));
    if (!option) throw new Error(`no option is called ${JSON.stringify(value)}`);
    option.selected = true;
  } else if (el.isContentEditable) {
    el.textContent = /** @type {string | null} */ (value);
  } else {
    const proto = el.localName === 'textarea' ? view.HTMLTextAreaElement.prototype : view.HTMLInputElement.prototype;
    const { set: assign } = /** @type {{ set: (value: unknown) => void }} */ (Object.getOwnPropertyDescriptor(proto, 'value'));
    assign.call(el, value);
  }
  for (const type of ['input', 'change']) el.dispatchEvent(new view.Event(type, { bubbles: true }));
}

/** @type {Record<string, (value: string) => boolean>} */
const WAITS = {
  selector: (v) => [...documents()].some((d) => d.querySelector(v)),
  selector_hidden: (v) => ![...documents()].some((d) => [...d.querySelectorAll(v)].some(isVisible)),
  text: (v) => textOf(/** @type {SiteElement} */ (document.body)).includes(v),
  text_gone: (v) => !textOf(/** @type {SiteElement} */ (document.body)).includes(v),
};

/** @param {Step} s @param {AbortSignal | undefined} signal */
async function step(s, signal) {
  if (s.when && !observe(s.when)) return;
  if (s.action === 'wait') {
    await until(() => (WAITS[s.type](s.value) ? { ok: true } : { reason: `waited in vain for ${s.type} ${JSON.stringify(s.value)}` }), signal);
  } else if (s.optional && resolve(s.target).reason) {
    return;
  } else {
    const { el } = await until(() => resolve(s.target), signal);
    if (el) s.action === 'click' ? click(el) : set(el, s.value);
    await settle(signal);
  }
  const { expect } = s;
  if (expect) await until(() => judge(expect), signal);
}

/** observe reports whether the page shows what decides a fact. */
/** @param {Observation} o @returns {boolean} */
function observe(o) {
  return (!o.element || select(o.element).length > 0) && (!o.url || matchesAddress(o.url, location.href)) &&
    (!o.not || !observe(o.not)) && (!o.all || o.all.every(observe)) && (!o.any || o.any.some(observe));
}
