package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// What stands inside of a control, a cell, a frame or an inert part keeps its text and says where it is.
func TestTextOfPartsIsKept(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, "")
	const pane = `<div id=p style="cursor:grab">`
	press := listen("#p,.h", "pointerdown")
	for _, c := range []struct {
		name, body string
		want, not  []string
	}{
		{"nodes of a diagram", pane + `<div role=group tabindex=0><div class=h></div>Start order<div class=h></div></div><div role=group tabindex=0>Check stock</div></div>` + press,
			[]string{"Start order", "]: Check stock"}, []string{`"Start order Check stock"`}},
		{"focusable boxes of a board", pane + `<span>Board</span><div tabindex=0>First card</div><div tabindex=0><b>Second</b> card</div></div>` + press,
			[]string{"First card", "Second", "text: Board"}, []string{`"Board First`}},
		{"a focusable box without text", pane + `<span>Whole card</span><i tabindex=0 style="display:inline-block;width:20px;height:20px"></i></div>` + press, []string{`clickable "Whole card" [e`}, nil},
		{"cards in a cell", `<table role=treegrid aria-label=Board><tr><td><div role=listbox aria-label=Open><div role=option aria-roledescription=Card>Fix the login</div></div><td><div role=listbox aria-label=Done><div role=option>Write docs</div></div></table>`,
			[]string{`listbox "Open"`, `option "Fix the login"`, `option "Write docs"`}, nil},
		{"menus in a cell", `<table><tr><td>Ann<td><div role=menu aria-label=Actions><div role=menuitem>Edit</div><div role=menuitem>Delete</div></div></table>`, []string{`menuitem "Edit"`, `menuitem "Delete"`}, nil},
		{"a button in a cell stays on the line", `<table><tr><td>Ann<td><button><span>Edit</span></button><tr><td>Bob<td><button>Edit</button></table>`, []string{`row: Ann | button "Edit" [e`}, nil},
		{"options that groups tell apart", `<select aria-label=Fruit><optgroup label=Red><option>Apple<option>Cherry</optgroup><optgroup label=Green><option>Apple</optgroup></select>`,
			[]string{`options "Apple" in "Red" | "Cherry" | "Apple" in "Green"`}, nil},
		{"an inert part", `<div inert><p>Note</p><button>Pay</button><label>Name <input></label></div><button>Pay now</button>`,
			[]string{"Note", "] inert\n- textbox \"Name\"", "] inert\n- button \"Pay now\""}, []string{"] inert\n\n"}},
		{"editors in frames", `<label>Body</label><iframe title=Body srcdoc="<body contenteditable>Old</body>"></iframe><iframe title=Notes srcdoc="<body contenteditable>Else</body>"></iframe><iframe srcdoc="<body contenteditable>Third</body>"></iframe>`,
			[]string{`value "Old" near "Body"`, `value "Else" near "Notes"`, `value "Third"`}, []string{`"Else" near "Body"`, `"Third" near`}},
		{"a label whose field no person sees", `<label for=q>Delivery</label><div style="position:absolute;width:1px;height:1px;overflow:hidden"><input id=q></div><p>tomorrow</p>`, []string{"Delivery"}, nil},
	} {
		tab.Body(c.body)
		text := tab.Outline()
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s is not in\n%s", c.name, want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %s is in\n%s", c.name, not, text)
			}
		}
	}
}
