// Secret texts: what the server filled into pages, in each form in which pages repeat it. Once the engine knows
// of some, every accessor of texts and attributes returns them masked, so that no search or comparison of a caller
// finds a secret by its parts.

/** @typedef {{ codes: Uint16Array, mark: string }} Form */

// Forms by their first character, the longest first. They are numbers and no strings, which a heap snapshot would show.
/** @typedef {Map<number, Form[]>} Forms */
/** @type {Forms} */
let forms = new Map();

const SPACE = 32, MIN_SPREAD = 8;
/** @param {number} code */
const isSpace = (code) => code <= SPACE || code === 0xa0;

/** @param {{ forms: Record<string, string> }} o */
export function setSecretTexts({ forms: given }) {
  forms = formsOf(given);
  return {};
}

// formsOf prepares forms with their marks. Pages also show a text in other letters, and break its lines: neither is
// compared.
/** @param {Record<string, string>} given @returns {Forms} */
export function formsOf(given) {
  /** @type {Forms} */ const out = new Map();
  for (const form of Object.keys(given).sort((a, b) => b.length - a.length)) {
    const low = form.trim().replace(/\s+/g, ' ').toLowerCase(), codes = new Uint16Array(low.length);
    for (let i = 0; i < low.length; i++) codes[i] = low.charCodeAt(i);
    if (codes.length) out.set(codes[0], [...out.get(codes[0]) ?? [], { codes, mark: given[form] }]);
  }
  return out;
}

export const knowsSecrets = () => forms.size > 0;

// endOf returns where a form that begins at a place of a text ends, or -1. A bare text has no white space.
/** @param {string} text @param {number} at @param {Uint16Array} codes @param {boolean} bare */
function endOf(text, at, codes, bare) {
  for (const code of codes) {
    if (code !== SPACE) { if (text.charCodeAt(at++) !== code) return -1; } else if (!bare) {
      if (!isSpace(text.charCodeAt(at))) return -1;
      while (isSpace(text.charCodeAt(at))) at++;
    }
  }
  return at;
}

// found lists the places of secrets in a text.
/** @param {string} text @param {boolean} bare @param {Forms} [of] */
export function found(text, bare, of = forms) {
  /** @type {{ begin: number, end: number, mark: string }[]} */ const out = [];
  const lower = text.toLowerCase(), low = lower.length === text.length ? lower : text;
  for (let begin = 0; begin < low.length; begin++) {
    for (const { codes, mark } of of.get(low.charCodeAt(begin)) ?? []) {
      const end = endOf(low, begin, codes, bare);
      if (end < 0) continue;
      out.push({ begin, end, mark });
      begin = end - 1;
      break;
    }
  }
  return out;
}

// masked returns a text with secrets replaced by the marks that results show in their place.
/** @template {string | null | undefined} T @param {T} text @returns {T} */
export function masked(text) {
  if (!forms.size || typeof text !== 'string') return text;
  let out = '', at = 0;
  for (const { begin, end, mark } of found(text, false)) { out += text.slice(at, begin) + mark; at = end; }
  return /** @type {T} */ (at ? out + text.slice(at) : text);
}

// maskedPieces returns texts that stand one after the other, without the secrets that are spread over several of them:
// the first piece of a secret is its mark, the others are empty. White space does not count. together says whether the
// pieces of two indices are of one element: two numbers or short words that stand side by side are no secret. It returns undefined where no secret is spread.
/** @param {string[]} texts @param {(from: number, to: number) => boolean} together @param {Forms} [of] @returns {Map<number, string> | undefined} */
export function maskedPieces(texts, together, of = forms) {
  const bare = texts.map((text) => text.replace(/\s+/g, '')), whole = bare.join(''), hits = found(whole, true, of);
  if (!hits.length) return undefined;
  /** @type {Map<number, string>} */ const out = new Map();
  let i = 0, start = 0; // of the piece
  for (const { begin, end, mark } of hits) {
    while (start + bare[i].length <= begin) start += bare[i++].length;
    const from = i;
    while (start + bare[i].length < end) start += bare[i++].length;
    const long = end - begin >= MIN_SPREAD && /\D/.test(whole.slice(begin, end));
    if (i > from && (i > from + 1 || long || together(from, i))) for (let n = from; n <= i; n++) out.set(n, n === from ? mark : '');
  }
  return out;
}
