// Hiding what must not be in a picture: password fields, and whatever shows one
// of the texts that nobody may see. A style sheet beside the page's own does it,
// so that nothing in the document changes that its scripts are told of.

const CONCEALED = '{color:transparent!important;-webkit-text-fill-color:transparent!important;-webkit-text-security:disc!important;' +
  'text-shadow:none!important;text-decoration-color:transparent!important;caret-color:transparent!important;transition:none!important}';

const STILL = '{transition:none!important}';

let veils = []; // trees, each with the sheet that it was given and the elements this hides

function conceal({ values }) {
  unveil();
  let hidden = 0;
  const tree = (root) => {
    const shown = [];
    for (const el of root.querySelectorAll('*')) {
      if (tells(el, values)) shown.push(el);
      const shadow = shadowRootOf(el);
      if (shadow) tree(shadow); else if (localName(el).includes('-')) suspect(el, localName(el), false);
      if (isFrame(el)) {
        const doc = frameDocument(el);
        if (doc) tree(doc); else meet(el);
      }
    }
    hidden += shown.length;
    if (shown.length) veil(root, shown);
  };
  tree(document);
  return { hidden };
}

function veil(root, elements) {
  const view = (root.defaultView || root.ownerDocument.defaultView);
  const sheet = new view.CSSStyleSheet();
  const paths = elements.map((el) => positionOf(el, root));
  sheet.replaceSync(paths.map((path) => path + CONCEALED).join('\n'));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  veils.push({ root, sheet, elements, paths });
}

function unveil() {
  for (const { root, sheet, elements, paths } of veils) {
    sheet.replaceSync(paths.map((path) => path + STILL).join('\n'));
    for (const el of elements) getComputedStyle(el).color; // the way back is no transition of the page's
    root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((s) => s !== sheet);
  }
  veils = [];
  return {};
}

// tells: the element shows one of the texts, or is a password field that is filled.
function tells(el, values) {
  const tag = localName(el);
  if (tag === 'input' && el.type === 'password') return el.value !== '';
  if (tag === 'input' || tag === 'textarea') return showsAny(el.value, values);
  for (let n = firstChild(el); n; n = nextSibling(n)) {
    if (nodeType(n) === TEXT && showsAny(n.data, values)) return true;
  }
  return false;
}

const showsAny = (text, values) => values.some((value) => String(text).includes(value));

// positionOf is a selector of one element, by positions alone.
function positionOf(el, root) {
  const steps = [];
  for (let at = el; at && at !== root; at = parentNode(at)) {
    if (nodeType(at) !== ELEMENT) break;
    let n = 1;
    for (let before = previousElement(at); before; before = previousElement(before)) n++;
    steps.unshift(`:nth-child(${n})`);
  }
  return (nodeType(root) === DOCUMENT ? '' : ':host>') + steps.join('>');
}
