// What style sheets draw before and after elements is part of their names, and
// asking an element for it is dear. When many are asked in one task, the rules
// are looked through once, and then only elements that one of them may mean are.

const ASKED_FIRST = 40, RULES_MOST = 1500, DRAWERS_MOST = 60;
const DRAWS = /::(?:before|after)/;
let asked = 0;
const drawers = new Map();

// mayDraw is false when surely nothing is generated before or after the element.
function mayDraw(el) {
  // A page can change its rules between two tasks and leave no trace.
  if (asked++ === 0) queueMicrotask(() => { asked = 0; drawers.clear(); });
  const doc = ownerDocument(el), root = rootNode(el);
  // Rules of shadow trees reach their host and what is slotted into them.
  if (asked < ASKED_FIRST || root !== doc || openRootOf(el) || assignedSlot(el) || localName(el).includes('-') || anyClosed) return hasSheets(doc, root);
  let drawn = drawers.get(doc);
  if (drawn === undefined) drawers.set(doc, drawn = drawnIn(doc));
  return drawn === true || drawn !== false && drawn.has(el);
}

// Without a style sheet nothing generates content.
function hasSheets(doc, root) {
  if (doc.styleSheets.length || doc.adoptedStyleSheets.length) return true;
  return root !== doc && root.styleSheets !== undefined && (root.styleSheets.length > 0 || root.adoptedStyleSheets.length > 0);
}

// drawnIn is the set of elements that rules may draw beside; false for none, true when that cannot be told cheaply.
function drawnIn(doc) {
  const found = { rules: 0, selectors: [] };
  try {
    for (const list of [doc.styleSheets, doc.adoptedStyleSheets]) for (const sheet of list) if (!sheet.disabled) drawingRules(sheet.cssRules, false, found);
    return found.selectors.length > 0 && new Set(queryAll(doc, found.selectors.join(',')));
  } catch {
    return true; // a sheet of another site, too many rules, or one that stands for others
  }
}

function drawingRules(rules, nested, found) {
  for (const rule of rules) {
    if (++found.rules > RULES_MOST) throw new RangeError();
    const selector = rule.selectorText, within = rule.cssRules;
    const draws = selector !== undefined && DRAWS.test(selector);
    if (draws && (within.length || rule.style.content)) {
      if (nested || within.length || found.selectors.length >= DRAWERS_MOST) throw new RangeError();
      found.selectors.push(selector.replaceAll(/::(?:before|after|marker)/g, ':is(*)'));
    }
    if (within && within.length) drawingRules(within, nested || selector !== undefined || rule instanceof CSSScopeRule, found);
    else if (rule.styleSheet) drawingRules(rule.styleSheet.cssRules, nested, found);
  }
}
