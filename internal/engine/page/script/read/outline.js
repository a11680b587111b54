// The outline: text and controls of a page, one node per line.

import {
  ELEMENT, MAX_DEPTH, TEXT, cut, eachChild, firstElement, flat, focusedElement, frameDocument, hasAttr, isFrame,
  isRendered, isShuffled, nextElement, nodeType, parentOf, selectAllIn, selectIn, tidy,
} from '../dom/dom.js';
import { isSuspect } from '../dom/concealed.js';
import { isRemoteFrame, noteRemoteFrame } from '../dom/frames.js';
import { textRects } from '../dom/hit_test.js';
import { areasOf, isMapped } from '../dom/image_map.js';
import { authorName, nameOf, replacement } from '../dom/name.js';
import { isOpenSelect } from '../dom/open_select.js';
import { drawnLabel } from '../dom/painted.js';
import { CONTEXT, LANDMARKS, WIDGETS, roleOf } from '../dom/role.js';
import { observeRoot } from '../dom/roots.js';
import {
  CONTROLS_INSIDE, UNKNOWN_PARENT, clickableName, clipsOptionsInput, isInteractive, liveRole, paintOf, parentVisual, readable,
  visualState,
} from '../dom/scan.js';
import { isDisguised, occupies, takesRoom } from '../dom/state.js';
import { ownText, readText, visibleText } from '../dom/text.js';
import { refOf } from '../document/registry.js';
import { CELLS, GRIDS } from '../locate/grid.js';
import { MAX_MONTH_NAME, monthName } from '../locate/month.js';
import { BREAK, COMPACT, FULL, INTERACTIVE } from './modes.js';
import { arrangeRows, flatCells } from './outline_grid.js';
import { printRun, runOf } from './outline_run.js';
import { markText, pushFormula, pushKind, pushModal } from './outline_marks.js';
import { VALUED, hintNote, notesOf, siteOf } from './outline_notes.js';
import { ownersIn } from './outline_owned.js';
import { pushScrollButtons, pushScrollMarkers } from './outline_scroll.js';
import { clearPlaces, printText, pushText, settleKids } from './outline_text.js';

const HEADED = new Set(('heading button link checkbox radio switch menuitem menuitemcheckbox menuitemradio option tab ' +
  'treeitem term tooltip img').split(' '));
const ANCHORED = new Set([...LANDMARKS, 'dialog', 'alertdialog', 'iframe', 'table', 'grid', 'treegrid']);
const PLAIN_IN_COMPACT = new Set(('paragraph strong emphasis code subscript superscript time deletion insertion ' +
  'rowgroup caption separator document none presentation term definition blockquote mark math').split(' '));
// Roles whose text is not theirs, but that of the elements in them.
const HOLDERS = new Set([...CONTEXT, ...GRIDS, 'rowgroup', 'group', 'list', 'article', 'tabpanel', 'document', 'application']);
const SEAMLESS = new Set(['inline', 'contents', 'math']); // displays of boxes within a line of text
const MAX_NAME = 200;

/** @param {El} root @param {ReadOptions} o */
export function outline(root, o) {
  const { kids, plan } = gather(root, o, ownersIn(root));
  /** @type {string[]} */ const lines = [];
  printKids(settleKids(kids, o), 0, plan, lines);
  return { text: lines.join('\n') + (lines.length ? '\n' : ''), frames: plan.frames };
}

// gather walks the page. Where an owner of elements is not read, they stand at their own place.
/** @param {El} root @param {ReadOptions} o @param {Map<El, El>} owners @returns {{ kids: Kid[], plan: Plan }} */
function gather(root, o, owners) {
  /** @type {Plan} */
  const plan = { mode: o.mode, focused: focusedElement(), maxDepth: o.depth, frames: [], o, root, site: siteOf(), owners, passed: new Set(), placed: new Set() };
  /** @type {Kid[]} */ const kids = [];
  clearPlaces();
  if (root === document.documentElement) pushKind(document, kids);
  pushModal(root, kids);
  visit(root, parentVisual(root), kids, plan, true, 0);
  return [...plan.passed].every((el) => plan.placed.has(el)) ? { kids, plan } : gather(root, o, new Map([...owners].filter(([el]) => plan.placed.has(el))));
}

/**
 * @param {El} el
 * @param {ParentVisual} up
 * @param {Kid[]} out
 * @param {Plan} plan
 * @param {boolean} speak
 * @param {number} depth
 */
