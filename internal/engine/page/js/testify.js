// Testimony: what a contract asks of elements, all selectors in one look. It
// gives out no refs, and no value of a field that holds a secret.

const TESTIFIED = 50, TESTIFIED_TEXT = 100000;

function testify({ selectors }) {
  drain();
  const focused = focusedElement();
  return { answers: selectors.map((css) => {
    try {
      const found = selectAll({ css, pierce: true });
      return { total: found.length, first: found.slice(0, TESTIFIED).map((el) => testimony(el, focused)) };
    } catch (e) {
      if (e instanceof Refusal) return { total: 0, problem: e.data.reason };
      throw e;
    }
  }) };
}

function testimony(el, focused) {
  const role = roleOf(el);
  const tag = localName(el);
  const text = readText(el, TESTIFIED_TEXT);
  const checked = checkedOf(el, role);
  const states = statesOf(el, role, focused);
  const secret = isSecret(el);
  const held = secret ? undefined : tag === 'select' ? el.value : valueOf(el, role);
  const value = held === undefined ? undefined : String(held);
  const disabled = isDisabled(el);
  const takes = isEditable(el) || tag === 'textarea' || tag === 'select' || tag === 'input' && (TEXT_TYPES.has(el.type) || SET_TYPES.has(el.type));
  return {
    name: named(el, role, tag), text: text.slice(0, TESTIFIED_TEXT).toWellFormed(), truncated: text.length > TESTIFIED_TEXT || undefined,
    value: value?.slice(0, TESTIFIED_TEXT).toWellFormed(), valueCut: value?.length > TESTIFIED_TEXT || undefined, field: value !== undefined || undefined, secret: secret || undefined,
    visible: isVisible(el), disabled, checkable: checked !== undefined, checked: checked === 'true', focused: el === focused,
    editable: takes && !disabled && !states.includes('readonly'), readonly: states.includes('readonly'), required: states.includes('required'),
  };
}

// named says which element it is, to a person.
function named(el, role, tag) {
  const name = role === 'generic' ? '' : nameOf(el, role);
  const id = attr(el, 'id');
  return cut((role === 'generic' || role === 'none' ? '<' + tag + (id ? ' id=' + id : '') + '>' : role) + (name ? ' "' + name + '"' : ''), 120);
}
