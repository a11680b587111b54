// The values of a call in the texts of a site, and the patterns of its addresses. callsheet itself reads both in the
// same way.

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

const textOfValue = (v) => (v !== null && typeof v === 'object' ? JSON.stringify(v) : String(v));

const fillText = (text, args, escape = (v) => v) => text.replace(PLACEHOLDER, (all, name) => (name in args ? escape(textOfValue(args[name])) : all));

const percent = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
const escapePath = (text) => percent(text).replace(/%(24|26|2B|3A|3D|40)/g, decodeURIComponent); // $ & + : = @ stand in a path as they are
const escapeQuery = (text) => percent(text).replaceAll('%20', '+');

/** fillAddress escapes values for the path or the query. A text that is one parameter is a whole address. */
function fillAddress(text, args) {
  if (text.match(PLACEHOLDER)?.[0] === text) return fillText(text, args);
  const at = text.indexOf('?');
  if (at < 0) return fillText(text, args, escapePath);
  return fillText(text.slice(0, at), args, escapePath) + '?' + fillText(text.slice(at + 1), args, escapeQuery);
}

/** isSelector reports whether a member is a CSS selector, in which a value is escaped. One that begins with / or ( is an XPath. */
const isSelector = (name, text) => ['css', 'selector', 'element'].includes(name) && !/^[/(]/.test(text);

/** fill puts values into the texts of a value, by the member that each stands in. */
function fill(value, args, name = '') {
  if (typeof value === 'string') {
    if (name === 'url') return fillAddress(value, args);
    return fillText(value, args, isSelector(name, value) ? CSS.escape : undefined);
  }
  if (Array.isArray(value)) return value.map((v) => fill(v, args));
  if (value === null || typeof value !== 'object') return value;
  const waits = typeof value.type === 'string' && value.type.startsWith('selector'); // its value is the selector
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v, args, k === 'value' && waits ? 'selector' : k)]));
}

const mentions = (value) => [...JSON.stringify(value).matchAll(PLACEHOLDER)].map((m) => m[1]);

const cut = (text, mark) => (text.includes(mark) ? [text.slice(0, text.indexOf(mark)), text.slice(text.indexOf(mark) + 1)] : [text, '']);

/**
 * matchesAddress compares an address with a pattern of its path, or of the whole address. * is anything within a segment,
 * ** anything; the query and the fragment count only where the pattern has them, and a slash at the end of the address does not.
 */
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
