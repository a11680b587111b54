// Overlay: the bar with the button that ends the recording, and the menu of assertions. Both stand in a
// closed tree of this world, which scripts of the page cannot reach. Their parts have tags of their own,
// so that no count of a page's elements has them.

import { cut, tidy } from '../../../engine/page/script/dom/dom.js';
import { roleOf } from '../../../engine/page/script/dom/role.js';
import { valueOf } from '../../../engine/page/script/dom/state.js';
import { visibleText } from '../../../engine/page/script/dom/text.js';
import { MAX_TEXT } from '../../../engine/page/script/locate/identity.js';
import { selectorsOf } from '../../../engine/page/script/locate/suggest_selectors.js';
import { ended, hear, send } from './listen.js';
import { additions } from './scroll.js';
import { HOST, describeElement, fieldKind, fieldValue, holdsSecret, innermost, isOurs, means } from './target.js';

const STYLE = `:host{all:initial}
.box{position:fixed;z-index:2147483647;font:13px/1.4 system-ui,sans-serif;color:#fff;background:#1f2430;border:1px solid #ff7a1a;border-radius:8px;box-shadow:0 2px 12px #0006}
.bar{right:12px;bottom:12px;display:flex;gap:10px;align-items:center;padding:6px 10px}
.dot{width:10px;height:10px;border-radius:50%;background:#ff3b30}
[role]{display:block;cursor:pointer;padding:4px 10px;border-radius:5px;outline-offset:-2px}
[role]:hover,[role]:focus{background:#ff7a1a;color:#000}
.menu{padding:6px;max-width:380px}
.menu [role]{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
@media (prefers-color-scheme:light){.box{color:#111;background:#fff}}`;

const roots = new WeakMap(), actions = new WeakMap(); // host → its tree, button → what it does

/** @param {string} kind */
function makeHost(kind) {
  const host = document.createElement(HOST), root = host.attachShadow({ mode: 'closed' });
  const style = document.createElement('style'), box = document.createElement('x-box');
  style.textContent = STYLE;
  box.className = 'box ' + kind;
  root.append(style, box);
  roots.set(host, root);
  return { host, box };
}

/** @param {Element} box @param {string} role @param {string} text @param {() => void} act */
function addButton(box, role, text, act) {
  const button = document.createElement('x-button');
  button.setAttribute('role', role);
  button.tabIndex = 0;
  button.textContent = button.title = text;
  actions.set(button, act);
  box.append(button);
  return button;
}

// The page sees no input that is for the recorder: the capture of the window comes before its listeners.
/** @param {Event} event */
function handleOurs(event) {
  const e = /** @type {PersonEvent} */ (event);
  const host = e.composedPath().find((n) => roots.has(n));
  if (!host) return;
  e.stopImmediatePropagation();
  if (!e.isTrusted) return;
  const root = roots.get(host);
  if (e.type === 'contextmenu') return e.preventDefault();
  if (e.type === 'keydown' && e.key === 'Escape') return closeMenu();
  const button = e.type === 'click' ? root.elementFromPoint(e.clientX, e.clientY)?.closest('[role]') : e.type === 'keydown' && (e.key === 'Enter' || e.key === ' ') ? root.activeElement : null;
  if (!actions.has(button)) return;
  e.preventDefault();
  actions.get(button)();
}
for (const type of ['click', 'dblclick', 'auxclick', 'contextmenu', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'keydown', 'keyup', 'keypress', 'mouseover', 'mousemove', 'wheel']) {
  window.addEventListener(type, handleOurs, { capture: true, signal: ended.signal });
}

/** @type {HTMLElement | null} */
let bar = null;
function showBar() {
  if (window !== window.top || !document.documentElement || bar?.isConnected) return;
  if (!bar) {
    const { host, box } = makeHost('bar');
    const dot = document.createElement('x-dot'), text = document.createElement('x-text');
    dot.className = 'dot';
    text.textContent = 'Recording';
    box.append(dot, text);
    addButton(box, 'button', 'Stop', () => send('stop', {}));
    bar = host;
  }
  document.documentElement.append(bar);
}

/** @type {HTMLElement | null} */
let menu = null;
function closeMenu() { menu?.remove(); menu = null; }

/** @param {MouseEvent} e @param {El} el */
function openMenu(e, el) {
  closeMenu();
  const found = means(el), target = found?.el ?? el;
  const selector = selectorsOf(target).filter((s) => s.matches === 1)[0]?.selector;
  const { host, box } = makeHost('menu');
  box.setAttribute('role', 'menu');
  /** @param {string} text @param {object | null} assertion */
  const offer = (text, assertion) => addButton(box, 'menuitem', text, () => { closeMenu(); if (assertion) send('assert', assertion); });
  const text = cut(tidy(visibleText(target)), MAX_TEXT);
  if (selector) {
    offer('is visible', { type: 'visible', selector });
    if (text && !fieldKind(target)) offer(`has text “${text}”`, { type: 'text', selector, value: text.replace(/…$/, '') });
    if (fieldKind(target) && fieldKind(target) !== 'file' && !holdsSecret(target)) offer(`has value “${cut(String(fieldValue(target)), 60)}”`, { type: fieldKind(target) === 'toggle' ? 'checked' : 'value', selector, value: valueOf(target, roleOf(target)) ?? String(fieldValue(target)) });
  }
  const alike = selectorsOf(target).filter((s) => s.matches > 1)[0];
  if (alike) offer(`count of ${alike.selector} is ${alike.matches}`, { type: 'count', selector: alike.selector, count: alike.matches });
  offer(`URL is ${cut(location.pathname, 60)}`, { type: 'url' });
  offer('Cancel', null);
  document.documentElement.append(host);
  menu = host;
  box.style.left = Math.max(0, Math.min(e.clientX, innerWidth - box.offsetWidth - 8)) + 'px';
  box.style.top = Math.max(0, Math.min(e.clientY, innerHeight - box.offsetHeight - 8)) + 'px';
  box.querySelector('[role=menuitem]')?.focus();
}

window.addEventListener('contextmenu', (e) => {
  if (!e.isTrusted || isOurs(e)) return;
  const el = innermost(e);
  if (!el) return;
  if (e.shiftKey) {
    const found = describeElement(el);
    if (found) send('click', { target: found.id, n: found.n, field: '', count: 1, button: 'right', hovered: [], modifiers: [] });
    return;
  }
  e.preventDefault();
  e.stopImmediatePropagation();
  openMenu(e, el);
}, { capture: true, signal: ended.signal });
hear('mousedown', closeMenu);

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', showBar); else showBar();
const restoring = new MutationObserver(() => { if (document.readyState !== 'loading') showBar(); });
restoring.observe(document, { childList: true });

// The recorder calls it at its end.
globalThis.callsheetPersonEnd = () => {
  ended.abort();
  restoring.disconnect();
  additions.disconnect();
  closeMenu();
  bar?.remove();
  delete globalThis.callsheetPersonRuns; // which the wrapper of the bundle has set
};
send('ready', {});
