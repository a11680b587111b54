// Generated content: ::before and ::after are part of names, and asking an element for them is
// expensive. When one task asks for many elements, the style rules are searched once, and then only
// elements that a rule may match are asked.

import { allIn, anyClosed, assignedSlot, attr, hasAttr, localName, openRootOf, ownerDocument, rootNode } from './dom.js';

const CHECKED_FIRST = 40, MAX_RULES = 1500, MAX_SELECTORS = 60;
const DRAWS = /::(?:before|after|marker)/, PICTURE = /url\(|image-set\(|gradient\(/;
export let checked = 0;
const generatingByRoot = new Map();
/** @type {Map<Root, boolean>} */ const styled = new Map();
const forget = () => { checked = 0; generatingByRoot.clear(); styled.clear(); };

// mayGenerateContent returns false when the element certainly has no generated content.
/** @param {El} el */
export function mayGenerateContent(el) {
  // A page can change its rules between two tasks and leave no trace.
  if (checked++ === 0) queueMicrotask(forget);
  if (localName(el) === 'q' || hasAttr(el, 'style') && PICTURE.test(attr(el, 'style') ?? '')) return true;
  // Rules of shadow trees reach their host and what is slotted into them.
  const doc = ownerDocument(el), ask = checked < CHECKED_FIRST || anyClosed || openRootOf(el) || assignedSlot(el) || localName(el).includes('-');
  if (ask && hasSheets(doc)) return true;
  const root = rootNode(el);
  if (ask || root !== doc) return hasSheets(doc) || hasSheets(root);
  const generating = generatingIn(root);
  return generating === true || generating !== false && generating.has(el);
}

// generatingIn returns generatingElements of a document or a shadow tree, once a task.
/** @param {Root} root @returns {boolean | Set<El>} */
export function generatingIn(root) {
  if (checked++ === 0) queueMicrotask(forget);
  let generating = generatingByRoot.get(root);
  if (generating === undefined) generatingByRoot.set(root, generating = hasSheets(root) && generatingElements(root));
  return generating;
}

// Without a style sheet there is no generated content.
/** @param {Root} root */
function hasSheets(root) {
  let has = styled.get(root);
  if (has === undefined) styled.set(root, has = root.styleSheets !== undefined && (root.styleSheets.length > 0 || root.adoptedStyleSheets.length > 0));
  return has;
}

// generatingElements returns the set of elements that rules may match; false for none, true when
// that is too expensive.
/** @param {Root} root */
function generatingElements(root) {
  const found = { rules: 0, selectors: [] };
  try {
    for (const list of [root.styleSheets, root.adoptedStyleSheets]) for (const sheet of list) if (!sheet.disabled) collectGeneratingRules(sheet.cssRules, false, found);
    return found.selectors.length > 0 && new Set(allIn(root, found.selectors.join(',')));
  } catch {
    return true; // a sheet of another site, too many rules, or one that stands for others
  }
}

/** @param {CSSRuleList} rules @param {boolean} nested @param {{ rules: number, selectors: string[] }} found */
function collectGeneratingRules(rules, nested, found) {
  for (const each of rules) {
    const rule = /** @type {CSSStyleRule & Partial<CSSImportRule>} */ (each); // or of another kind, with some of these properties
    if (++found.rules > MAX_RULES) throw new RangeError();
    const selector = rule.selectorText, within = rule.cssRules;
    const draws = selector !== undefined && DRAWS.test(selector);
    if (draws && (within.length || rule.style.content) || selector !== undefined && !selector.includes('::') && PICTURE.test(rule.style.content)) {
      if (nested || within.length || found.selectors.length >= MAX_SELECTORS) throw new RangeError();
      found.selectors.push(selector.replaceAll(/::(?:before|after|marker)/g, ':is(*)'));
    }
    if (within && within.length) collectGeneratingRules(within, nested || selector !== undefined || rule instanceof CSSScopeRule, found);
    else if (rule.styleSheet) collectGeneratingRules(rule.styleSheet.cssRules, nested, found);
  }
}
