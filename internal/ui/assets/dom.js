// Elements without markup: every text becomes a text node, whatever it holds.

/**
 * h makes an element. Attributes whose names begin with "on" are listeners, boolean ones are present
 * or absent, and strings among the children are texts.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node|string|null|undefined)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on') && typeof value === 'function') el.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) el.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) el.setAttribute(name, String(value));
  }
  el.append(...children.filter((c) => c !== null && c !== undefined));
  return el;
}

/**
 * fill replaces the children of an element.
 * @param {Element} el
 * @param {...(Node|string|null|undefined)} children
 */
export function fill(el, ...children) {
  el.replaceChildren(...children.filter((c) => c !== null && c !== undefined));
}

/**
 * text sets the text of an element when it differs, so that a screen reader keeps its place.
 * @param {Element} el
 * @param {string} value
 */
export function text(el, value) {
  if (el.textContent !== value) el.textContent = value;
}

/**
 * count writes a number with its unit: 1 byte, 2 bytes.
 * @param {number} n
 * @param {string} unit
 */
export const count = (n, unit) => `${n.toLocaleString('en')} ${unit}${n === 1 ? '' : 's'}`;

/**
 * duration writes milliseconds for a person.
 * @param {number} ms
 */
export const duration = (ms) => (ms < 1000 ? `${ms} ms` : ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60000)} min`);
