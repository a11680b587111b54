// The selector forms of Playwright, as targets beside words: text=, role=, css=, xpath=, id= and data-testid=, parts
// chained by >>, nth=, visible=, and the pseudo-classes :has-text(), :text(), :text-is(), :text-matches() and :visible.
// A selector goes through open shadow trees. It names each visible element that it matches, so that several are
// ambiguous.

import { SILENT, composedContains, localName, parentOf, previousElement, selectIn, shadowRootOf, textContent, tidy } from '../dom/dom.js';
import { EngineError } from '../dom/error.js';
import { nameOf } from '../dom/name.js';
import { roleOf } from '../dom/role.js';
import { checkedOf, isDisabled, isSecret, isVisible, levelOf, statesOf } from '../dom/state.js';
import { readText } from '../dom/text.js';
import { displayName } from './display_name.js';
import { takesValue } from './labelled_field.js';
import { byPiercing, selectAll } from './query.js';

/** @typedef {(el: El) => boolean} Test */
/** @typedef {{ by: string, native: string, tests: Test[] }} Compound */

const QUOTED = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'`;
const ENGINES = /^(text|role|css|xpath|id|data-testid|data-test-id|data-test|nth|visible)\s*=(?!=)\s*(.*)$/su;
const TEXTS = /:(?:(?:has-text|text|text-is|text-matches)\(|visible(?![\w-]))/u;
const NESTING = new Set(['is', 'where', 'not', 'has']);

/** @param {string} reason @returns {never} */
const refuse = (reason) => { throw new EngineError('badSelector', { reason }); };

// bySelector returns the visible elements that a query in one of the forms means; null for words.
/** @param {Query} q @returns {Hit[] | null} */
export function bySelector(q) {
  const parts = partsOf(q.text);
  if (!parts) return null;
  /** @type {El[] | null} */ let found = null;
  for (const [engine, body] of parts) found = step(engine, body, found);
  let meant = (found ?? []).filter((el) => isVisible(el));
  if (q.want === 'field') meant = [...new Set(meant.map((el) => (localName(el) === 'label' && el.control) || el))].filter((el) => takesValue(el, roleOf(el)));
  return meant.map((el, order) => {
    const role = roleOf(el) === 'generic' ? 'clickable' : roleOf(el), said = displayName(el, role) || tidy(textContent(el)).slice(0, 80);
    return { el, role, live: true, said: isSecret(el) ? displayName(el, role) : said, text: '', words: [], textWords: [], order, tier: 0, score: 0, layer: 1 };
  });
}

// partsOf divides a query at >> and says which engine takes each part; null where it is words.
/** @param {string} text @returns {[string, string][] | null} */
function partsOf(text) {
  const parts = splitAt(text, (s, i) => (s.startsWith('>>', i) ? 2 : 0)).map((part) => part.trim());
  /** @type {[string, string][]} */
  const out = [];
  let said = false;
  for (const part of parts) {
    const named = ENGINES.exec(part);
    said ||= named !== null;
    if (named) out.push([named[1], named[2]]);
    else if (/^(?:\(*\/\/|\.\.$)/u.test(part)) out.push(['xpath', part]);
    else if (parts.length > 1 && /^(["']).*\1$/u.test(part)) out.push(['text', part]);
    else out.push(['css', part]);
    said ||= out.at(-1)?.[0] !== 'css' || TEXTS.test(part);
  }
  if (out[0][0] === 'nth' || out[0][0] === 'visible' || parts.some((part) => !part)) return null;
  return said || parts.length > 1 && parts.every((part) => isCSS(part) && byPiercing(part, true).length > 0) ? out : null;
}

/** @param {string} css */
function isCSS(css) {
  try {
    document.createDocumentFragment().querySelector(css);
    return true;
  } catch {
    return false;
  }
}

// splitAt divides a text where `at` finds a divider outside of quotes, brackets and parentheses; it returns its length.
/** @param {string} s @param {(s: string, i: number) => number} at @returns {string[]} */
function splitAt(s, at) {
  const out = [];
  let depth = 0, from = 0;
  for (let i = 0; i < s.length; i++) {
    const c = s[i];
    const quoted = c === '"' || c === "'" ? new RegExp(QUOTED, 'suy') : null;
    if (quoted) { quoted.lastIndex = i; i += Math.max(1, quoted.exec(s)?.[0].length ?? 1) - 1; continue; }
    if (c === '\\') { i++; continue; }
    if (c === '(' || c === '[') depth++;
    if (c === ')' || c === ']') depth = Math.max(0, depth - 1);
    const length = depth ? 0 : at(s, i);
    if (!length) continue;
    out.push(s.slice(from, i));
    from = i + length;
    i = from - 1;
  }
  out.push(s.slice(from));
  return out;
}

/** @param {string} engine @param {string} body @param {El[] | null} scope @returns {El[]} */
function step(engine, body, scope) {
  if (engine === 'nth') return /^-?\d+$/u.test(body) ? [scope?.at(+body)].filter((el) => el !== undefined) : refuse('nth= takes a whole number');
  if (engine === 'visible') return (scope ?? []).filter((el) => isVisible(el) === (body !== 'false'));
  if (engine === 'xpath' && body === '..') return [...new Set((scope ?? []).map((el) => parentOf(el)).filter((el) => el !== null))];
  const all = select(engine, body);
  return scope ? all.filter((el) => scope.some((outer) => outer !== el && composedContains(outer, el))) : all;
}

/** @param {string} engine @param {string} body @returns {El[]} */
function select(engine, body) {
  switch (engine) {
    case 'text': return saysText(body, true);
    case 'role': return byRole(body);
    case 'xpath': return selectAll({ xpath: body.replace(/^\.\/\//u, '//') });
    case 'css': return byCSS(body);
    default: return byPiercing(`[${engine}=${JSON.stringify(unquoted(body))}]`, true);
  }
}

/** @param {string} s */
const unquoted = (s) => (new RegExp(`^(?:${QUOTED})$`, 'su').test(s) ? s.slice(1, -1).replace(/\\(.)/gsu, '$1') : s);

// textTest returns the test of a text: an expression between slashes, the same text where it is quoted and `exact`, else
// a part of it in any case.
/** @param {string} body @param {boolean} exact @returns {(said: string) => boolean} */
function textTest(body, exact) {
  const expression = /^\/(.+)\/([a-z]*)$/su.exec(body), wanted = tidy(unquoted(body));
  if (expression) return expressionTest(expression[1], expression[2]);
  if (exact && unquoted(body) !== body) return (said) => said === wanted;
  return (said) => said.toLowerCase().includes(wanted.toLowerCase());
}

/** @param {string} source @param {string} flags @returns {(said: string) => boolean} */
function expressionTest(source, flags) {
  try {
    const expression = new RegExp(source, flags.replace('g', ''));
    return (said) => expression.test(said);
  } catch (e) {
    return refuse(String(/** @type {Error} */ (e).message));
  }
}

const MAX_TEXT = 20000;
/** @param {El} el */
function saidBy(el) {
  if (isSecret(el) || SILENT.has(localName(el))) return '';
  if (localName(el) === 'input') return /^(?:button|submit|reset)$/u.test(el.type) ? el.value : '';
  return tidy(selectIn(el, 'script,style,noscript,template') || shadowRootOf(el) ? readText(el, MAX_TEXT) : textContent(el));
}

// saysText returns the smallest elements with a text.
/** @param {string} body @param {boolean} exact */
function saysText(body, exact) {
  const test = textTest(body, exact);
  return smallest(byPiercing('*').filter((el) => test(saidBy(el))));
}

/** @param {El[]} all */
function smallest(all) {
  /** @type {Set<El>} */
  const outer = new Set();
  for (const el of all) for (let up = parentOf(el); up && !outer.has(up); up = parentOf(up)) outer.add(up);
  return all.filter((el) => !outer.has(el));
}

const ATTRIBUTE = new RegExp(`\\[\\s*([\\w-]+)\\s*(?:=\\s*(${QUOTED}|/(?:[^/\\\\]|\\\\.)+/\\w*|[^\\]\\s]+)\\s*([is])?)?\\s*\\]`, 'suy');

/** @param {string} body */
function byRole(body) {
  const [, wanted = '', rest = ''] = /^([\w-]+)\s*(.*)$/su.exec(body) ?? refuse('role= takes the name of a role');
  /** @type {((el: El, role: string) => boolean)[]} */
  const tests = [];
  ATTRIBUTE.lastIndex = 0;
  for (let at = 0; at < rest.length; at = ATTRIBUTE.lastIndex) {
    const found = ATTRIBUTE.exec(rest);
    if (!found) return refuse(`role=${wanted} is followed by attributes in brackets, such as [name="Save"]`);
    tests.push(roleTest(found[1], found[2] ?? 'true', found[3] === 'i'));
  }
  const role = wanted === 'image' ? 'img' : wanted;
  return byPiercing('*').filter((el) => roleOf(el) === role && isVisible(el) && tests.every((test) => test(el, role)));
}

/** @param {string} name @param {string} value @param {boolean} anyCase @returns {(el: El, role: string) => boolean} */
function roleTest(name, value, anyCase) {
  const on = unquoted(value);
  switch (name) {
    case 'name': {
      const test = anyCase ? (/** @type {string} */ said) => said.toLowerCase() === tidy(on).toLowerCase() : textTest(/^["'/]/u.test(value) ? value : JSON.stringify(value), true);
      return (el, role) => test(tidy(nameOf(el, role)));
    }
    case 'checked': return (el, role) => (checkedOf(el, role) ?? 'false') === on;
    case 'disabled': return (el) => String(isDisabled(el)) === on;
    case 'level': return (el) => String(levelOf(el)) === on;
    case 'expanded': return (el, role) => statesOf(el, role, null).includes(on === 'true' ? 'expanded' : 'collapsed');
    case 'pressed': case 'selected': return (el, role) => String(statesOf(el, role, null).includes(name)) === on;
    case 'include-hidden': return () => true;
    default: return refuse(`role= knows no attribute ${JSON.stringify(name)}`);
  }
}

// byCSS selects by CSS with the pseudo-classes of texts, in the order of the document. What is native in it is matched
// by the browser.
/** @param {string} css @returns {El[]} */
function byCSS(css) {
  if (!TEXTS.test(css)) return selectAll({ css, pierce: true });
  /** @type {Set<El>} */
  const found = new Set();
  const lists = splitAt(css, (s, i) => (s[i] === ',' ? 1 : 0));
  for (const list of lists) {
    const compounds = compoundsOf(list.trim()), natives = compounds.map(({ native }) => new Set(selectAll({ css: native || '*', pierce: true })));
    for (const el of natives[natives.length - 1]) if (isMatch(el, compounds, natives, compounds.length - 1)) found.add(el);
  }
  return lists.length < 2 ? [...found] : byPiercing('*').filter((el) => found.has(el));
}

/** @param {El} el @param {Compound[]} compounds @param {Set<El>[]} natives @param {number} at @returns {boolean} */
function isMatch(el, compounds, natives, at) {
  if (!natives[at].has(el) || !compounds[at].tests.every((test) => test(el))) return false;
  if (at === 0) return true;
  const by = compounds[at].by, next = by === '+' || by === '~' ? previousElement : parentOf;
  for (let other = next(el); other; other = next(other)) {
    if (isMatch(other, compounds, natives, at - 1)) return true;
    if (by === '>' || by === '+') return false;
  }
  return false;
}

// compoundsOf divides a selector at its combinators.
/** @param {string} css @returns {Compound[]} */
function compoundsOf(css) {
  /** @type {string[]} */ const by = [' '];
  const parts = splitAt(css, (s, i) => {
    const [text, sign] = /^\s*([>+~])\s*|^\s+/u.exec(s.slice(i)) ?? [''];
    if (text) by.push(sign ?? ' ');
    return text.length;
  });
  return parts.map((part, i) => ({ by: by[i], ...divide(part) }));
}

// divide takes the pseudo-classes of texts, and those that contain one, out of a compound.
/** @param {string} compound @returns {{ native: string, tests: Test[] }} */
function divide(compound) {
  /** @type {Test[]} */ const tests = [];
  let native = '';
  for (const part of splitAt(compound.replace(/(?<!:):(?!:)/gu, '\u0000:'), (s, i) => (s[i] === '\u0000' ? 1 : 0)).map((s) => s.replaceAll('\u0000', ''))) {
    const [, name = '', body = ''] = /^:([\w-]+)(?:\((.*)\))?/su.exec(part) ?? [], custom = part.startsWith(':') && (TEXTS.test(part.slice(0, name.length + 2)) || NESTING.has(name) && TEXTS.test(body));
    if (custom) tests.push(pseudoTest(name, body.trim())); else native += part;
  }
  return { native, tests };
}

/** @param {string} name @param {string} body @returns {Test} */
function pseudoTest(name, body) {
  switch (name) {
    case 'visible': return (el) => isVisible(el);
    case 'has-text': { const test = textTest(body, false); return (el) => test(saidBy(el)); }
    case 'text': return inSet(saysText(body, false));
    case 'text-is': return inSet(saysText(JSON.stringify(unquoted(body)), true));
    case 'text-matches': {
      const [source, flags = ''] = splitAt(body, (s, i) => (s[i] === ',' ? 1 : 0)).map((part) => unquoted(part.trim()));
      const test = expressionTest(source, flags);
      return inSet(smallest(byPiercing('*').filter((el) => { const said = saidBy(el); return said !== '' && test(said); })));
    }
    case 'not': { const found = new Set(byCSS(body)); return (el) => !found.has(el); }
    case 'has': {
      const child = body.startsWith('>'), found = byCSS(body.replace(/^>\s*/u, ''));
      return (el) => found.some((inner) => (child ? parentOf(inner) === el : inner !== el && composedContains(el, inner)));
    }
    default: return inSet(byCSS(body));
  }
}

/** @param {El[]} all @returns {Test} */
function inSet(all) {
  const found = new Set(all);
  return (el) => found.has(el);
}
