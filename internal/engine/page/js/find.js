// Search by words: a score per element, then document order.

const SHAPE_BONUS = 0.15, LIVE_BONUS = 0.1;

const words = (s) => tidy(s).toLowerCase().normalize('NFC').split(/[^\p{L}\p{N}]+/u).filter(Boolean);

// scoreText returns 1 for the same words, at least 0.75 for the phrase inside, and less for the
// share of tokens that occur. Whole words count more than parts of words.
function scoreText(text, phrase, tokens) {
  if (!text || !tokens.length) return 0;
  const low = text.toLowerCase().normalize('NFC');
  if (low === phrase) return 1;
  const own = words(low);
  if (own.join(' ') === tokens.join(' ')) return 0.98;
  const closeness = Math.min(1, phrase.length / low.length);
  if (low.includes(phrase)) return 0.75 + 0.15 * closeness;
  let hits = 0;
  for (const token of tokens) {
    if (own.includes(token)) hits += 1;
    else if (token.length > 2 && low.includes(token)) hits += 0.6;
  }
  const share = hits / tokens.length;
  return share < 0.5 ? 0 : 0.6 * share + 0.1 * closeness;
}

function hintScore(el, tokens) {
  let best = 0;
  for (const name of ['placeholder', 'title', 'alt', 'data-testid', 'id', 'name', 'value', 'href', 'class']) {
    const said = attr(el, name);
    if (!said || said.length > 300 || name === 'value' && isSecret(el)) continue;
    const own = words(said.replace(/([a-z])([A-Z])/g, '$1 $2'));
    const hits = tokens.filter((t) => own.includes(t)).length;
    best = Math.max(best, 0.45 * hits / tokens.length);
  }
  return best >= 0.22 ? best : 0;
}

function ownText(el) {
  let text = '';
  for (let n = firstChild(el); n; n = nextSibling(n)) if (nodeType(n) === TEXT) text += nodeValue(n);
  return tidy(text);
}

// rate scores one element against the query. The whole phrase may be the name, or the rest without
// the role words.
function rate(el, role, live, visual, q) {
  let name = live || role !== 'generic' ? (role === 'clickable' ? clickableName(el) : nameOf(el, role)) : '';
  if (!name && live) name = nearbyLabel(el, role);
  const text = name || visual.tag === 'svg' ? '' : readable(visual) ? ownText(el) : '';
  const said = name || cut(text, 300);
  if (q.pattern) return said && q.expression.test(said) ? { el, role, name: said, score: live ? 1 : 0.9, live } : null;
  const shaped = q.roles.includes(role);
  let score = scoreText(said, q.phrase, q.tokens);
  if (q.roles.length && q.rest.length) {
    const rest = scoreText(said, q.restPhrase, q.rest);
    score = Math.max(score, shaped ? rest : rest * 0.6);
  } else if (q.roles.length && shaped) {
    score = Math.max(score, 0.5);
  }
  if (score < 0.5 && (live || role === 'img')) score = Math.max(score, hintScore(el, q.rest.length ? q.rest : q.tokens));
  if (score <= 0) return null;
  if (shaped) score += SHAPE_BONUS;
  if (live) score += LIVE_BONUS;
  return { el, role, name: said, score: Math.round(score / 1.25 * 1000) / 1000, live };
}

function find(q) {
  if (q.pattern) {
    try {
      q.expression = new RegExp(q.pattern, 'iu');
    } catch (e) {
      throw new EngineError('badSelector', { reason: String(e.message) });
    }
  }
  const hits = [];
  let order = 0;
  scan(document.documentElement, (el, role, live, visual) => {
    order++;
    if (!visual.visible || visual.clipped || visual.tag === 'html' || visual.tag === 'body') return false;
    if (CELLS.has(role) && !live || role === 'row') return false;
    const hit = rate(el, role, live, visual, q);
    if (hit) { hit.order = order; hits.push(hit); }
    return false;
  });
  hits.sort((a, b) => b.score - a.score || b.live - a.live || a.order - b.order);
  dropNested(hits);
  const total = hits.length;
  return { total, matches: hits.slice(0, q.limit).map((h) => ({
    ref: refOf(h.el, h.role, displayName(h.el, h.role)), role: h.role, name: h.name, score: h.score,
    box: topBox(h.el), visible: true, path: pathOf(h.el), opensOptions: opensOptions(h.el, h.role),
  })) };
}

