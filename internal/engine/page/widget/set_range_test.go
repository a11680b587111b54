package widget_test

import (
	"errors"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// rangeOfHandles has two handles that keys move in steps of ten and that do not pass each other.
const rangeOfHandles = `<p>Price range</p><div id=s style="width:200px;height:20px"></div><script>
var values = [20, 80]; values.forEach((v, i) => { const h = document.createElement('div'); h.tabIndex = 0; h.role = 'slider';
h.ariaLabel = ['Lowest', 'Highest'][i]; h.style = 'width:20px;height:20px;background:#333'; s.append(h);
const draw = () => { h.setAttribute('aria-valuenow', values[i]); h.setAttribute('aria-valuemin', i ? values[0] : 0); h.setAttribute('aria-valuemax', i ? 100 : values[1]) };
h.onkeydown = (e) => { const by = { ArrowUp: 10, ArrowDown: -10 }[e.key]; if (!by) return;
const to = values[i] + by; if (to >= 0 && to <= 100 && (i ? to >= values[0] : to <= values[1])) values[i] = to;
for (const other of s.children) other.draw() }; h.draw = draw; draw() })</script>`

// rangeOfInputs has two native sliders in one place.
const rangeOfInputs = `<p>Price range</p><div><span><input type=range id=a aria-label=From value=20></span><span><input type=range id=b aria-label=To value=80></span></div>
<script>for (const i of [a, b]) i.oninput = () => { if (+a.value > +b.value) i.value = i === a ? b.value : a.value };
Object.defineProperty(window, 'values', { get: () => [a.value, b.value] })</script>`

func TestSetValueOfARangeOfTwoSliders(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	for name, fixture := range map[string]string{"handles": rangeOfHandles, "inputs": rangeOfInputs} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, fixture)
			ref := labelled(b, "Price range")
			for _, c := range []struct{ value, want string }{{"40-60", "40,60"}, {"[80,90]", "80,90"}, {"10..30", "10,30"}, {"30 to 40", "30,40"}} {
				b.MustSet(ref, c.value)
				if got := b.JS("values.join()"); got != c.want {
					t.Errorf("%s gives %v", c.value, got)
				}
			}
			_, err := b.Widget.SetValue(b.Ctx, ref, "60-40")
			if refused, ok := errors.AsType[*document.ValueRefusedError](err); !ok || refused.Example != "40..60" {
				t.Errorf("a range from high to low gives %v", err)
			}
		})
	}
}

// A slider that is set sends what a script waits for when a person lets its handle go.
func TestSetValueLetsTheHandleGo(t *testing.T) {
	tab := pagetest.Show(t, "")
	for _, kind := range []string{"pointerup", "mouseup", "change", "pointerdown"} {
		b := tab.Row(t, `<input id=f type=range min=0 max=10 value=3 on`+kind+`="document.title = 'at ' + this.value">`)
		want := "at 7"
		if kind == "pointerdown" { // before the hand moves it
			want = "at 3"
		}
		if e := b.MustSet(b.Ref("#f"), "7"); e.Title != want || e.Element.Value != "7" {
			t.Errorf("%s: %q, value %q", kind, e.Title, e.Element.Value)
		}
	}
}
