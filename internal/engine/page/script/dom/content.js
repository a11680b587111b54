// The text of the CSS property "content", as the computed style serializes it: strings, pictures, quotation
// marks and counters, with an alternative text after a slash. https://drafts.csswg.org/css-content-3/

import { attr, closest, parentElement } from './dom.js';
import { masked } from './secret_texts.js';

// PART matches one part of a value: a string, a function with its arguments, a word, or the slash.
const PART = /"((?:[^"\\]|\\[^])*)"|([a-z-]+)\(((?:"(?:[^"\\]|\\[^])*"|[^")])*)\)|([a-z-]+)|\//g;

// textOfContent returns the text that the property adds to a name, as Chromium's accessibility tree has it:
// counters add none unless the caller writes them, pictures a space, and an alternative text replaces all parts and is
// a word of its own.
/** @param {CSSStyleDeclaration} style @param {El} el @param {(shape: string, said: string) => string} [counter] */
export function textOfContent(style, el, counter) {
  const value = style.content;
  if (!value || value === 'none' || value === 'normal') return '';
  let text = '', alternative = false;
  for (const [part, string, shape, said, word] of value.matchAll(PART)) {
    if (part === '/') {
      text = '';
      alternative = true;
    } else if (string !== undefined) text += unescapeString(string);
    else if (word && !alternative) text += quotationMark(word, style.quotes, el);
    else if (shape && DRAWS.test(shape)) text += ' ';
    else if (counter && shape?.startsWith('counter')) text += counter(shape, said);
  }
  text = masked(text);
  return alternative && text ? ` ${text} ` : text;
}

// drawsPicture reports a value that puts a picture in the place of an element.
const DRAWS = /^(?:url|image-set|[a-z-]*gradient|cross-fade)/;
/** @param {string} value */
export const drawsPicture = (value) => DRAWS.test(value);

// unescapeString decodes the escapes of a CSS string. A line break is white space in a name.
/** @param {string} string */
const unescapeString = (string) => string.replace(/\\(?:([0-9a-f]{1,6})\s?|([^]))/gi,
  (_, code, char) => code ? String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff) || 0xfffd) : char);

// quotationMark returns the mark of open-quote and close-quote at the depth of the element.
/** @type {Record<string, string>} */
const MARKS = { de: '„“‚‘', es: '«»“”', fr: '«»«»', it: '«»“”', ja: '「」『』', ru: '«»„“' };
/** @param {string} word @param {string} quotes @param {El} el */
function quotationMark(word, quotes, el) {
  if (word !== 'open-quote' && word !== 'close-quote') return '';
  const own = [...quotes.matchAll(/"((?:[^"\\]|\\[^])*)"/g)].map((m) => unescapeString(m[1])), language = closest(el, '[lang]');
  const marks = own.length >= 2 ? own : [...MARKS[(language && attr(language, 'lang') || '').slice(0, 2)] ?? '“”‘’'];
  let depth = 0;
  for (let up = parentElement(el); up && (up = closest(up, 'q')); up = parentElement(up)) depth++;
  return marks[Math.min(2 * depth, marks.length - 2) + (word === 'open-quote' ? 0 : 1)];
}