// dropNested removes one of two best matches where one contains the other and both have the same name: a
// wrapper around its button, or the text in a tree item. The control stays, else the inner one.
const MAX_BEST = 12;
function dropNested(hits) {
  const best = hits.filter((h) => h.score === hits[0].score).slice(0, MAX_BEST);
  for (const outer of best) {
    for (const inner of best) {
      if (outer === inner || tidy(outer.name) !== tidy(inner.name) || !composedContains(outer.el, inner.el)) continue;
      const loser = WIDGETS.has(outer.role) && !WIDGETS.has(inner.role) ? inner : outer;
      const at = hits.indexOf(loser);
      if (at >= 0 && hits.includes(loser === outer ? inner : outer)) hits.splice(at, 1);
    }
  }
}

// nearbyLabel returns the text that stands before a control without a name, where no other control is
// between them: a label that refers to nothing, or the line above a slider.
const LABELLED = new Set(['slider', 'combobox', 'listbox', 'textbox', 'searchbox', 'spinbutton', 'switch', 'checkbox', 'date', 'color']);
const MAX_LABEL = 60, MAX_LABEL_LEVELS = 9;
function nearbyLabel(el, role) {
  if (!LABELLED.has(role)) return '';
  for (let at = el, level = 0; at && level < MAX_LABEL_LEVELS; at = parentOf(at), level++) {
    for (let n = at.previousElementSibling; n; n = n.previousElementSibling) {
      const control = isControl(n) ? n : selectIn(n, 'input:not([type=hidden]):not(:disabled),button,select,textarea,[role=slider],[role=combobox]');
      if (control && isVisible(control)) return '';
      const text = tidy(textContent(n));
      if (text && isVisible(n)) return text.length <= MAX_LABEL ? text : '';
    }
    if (matches(at, 'form,fieldset,section,article,main,[role=dialog],tr,li')) break;
  }
  return '';
}

const displayName = (el, role) => (role === 'clickable' ? clickableName(el) : nameOf(el, role));

// pathOf describes where an element is, by its nearest named ancestors.
function pathOf(el) {
  const parts = [];
  for (let up = parentOf(el); up && parts.length < 3; up = parentOf(up)) {
    const role = roleOf(up);
    if (!CONTEXT.has(role) && role !== 'listitem' && role !== 'row' && role !== 'group' && role !== 'article') continue;
    const name = role === 'row' || role === 'listitem' ? '' : nameOf(up, role);
    parts.unshift(name ? `${role} ${JSON.stringify(cut(name, 40))}` : role);
  }
  return parts.join(' > ').toWellFormed();
}

// candidates returns the elements that a stale ref may have meant: near in role and name.
function candidates(role, name) {
  const tokens = words(name), phrase = name.toLowerCase();
  const hits = [];
  let order = 0;
  scan(document.documentElement, (el, r, live, visual) => {
    order++;
    if (!visual.visible || visual.clipped || !live && r !== role || r === 'generic') return false;
    const called = displayName(el, r);
    let score = scoreText(called, phrase, tokens);
    if (!score && r === role && !tokens.length && !called) score = 0.3;
    if (!score) return false;
    if (r === role) score += 0.5;
    hits.push({ el, role: r, name: called, score, order });
    return false;
  });
  hits.sort((a, b) => b.score - a.score || a.order - b.order);
  return hits.slice(0, 3).map((h) => ({ ref: refOf(h.el, h.role, h.name), role: h.role, name: h.name }));
}
