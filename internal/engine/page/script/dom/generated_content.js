// Generated content: ::before and ::after are part of names, and asking an element for them is
// expensive. When one task asks for many elements, the style rules are searched once, and then only
// elements that a rule may match are asked.

import { anyClosed, assignedSlot, localName, openRootOf, ownerDocument, queryAll, rootNode } from './dom.js';

const CHECKED_FIRST = 40, MAX_RULES = 1500, MAX_SELECTORS = 60;
const DRAWS = /::(?:before|after)/;
export let checked = 0;
const generatingByDocument = new Map();

// mayGenerateContent returns false when the element certainly has no generated content.
/** @param {El} el */
export function mayGenerateContent(el) {
  // A page can change its rules between two tasks and leave no trace.
  if (checked++ === 0) queueMicrotask(() => { checked = 0; generatingByDocument.clear(); });
  const doc = ownerDocument(el), root = rootNode(el);
  // Rules of shadow trees reach their host and what is slotted into them.
  if (checked < CHECKED_FIRST || root !== doc || openRootOf(el) || assignedSlot(el) || localName(el).includes('-') || anyClosed) return hasSheets(doc, root);
  const generating = generatingIn(doc);
  return generating === true || generating !== false && generating.has(el);
}

// generatingIn returns generatingElements, once a task.
/** @param {Doc} doc */
export function generatingIn(doc) {
  if (checked++ === 0) queueMicrotask(() => { checked = 0; generatingByDocument.clear(); });
  let generating = generatingByDocument.get(doc);
  if (generating === undefined) generatingByDocument.set(doc, generating = hasSheets(doc, doc) && generatingElements(doc));
  return generating;
}

// Without a style sheet there is no generated content.
/** @param {Doc} doc @param {Root} root */
function hasSheets(doc, root) {
  if (doc.styleSheets.length || doc.adoptedStyleSheets.length) return true;
  return root !== doc && root.styleSheets !== undefined && (root.styleSheets.length > 0 || root.adoptedStyleSheets.length > 0);
}

// generatingElements returns the set of elements that rules may match; false for none, true when
// that is too expensive.
/** @param {Doc} doc */
function generatingElements(doc) {
  const found = { rules: 0, selectors: [] };
  try {
    for (const list of [doc.styleSheets, doc.adoptedStyleSheets]) for (const sheet of list) if (!sheet.disabled) collectGeneratingRules(sheet.cssRules, false, found);
    return found.selectors.length > 0 && new Set(queryAll(doc, found.selectors.join(',')));
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
    if (draws && (within.length || rule.style.content)) {
      if (nested || within.length || found.selectors.length >= MAX_SELECTORS) throw new RangeError();
      found.selectors.push(selector.replaceAll(/::(?:before|after|marker)/g, ':is(*)'));
    }
    if (within && within.length) collectGeneratingRules(within, nested || selector !== undefined || rule instanceof CSSScopeRule, found);
    else if (rule.styleSheet) collectGeneratingRules(rule.styleSheet.cssRules, nested, found);
  }
}
