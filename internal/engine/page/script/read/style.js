// Styles: computed styles of a subtree, within a page of text.

import { ELEMENT, SILENT, attr, cut, eachChild, localName, nodeType, rectOf, tidy } from '../dom/dom.js';
import { roleOf } from '../dom/role.js';
import { scan } from '../dom/scan.js';
import { hiddenReason } from '../dom/state.js';
import { tagLine } from './read.js';

const MAX_STYLED = 2000, MAX_CLASSES = 30, MAX_VARIABLES = 40, MAX_STYLED_LINES = 30;
const ALWAYS = ['display', 'position', 'color', 'backgroundColor', 'fontFamily', 'fontSize', 'fontWeight', 'lineHeight', 'margin', 'padding'];
const UNLESS = { zIndex: 'auto', opacity: '1', visibility: 'visible', overflow: 'visible', float: 'none', transform: 'none', flexDirection: 'row',
  justifyContent: 'normal', alignItems: 'normal', gap: 'normal', gridTemplateColumns: 'none', border: '0px none', borderRadius: '0px',
  boxShadow: 'none', backgroundImage: 'none', textAlign: 'start', whiteSpace: 'normal', pointerEvents: 'auto', cursor: 'auto', maxWidth: 'none',
  filter: 'none', clipPath: 'none' };

/** @param {string} name */
const dashed = (name) => name.replace(/[A-Z]/g, (c) => '-' + c.toLowerCase());

/** @param {El} root @param {ReadOptions} o */
export function styling(root, o) {
  const lines = [];
  if (root === document.documentElement) lines.push(...pageStyle(root));
  let shown = 0;
  /** @param {El} el @param {number} depth */
  const go = (el, depth) => {
    if (shown >= MAX_STYLED_LINES || o.depth > 0 && depth >= o.depth || SILENT.has(localName(el))) return;
    shown++;
    lines.push(`${'  '.repeat(depth)}${tagLine(el, roleOf(el), true, o)}`, `${'  '.repeat(depth + 1)}${declared(el)}`);
    eachChild(el, (n) => { if (nodeType(n) === ELEMENT) go(n, depth + 1); });
  };
  if (root === document.documentElement) go(/** @type {El} */ (document.body ?? root), 0); else go(root, 0);
  return { text: lines.join('\n').toWellFormed() + '\n', frames: [] };
}

/** @param {El} el */
function declared(el) {
  const cs = /** @type {Record<string, string>} */ (/** @type {unknown} */ (getComputedStyle(el))), r = rectOf(el), out = [`${Math.round(r.width)}×${Math.round(r.height)}`];
  for (const name of ALWAYS) if (cs[name] && cs[name] !== '0px') out.push(`${dashed(name)}: ${cut(tidy(cs[name]), 60)}`);
  for (const [name, rest] of Object.entries(UNLESS)) {
    const value = cs[name];
    if (value && value !== rest && !value.startsWith('0px none')) out.push(`${dashed(name)}: ${cut(tidy(value), 60)}`);
  }
  const hidden = hiddenReason(el);
  if (hidden) out.push('hidden: ' + hidden);
  return out.join('; ');
}

/** @param {El} root */
function pageStyle(root) {
  /** @param {Map<string, number>} map @param {string} key */
  const count = (map, key) => { if (key) map.set(key, (map.get(key) ?? 0) + 1); };
  const classes = new Map(), fonts = new Map(), colors = new Map();
  let visited = 0;
  scan(root, (el, role, live, visual) => {
    if (++visited > MAX_STYLED) return true;
    for (const name of (attr(el, 'class') ?? '').split(/\s+/)) count(classes, name && '.' + cut(name, 60));
    count(fonts, cut(visual.cs.fontFamily, 60));
    count(colors, visual.cs.color);
    if (visual.cs.backgroundColor !== 'rgba(0, 0, 0, 0)') count(colors, visual.cs.backgroundColor);
    return false;
  });
  /** @param {Map<string, number>} map @param {number} n */
  const most = (map, n) => [...map].sort((a, b) => b[1] - a[1]).slice(0, n).map(([k, v]) => `${k} ×${v}`).join(', ');
  const style = getComputedStyle(root), variables = [];
  for (const name of style) {
    if (variables.length < MAX_VARIABLES && name.startsWith('--')) variables.push(`${name}: ${cut(tidy(style.getPropertyValue(name)), 60)}`);
  }
  return [`stylesheets: ${document.styleSheets.length}`, `classes: ${most(classes, MAX_CLASSES)}`, `fonts: ${most(fonts, 5)}`,
    `colors: ${most(colors, 10)}`, ...(variables.length ? [`variables: ${variables.join('; ')}`] : [])];
}
