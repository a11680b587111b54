// Editing: what kind of field it is, and the part of setting it that needs no
// real input. Typing itself is done outside, as input events.

const TEXT_TYPES = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number']);
const SET_TYPES = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);
const FORMATS = { date: 'YYYY-MM-DD', time: 'HH:MM', 'datetime-local': 'YYYY-MM-DDTHH:MM', month: 'YYYY-MM',
  week: 'YYYY-Www', color: '#rrggbb', range: 'a number', number: 'a number' };

// Another world's prototype holds its own accessors: setting through ours
// leaves a framework's override of the property untouched, so it sees a
// difference and believes the event, as it would after typing.
const setInputValue = (el, value) => Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(el, value);

// edit prepares or performs setting a value; `plan` says what is left to do.
function edit({ n, value }) {
  const el = resolve(n);
  const shownRole = entries.get(n).role;
  const role = roleOf(el);
  refuseFixed(el, role);
  begin(el, shownRole);
  const answer = (plan, more) => ({ plan, element: describe(el, shownRole), ...more });
  const tag = localName(el);
  if (tag === 'select') { choose(el, value); return answer('done'); }
  if (tag === 'input' && (el.type === 'checkbox' || el.type === 'radio') || role === 'checkbox' || role === 'switch' || role === 'radio' ||
      role === 'menuitemcheckbox' || role === 'menuitemradio') {
    return answer(toggle(el, role, value));
  }
  if (tag === 'input' && SET_TYPES.has(el.type)) { assign(el, value); return answer('done'); }
  if (tag === 'input' && !TEXT_TYPES.has(el.type)) throw new Refusal('notEditable', { reason: `an input of type ${el.type} takes no text` });
  if (tag === 'input' && el.type === 'number' && value !== '' && !Number.isFinite(Number(value))) {
    throw new Refusal('refused', { reason: `a number field takes ${FORMATS.number}` });
  }
  if (tag !== 'input' && tag !== 'textarea' && !isEditable(el) && offersOptions(el, role)) {
    return answer('pick', { inline: role === 'listbox', multiple: attr(el, 'aria-multiselectable') === 'true', open: attr(el, 'aria-expanded') === 'true' });
  }
  if (tag !== 'input' && !isEditable(el) && (role === 'slider' || role === 'spinbutton')) return answer('step', stepping(el, role, value));
  if (tag !== 'input' && tag !== 'textarea' && !isEditable(el)) {
    const inner = selectIn(el, 'input:not([type=hidden]),textarea,select,[contenteditable]');
    const hint = inner ? `; it holds ${label(inner, roleOf(inner))} [${describe(inner).ref}]` : '';
    throw new Refusal('notEditable', { reason: `a ${shownRole} takes no value${hint}` });
  }
  selectContent(el);
  if (focusedElement() !== el && !composedContains(el, focusedElement() ?? document.documentElement)) {
    throw new Refusal('notEditable', { reason: 'it does not keep the focus' });
  }
  Object.assign(arm('keys', el), { certain: !sameValue(el, value), value });
  return answer('insert', { same: sameValue(el, value) });
}

// focus gives an element the focus, and refuses when it is not there then: what is typed next would go elsewhere.
function focus({ n }) {
  const el = resolve(n), shownRole = entries.get(n).role;
  begin(el, shownRole);
  el.focus();
  const at = focusedElement();
  if (!at || !composedContains(el, at)) {
    throw new Refusal('notActionable', { reason: at ? 'it does not take the focus, which stays with another element' : 'it does not take the focus', covering: at ? describe(at) : undefined });
  }
  return { element: describe(el, shownRole) };
}

// stepping prepares a slider that a script draws: keys move it, one step at a time.
function stepping(el, role, value) {
  const wanted = Number(value), now = levelNow(el), min = attr(el, 'aria-valuemin'), max = attr(el, 'aria-valuemax');
  if (value.trim() === '' || !Number.isFinite(wanted)) throw new Refusal('refused', { reason: `a ${role} takes a number` });
  if (min !== null && wanted < Number(min) || max !== null && wanted > Number(max)) {
    throw new Refusal('refused', { reason: `it goes from ${min ?? 'any number'} to ${max ?? 'any number'}` });
  }
  if (now === null) throw new Refusal('notEditable', { reason: 'it does not tell its value (aria-valuenow); drag its handle, or press keys on it and look' });
  el.focus();
  if (focusedElement() !== el) throw new Refusal('notEditable', { reason: 'it takes no focus, so that keys cannot move it; drag its handle' });
  return { now, wanted };
}