function visit(el, up, out, plan, speak, depth) {
  if (depth > MAX_DEPTH) return;
  if (plan.owners.has(el)) { plan.passed.add(el); return; }
  const visual = visualState(el, up);
  if (!visual) return;
  if (visual.tag === 'br') { out.push(' '); return; }
  const own = roleOf(el);
  const live = isInteractive(el, own, visual, up);
  const role = live ? liveRole(el, own) : own;
  const node = role !== 'generic' && !visual.clipped && visual.visible ? nodeFor(el, role, live, visual, plan) : undefined;
  const apart = !visual.display.startsWith('inline') && visual.display !== 'contents' && visual.display !== 'math' || node !== undefined;
  if (apart) out.push(BREAK);
  else if (!SEAMLESS.has(visual.display)) out.push(' ');
  descend(el, visual, node, role, out, plan, speak, depth);
  if (apart) out.push(BREAK);
  else if (!SEAMLESS.has(visual.display)) out.push(' ');
}

/**
 * @param {El} el
 * @param {VisualState} visual
 * @param {OutlineNode | undefined} node
 * @param {string} role
 * @param {Kid[]} out
 * @param {Plan} plan
 * @param {boolean} speak
 * @param {number} depth
 */
function descend(el, visual, node, role, out, plan, speak, depth) {
  if (node && node.leaf) { out.push(node); return; }
  // A name is not repeated by the text below it.
  const mute = node !== undefined && node.named && (HEADED.has(role) && visual.tag !== 'svg' || role === 'clickable') ||
    visual.tag === 'label' && plan.mode !== FULL && namesItsControl(el) && !holdsPopup(el);
  // A control without a name shows its text.
  const textual = node !== undefined && node.live && !node.named && !HOLDERS.has(role);
  const said = (textual || speak && !mute) && plan.mode !== INTERACTIVE;
  const kids = node ? node.kids : out, start = kids.length;
  pushScrollButtons(el, visual, kids);
  if (visual.tag === 'math') {
    if (said) pushFormula(el, visual, kids);
  } else if (isFrame(el)) {
    const doc = frameDocument(el);
    if (doc) { observeRoot(doc); pushKind(doc, kids); visit(doc.documentElement, UNKNOWN_PARENT, kids, plan, said, depth + 1); }
  } else if (!said && !isShuffled(el, visual.tag)) {
    // Without text output, text nodes are not visited: each visited node costs an object.
    for (let n = firstElement(el); n; n = nextElement(n)) visit(n, visual, kids, plan, false, depth + 1);
  } else {
    const before = said && drawnLabel(el, '::before'), after = said && drawnLabel(el, '::after');
    if (said && isSuspect(el) && visual.visible) kids.push(replacement(el));
    if (before && readable(visual)) kids.push(flat(before));
    eachChild(el, (n) => {
      const type = nodeType(n);
      if (type === TEXT) {
        if (said) pushText(n, visual, kids, plan);
      } else if (type === ELEMENT) {
        visit(n, visual, kids, plan, said, depth + 1);
      }
    });
    if (after && readable(visual)) kids.push(flat(after));
    if (said) markText(el, visual, node, kids, start);
  }
  pushScrollMarkers(el, visual, kids);
  if (plan.owners.size) visitOwned(el, kids, plan, said, depth);
  if (node && node.live && !node.named && !GRIDS.has(role) && plan.mode === INTERACTIVE) pushOwnText(el, node);
  if (node && GRIDS.has(role) && plan.mode !== INTERACTIVE) arrangeRows(el, node, plan);
  if (node && keep(node, plan)) out.push(node);
}

// visitOwned visits the elements that another one owns.
/** @param {El} el @param {Kid[]} kids @param {Plan} plan @param {boolean} speak @param {number} depth */
function visitOwned(el, kids, plan, speak, depth) {
  for (const [owned] of [...plan.owners].filter(([, owner]) => owner === el)) {
    plan.owners.delete(owned);
    plan.placed.add(owned);
    visit(owned, UNKNOWN_PARENT, kids, plan, speak, depth + 1);
    plan.owners.set(owned, el);
  }
}

// namesItsControl reports a label whose text is already on its control's line.
/** @param {El} el */
function namesItsControl(el) {
  const control = el.control;
  return !!control && !hasAttr(control, 'aria-label') && !hasAttr(control, 'aria-labelledby') && paintOf(control, isListed);
}

