// What of a page nobody may write down: what is in its password fields, and what
// it keeps in web storage. It is given to the outside so that it can be taken
// out of whatever is kept; nothing else may be done with it.

const STORED_MOST = 200; // items of one storage

function confidential() {
  const typed = [];
  const stored = [];
  let fields = 0;
  const keep = (view) => {
    for (const name of ['localStorage', 'sessionStorage']) {
      try {
        const items = view[name];
        for (let i = 0; i < Math.min(items.length, STORED_MOST); i++) stored.push(String(items.getItem(items.key(i))).slice(0, 2000));
      } catch { /* a document without an origin has none */ }
    }
  };
  const tree = (root) => {
    for (const el of root.querySelectorAll('*')) {
      if (isSecret(el)) { fields++; if (el.value) typed.push(el.value); }
      const shadow = shadowRootOf(el);
      if (shadow) tree(shadow); else if (localName(el).includes('-')) suspect(el, localName(el), false);
      if (isFrame(el)) {
        const doc = frameDocument(el);
        if (doc) { keep(doc.defaultView); tree(doc); } else meet(el);
      }
    }
  };
  keep(window);
  tree(document);
  const focus = focusedElement();
  return { typed, stored, fields, focus: !!focus && isSecret(focus) };
}
