package read_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// row is a page with the lines that its reading has, and the texts that it has not.
type row struct {
	name, body string
	want, not  []string
}

var anyRef = regexp.MustCompile(`\[e\d+`)

// numbered counts the refs of a reading from e1 on.
func numbered(text string) string {
	n := 0
	return anyRef.ReplaceAllStringFunc(text, func(string) string { n++; return fmt.Sprintf("[e%d", n) })
}

// checkRows reads the pages of the rows in one tab.
func checkRows(t *testing.T, style string, rows []row) {
	t.Helper()
	tab := pagetest.Show(t, "")
	for _, c := range rows {
		tab.Body(style + c.body)
		text := numbered(tab.Outline())
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

// A hidden field that listens to keys beside a menu makes no editor of it: the words of the menu name what is
// seen. An editor has text of its own, a picture, or room beside its buttons.
func TestFieldBesideTargetsIsNoDrawnEditor(t *testing.T) {
	t.Parallel()
	const menu = `<span id=m>Menu</span> <span id=c>Cart</span>`
	tab := pagetest.Show(t, "")
	for _, c := range []struct{ name, body string }{
		{"no size", `<div>` + menu + `<input id=q style="width:0;height:0;border:0;padding:0"></div>`},
		{"transparent", `<div>` + menu + `<input id=q style="opacity:0"></div>`},
		{"cut off", `<div>` + menu + `<span style="display:inline-block;overflow:hidden;width:0;height:0"><textarea id=q></textarea></span></div>`},
		{"clipped", `<div><label id=m for=q>Menu</label> <b id=c>Cart</b><input id=q style="position:absolute;clip:rect(0,0,0,0);width:1px;height:1px"></div>`},
		{"far away", `<div><p>Shop</p>` + menu + `<input id=q style="position:absolute;left:-9999px"></div>`},
		{"rows", `<div><div id=m>Menu</div><div id=c>Cart</div><input id=q style="opacity:0;position:absolute"></div>`},
		{"pictures", `<div><img id=m alt=Menu width=20 height=20> <i id=c title=Cart style="display:inline-block;width:20px;height:20px"></i><input id=q style="opacity:0;position:absolute"></div>`},
		{"beside a canvas", `<div style="width:400px">` + menu + `<canvas width=400 height=100></canvas><input id=q style="position:absolute;opacity:0"></div>`},
	} {
		tab.Body(c.body + listen("#m,#c", "click") + listen("#q", "keydown"))
		for _, want := range []string{"Menu", "Cart"} {
			m, err := tab.Locate.Name(tab.Ctx, want, locate.FindOptions{})
			if err != nil || m.Name != want || m.Role != "clickable" && m.Role != "img" && (m.Role != "generic" || !strings.Contains(c.body, "<label")) {
				t.Errorf("%s: %q names %v (%v) in\n%s", c.name, want, m, err, tab.Outline())
			}
		}
		if text := tab.Outline(); strings.Contains(text, "near") || strings.Contains(text, `textbox "`) {
			t.Errorf("%s: the field is called as what is around it:\n%s", c.name, text)
		}
	}
	for name, body := range map[string]string{
		"text of its own":        `<div style="width:300px">$ ls <a href=/a>Menu</a><input id=q style="position:absolute;opacity:0"></div>`,
		"room beside its button": `<div style="width:300px;height:200px"><span id=m>Menu</span><textarea id=q style="position:absolute;opacity:0"></textarea></div>`,
	} {
		tab.Body(body + listen("#m", "click") + listen("#q", "keydown"))
		if text := tab.Outline(); !strings.Contains(text, "textbox [e") || !strings.Contains(text, `"Menu" [e`) {
			t.Errorf("%s: the editor or its button is not in\n%s", name, text)
		}
	}
}

// An icon with a title is a control whatever is drawn in it, and whatever listens for it: its box, the body or
// the document. One without a title of its own has that of its part.
func TestIconsWithPartsAreControls(t *testing.T) {
	t.Parallel()
	const style = `<style>.icon{display:inline-block;width:16px;height:16px}</style>`
	icons := func(open, inside string) string {
		return fmt.Sprintf(`<div id=w><%[1]s title="Append task" class=icon>%[2]s</%[1]s><%[1]s aria-label="Delete task" class=icon>%[2]s</%[1]s></div>`, open, inside)
	}
	const svg = `<svg width=16 height=16>%s<path d="M0 0L16 16"/></svg>`
	drawn := fmt.Sprintf(svg+svg, "<title>Append task</title>", "<title>Delete task</title>")
	const body, doc = `<script>document.body.addEventListener('click',()=>{})</script>`, `<script>document.addEventListener('mousedown',()=>{})</script>`
	both := []string{`"Append task" [e`, `"Delete task" [e`}
	checkRows(t, style, []row{
		{"an empty child", icons("div", "<i></i>") + listen("#w", "click"), both, nil},
		{"a drawing", icons("span", fmt.Sprintf(svg, "")) + listen("#w", "click"), both, nil},
		{"titled drawings", `<div id=w>` + drawn + `</div>` + listen("#w", "click"), both, nil},
		{"the body listens", icons("div", "") + body, both, nil},
		{"the document listens", icons("b", "<i></i><i></i>") + doc, both, nil},
		{"a pointing box", `<style>u{display:inline-block;cursor:pointer}</style><u><i title="Append task" class=icon></i></u><u><i aria-label="Delete task" class=icon></i></u>` + doc, both, []string{"[e3]"}},
		{"buttons", `<button><i title="Append task" class=icon></i></button><a href=/x><i aria-label="Delete task" class=icon></i></a>`, both, []string{"[e3]"}},
		{"no listener", icons("div", "<i></i>"), nil, []string{"[e"}},
		{"a root of a framework", `<div id=root style="height:900px">` + icons("div", "") + `</div>` + listen("#root", "click"), nil, []string{"task"}},
		{"in a control", `<a href=/x>Go <i title=Open class=icon></i></a><label><input type=checkbox>Yes <i title=Help class=icon></i></label>` + doc, nil, []string{"[e3]"}},
	})
}

// Links of one card to one address share a line, and words that name two of them mean the first.
func TestLinksToOneAddress(t *testing.T) {
	t.Parallel()
	const style = `<style>i{display:inline-block;width:20px;height:20px}</style>`
	const picture = `<img width=40 height=40 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`
	checkRows(t, style, []row{
		{"icon, picture and text", `<div><a href=/1><i class=x></i></a> <a href=/1>` + picture + `</a> <a href=/1>Lamp</a></div>`,
			[]string{`- link [e1] (.x) | [e2] (img [e3]) | "Lamp" [e4] → /1` + "\n"}, nil},
		{"text first", `<a href=/1>Lamp</a><a href=/1><i></i></a>`, []string{`- link "Lamp" [e1] | [e2] → /1` + "\n"}, nil},
		{"cards", `<div><a href=/1><i></i></a><a href=/1>Lamp</a></div><div><a href=/2><i></i></a><a href=/2>Chair</a></div>`,
			[]string{`[e1] | "Lamp" [e2] → /1` + "\n", `[e3] | "Chair" [e4] → /2` + "\n"}, nil},
		{"no name", strings.Repeat(`<a href=/1><i></i></a>`, 5), []string{"- link [e1] | [e2] | [e3] | [e4] | [e5] → /1\n"}, nil},
		{"other addresses", `<a href=/1><i></i></a><a href=/2><i></i></a>`, []string{"- link [e1] → /1\n", "- link [e2] → /2\n"}, nil},
		{"two names", `<a href=/1>Lamp</a><a href=/1>Details</a>`, []string{`- link "Lamp" [e1] → /1` + "\n", `- link "Details" [e2] → /1` + "\n"}, nil},
	})
	tab := pagetest.Show(t, "")
	for _, c := range []struct{ body, want string }{
		{`<div><a href=/1><img alt=Lamp width=40 height=40></a><p><a href=/1>Lamp</a></p></div>`, "unique"},
		{`<div><a href=/1>Lamp</a><a href=/2>Lamp</a></div>`, "fits several"},
		{`<div><a href=# id=a>Lamp</a><a href=#>Lamp</a></div>`, "fits several"},
		{`<div><a href=/1 id=a>Lamp</a><a href=/1>Lamp</a></div>` + listen("#a", "click"), "fits several"},
		{`<nav><ul><li><a href=/1>Lamp</a></ul></nav><main><p><a href=/1>Lamp</a></main>`, "fits several"},
	} {
		tab.Body(c.body)
		got := "unique"
		if _, err := tab.Locate.Name(tab.Ctx, "Lamp", locate.FindOptions{}); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: the words name %s, want %s", c.body, got, c.want)
		}
	}
}
