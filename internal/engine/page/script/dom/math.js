// Formulas of MathML as text in one line: (a + b)/2, x^2, √(x + 1).

import { SILENT, childElements, localName, textContent, tidy } from './dom.js';

const SPACED = /^[-+=<>−±∓×÷·⋅≤≥≠≈≡→⇒⇔∈∉⊂⊆∪∩∧∨]$/, MAX_LEVELS = 40;

/** @param {Element} el @param {number} [level] @returns {string} */
export function mathText(el, level = 0) {
  const tag = localName(el);
  if (level > MAX_LEVELS || SILENT.has(tag)) return '';
  const kids = [...childElements(el)];
  /** @param {number} i */
  const part = (i) => (kids[i] ? mathText(kids[i], level + 1) : '');
  /** @param {number} i */
  const group = (i) => { const text = part(i).trim(); return /^[\p{L}\p{N}\p{M}.]*$/u.test(text) || [...text].length === 1 ? text : `(${text})`; };
  const all = () => kids.map((_, i) => part(i));
  switch (tag) {
    case 'mi': case 'mn': case 'mtext': case 'ms': return tidy(textContent(el));
    case 'mo': { const text = tidy(textContent(el)); return SPACED.test(text) ? ` ${text} ` : text === ',' ? ', ' : text; }
    case 'mfrac': return `${group(0)}/${group(1)}`;
    case 'msup': case 'mover': return `${group(0)}^${group(1)}`;
    case 'msub': case 'munder': return `${group(0)}_${group(1)}`;
    case 'msubsup': case 'munderover': return `${group(0)}_${group(1)}^${group(2)}`;
    case 'msqrt': return `√(${all().join('').trim()})`;
    case 'mroot': return `root(${part(1).trim()}, ${part(0).trim()})`;
    case 'mfenced': return `(${all().join(', ')})`;
    case 'mtable': return `[${all().join('; ')}]`;
    case 'mtr': case 'mlabeledtr': return all().map((text) => text.trim()).join(', ');
    case 'semantics': case 'maction': return part(0);
    case 'annotation': case 'annotation-xml': case 'mphantom': case 'none': case 'mprescripts': return '';
    case 'mspace': return ' ';
  }
  return kids.length ? tidy(all().join('')) : tidy(textContent(el));
}
