// The text of an editor as Markdown.

import {
  ELEMENT, SILENT, TEXT, eachChild, flat, localName, nodeType, nodeValue, parentNode, textContent,
  tidy,
} from '../dom/dom.js';
import { numberOf } from '../dom/list_marker.js';
import { MAX_NAME_DEPTH } from '../dom/name.js';

// richText returns the text of an editor with its headings, lists and emphasis in Markdown.
export const MAX_RICH = 300;

/** @type {Record<string, string>} */
const MARKS = { b: '**', strong: '**', i: '*', em: '*', s: '~~', del: '~~', code: '`' };

/** @param {El} host @param {number} [most] */
export function richText(host, most = MAX_RICH) {
  let out = '';
  /** @param {El} el @param {number} depth */
  const go = (el, depth) => eachChild(el, (n) => {
    const type = nodeType(n);
    if (type === TEXT) { out += flat(nodeValue(n)); return; }
    if (type !== ELEMENT || depth > MAX_NAME_DEPTH || out.length > 2 * most) return;
    const tag = localName(n), display = getComputedStyle(n).display;
    if (SILENT.has(tag) || display === 'none') return;
    if (tag === 'br') { out += '\n'; return; }
    const block = !display.startsWith('inline');
    if (block && out && !out.endsWith('\n')) out += '\n';
    if (/^h[1-6]$/.test(tag)) out += '#'.repeat(+tag[1]) + ' ';
    if (tag === 'li' && !/^(?:- |\d+\. )$/.test(out.slice(-3))) out += localName(/** @type {El} */ (parentNode(n))) === 'ol' ? `${numberOf(n)}. ` : '- ';
    const mark = MARKS[tag] && tidy(textContent(n)) ? MARKS[tag] : '';
    out += mark;
    go(n, depth + 1);
    out += mark;
    if (block && !out.endsWith('\n')) out += '\n';
  });
  go(host, 0);
  return out.replace(/[ \t]*\n\s*/g, '\n').trim();
}
