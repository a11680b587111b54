// Names: the parts of accname 1.2 that decide what a person would call a thing.

const NAME_LIMIT = 200;
const BUTTON_TYPES = new Set(['button', 'submit', 'reset']);
const VALUE_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton']);

// nameOf answers '' for the nameless. It is cut, because it is also identity:
// two names that differ only beyond the cut are the same name.
function nameOf(el, role) {
  if (UNNAMEABLE.has(role) && role !== 'generic') return '';
  return cut(tidy(nameParts(el, role, { seen: new Set(), within: false, referred: false })), NAME_LIMIT);
}

function nameParts(el, role, at) {
  if (at.seen.has(el)) return '';
  at.seen.add(el);
  if (!at.referred) {
    const ids = attr(el, 'aria-labelledby');
    if (ids) {
      const text = referredText(el, ids, at);
      if (text) return text;
    }
  }
  if (at.within && VALUE_ROLES.has(role)) return embeddedValue(el, role);
  const label = tidy(attr(el, 'aria-label') || '');
  if (label) return label;
  const native = nativeName(el, role, at);
  if (native) return native;
  if (NAMED_BY_CONTENT.has(role) || at.within || at.referred) {
    const text = contentText(el, at);
    if (tidy(text)) return text;
    const drawn = NAMED_BY_CONTENT.has(role) ? pseudoText(el) : '';
    if (drawn) return drawn;
  }
  return fallbackName(el, role);
}

function referredText(el, ids, at) {
  const root = rootNode(el);
  const texts = [];
  for (const id of ids.split(/\s+/)) {
    const target = id && root.getElementById ? root.getElementById(id) : null;
    if (!target) continue;
    // Its own visited set: an element may refer to itself to add its label.
    const seen = target === el ? new Set() : new Set([...at.seen].filter((e) => e !== target));
    texts.push(tidy(nameParts(target, roleOf(target), { seen, within: false, referred: true })));
  }
  return texts.filter(Boolean).join(' ');
}

function embeddedValue(el, role) {
  const tag = localName(el);
  if (tag === 'select') return [...el.selectedOptions].map((o) => o.label).join(' ');
  if (role === 'slider' || role === 'spinbutton') {
    return attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow') || (tag === 'input' ? el.value : '');
  }
  if (tag === 'input' || tag === 'textarea') return isSecret(el) ? '' : el.value;
  return textContent(el);
}

function nativeName(el, role, at) {
  switch (localName(el)) {
    case 'input': {
      const type = el.type;
      if (BUTTON_TYPES.has(type)) {
        const labelled = labelText(el, at);
        if (labelled) return labelled;
        if (hasAttr(el, 'value')) return el.value;
        return type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '';
      }
      if (type === 'image') return labelText(el, at) || attr(el, 'alt') || attr(el, 'value') || attr(el, 'title') || 'Submit';
      return labelText(el, at);
    }
    case 'select': case 'textarea': case 'meter': case 'progress': case 'output': case 'button':
      return labelText(el, at);
    case 'img': case 'area': return attr(el, 'alt') || '';
    case 'fieldset': return childText(el, 'legend', at);
    case 'table': return childText(el, 'caption', at);
    case 'svg': return childText(el, 'title', at);
    case 'optgroup': return attr(el, 'label') || '';
    case 'option': return attr(el, 'label') || '';
  }
  return '';
}

function labelText(el, at) {
  // The list of labels is dear; most buttons cannot have one.
  if (!hasAttr(el, 'id') && !closest(el, 'label')) return '';
  if (!el.labels || at.within && at.seen.size > 1 && [...el.labels].some((l) => at.seen.has(l))) return '';
  return [...el.labels].map((label) =>
    tidy(nameParts(label, 'generic', { seen: new Set([el]), within: true, referred: true }))).filter(Boolean).join(' ');
}

function childText(el, tag, at) {
  for (let n = firstChild(el); n; n = nextSibling(n)) {
    if (nodeType(n) === ELEMENT && localName(n) === tag) {
      return nameParts(n, 'generic', { seen: at.seen, within: true, referred: at.referred });
    }
  }
  return '';
}

// contentText joins what the element shows; boxes are kept apart by a space,
// inline runs are not.
function contentText(el, at) {
  const only = firstChild(el);
  if (only && !nextSibling(only) && nodeType(only) === TEXT && !shadowRootOf(el)) return nodeValue(only);
  let text = '';
  const ignoreVisibility = at.ignoreVisibility ?? getComputedStyle(el).visibility !== 'visible';
  const inner = { seen: at.seen, within: true, referred: at.referred, ignoreVisibility };
  eachChild(el, (n) => {
    const type = nodeType(n);
    if (type === TEXT) { text += nodeValue(n); return; }
    if (type !== ELEMENT || text.length > 4 * NAME_LIMIT) return;
    const tag = localName(n);
    if (tag === 'br') { text += ' '; return; }
    if (SILENT.has(tag) || attr(n, 'aria-hidden') === 'true') return;
    const cs = getComputedStyle(n);
    if (cs.display === 'none' || !ignoreVisibility && cs.visibility !== 'visible') return;
    const part = nameParts(n, roleOf(n), inner);
    text += cs.display.startsWith('inline') && cs.display !== 'inline-block' || cs.display === 'contents' ? part : ` ${part} `;
  });
  return text;
}

// pseudoText reads generated content, only for what would be nameless without
// it: icon fonts put private-use characters there, which tidy removes.
function pseudoText(el) {
  let text = '';
  for (const side of ['::before', '::after']) {
    const content = getComputedStyle(el, side).content;
    const quoted = /^"((?:[^"\\]|\\.)*)"(?:\s*\/\s*"((?:[^"\\]|\\.)*)")?$/.exec(content || '');
    if (quoted) text += ' ' + (quoted[2] ?? quoted[1]).replace(/\\(.)/g, '$1');
  }
  return tidy(text);
}

function fallbackName(el, role) {
  const title = tidy(attr(el, 'title') || '');
  if (title) return title;
  if (role === 'generic') return '';
  const tag = localName(el);
  if (tag === 'input' || tag === 'textarea') {
    const hint = attr(el, 'placeholder') || attr(el, 'aria-placeholder');
    if (hint) return hint;
    if (el.type === 'file') return 'Choose file';
  }
  if (hasAttr(el, 'aria-placeholder')) return attr(el, 'aria-placeholder');
  if (tag === 'a') {
    // A link around an image alone is named by the image when the image has no alt.
    const image = firstChild(el) && el.querySelector('img[title]');
    if (image) return attr(image, 'title');
  }
  return '';
}
