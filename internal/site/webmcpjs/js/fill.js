// The values of a call in the texts of a site, and the patterns of its addresses. callsheet itself reads both in the
// same way.

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** @param {unknown} v */
const textOfValue = (v) => (v !== null && typeof v === 'object' ? JSON.stringify(v) : String(v));

/** @param {string} text @param {Args} args @param {(value: string) => string} [escape] */
const fillText = (text, args, escape = (v) => v) => text.replace(PLACEHOLDER, (all, name) => (name in args ? escape(textOfValue(args[name])) : all));

/** @param {string} text */
const percent = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
/** @param {string} text */
const escapePath = (text) => percent(text).replace(/%(24|26|2B|3A|3D|40)/g, decodeURIComponent); // $ & + : = @ stand in a path as they are
/** @param {string} text */
const escapeQuery = (text) => percent(text).replaceAll('%20', '+');

/** fillAddress escapes values for the path or the query. A text that is one parameter is a whole address. */
/** @param {string} text @param {Args} args */
function fillAddress(text, args) {
  if (text.match(PLACEHOLDER)?.[0] === text) return fillText(text, args);
  const at = text.indexOf('?');
  if (at < 0) return fillText(text, args, escapePath);
  return fillText(text.slice(0, at), args, escapePath) + '?' + fillText(text.slice(at + 1), args, escapeQuery);
}

/** isSelector reports whether a member is a CSS selector, in which a value is escaped. One that begins with / or ( is an XPath. */
/** @param {string} name @param {string} text */
const isSelector = (name, text) => ['css', 'selector', 'element'].includes(name) && !/^[/(]/.test(text);

/** fill puts values into the texts of a value, by the member that each stands in. */
/** @param {unknown} value @param {Args} args @param {string} [name] @returns {unknown} */
function fill(value, args, name = '') {
  if (typeof value === 'string') {
    if (name === 'url') return fillAddress(value, args);
    return fillText(value, args, isSelector(name, value) ? CSS.escape : undefined);
  }
  if (Array.isArray(value)) return value.map((v) => fill(v, args));
  if (value === null || typeof value !== 'object') return value;
  const { type } = /** @type {{ type?: unknown }} */ (value), waits = typeof type === 'string' && type.startsWith('selector'); // its value is the selector
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v, args, k === 'value' && waits ? 'selector' : k)]));
}

/** @param {unknown} value */
const mentions = (value) => [...JSON.stringify(value).matchAll(PLACEHOLDER)].map((m) => m[1]);

/** @param {string} text @param {string} mark */
const cut = (text, mark) => (text.includes(mark) ? [text.slice(0, text.indexOf(mark)), text.slice(text.indexOf(mark) + 1)] : [text, '']);

/**
 * matchesAddress compares an address with a pattern of its path, or of the whole address. * is anything within a segment,
 * ** anything; the query and the fragment count only where the pattern has them, and a slash at the end of the address does not.
 */
/** @param {string} pattern @param {string} address */
function matchesAddress(pattern, address) {
  const [page, fragment] = cut(address, '#');
  const [place, query] = cut(page, '?');
  const [, scheme, host, path] = /^([^:/]+):\/\/([^/]*)(.*)$/s.exec(place) ?? ['', '', '', ''];
  let text = path;
  if (pattern.includes('://')) text = scheme + '://' + host.slice(host.lastIndexOf('@') + 1) + path;
  if (pattern.includes('?')) text += '?' + query;
  if (pattern.includes('#')) text += '#' + fragment;
  const form = pattern.split(/(\*\*|\*)/).map((part) => ({ '**': '.*', '*': '[^/]*' })[part] ?? part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('');
  const whole = new RegExp('^(?:' + form + ')$', 's');
  return whole.test(text) || whole.test(text.replace(/\/$/, ''));
}
