// Effects: what an action changed, in a few lines a person would notice.

const LINES = 8, LINE_BYTES = 120, TOTAL_BYTES = 500;
const LIVE = '[aria-live="polite"],[aria-live="assertive"],[role=alert],[role=status],[role=log],output';
const POPUPS = new Set(['dialog', 'alertdialog', 'menu', 'listbox', 'tooltip', 'alert', 'status', 'tree']);
const STATES = { 'aria-expanded': ['expanded', 'collapsed'], 'aria-pressed': ['pressed', 'not pressed'],
  'aria-selected': ['selected', 'not selected'], 'aria-checked': ['checked', 'unchecked'] };

// settled reports what an action changed when the DOM rests. With `parsed` that is in a new document, which is waited for
// to be parsed, so many milliseconds at most.
async function settled(options) {
  if (options.parsed) await ready({ limit: options.parsed });
  const hit = disarm();
  if (hit) return { missed: describe(hit) };
  await quiet(options);
  return effect();
}

function effect() {
  drain();
  const was = capture ?? { records: [], url: location.href, title: document.title };
  const out = { url: location.href, title: tidy(document.title), moved: location.href !== was.url, changes: [] };
  if (was.el) {
    if (attached(was.el)) out.element = describe(was.el, was.shownRole);
    else out.gone = true;
  }
  const focus = focusedElement();
  if (focus) out.focus = describe(focus, numbers.has(focus) ? entries.get(numbers.get(focus)).role : undefined);
  if (was.unmet && was.unmet.kind === 'keys' && !sameValue(was.unmet.el, was.unmet.value)) out.lost = true;
  out.changes = changeLines(was);
  if (was.until) was.until = performance.now() + CAPTURE_LIFE;
  return out;
}

function changeLines(was) {
  const lines = [];
  const say = (line) => { if (line && !lines.includes(line)) lines.push(cutBytes(line, LINE_BYTES)); };
  if (was.scroll && (was.scroll[0] !== scrollX || was.scroll[1] !== scrollY)) {
    say(`scrolled to ${Math.round(scrollX)},${Math.round(scrollY)} of ${document.documentElement.scrollHeight}`);
  }
  if (was.unmet && was.unmet.kind === 'pointer') say('no press arrived at it: a frame may have come over it');
  if (was.slipped) say('it moved away between press and release: no click came of it');
  if (document.title !== was.title) say(`title: ${tidy(document.title)}`);
  const told = new Set();
  for (const r of was.records) sayLive(r, say, told);
  for (const r of was.records) if (r.type === 'attributes') sayAttribute(r, say);
  for (const el of was.hidden ?? []) sayRevealed(el, say, told);
  const added = new Set(), removed = new Set();
  for (const r of was.records) gather(r, added, removed, told);
  for (const el of added) sayShown(el, added, say, told);
  for (const text of removed) say(`- ${text}`);
  return fit(lines);
}

function fit(lines) {
  const out = [];
  let bytes = 0;
  for (const line of lines) {
    const size = byteLength(line);
    if (out.length === LINES || bytes + size > TOTAL_BYTES) break;
    bytes += size;
    out.push(line.toWellFormed());
  }
  return out;
}

const encoder = new TextEncoder();
const byteLength = (s) => encoder.encode(s).length;

function cutBytes(s, max) {
  let text = cut(s, max);
  while (byteLength(text) > max) text = cut(text, Math.floor(text.length * 0.8));
  return text;
}

const elementOf = (node) => (nodeType(node) === ELEMENT ? node : holderOf(node));

function sayLive(record, say, told) {
  const el = elementOf(record.target);
  const region = el && isConnected(el) && closest(el, LIVE);
  if (!region || told.has(region)) return;
  told.add(region);
  const text = visibleText(region);
  if (text) say(`${roleOf(region) === 'generic' ? 'status' : roleOf(region)}: ${text}`);
}

