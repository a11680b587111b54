// Observation: the list of controls, and an overview that answers common questions about a page.

import { cut, focusedElement, isFrame, localName, matches, tidy, titleOf } from '../dom/dom.js';
import { nameOf } from '../dom/name.js';
import { NATIVE_CONTROLS, WIDGETS, roleOf } from '../dom/role.js';
import { scan } from '../dom/scan.js';
import { isDisabled, isField, levelOf, topBox } from '../dom/state.js';
import { readText, visibleText } from '../dom/text.js';
import { describe } from '../document/registry.js';
import { byPiercing, shownRoleOf } from '../locate/query.js';

/** @type {[string, Set<string>][]} */
const ACTIONS = [['click', new Set(('button link menuitem menuitemcheckbox menuitemradio tab treeitem option checkbox radio switch clickable').split(' '))],
  ['fill', new Set('textbox searchbox combobox spinbutton date time color'.split(' '))], ['select', new Set(['listbox'])]];

/** @param {El} el @param {string} role */
function actionsOf(el, role) {
  if (isDisabled(el)) return [];
  const tag = localName(el), out = [];
  if (tag === 'select') out.push('select');
  else if (role === 'slider') out.push('fill');
  else for (const [verb, roles] of ACTIONS) if (roles.has(role)) out.push(verb);
  if (!out.length) out.push('click');
  out.push('hover', 'focus');
  return out;
}

// observe lists controls in document order, with boxes in the top viewport.
/** @param {{ document?: boolean, actions?: string[], limit: number, hidden?: boolean }} o */
export function observe({ document: whole, actions, limit, hidden }) {
  /** @type {(Described & { box: Rect, actions: string[], inView: boolean, hidden: boolean })[]} */
  const nodes = [];
  let total = 0;
  /** @param {El} el @param {string} role @param {boolean} shown */
  const addNode = (el, role, shown) => {
    const verbs = actionsOf(el, role);
    if (actions && !verbs.some((v) => actions.includes(v))) return;
    const box = topBox(el);
    const inView = box.x < innerWidth && box.y < innerHeight && box.x + box.width > 0 && box.y + box.height > 0;
    if (!whole && !inView) return;
    total++;
    if (nodes.length >= limit) return;
    nodes.push({ ...describe(el, role), box, actions: verbs, inView, hidden: !shown });
  };
  const shownOnes = new Set();
  scan(document.documentElement, (el, role, live) => { if (live) { shownOnes.add(el); addNode(el, role, true); } return false; });
  if (hidden) {
    for (const el of byPiercing('a[href],button,input:not([type=hidden]),select,textarea,[onclick],[tabindex],[role]')) {
      if (!shownOnes.has(el) && (WIDGETS.has(roleOf(el)) || NATIVE_CONTROLS.has(localName(el)))) addNode(el, roleOf(el), false);
    }
  }
  return { total, nodes, view: { width: innerWidth, height: innerHeight } };
}

/** @type {Record<string, number>} */
const SECTIONS = { headings: 10, fields: 8, errors: 5, tabs: 20, panels: 5, actions: 12 };
const ERROR = '[role=alert],[aria-invalid=true],[aria-errormessage],.error,.invalid,.is-invalid,.alert-danger,:user-invalid';

// overview collects the sections that the caller may ask for.
/** @param {{ wanted: string[], visible: boolean, sample: number }} o */
export function overview({ wanted, visible, sample }) {
  const out = { page: { url: location.href, title: titleOf(), ready: document.readyState, forms: document.forms.length,
    dialogs: 0, frames: 0, canvases: 0, controls: 0, text: '', scroll: `${Math.round(scrollX)},${Math.round(scrollY)}` } };
  const focus = focusedElement(), focused = focus ? elementLine(focus) : undefined;
  /** @type {Record<string, string[]>} */
  const sections = {};
  for (const name of wanted) sections[name] = [];
  /** @param {string} name @param {string} text */
  const push = (name, text) => { if (sections[name] && sections[name].length < SECTIONS[name] && text && !sections[name].includes(text)) sections[name].push(text); };
  let live = 0;
  scan(document.documentElement, (el, role, acts, visual) => {
    if (visible && !(visual.visible && !visual.clipped)) return false;
    if (role === 'dialog' || role === 'alertdialog') out.page.dialogs++;
    if (visual.tag === 'canvas') out.page.canvases++;
    if (isFrame(el)) out.page.frames++;
    if (role === 'heading') push('headings', `${levelOf(el)} ${JSON.stringify(nameOf(el, role))}`);
    if (role === 'tab') push('tabs', elementLine(el));
    if (role === 'tabpanel' || role === 'dialog' || role === 'main' || role === 'region') push('panels', `${elementLine(el)}: ${cut(visibleText(el), 150)}`);
    if (acts) { live++; if (isField(visual.tag, role)) push('fields', elementLine(el)); else push('actions', elementLine(el)); }
    if (matches(el, ERROR)) push('errors', isField(visual.tag, role) ? elementLine(el).replace(/(?<! invalid)$/, ' invalid') : visibleText(el));
    return false;
  });
  out.page.controls = live;
  if (sample && document.body) out.page.text = cut(tidy(readText(document.body, sample)), sample).toWellFormed();
  return { ...out, focused, ...sections };
}

/** @param {El} el */
function elementLine(el) {
  const d = describe(el, shownRoleOf(el));
  return `${d.role} ${JSON.stringify(cut(d.name, 80))} [${d.ref}]${d.states ? ' ' + d.states.join(' ') : ''}${d.checked === 'false' ? ' unchecked' : ''}`.toWellFormed();
}
