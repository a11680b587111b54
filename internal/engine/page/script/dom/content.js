// The text of the CSS property "content", as the computed style serializes it: strings, pictures, quotation
// marks and counters, with an alternative text after a slash. https://drafts.csswg.org/css-content-3/

// PART matches one part of a value: a string, a function with its arguments, a word, or the slash.
const PART = /"((?:[^"\\]|\\[^])*)"|([a-z-]+)\(((?:"(?:[^"\\]|\\[^])*"|[^")])*)\)|([a-z-]+)|\//g;

// textOfContent returns the text that the property adds to a name, as Chromium's accessibility tree has it:
// pictures and counters add none, and an alternative text replaces all parts and is a word of its own.
/** @param {CSSStyleDeclaration} style */
export function textOfContent(style) {
  const value = style.content;
  if (!value || value === 'none' || value === 'normal') return '';
  let text = '', alternative = false;
  for (const [part, string, , , word] of value.matchAll(PART)) {
    if (part === '/') {
      text = '';
      alternative = true;
    } else if (string !== undefined) text += unescapeString(string);
    else if (word && !alternative) text += quotationMark(word, style.quotes);
  }
  return alternative && text ? ` ${text} ` : text;
}

// drawsPicture reports a value that puts a picture in the place of an element.
/** @param {string} value */
export const drawsPicture = (value) => /^(?:url|image-set|[a-z-]*gradient|cross-fade)\(/.test(value);

// unescapeString decodes the escapes of a CSS string. A line break is white space in a name.
/** @param {string} string */
const unescapeString = (string) => string.replace(/\\(?:([0-9a-f]{1,6})\s?|([^]))/gi,
  (_, code, char) => code ? String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff) || 0xfffd) : char);

// quotationMark returns the outermost quotation mark of open-quote and close-quote.
/** @param {string} word @param {string} quotes */
function quotationMark(word, quotes) {
  if (word !== 'open-quote' && word !== 'close-quote') return '';
  const own = [...quotes.matchAll(/"((?:[^"\\]|\\[^])*)"/g)].map((m) => unescapeString(m[1]));
  const [open, close] = own.length >= 2 ? own : ['\u201c', '\u201d'];
  return word === 'open-quote' ? open : close;
}
