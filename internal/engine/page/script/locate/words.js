// Words: how a query and a name are split, and how a query is read: with role words ("Save button") and
// with a place ("Delete in row Bob").

import { PRINTED_ROLES } from '../dom/role.js';
import { tidy } from '../dom/dom.js';

// A word is an emoji, a grade ("b-"), a run of letters and digits (C++ and C# with their signs), or a symbol.
// A hyphen between letters and a point between digits are inside of a word: "re-open" is not "open", nor
// "1.5" 5. Where a text has none of these, each of its other signs is a word: "…", "?".
const WORD = RegExp([
  String.raw`\p{RGI_Emoji}`, String.raw`(?<![\p{L}\p{N}\p{M}])\p{L}-(?![\p{L}\p{N}\-])`,
  String.raw`[\p{L}\p{N}\p{M}]+(?:(?:(?<=\p{L})[\-\u2010\u2011](?=\p{L})|(?<=\p{N})[.,](?=\p{N}))[\p{L}\p{N}\p{M}]+)*(?:(?<=\p{L})[+#]+(?![\p{L}\p{N}]))?`,
  String.raw`\p{S}`,
].join('|'), 'gv'), SIGN = /[^\s\uFE0F]/gu, HYPHEN = /(?<=\p{L})[-\u2010\u2011](?=\p{L})/gu;
/** @param {string} s @returns {string[]} */
export function words(s) {
  const text = fold(s);
  return (text.match(WORD) ?? text.match(SIGN) ?? []).map((word) => word.replace(/\uFE0F$/u, '').replace(HYPHEN, ''));
}

// fold removes the differences between letters that a person does not see as such: case, width, composition,
// the apostrophe of "don't", the "'s" of "Bob's", "&" for "and".
/** @param {string} s */
const fold = (s) => tidy(s).toUpperCase().toLowerCase().normalize('NFC').replace(/i\u0307/g, 'i')
  .replace(/[\uFF01-\uFF5E]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xFEE0))
  .replace(/(?<=\p{L}n)['’](?=t(?!\p{L}))|(?<=\p{L})['’]s(?!\p{L})/gu, '').replace(/(?<=\s)&(?=\s)/g, 'and');

// plainWords leaves symbols out: a column is "Price" under whatever arrow it is sorted.
/** @param {string} s */
export const plainWords = (s) => tidy(s).toLowerCase().normalize('NFC').split(/[^\p{L}\p{N}]+/u).filter(Boolean);

const TEXTS = ['textbox', 'searchbox', 'combobox', 'spinbutton', 'date', 'time', 'color'];
/** @type {Record<string, string[]>} */
const ALIASES = {
  button: ['button', 'clickable'], link: ['link'], field: TEXTS, input: TEXTS, textbox: TEXTS, textfield: TEXTS, textarea: TEXTS,
  checkbox: ['checkbox', 'menuitemcheckbox'], radio: ['radio', 'menuitemradio'], switch: ['switch', 'checkbox', 'button'],
  combobox: ['combobox', 'listbox', 'date', 'color'], image: ['img'], icon: ['img', 'button', 'link', 'clickable'],
  menu: ['menu', 'menubar'], search: ['searchbox', 'search'], dialog: ['dialog', 'alertdialog'], table: ['table', 'grid', 'treegrid'],
  cell: ['cell', 'gridcell'], group: ['group', 'radiogroup'], document: ['document', 'iframe'],
};
/** @type {Record<string, string>} */
const SYNONYMS = {
  btn: 'button', toggle: 'switch', dropdown: 'combobox', select: 'combobox', picker: 'combobox', headline: 'heading', img: 'image',
  picture: 'image', logo: 'image', popup: 'dialog', modal: 'dialog', fieldset: 'group', section: 'region', nav: 'navigation',
  sidebar: 'complementary', header: 'banner', footer: 'contentinfo', frame: 'iframe', drawer: 'dialog', popover: 'dialog',
};

// rolesOf returns the roles that a word stands for, or null.
/** @param {string} word @returns {string[] | null} */
export function rolesOf(word) {
  for (const one of [word, word.replace(/s$/, ''), word.replace(/es$/, '')]) {
    const plain = SYNONYMS[one] ?? one;
    if (Object.hasOwn(ALIASES, plain)) return ALIASES[plain];
    if (PRINTED_ROLES.has(plain)) return [plain];
  }
  return null;
}

// readingsOf returns the ways to read words: as a name, and as a name of an element with the role that the
// last or the first words say. Words that only say a role leave an empty name.
/** @param {string[]} all @returns {Reading[]} */
export function readingsOf(all) {
  /** @type {Reading[]} */
  const out = [{ tokens: all, phrase: all.join(' '), roles: null, isPart: false }];
  /** @param {string[]} tokens @param {string[]} roles @param {string} word */
  const add = (tokens, roles, word) => out.push({ tokens, phrase: tokens.join(' '), roles, isPart: false, printed: PRINTED_ROLES.has(word) ? word : undefined });
  const said = all[0] === 'the' ? all.slice(1) : all;
  if (said.length && said !== all) out.push({ tokens: said, phrase: said.join(' '), roles: null, isPart: true });
  for (let n = 1; n <= Math.min(2, said.length); n++) {
    const roles = said.slice(-n).map(rolesOf);
    if (roles.some((r) => !r)) break;
    add(said.slice(0, -n), roles[0] ?? [], said.at(-n) ?? '');
  }
  const first = said.length > 1 ? rolesOf(said[0]) : null;
  if (first) add(said.slice(1), first, said[0]);
  return out;
}

