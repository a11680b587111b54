// Words: how a query and a name are split, and how a query is read: with role words ("Save button") and
// with a place ("Delete in row Bob").

import { PRINTED_ROLES } from '../dom/role.js';
import { tidy } from '../dom/dom.js';

// A word is an emoji, a run of letters and digits (C++ and C# with their signs), or a symbol. Where a
// text has none of these, each of its other signs is a word: "…", "?".
const WORD = /\p{RGI_Emoji}|[\p{L}\p{N}\p{M}]+(?:(?<=\p{L})[+#]+(?![\p{L}\p{N}]))?|\p{S}/gv, SIGN = /[^\s\uFE0F]/gu;
/** @param {string} s @returns {string[]} */
export function words(s) {
  const text = tidy(s).toLowerCase().normalize('NFC');
  return (text.match(WORD) ?? text.match(SIGN) ?? []).map((word) => word.replace(/\uFE0F$/u, ''));
}

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
  sidebar: 'complementary', header: 'banner', footer: 'contentinfo', frame: 'iframe', drawer: 'dialog',
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
  const out = [{ tokens: all, phrase: all.join(' '), roles: /** @type {string[] | null} */ (null) }];
  /** @param {string[]} tokens @param {string[]} roles */
  const add = (tokens, roles) => out.push({ tokens, phrase: tokens.join(' '), roles });
  const said = all[0] === 'the' ? all.slice(1) : all;
  for (let n = 1; n <= Math.min(2, said.length); n++) {
    const roles = said.slice(-n).map(rolesOf);
    if (roles.some((r) => !r)) break;
    add(said.slice(0, -n), roles[0] ?? []);
  }
  const first = said.length > 1 ? rolesOf(said[0]) : null;
  if (first) add(said.slice(1), first);
  return out;
}

// A place says where an element stands: the words of a row, card, dialog, fieldset or section, of certain
// roles or of any.
const BETWEEN = /[,;]? (?:in|inside|within|of|for|on|at|from|under|below|beside|with|next to|near) /giu;
const KINDS = new Set('item entry line card area panel box list block section part step'.split(' '));

/** @param {string} text @returns {Where} */
function placeOf(text) {
  const quoted = /^["“'](.*)["”']$/u.exec(text);
  if (quoted) return { tokens: words(quoted[1]), kind: '', roles: null };
  const plain = text.replace(/^(?:the|this) /i, '').replace(/["“”]/gu, ' ');
  const led = /^(\p{L}+)(?: (?:of|for|with|named|called|titled))? (.+)$/iu.exec(plain), trailed = /^(.+) (\p{L}+)$/iu.exec(plain);
  for (const [kind, rest] of [[led?.[1], led?.[2]], [trailed?.[2], trailed?.[1]], [plain, '']]) {
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
  const out = [];
  for (const m of text.matchAll(BETWEEN)) {
    const head = words(text.slice(0, m.index)), place = placeOf(text.slice(m.index + m[0].length));
    if (head.length && (place.tokens.length || place.kind)) out.push({ readings: readingsOf(head), place });
  }
  return out;
}

// How well a name says the words of a query.
export const SAME = 0, SAME_WORDS = 1, SAME_LETTERS = 2, PHRASE = 3, ALL_WORDS = 4, NOT = 9;

// matchOf compares the words of a query with those of a name: the same words, the same but for the name's
// symbols, the words in a row, or all of them somewhere. Words are whole words.
/** @param {string[]} own @param {{ tokens: string[], phrase: string }} q */
export function matchOf(own, { tokens, phrase }) {
  if (!tokens.length || own.length < tokens.length) return NOT;
  if (own.length === tokens.length && own.join(' ') === phrase) return SAME_WORDS;
  const lettered = own.filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (lettered.join(' ') === phrase) return SAME_LETTERS;
  if (` ${own.join(' ')} `.includes(` ${phrase} `)) return PHRASE;
  return tokens.every((token) => own.includes(token)) ? ALL_WORDS : NOT;
}