// isListed reports a control that has a line of its own: no box around it clips it to nothing.
const MAX_CLIPS = 3;
/** @param {El} control */
function isListed(control) {
  for (let up = /** @type {El | null} */ (control), level = 0; up && level < MAX_CLIPS; up = parentOf(up), level++) {
    if (!isDisguised(up) && getComputedStyle(up).overflowX !== 'visible' && !takesRoom(up) && !clipsOptionsInput(up)) return false;
  }
  return isRendered(control);
}

// holdsPopup reports a label in which a library has opened a popup.
/** @param {El} label */
function holdsPopup(label) {
  const first = firstElement(label);
  if (!first || first === label.control && !nextElement(first)) return false;
  const control = [...selectAllIn(label, CONTROLS_INSIDE)].find((c) => c !== label.control && occupies(c));
  for (let up = control && parentOf(control); up && up !== label; up = parentOf(up)) {
    if (/^(?:absolute|fixed)$/.test(getComputedStyle(up).position)) return true;
  }
  return false;
}

// pushOwnText gives a control without a name its text where a reading has no other text.
const MAX_OWN_TEXT = 120;
/** @param {El} el @param {OutlineNode} node */
function pushOwnText(el, node) {
  const own = node.kids.some((kid) => kid !== BREAK) ? ownText(el) : tidy(readText(el, 4 * MAX_OWN_TEXT));
  if (own) node.kids.unshift(cut(own, MAX_OWN_TEXT), BREAK);
}

/** @param {OutlineNode} node @param {Plan} plan */
const keep = (node, plan) => node.ref || node.named || CELLS.has(node.role) || VALUED.has(node.role) && node.tail || node.kids.some((k) => k !== BREAK && (typeof k !== 'string' || k.trim())) &&
  (plan.mode !== INTERACTIVE || node.kids.some((k) => k !== BREAK && typeof k !== 'string'));

// nodeFor returns undefined for an element without a line of its own.
/** @param {El} el @param {string} role @param {boolean} live @param {VisualState} visual @param {Plan} plan */
function nodeFor(el, role, live, visual, plan) {
  if (role === 'generic' || role === 'document' || role === 'none') return undefined;
  if (!live) {
    if (plan.mode === INTERACTIVE && !CONTEXT.has(role)) return undefined;
    if (plan.mode === COMPACT && PLAIN_IN_COMPACT.has(role)) return undefined;
  }
  if (!live && role === 'heading' && !readable(visual) && (!firstElement(el) || !visibleText(el)) && !(isSuspect(el) && replacement(el))) return undefined;
  const name = lineName(el, role, live);
  const leaf = isLeaf(el, role, visual.tag, name);
  // An unnamed form, address or heading group adds no grouping.
  if (!name && plan.mode !== FULL && (visual.tag === 'form' && role === 'form' || visual.tag === 'address' || visual.tag === 'hgroup') && role !== 'generic') return undefined;
  const picture = !live && !name && isPicture(el, role, visual.tag);
  if (leaf && !live && !name && !picture && role !== 'iframe' && plan.mode !== FULL && role !== 'progressbar' && role !== 'meter') {
    return undefined;
  }
  let ref = '';
  if (live || picture || plan.mode === FULL || ANCHORED.has(role)) {
    ref = refOf(el, role, CELLS.has(role) || role === 'row' ? nameOf(el, role) : name);
  }
  const shownRef = ref && (plan.o.sigil ?? '') + ref;
  let head = role;
  if (name) head += ' ' + JSON.stringify(cut(name, MAX_NAME));
  if (ref) head += ` [${shownRef}]`;
  const tail = notesOf(el, role, name, ref, live, visual, plan);
  const hint = !name && (live || isPicture(el, role, visual.tag)) ? hintNote(el, role) : '';
  const frameKey = leaf && role === 'iframe' && isRemoteFrame(el) ? noteRemoteFrame(el) : 0;
  return { el, head: (head + tail).toWellFormed(), tail, hint, role, name, ref: shownRef, named: name !== '', live, leaf, frameKey, kids: [] };
}

/** @param {El} el @param {string} role @param {boolean} live */
function lineName(el, role, live) {
  if (role === 'clickable') return clickableName(el);
  const name = namedInPlace(role, live) ? nameOf(el, role) : authorName(el, role);
  return GRIDS.has(role) && (!name || name.length > MAX_MONTH_NAME) && monthName(el) || name;
}

