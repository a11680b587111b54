// Facts of a document that checks judge. It judges little itself: what a check needs of elements is
// counted here, and at most LIMIT of them are kept for refs. Named elements of a page shadow
// properties of its document, so everything is taken from the prototypes.

const LIMIT = 20, MAX_TARGETS = 3000, MAX_TEXTS = 20000;
/** @type {Element[]} */
const keptElements = [];
/** @type {(selector: string) => NodeListOf<HTMLElement>} */
const queryAll = Document.prototype.querySelectorAll.bind(document);
/** @param {Element} el @param {string} name */
const attribute = (el, name) => Element.prototype.getAttribute.call(el, name);
/** @param {Element} el @param {string} name */
const has = (el, name) => Element.prototype.hasAttribute.call(el, name);
/** @param {Element} el */
const rectOf = (el) => Element.prototype.getBoundingClientRect.call(el);
// own returns the getter of a property; its caller says the type of the object and of the property.
/** @template {object} T @template V @param {T} prototype @param {string} name @returns {(this: T) => V} */
const own = (prototype, name) => /** @type {{ get: (this: T) => V }} */ (Object.getOwnPropertyDescriptor(prototype, name)).get;
/** @type {(this: Node) => string} */
const textOf = own(Node.prototype, 'textContent');
/** @type {(this: Node) => Element | null} */
const parentOf = own(Node.prototype, 'parentElement');
/** @param {string | null | undefined} text */
const tidy = (text) => (text ?? '').replace(/\s+/g, ' ').trim();

// offenders is a list of elements with a detail each, and the total.
function offenders() {
  /** @type {{ total: number, items: { element: number, detail: string }[] }} */
  const list = { total: 0, items: [] };
  /** @param {Element | null} el @param {string} [detail] */
  const add = (el, detail = '') => {
    list.total++;
    if (list.items.length < LIMIT) {
      list.items.push({ element: el ? keptElements.push(el) - 1 : -1, detail: String(detail).slice(0, 200) });
    }
  };
  return { list, add };
}

/** @param {Element} el */
const isShown = (el) => Element.prototype.checkVisibility.call(el, { visibilityProperty: true, opacityProperty: true });

function headFacts() {
  /** @type {(this: Document) => DocumentType | null} */
  const doctypeOf = own(Document.prototype, 'doctype');
  /** @param {string} name */
  const textual = (name) => { /** @type {(this: Document) => string} */ const get = own(Document.prototype, name); return get.call(document); };
  const type = doctypeOf.call(document);
  const metas = [...queryAll('meta')];
  /** @param {string} name */
  const named = (name) => metas.filter((m) => (attribute(m, 'name') ?? '').toLowerCase() === name).map((m) => attribute(m, 'content') ?? '');
  /** @param {string} name */
  const equivalent = (name) => metas.filter((m) => (attribute(m, 'http-equiv') ?? '').toLowerCase() === name).map((m) => attribute(m, 'content') ?? '');
  const links = [...queryAll('link[rel]')].filter((l) => has(l, 'href'));
  /** @param {Element} l @param {string} word */
  const rel = (l, word) => (attribute(l, 'rel') ?? '').toLowerCase().split(/\s+/).includes(word);
  const title = queryAll('head > title')[0];
  return {
    url: location.href, contentType: textual('contentType'),
    doctype: type ? { name: type.name, publicId: type.publicId, systemId: type.systemId } : null,
    compatMode: textual('compatMode'),
    charset: textual('characterSet'),
    charsetDeclared: metas.some((m) => has(m, 'charset')) || equivalent('content-type').some((c) => /charset=/i.test(c)),
    secureContext: isSecureContext,
    hasTitle: !!title, title: tidy(title && textOf.call(title)),
    descriptions: named('description').map(tidy), viewports: named('viewport'), robots: [...named('robots'), ...named('googlebot')],
    policies: equivalent('content-security-policy'), referrerPolicies: named('referrer'),
    canonicals: links.filter((l) => rel(l, 'canonical')).map((l) => attribute(l, 'href')),
    alternates: links.filter((l) => rel(l, 'alternate') && has(l, 'hreflang')).map((l) => ({ lang: attribute(l, 'hreflang'), href: attribute(l, 'href') })),
  };
}