const levelNow = (el) => { const said = parseFloat(attr(el, 'aria-valuenow')); return Number.isFinite(said) ? said : null; };

// offersOptions: a list drawn by script, or what opens one.
const offersOptions = (el, role) => role === 'combobox' || role === 'listbox' ||
  /^(?:listbox|menu|true)$/.test(attr(el, 'aria-haspopup') ?? '') && role === 'button';

function refuseFixed(el, role) {
  if (isDisabled(el)) throw new Refusal('notEditable', { reason: 'it is disabled' });
  if (statesOf(el, role, null).includes('readonly')) throw new Refusal('notEditable', { reason: 'it is read-only' });
  const hidden = (isDisguised(el) ? '' : hiddenReason(el)) || inertReason(el);
  if (hidden) throw new Refusal('notEditable', { reason: hidden });
}

const sameValue = (el, value) => (localName(el) === 'input' || localName(el) === 'textarea') && el.value === value;

function selectContent(el) {
  if (localName(el) === 'input' || localName(el) === 'textarea') {
    el.focus({ preventScroll: false });
    el.select();
    return;
  }
  el.focus();
  const selection = ownerDocument(el).defaultView.getSelection();
  selection.selectAllChildren(el);
}

const announce = (el) => {
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
};

function assign(el, value) {
  const before = el.value;
  el.focus();
  setInputValue(el, value.trim());
  const got = el.value;
  const kept = el.type === 'color' ? got === value.trim().toLowerCase()
    : el.type === 'range' ? Number.isFinite(Number(value)) && value.trim() !== '' : value.trim() === '' || got !== '';
  if (!kept) {
    setInputValue(el, before);
    throw new Refusal('refused', { reason: `a ${el.type} field takes ${FORMATS[el.type]}` });
  }
  if (got !== before) announce(el);
}

// choose selects options by value, then by label, then by label without
// regard to case; several, one per line, in a list that allows it.
function choose(el, value) {
  const wanted = el.multiple ? value.split('\n').filter((v) => v !== '') : [value];
  const options = [...el.options];
  const found = wanted.map((w) => {
    const low = tidy(w).toLowerCase();
    const option = options.find((o) => o.value === w) ?? options.find((o) => tidy(o.label) === tidy(w)) ??
      options.find((o) => tidy(o.label).toLowerCase() === low);
    if (!option) {
      const labels = options.slice(0, 50).map((o) => tidy(o.label));
      throw new Refusal('noOption', { value: w, options: labels, total: options.length });
    }
    if (option.disabled || option.parentElement && option.parentElement.disabled) {
      throw new Refusal('notEditable', { reason: `its option ${JSON.stringify(tidy(option.label))} is disabled` });
    }
    return option;
  });
  el.focus();
  let moved = false;
  for (const option of options) {
    const on = found.includes(option);
    if (option.selected !== on) { moved = true; if (el.multiple || on) option.selected = on; }
  }
  if (moved) announce(el);
}

const YES = new Set(['true', 'on', 'yes', '1', 'checked']);
const NO = new Set(['false', 'off', 'no', '0', 'unchecked', '']);

// toggle answers 'click' when the state differs from what is wanted.
function toggle(el, role, value) {
  const low = value.trim().toLowerCase();
  if (!YES.has(low) && !NO.has(low)) throw new Refusal('refused', { reason: `a ${role} takes true or false` });
  const on = YES.has(low);
  if (!on && (role === 'radio' || role === 'menuitemradio')) {
    throw new Refusal('refused', { reason: 'a radio is unset only by setting another of its group' });
  }
  return checkedOf(el, role) === String(on) ? 'done' : 'click';
}

// typing tells where keys would go.
function typing() {
  const el = focusedElement();
  begin(el, el && numbers.has(el) ? entries.get(numbers.get(el)).role : undefined);
  return { element: el ? describe(el, capture.shownRole) : null, door: focusedDoor() };
}