function sayAttribute(record, say) {
  const el = record.target, name = record.attributeName;
  if (!isConnected(el) || !isVisible(el)) return;
  const role = roleOf(el);
  const now = attr(el, name);
  if (STATES[name] && now !== record.oldValue && (now === 'true' || record.oldValue === 'true')) {
    say(`${label(el, role)} ${STATES[name][now === 'true' ? 0 : 1]}`);
  } else if (name === 'open' && now !== null && role === 'dialog') {
    say(`${label(el, role)} opened`);
  } else if (name === 'disabled' && (now === null) !== (record.oldValue === null)) {
    say(`${label(el, role)} ${now === null ? 'enabled' : 'disabled'}`);
  } else if (unhides(record, now) || POPUPS.has(role) && (name === 'class' || name === 'style') && now !== record.oldValue) {
    say(POPUPS.has(role) && role !== 'alert' && role !== 'status' ? `${label(el, role)} shown` : `+ ${visibleText(el)}`);
  }
}

const HIDING = /display:\s*none|visibility:\s*hidden|opacity:\s*0(?![.\d])/;
function unhides(record, now) {
  const old = record.oldValue;
  switch (record.attributeName) {
    case 'hidden': case 'inert': case 'open': return (old === null) !== (now === null);
    case 'aria-hidden': return old === 'true' && now !== 'true';
    case 'style': return HIDING.test(old ?? '') && !HIDING.test(now ?? '');
  }
  return false;
}

const label = (el, role) => {
  const { name } = look(el, role);
  return role === 'generic' ? name || 'element' : name ? `${role} ${JSON.stringify(cut(name, 60))}` : role;
};

function gather(record, added, removed, told) {
  if (record.type === 'characterData') {
    const el = holderOf(record.target);
    if (el) added.add(el);
    return;
  }
  if (record.type !== 'childList') return;
  for (const n of record.addedNodes) {
    const el = nodeType(n) === ELEMENT ? n : nodeType(n) === TEXT ? holderOf(n) : null;
    if (el && added.size < 200) added.add(el);
  }
  for (const n of record.removedNodes) {
    if (isConnected(n) || removed.size > 50 || told.has(elementOf(record.target))) continue;
    const type = nodeType(n);
    // Text replaced in place is told by what replaced it.
    if (type === TEXT && record.addedNodes.length) continue;
    const text = type === TEXT ? tidy(nodeValue(n)) : type === ELEMENT && !SILENT.has(localName(n)) ? tidy(textContent(n)) : '';
    if (text) removed.add(text);
  }
}

function sayShown(el, added, say, told) {
  if (!isConnected(el) || SILENT.has(localName(el)) || !isVisible(el)) return;
  for (let up = parentOf(el); up; up = parentOf(up)) if (added.has(up) || told.has(up)) return;
  if (told.has(el)) return;
  const role = roleOf(el);
  if (POPUPS.has(role)) { say(`${label(el, role)} ${role === 'alert' || role === 'status' ? 'says ' + visibleText(el) : 'opened'}`); return; }
  const text = visibleText(el);
  if (text) say(`+ ${text}`);
}

// visibleText is what of an element a person could read, a little of it.
const visibleText = (el) => cut(tidy(readText(el, 400)), 300);

function readText(el, enough) {
  let text = '';
  const go = (node, up, depth) => {
    if (text.length > enough || depth > DEEPEST) return;
    const here = enter(node, up);
    if (!here) return;
    if (here.display !== 'inline') text += ' ';
    if (here.tag === 'textarea') return; // its text is a value
    const doc = isFrame(node) ? frameDocument(node) : null;
    if (doc) go(doc.documentElement, LOOSE, depth + 1); else if (isFrame(node)) meet(node);
    eachChild(node, (n) => {
      const type = nodeType(n);
      if (type === TEXT) { if (/\S/.test(nodeValue(n)) ? readable(here) : true) text += nodeValue(n); }
      else if (type === ELEMENT) go(n, here, depth + 1);
    });
    if (here.display !== 'inline') text += ' ';
  };
  go(el, above(el), 0);
  return text;
}
