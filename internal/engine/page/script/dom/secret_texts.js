// Secret texts: what the server filled into pages, in each form in which pages repeat it. Once the engine knows
// of some, every accessor of texts and attributes returns them masked, so that no search or comparison of a caller
// finds a secret by its parts.

/** @type {RegExp | null} */
let pattern = null;
/** @type {RegExp | null} */
let barePattern = null; // of texts without white space
/** @type {Map<string, string>} */
let marks = new Map();

/** @param {string} text */
const bareOf = (text) => text.replace(/\s+/g, '');

// Pages also show a text in other letters, and break its lines: neither is compared.
/** @param {{ forms: Record<string, string> }} o */
export function setSecretTexts({ forms }) {
  marks = new Map(Object.entries(forms).map(([form, mark]) => [bareOf(form).toLowerCase(), mark]));
  const longestFirst = Object.keys(forms).sort((a, b) => b.length - a.length);
  /** @param {string[]} texts */
  const anyOf = (texts) => (texts.length ? new RegExp(texts.map((t) => t.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+')).join('|'), 'giu') : null);
  pattern = anyOf(longestFirst);
  barePattern = anyOf(longestFirst.map(bareOf));
  return {};
}

export const knowsSecrets = () => pattern !== null;

/** @param {string} text */
const markOf = (text) => marks.get(bareOf(text).toLowerCase()) ?? '[secret]';

// masked returns a text with secrets replaced by the marks that results show in their place.
/** @template {string | null | undefined} T @param {T} text @returns {T} */
export const masked = (text) => (pattern && typeof text === 'string' ? /** @type {T} */ (text.replace(pattern, markOf)) : text);

// maskedPieces returns texts that stand one after the other, without the secrets that are spread over several of them:
// the first piece of a secret is its mark, the others are empty. White space does not count. spread says whether the
// pieces from one index to another may be one text. It returns undefined where no secret is spread.
/** @param {string[]} texts @param {(from: number, to: number) => boolean} spread @returns {Map<number, string> | undefined} */
export function maskedPieces(texts, spread) {
  if (!barePattern) return undefined;
  const bare = texts.map(bareOf), found = [...bare.join('').matchAll(barePattern)];
  if (!found.length) return undefined;
  /** @type {Map<number, string>} */ const out = new Map();
  let i = 0, begin = 0; // of the piece
  for (const hit of found) {
    while (begin + bare[i].length <= hit.index) begin += bare[i++].length;
    const from = i;
    while (begin + bare[i].length < hit.index + hit[0].length) begin += bare[i++].length;
    if (i > from && spread(from, i)) for (let n = from; n <= i; n++) out.set(n, n === from ? markOf(hit[0]) : '');
  }
  return out;
}
