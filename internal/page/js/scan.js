// Who is there: the walk that readings, searches and candidates share.

const TOP = { cursor: 'auto', clipped: false, away: false, visible: true };

// enter decides what of an element a person could see or use, given what was
// decided for its composed parent. null: nothing at or below it. It runs once
// per element of a page; every style it asks for is paid for twenty thousand times.
function enter(el, up) {
  const tag = localName(el);
  if (SILENT.has(tag) || attr(el, 'aria-hidden') === 'true' || hasAttr(el, 'inert')) return null;
  const cs = getComputedStyle(el);
  const display = cs.display;
  if (display === 'none') return null;
  if (cs.opacity === '0' && !isDisguised(el)) return null;
  let { clipped, away } = up;
  if (display !== 'inline' && display !== 'contents' && tag !== 'html' && tag !== 'body') {
    const position = cs.position;
    if (position === 'absolute' || position === 'fixed') {
      clipped = false;
      away = isOffPage(el);
    }
    if (!clipped && cs.overflowX !== 'visible' && !isDisguised(el)) {
      const r = rectOf(el);
      clipped = r.width <= 1 || r.height <= 1;
    }
  }
  return { tag, cs, display, cursor: cs.cursor, clipped, away, visible: cs.visibility === 'visible', text: undefined };
}

// readable says whether text directly in the element can be seen: not clipped
// away, not moved off the page, not without size or colour.
function readable(here) {
  if (here.text === undefined) {
    const cs = here.cs;
    here.text = here.visible && !here.clipped && !here.away && cs.fontSize !== '0px' &&
      !(cs.color === 'rgba(0, 0, 0, 0)' && cs.backgroundClip !== 'text');
  }
  return here.text;
}

function isOffPage(el) {
  const r = rectOf(el), view = ownerDocument(el).defaultView;
  return r.right + view.scrollX < 0 || r.bottom + view.scrollY < 0;
}

// isInteractive: a control by markup, by role, by focus, by handler, or - the
// only trace a script's listener leaves - by the pointer it shows.
function isInteractive(el, role, here, up) {
  if (!here.visible || here.clipped) return false;
  switch (here.tag) {
    case 'input': return el.type !== 'hidden' && (isDisguised(el) || occupies(el));
    case 'html': case 'body': return false;
    case 'option': case 'optgroup': return false;
    case 'label': if (el.control) return false; break;
    case 'video': case 'audio': if (hasAttr(el, 'controls')) return true; break;
  }
  const claims = WIDGETS.has(role) || NATIVE_CONTROLS.has(here.tag) && role !== 'generic' ||
    isEditable(el) && isEditingHost(el) || hasAttr(el, 'onclick') ||
    hasAttr(el, 'tabindex') && tabIndex(el) >= 0 ||
    here.cursor === 'pointer' && up.cursor !== 'pointer';
  return claims && occupies(el);
}

const tabIndex = (el) => (el instanceof HTMLElement ? tabIndexOf(el) : el.tabIndex ?? -1);

// clickableName names what has no role: by its label, or by its content when
// that is short and holds no control of its own.
function clickableName(el) {
  const named = nameOf(el, 'generic');
  if (named) return named;
  const raw = textContent(el);
  if (raw.length > 400 || el.querySelector('a[href],button,input,select,textarea')) return '';
  const text = tidy(contentText(el, { seen: new Set(), within: true, referred: false }));
  return text.length <= 80 ? text : '';
}

// scan visits every element a person could see, in composed document order.
// The visitor may answer true to stop.
function scan(root, visit) {
  const go = (el, up, depth) => {
    const here = enter(el, up);
    if (!here || depth > 2000) return false;
    const role = roleOf(el);
    const live = isInteractive(el, role, here, up);
    if (visit(el, role === 'generic' && live ? 'clickable' : role, live, here)) return true;
    let stop = false;
    const below = (n) => { if (!stop && nodeType(n) === ELEMENT) stop = go(n, here, depth + 1); };
    if (isFrame(el)) {
      const doc = frameDocument(el);
      if (doc) { observeRoot(doc); stop = go(doc.documentElement, TOP, depth + 1); }
      return stop;
    }
    if (here.tag !== 'select' && here.tag !== 'textarea') eachChild(el, below);
    return stop;
  };
  if (root) go(root, TOP, 0);
}
