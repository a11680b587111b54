package input_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// drag drags one element to another.
func drag(b *pagetest.Tab, from, to string, at input.DropPosition) {
	b.T.Helper()
	if _, err := b.Mouse.Drag(b.Ctx, input.Target{Ref: b.Ref(from)}, input.Target{Ref: b.Ref(to)}, input.DragOptions{Position: at}); err != nil {
		b.T.Fatal(err)
	}
}

// sortableByMouse is a list whose items follow the mouse, with a placeholder in their place that trades
// places with the item under the pointer, as jQuery UI has it.
const sortableByMouse = `<ul id=list style="width:200px;padding:0;list-style:none"><li id=a>Alpha<li id=b>Beta<li id=c>Gamma<li id=d>Delta</ul>
<style>li{height:30px;cursor:move}</style><script>
const order = () => [...list.children].map((e) => e.textContent).join();
list.onmousedown = (down) => {
  down.preventDefault();
  const item = down.target, gap = document.createElement('li'), dy = down.clientY - item.getBoundingClientRect().top;
  let held = false;
  const move = (e) => {
    if (!held && Math.abs(e.clientY - down.clientY) < 3) return;
    if (!held) { held = true; gap.style.visibility = 'hidden'; item.after(gap); item.style.cssText = 'position:absolute;pointer-events:none' }
    item.style.top = e.clientY - dy + 'px';
    for (const other of list.children) {
      const r = other.getBoundingClientRect();
      if (other === item || other === gap || e.clientY < r.top || e.clientY > r.bottom) continue;
      const down = gap.getBoundingClientRect().top < r.top, middle = r.top + r.height / 2;
      if (down ? e.clientY > middle : e.clientY < middle) down ? other.after(gap) : other.before(gap);
      break;
    }
  };
  addEventListener('mousemove', move);
  addEventListener('mouseup', () => { removeEventListener('mousemove', move); item.style.cssText = ''; if (held) gap.replaceWith(item) }, { once: true });
};</script>`

// sortableByDrag is a list whose dragged item trades places with the item under the pointer, as
// SortableJS has it.
const sortableByDrag = `<ul id=list style="width:200px;padding:0;list-style:none"><li draggable=true id=a>Alpha<li draggable=true id=b>Beta<li draggable=true id=c>Gamma<li draggable=true id=d>Delta</ul>
<style>li{height:30px}</style><script>
let item; const order = () => [...list.children].map((e) => e.textContent).join();
list.ondragstart = (e) => { item = e.target };
list.ondragover = (e) => {
  e.preventDefault();
  const other = e.target.closest('li');
  if (!other || other === item) return;
  if (item.compareDocumentPosition(other) & 4) other.after(item); else other.before(item);
};
list.ondrop = (e) => e.preventDefault()</script>`

func TestDragWithinAList(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	for name, fixture := range map[string]string{"mouse": sortableByMouse, "drag": sortableByDrag} {
		for _, c := range []struct {
			from, to string
			at       input.DropPosition
			want     string
		}{
			{"#a", "#b", input.DropInside, "Beta,Alpha,Gamma,Delta"},
			{"#b", "#a", input.DropInside, "Beta,Alpha,Gamma,Delta"},
			{"#a", "#d", input.DropInside, "Beta,Gamma,Delta,Alpha"},
			{"#d", "#b", input.DropInside, "Alpha,Delta,Beta,Gamma"},
			{"#d", "#a", input.DropBefore, "Delta,Alpha,Beta,Gamma"},
			{"#a", "#c", input.DropAfter, "Beta,Gamma,Alpha,Delta"},
			{"#a", "#c", input.DropBefore, "Beta,Alpha,Gamma,Delta"},
			{"#d", "#b", input.DropAfter, "Alpha,Beta,Delta,Gamma"},
		} {
			t.Run(strings.Join([]string{name, c.from[1:], string(c.at), c.to[1:]}, " "), func(t *testing.T) {
				b := tab.Row(t, fixture)
				drag(b, c.from, c.to, c.at)
				if got := b.JS("order()"); got != c.want {
					t.Errorf("the order is %v, want %s", got, c.want)
				}
			})
		}
	}
}
