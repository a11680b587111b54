function () {
  const el = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
  if (!el) return { visible: false, node: '', traits: [] };
  const node = el.localName + (el.id ? '#' + el.id : '') + [...el.classList].slice(0, 3).map((c) => '.' + c).join('');
  // A field that is drawn by its label is as visible as the label.
  const drawn = el.labels && getComputedStyle(el).opacity === '0' ? [...el.labels].find((l) => l.checkVisibility({ opacityProperty: true, visibilityProperty: true })) : null;
  const rect = (drawn ?? el).getBoundingClientRect();
  // A transparent field takes the input for what is drawn below or around it.
  const field = /^(input|textarea|select)$/.test(el.localName);
  const shown = !!drawn || el.checkVisibility({ opacityProperty: !field, visibilityProperty: true, contentVisibilityAuto: true });
  const traits = [];
  // inside reports whether a part of the box lies in the boxes of all ancestors that clip it.
  const inside = () => {
    let { left, top, right, bottom } = rect;
    let position = getComputedStyle(el).position;
    for (let up = el.parentElement ?? el.getRootNode().host; up; up = up.assignedSlot ?? up.parentElement ?? up.getRootNode().host) {
      const style = getComputedStyle(up);
      if (position === 'absolute' && style.position === 'static') continue;
      if (position === 'fixed') break;
      if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
        const box = up.getBoundingClientRect();
        const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
        if (!scrolls) {
          left = Math.max(left, box.left); right = Math.min(right, box.right);
          top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom);
        } else {
          if (box.width < 2 || box.height < 2) return false;
          ({ left, top, right, bottom } = box); // what is scrolled out of it can be scrolled into it
        }
      }
      position = style.position;
    }
    return right - left > 1 && bottom - top > 1;
  };
  const style = getComputedStyle(el);
  if (rect.width < 2 || rect.height < 2) traits.push('tiny');
  if (/^rect\(\s*(0|1)px,?\s*(0|1)px/.test(style.clip) || /inset\((50|100)%/.test(style.clipPath)) traits.push('clipped');
  else if (!inside()) traits.push('clipped');
  const x = rect.left + scrollX, y = rect.top + scrollY;
  if (x + rect.width <= 0 || y + rect.height <= 0) traits.push('outside');
  if (rect.left >= 0 && rect.top >= 0 && rect.right <= innerWidth && rect.bottom <= innerHeight && rect.width > 0) {
    let hit = document.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
    while (hit?.shadowRoot) {
      const deeper = hit.shadowRoot.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
      if (!deeper || deeper === hit) break;
      hit = deeper;
    }
    const related = (a, b) => { for (let n = b; n; n = n.parentElement ?? n.getRootNode().host) if (n === a) return true; return false; };
    if (hit && !related(el, hit) && !related(hit, el)) traits.push('covered');
  }
  if (el.closest('[inert]')) traits.push('inert');
  if (el.localName === 'option' || el.closest('select')) traits.push('in select');
  const file = el.localName === 'input' && el.type === 'file';
  if (file) traits.push('file');
  const hidden = traits.some((t) => t === 'tiny' || t === 'clipped' || t === 'outside');
  return { visible: shown && !hidden, node, traits };
}