// readingsIn returns the readings of a text. A sign that stands alone beside nothing but a role word is the
// name: "? button".
const ALONE = /(?<=^|\s)[^\p{L}\p{N}\p{S}\s"“”'‘’]+(?=\s|$)/gu;
/** @param {string} text */
export function readingsIn(text) {
  const out = readingsOf(words(text.replace(/[\s:*]+$/u, '') || text)), signs = text.match(ALONE)?.flatMap(words);
  for (const reading of out) if (signs && reading.roles && !reading.tokens.length) { reading.tokens = signs; reading.phrase = signs.join(' '); }
  return out;
}

// A place says where an element stands: the words of a row, card, dialog, fieldset or section, of certain
// roles or of any.
const BETWEEN = /[,;]? (?:in|inside|within|of|for|to|by|on|at|from|under|below|beside|with|next to|near|für|bei|von|im|pour|dans|de|para|en|til|på) /giu;
const PLACE_FIRST = / [>›»→/] /gu; // "Work > City"
const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const KINDS = new Set('item entry line card area panel box list block section part step'.split(' '));

/** @param {string} text @returns {Where} */
export function placeOf(text) {
  const quoted = /^["“'](.*)["”']$/u.exec(text);
  if (quoted) return { tokens: words(quoted[1]), kind: '', roles: null };
  const plain = text.replace(/^(?:the|this) /i, '').replace(/["“”]/gu, ' ').trim(), counted = ordinalOf(plain);
  if (counted && /^row$/i.test(counted.rest)) return { tokens: [String(counted.n)], kind: 'row', roles: null };
  const led = /^(\p{L}+)(?: (?:of|for|with|named|called|titled))? (.+)$/iu.exec(plain), trailed = /^(.+) (\p{L}+)$/iu.exec(plain);
  for (const [kind, rest] of [[trailed?.[2], trailed?.[1]], [led?.[1], led?.[2]], [plain, '']]) {
    const word = (kind ?? '').toLowerCase();
    if (!word || !isKind(word)) continue;
    return { tokens: words(rest ?? ''), kind: word, roles: KINDS.has(word) || word === 'row' ? null : rolesOf(word), all: words(plain) };
  }
  return { tokens: words(plain), kind: '', roles: null };
}

/** @param {string} word */
const isKind = (word) => KINDS.has(word) || rolesOf(word) !== null;

// scopedReadings returns the ways to read a query as a description and a place, at each word between them.
/** @param {string} query @returns {Scoped[]} */
export function scopedReadings(query) {
  const text = tidy(query);
  /** @type {Scoped[]} */ const out = [];
  /** @param {string} head @param {string} where */
  const add = (head, where) => {
    const place = placeOf(where);
    if (words(head).length && (place.tokens.length || place.kind)) out.push({ readings: readingsIn(head), place });
  };
  for (const m of text.matchAll(BETWEEN)) {
    add(text.slice(0, m.index), text.slice(m.index + m[0].length));
  }
  for (const m of text.matchAll(PLACE_FIRST)) add(text.slice(m.index + m[0].length), text.slice(0, m.index));
  return out;
}

// ordinalOf splits "second Edit" into 2 and "Edit"; the last is -1. A "first name" is no first of several.
/** @param {string} text */
export function ordinalOf(text) {
  const [, said, rest] = /^(?:the )?(\p{L}+|\d+(?:st|nd|rd|th)) (.+)$/iu.exec(text) ?? [];
  if (!said || /^name$/i.test(rest)) return null;
  const n = said.toLowerCase() === 'last' ? -1 : parseInt(said, 10) || ORDINALS.indexOf(said.toLowerCase()) + 1;
  return n ? { n, rest } : null;
}

// How well a name says the words of a query.
export const SAME = 0, SAME_WORDS = 1, SAME_LETTERS = 2, PHRASE = 3, ALL_WORDS = 4, NOT = 9;

const LETTERS = /^\p{L}+$/u;

// Words that turn the meaning of the others around.
const NEGATIONS = new Set('not cannot cant dont doesnt isnt wont never nicht kein keine pas ikke inte niet geen não не nie'.split(' '));

// matchOf compares the words of a query with those of a name: the same words, the same but for the name's
// symbols, the words in a row, or all of them somewhere. Words are whole words; a space or a hyphen between
// letters makes no difference: "log in" is "Login". A name that says "not" is not meant by the words without it.
/** @param {string[]} own @param {{ tokens: string[], phrase: string }} q */
export function matchOf(own, { tokens, phrase }) {
  if (!tokens.length || !own.length) return NOT;
  if (own.length === tokens.length && own.join(' ') === phrase) return SAME_WORDS;
  const lettered = own.filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (lettered.length && (lettered.join(' ') === phrase || LETTERS.test(tokens.join('')) && isRun(lettered, tokens.join('')))) return SAME_LETTERS;
  if (own.some((word) => NEGATIONS.has(word) && !tokens.includes(word))) return NOT;
  if (` ${own.join(' ')} `.includes(` ${phrase} `) || hasRun(own, tokens)) return PHRASE;
  return tokens.every((token) => own.includes(token)) ? ALL_WORDS : NOT;
}

// isRun reports that words, or the first of them, have the letters of others.
/** @param {string[]} own @param {string} joined @param {boolean} [orMore] */
function isRun(own, joined, orMore = false) {
  let said = '';
  for (const [i, word] of own.entries()) {
    said += word;
    if (said.length >= joined.length) return said === joined && (orMore || i === own.length - 1);
  }
  return false;
}

/** @param {string[]} own @param {string[]} tokens */
function hasRun(own, tokens) {
  const joined = tokens.join('');
  return LETTERS.test(joined) && own.join('').includes(joined) && own.some((_, i) => isRun(own.slice(i), joined, true));
}