// A nameless picture of at least this size (CSS pixels) is listed: a model with vision can look at
// it by its ref.
const MIN_PICTURE = 24;
/** @param {El} el @param {string} role @param {string} tag */
const isPicture = (el, role, tag) => (tag === 'img' && role === 'img' || tag === 'canvas' || tag === 'video') &&
  el.clientWidth >= MIN_PICTURE && el.clientHeight >= MIN_PICTURE;

// Rows and cells are named by content too, but their line already shows the content.
/** @param {string} role @param {boolean} live */
const namedInPlace = (role, live) => !CELLS.has(role) && role !== 'row' || live && role !== 'row';

/** @param {El} el @param {string} role @param {string} tag @param {string} name */
function isLeaf(el, role, tag, name) {
  switch (tag) {
    case 'img': return !isMapped(el) || !areasOf(el).length;
    case 'select': return !isOpenSelect(el);
    case 'input': case 'textarea': case 'canvas': case 'progress': case 'meter':
    case 'video': case 'audio': return true;
    case 'svg': return !selectIn(el, 'a,text,foreignObject,[role],[tabindex]');
    case 'iframe': case 'frame': return frameDocument(el) === null;
    case 'object': case 'embed': return isFrame(el) ? frameDocument(el) === null : !textRects(el).length;
  }
  return role === 'textbox' || role === 'searchbox' || role === 'img' && !selectIn(el, 'a[href],button');
}

/** @param {(string | OutlineNode)[]} kids @param {number} depth @param {Plan} plan @param {string[]} lines */
function printKids(kids, depth, plan, lines) {
  const pad = '  '.repeat(depth);
  for (let i = 0; i < kids.length;) {
    const run = plan.mode === FULL ? 1 : runOf(kids, i), kid = kids[i];
    if (run > 1) printRun(kids.slice(i, i + run), pad, lines);
    else if (typeof kid === 'string') printText(kid, pad, lines);
    else printNode(kid, depth, pad, plan, lines);
    i += run;
  }
}

/**
 * @param {OutlineNode} node
 * @param {number} depth
 * @param {string} pad
 * @param {Plan} plan
 * @param {string[]} lines
 * @returns {void}
 */
function printNode(node, depth, pad, plan, lines) {
  const kids = settleKids(node.kids, plan.o);
  if (collapses(node, kids, plan)) {
    if (typeof kids[0] === 'string') printText(kids[0], pad, lines);
    else printNode(kids[0], depth, pad, plan, lines);
    return;
  }
  const [only] = kids;
  if (kids.length === 1 && (typeof only !== 'string' ? (only.role === 'clickable' || only.role === 'img') && repeats(node, only) : node.role === 'img' && only === node.name)) kids.length = 0;
  const head = `${pad}- ${node.head}`;
  if (node.frameKey) plan.frames.push({ frameKey: node.frameKey, line: lines.length, depth: depth + 1 });
  if (!kids.length) { lines.push(head + node.hint); return; }
  if (kids.length === 1 && typeof kids[0] === 'string' && !kids[0].includes('\n')) { lines.push(`${head}: ${kids[0].toWellFormed()}`); return; }
  const cells = node.role === 'row' && plan.mode === COMPACT ? flatCells(kids, plan.o) : null;
  if (cells) { lines.push(`${head}: ${cells.join(' | ').trimEnd().toWellFormed()}`); return; }
  if (plan.maxDepth > 0 && depth + 1 >= plan.maxDepth) { lines.push(`${head} …`); return; }
  lines.push(head + ':');
  printKids(kids, depth + 1, plan, lines);
}

// repeats reports a control whose only content is a box of the same name.
/** @param {OutlineNode} node @param {OutlineNode} inner */
const repeats = (node, inner) => node.ref && node.named && node.name === inner.name && !settleKids(inner.kids).length;

// A list item, cell or wrapper around one node is replaced by that node.
/** @param {OutlineNode} node @param {(string | OutlineNode)[]} kids @param {{ mode: number }} plan */
export const collapses = (node, kids, plan) => plan.mode !== FULL && kids.length === 1 && typeof kids[0] !== 'string' &&
  (!node.named && !node.ref && (CELLS.has(node.role) || node.role === 'listitem') ||
  node.role === 'clickable' && WIDGETS.has(kids[0].role) && (!node.named || node.name === kids[0].name));