const GENERIC = new Set(('click here|click this|here|this|go|start|more|read more|learn more|more info|more information|details|link|this page|right here|continue|' +
  'hier|mehr|weiter|weiterlesen|mehr erfahren|mehr lesen|ici|cliquez ici|lire la suite|en savoir plus|plus|aquí|haz clic aquí|más|más información|saiba mais|clique aqui|qui|clicca qui').split('|'));

function linkFacts() {
  const generic = offenders(), uncrawlable = offenders();
  let total = 0;
  for (const a of queryAll('a')) {
    total++;
    const raw = attribute(a, 'href'), role = attribute(a, 'role');
    if (/^\s*javascript:/i.test(raw ?? '') && role !== 'button') uncrawlable.add(a, 'href is script');
    else if (raw === null && has(a, 'onclick') && !role) uncrawlable.add(a, 'a click handler and no href');
    else if (raw !== null && raw.trim() === '' && has(a, 'onclick') && !role) uncrawlable.add(a, 'a click handler and an empty href');
    if (raw === null || /^\s*(#|javascript:|mailto:|tel:)/i.test(raw)) continue;
    const text = tidy(attribute(a, 'aria-label') ?? textOf.call(a)).toLowerCase().replace(/[\s.…»>→!]+$/, '');
    if (GENERIC.has(text)) generic.add(a, text);
  }
  return { links: total, genericLinks: generic.list, uncrawlableLinks: uncrawlable.list };
}

function imageFacts() {
  const distorted = offenders(), broken = offenders();
  /** @type {(this: HTMLImageElement) => number} */ const width = own(HTMLImageElement.prototype, 'naturalWidth');
  /** @type {(this: HTMLImageElement) => number} */ const height = own(HTMLImageElement.prototype, 'naturalHeight');
  /** @type {(this: HTMLImageElement) => boolean} */ const complete = own(HTMLImageElement.prototype, 'complete');
  /** @type {(this: HTMLImageElement) => string} */ const source = own(HTMLImageElement.prototype, 'currentSrc');
  for (const img of /** @type {Iterable<HTMLImageElement>} */ (/** @type {unknown} */ (queryAll('img')))) {
    const w = width.call(img), h = height.call(img);
    if (!complete.call(img) || !source.call(img)) continue;
    if (!w) { broken.add(img, source.call(img).slice(0, 150)); continue; }
    const shown = { w: img.clientWidth, h: img.clientHeight };
    if (shown.w < 5 || shown.h < 5 || getComputedStyle(img).objectFit !== 'fill' || /\.svg([?#]|$)|^data:image\/svg/i.test(source.call(img))) continue;
    const style = getComputedStyle(img);
    shown.w -= parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    shown.h -= parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
    const wanted = shown.w * h / w;
    if (Math.abs(wanted - shown.h) > 5 && Math.abs(wanted / shown.h - 1) > 0.05) {
      distorted.add(img, `shown ${Math.round(shown.w)}×${Math.round(shown.h)}, is ${w}×${h}`);
    }
  }
  return { images: queryAll('img').length, distortedImages: distorted.list, brokenImages: broken.list };
}

const TARGETS = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],[role=menuitem],[role=option]';
const LEAST = 24; // CSS pixels: WCAG 2.2, 2.5.8

// targetFacts finds targets below 24×24 CSS pixels that are also too close to another one. Links in a
// line of text and the browser's own check boxes are exempt, as in WCAG.
function targetFacts() {
  const small = offenders();
  /** @type {AuditTarget[]} */
  const all = [];
  for (const el of queryAll(TARGETS)) {
    if (all.length >= MAX_TARGETS) break;
    const r = rectOf(el);
    if (r.width < 1 || r.height < 1 || !isShown(el)) continue;
    const native = el.localName === 'input' && ['checkbox', 'radio'].includes(/** @type {HTMLInputElement} */ (el).type) && getComputedStyle(el).appearance !== 'none';
    const inText = getComputedStyle(el).display === 'inline' && tidy(textOf.call(parentOf.call(el) ?? el)) !== tidy(textOf.call(el));
    all.push({ el, r, small: (r.width < LEAST || r.height < LEAST) && !native && !inText });
  }
  /** @type {Map<string, AuditTarget[]>} */
  const cells = new Map();
  /** @param {Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>} r @param {number} margin @param {(key: string) => void} fn */
  const eachCell = (r, margin, fn) => {
    for (let x = Math.floor((r.left - margin) / 64); x <= Math.floor((r.right + margin) / 64); x++) {
      for (let y = Math.floor((r.top - margin) / 64); y <= Math.floor((r.bottom + margin) / 64); y++) fn(x + ',' + y);
    }
  };
  for (const t of all) if (t.r.width < 2000 && t.r.height < 2000) eachCell(t.r, 0, (k) => cells.set(k, [...(cells.get(k) ?? []), t]));
  for (const t of all) {
    if (!t.small) continue;
    const x = (t.r.left + t.r.right) / 2, y = (t.r.top + t.r.bottom) / 2;
    /** @type {Set<AuditTarget>} */
    const near = new Set();
    eachCell({ left: x, right: x, top: y, bottom: y }, LEAST, (k) => (cells.get(k) ?? []).forEach((o) => near.add(o)));
    const crowded = [...near].some((o) => {
      if (o === t || Node.prototype.contains.call(o.el, t.el) || Node.prototype.contains.call(t.el, o.el)) return false;
      const dx = Math.max(o.r.left - x, 0, x - o.r.right), dy = Math.max(o.r.top - y, 0, y - o.r.bottom);
      const apart = o.small ? Math.hypot((o.r.left + o.r.right) / 2 - x, (o.r.top + o.r.bottom) / 2 - y) < LEAST : false;
      return Math.hypot(dx, dy) < LEAST / 2 || apart;
    });
    if (crowded) small.add(t.el, `${Math.round(t.r.width)}×${Math.round(t.r.height)}`);
  }
  return { targets: all.length, smallTargets: small.list };
}

function fontFacts() {
  const small = offenders();
  /** @type {Map<Element, number | null>} */
  const sizes = new Map();
  const walker = document.createTreeWalker(documentElement(), NodeFilter.SHOW_TEXT);
  let total = 0, below = 0, seen = 0;
  for (let node = walker.nextNode(); node && seen < MAX_TEXTS; node = walker.nextNode()) {
    const length = tidy(textOf.call(node)).length, parent = parentOf.call(node);
    if (!length || !parent || ['script', 'style', 'noscript', 'template', 'title'].includes(parent.localName)) continue;
    seen++;
    let size = sizes.get(parent);
    if (size === undefined) sizes.set(parent, size = isShown(parent) ? parseFloat(getComputedStyle(parent).fontSize) : null);
    if (size === null || size === undefined) continue;
    total += length;
    if (size < 12) { below += length; small.add(parent, `${Math.round(size * 10) / 10}px`); }
  }
  return { textLength: total, smallTextLength: below, smallTexts: small.list };
}

const documentElement = () => { /** @type {(this: Document) => HTMLElement} */ const get = own(Document.prototype, 'documentElement'); return get.call(document); };

function dataFacts() {
  const invalid = offenders();
  const scripts = queryAll('script[type="application/ld+json"]');
  for (const s of scripts) {
    let data;
    try {
      data = JSON.parse(textOf.call(s));
    } catch (e) {
      invalid.add(null, /** @type {Error} */ (e).message);
      continue;
    }
    for (const item of Array.isArray(data) ? data : [data]) {
      if (item === null || typeof item !== 'object') invalid.add(null, 'no object');
      else if (!('@context' in item)) invalid.add(null, 'no @context');
      else if (!('@type' in item) && !('@graph' in item)) invalid.add(null, 'no @type');
    }
  }
  return { structuredData: scripts.length, invalidData: invalid.list };
}

function loadFacts() {
  const insecure = offenders(), forms = offenders();
  if (location.protocol === 'https:') {
    for (const el of queryAll('img[src],script[src],iframe[src],audio[src],video[src],source[src],link[rel~=stylesheet][href],object[data]')) {
      const address = attribute(el, 'src') ?? attribute(el, 'href') ?? attribute(el, 'data');
      if (address && /^\s*http:/i.test(address)) insecure.add(el, address);
    }
  }
  for (const form of queryAll('form[action]')) {
    const action = attribute(form, 'action') ?? '';
    if (/^\s*http:/i.test(action) && !localAddress(action)) forms.add(form, action);
  }
  return { insecureLoads: insecure.list, insecureForms: forms.list, passwords: queryAll('input[type=password]').length };
}

/** @param {string} address */
const localAddress = (address) => { try { return /^(localhost|127\.|\[::1\])/.test(new URL(address, location.href).hostname); } catch { return false; } };

function collectFacts() {
  return { ...headFacts(), ...linkFacts(), ...imageFacts(), ...targetFacts(), ...fontFacts(), ...dataFacts(), ...loadFacts() };
}
