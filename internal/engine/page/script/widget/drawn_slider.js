// Sliders that a script draws without a role: a track and a handle that lies across it.

const MIN_TRACK = 60, MAX_THICKNESS = 24, MAX_HANDLE = 48, MAX_SLIDER_PARTS = 60;

// drawnSlider returns the track and the handles of a slider that el is or belongs to, or null. A handle is
// placed by an inline style.
function drawnSlider(el) {
  for (let box = el, level = 0; box && level < 3; box = parentOf(box), level++) {
    if (matches(box, 'body,form') || rectOf(box).height > 4 * MAX_HANDLE) return null;
    const found = paintOf(box, sliderIn);
    if (found) return found.handles ? found : null;
  }
  return null;
}

// sliderIn returns the slider that an element is the box of, an object without handles where no box
// around the element is one either, or null.
function sliderIn(box) {
  const parts = [box, ...selectAllIn(box, '*')].slice(0, MAX_SLIDER_PARTS);
  if (parts.some((e) => localName(e) === 'input' && e.type !== 'hidden' && e.readOnly !== true && isVisible(e))) return {};
  const handles = parts.filter(isHandle);
  if (!handles.length || handles.length > 2) return null;
  const track = parts.find((e) => !handles.includes(e) && holdsHandle(e, handles[0]));
  return track ? { track, handles, box } : null;
}

const PLACED = /(?:^|[;\s])(?:left|right|top|bottom|inset[\w-]*|margin-left|transform|translate)\s*:\s*[^;]*?-?\d/;

function isHandle(el) {
  const r = rectOf(el);
  if (r.width < 6 || r.height < 6 || r.width > MAX_HANDLE || r.height > MAX_HANDLE || !PLACED.test(attr(el, 'style') ?? '')) return false;
  const cs = getComputedStyle(el);
  return /absolute|relative/.test(cs.position) && cs.visibility === 'visible' && cs.pointerEvents !== 'none' && !tidy(textContent(el)) &&
    (hasAttr(el, 'tabindex') || /pointer|grab|move|resize/.test(cs.cursor) || hasAttr(el, 'draggable') || r.width < 2 * r.height && r.height < 2 * r.width);
}

function holdsHandle(track, handle) {
  const t = rectOf(track), h = rectOf(handle);
  if (t.width < MIN_TRACK || t.height > MAX_THICKNESS || t.height === 0) return false;
  const x = h.left + h.width / 2, y = h.top + h.height / 2;
  return Math.abs(y - t.top - t.height / 2) < 8 && x > t.left - h.width && x < t.right + h.width;
}

// isSliderHandle reports the handle of a drawn slider. It is asked of every element without a role that
// takes input, so the cheap conditions come first.
const isSliderHandle = (el) => hasAttr(el, 'style') && isHandle(el) && drawnSlider(el)?.handles.includes(el) === true;

// isSliderPart reports the track, the bar or a number of a drawn slider: its handle takes the input.
function isSliderPart(el) {
  if (firstElement(el) || hasAttr(el, 'tabindex') || rectOf(el).height > MAX_THICKNESS || /[^\d\s.,%-]/.test(textContent(el))) return false;
  const slider = drawnSlider(el);
  return slider !== null && !slider.handles.includes(el);
}

// drawnValueNote returns the value and the scale of the drawn slider that an element is a handle of, where
// the page says them.
function drawnValueNote(el) {
  const slider = hasAttr(el, 'style') ? drawnSlider(el) : null;
  if (!slider?.handles.includes(el)) return '';
  const { handles, min, max, known } = measureSlider(slider, { x: 0, y: 0 });
  return known ? ` value "${handles.find((h) => h.el === el).value}" (${min} to ${max})` : '';
}

// drawnSliderState returns the value of each handle and the point of its centre, the ends of the track
// and its scale. Numbers that are printed at the ends are the scale, else it goes from 0 to 100.
function drawnSliderState({ n }) {
  const el = resolve(n), slider = drawnSlider(el);
  if (!slider) return { found: false };
  bringIntoView(slider.track);
  const { handles, ...scale } = measureSlider(slider, frameOffset(ownerDocument(el)));
  return { found: true, ...scale, handles: handles.map(({ el: _, ...h }) => h), own: handles.findIndex((h) => h.el === el) };
}

function measureSlider(slider, off) {
  const t = rectOf(slider.track);
  const { min, max, printed } = scaleOf(slider, t);
  const held = heldNumbers(slider), known = held.length === slider.handles.length;
  const handles = slider.handles.map((h) => { const r = rectOf(h); return { el: h, x: r.left + r.width / 2 + off.x, y: r.top + r.height / 2 + off.y, share: shareOf(h, r, t) }; });
  handles.sort((a, b) => a.x - b.x);
  handles.forEach((h, i) => { h.value = known ? held[i] : Math.round((min + h.share * (max - min)) * 100) / 100; });
  return { min, max, left: t.left + off.x, right: t.right + off.x, handles, known: known && printed };
}

function shareOf(handle, r, t) {
  const said = /(?:^|[;\s])left:\s*(-?[\d.]+)%/.exec(attr(handle, 'style') ?? '');
  return said && rectOf(parentElement(handle)).width >= 0.9 * t.width ? Number(said[1]) / 100 : (r.left + r.width / 2 - t.left) / t.width;
}

// heldNumbers returns the numbers of the inputs that belong to a slider: a script keeps its value there.
function heldNumbers(slider) {
  for (const root of [slider.box, parentOf(slider.box)]) {
    const inputs = root ? [...selectAllIn(root, 'input')].filter((i) => i.readOnly || !isVisible(i)) : [];
    const numbers = inputs.flatMap((i) => i.value.split(/[;,]/)).map((v) => (v.trim() === '' ? NaN : Number(v)));
    if (numbers.length && numbers.every(Number.isFinite)) return numbers;
  }
  return [];
}

function scaleOf(slider, t) {
  const printed = [];
  for (const el of selectAllIn(slider.box, '*')) {
    const text = ownText(el).replace(/[\s,]/g, ''), r = rectOf(el);
    if (/^-?\d+(?:\.\d+)?$/.test(text) && isVisible(el)) printed.push({ number: Number(text), left: r.left, right: r.right });
  }
  const first = printed.find((p) => Math.abs(p.left - t.left) < 12), last = printed.findLast((p) => Math.abs(p.right - t.right) < 12);
  return first && last && first.number < last.number ? { min: first.number, max: last.number, printed: true } : { min: 0, max: 100, printed: false };
}
