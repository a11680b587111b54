package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// listen adds a listener of a type to all elements that a selector matches.
func listen(css, kind string) string {
	return `<script>for (const el of document.querySelectorAll('` + css + `')) el.addEventListener('` + kind + `', () => { document.title = el.id || el.textContent || el.title })</script>`
}

// A field that is not rendered takes no keys: it makes no drawn editor of what stands around it.
func TestUnrenderedFieldIsNoDrawnEditor(t *testing.T) {
	t.Parallel()
	const css = ` style="position:absolute;opacity:0;width:1px;height:1px`
	shared := pagetest.Show(t, "")
	for name, field := range map[string]string{
		"not displayed":      `<input id=q style="display:none">`,
		"hidden":             `<input id=q hidden>`,
		"invisible":          `<input id=q` + css + `;visibility:hidden">`,
		"in a hidden box":    `<span style="display:none"><textarea id=q></textarea></span>`,
		"folded away":        `<details><summary>More</summary><input id=q></details>`,
		"skipped content":    `<span style="content-visibility:hidden;display:inline-block"><input id=q></span>`,
		"inert":              `<span inert><input id=q` + css + `"></span>`,
		"a textbox by role":  `<span role=textbox tabindex=0 id=q style="display:none"></span>`,
		"until found":        `<span hidden=until-found style="display:inline-block"><input id=q></span>`,
		"collapsed, in view": `<input id=q` + css + `">`,
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, `<header><span id=m>Menu</span> <span id=c>Cart</span>`+field+`</header>`+listen("#m,#c", "click")+listen("#q", "keyup"))
			text := tab.Outline()
			for _, want := range []string{`clickable "Menu" [e`, `clickable "Cart" [e`} {
				if !strings.Contains(text, want) {
					t.Errorf("%s is not in\n%s", want, text)
				}
			}
		})
	}
}

// An item with a listener of its own is a control with its text, also inside a control that is named by
// its text.
func TestListeningItemsKeepTheirText(t *testing.T) {
	t.Parallel()
	const items = `<ul><li>Mute<li>Block<li>Report</ul>`
	tab := pagetest.Show(t, "")
	for name, c := range map[string]struct {
		body      string
		mode      read.Mode
		want, not []string
	}{
		"in a pointing box": {`<div style="cursor:pointer"><div>Head</div>` + items + `</div>` + listen("li", "click"), read.ModeCompact,
			[]string{`clickable "Head" [e`, `]: Mute`, `]: Block`, `]: Report`}, []string{"Head Mute"}},
		"controls alone": {`<div style="cursor:pointer"><div>Head</div>` + items + `</div>` + listen("li", "click"), read.ModeInteractive,
			[]string{`clickable "Head" [e`, `]: Mute`, `]: Block`, `]: Report`}, []string{"Head Mute"}},
		"focusable paragraph": {`<p tabindex=0>Read this</p><p>Not this</p>`, read.ModeInteractive, []string{`paragraph [e1]: Read this`}, []string{"Not this"}},
		"a long one":          {`<p tabindex=0>` + strings.Repeat("word ", 100) + `</p>`, read.ModeInteractive, []string{`paragraph [e1]: word word`, "…"}, nil},
		"boxes in a box": {`<div id=card>Plan <div class=x>Monthly</div><div class=x>Yearly</div></div>` + listen("#card,.x", "click"), read.ModeCompact,
			[]string{`clickable "Plan" [e`, `clickable "Monthly" [e`, `clickable "Yearly" [e`}, []string{"Plan Monthly"}},
		"boxes alone in a box": {`<div style="cursor:pointer"><div class=x>Monthly</div><div class=x>Yearly</div></div>` + listen(".x", "pointerdown"), read.ModeCompact,
			[]string{`clickable "Monthly" [e`, `clickable "Yearly" [e`}, []string{"Monthly Yearly"}},
		"definitions":   {`<dl><dt>Size</dt><dd class=x>Small</dd><dd class=x>Large</dd></dl>` + listen(".x", "mousedown"), read.ModeInteractive, []string{`]: Small`, `]: Large`}, []string{"Size"}},
		"one in a link": {`<a href=/a aria-label="Open mail">Mail <p id=p tabindex=0>Not in the name</p></a>`, read.ModeCompact, []string{`link "Open mail" [e`, `]: Not in the name`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, c.body)
			b.UseSession(b.Session) // its refs begin with e1
			text := b.MustRead(read.Options{Mode: c.mode}).Text
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s is not in\n%s", want, text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(text, not) {
					t.Errorf("%s is in\n%s", not, text)
				}
			}
		})
	}
}

// An icon with a title in a box that listens for it is a control, in readings and searches.
func TestTitledIconsOfAListeningBoxAreControls(t *testing.T) {
	t.Parallel()
	const style = `<style>.icon{display:inline-block;width:16px;height:16px}</style>`
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct{ body, role string }{
		"boxes":         {`<div id=w><div title="Append task" class=icon></div><div title="Delete task" class=icon></div></div>`, "clickable"},
		"deeper":        {`<div id=w><p>Task <span><i title="Append task" class=icon></i><i title="Delete task" class=icon></i></span></p></div>`, "clickable"},
		"labelled":      {`<div id=w><b aria-label="Append task" class=icon></b><b aria-label="Delete task" class=icon></b></div>`, "clickable"},
		"symbols":       {`<div id=w>Task <span title="Append task">＋</span> <span title="Delete task">×</span></div>`, "clickable"},
		"pictures":      {`<div id=w><img title="Append task" class=icon><img title="Delete task" class=icon></div>`, "img"},
		"items of list": {`<ul id=w><li title="Append task" class=icon></li><li title="Delete task" class=icon></li></ul>`, "listitem"},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, style+c.body+`<p id=after>After</p>`+listen("#w", "click"))
			text := tab.MustRead(read.Options{Mode: read.ModeInteractive}).Text
			for _, want := range []string{c.role + ` "Append task" [e`, c.role + ` "Delete task" [e`} {
				if !strings.Contains(text, want) {
					t.Errorf("%s is not in\n%s", want, text)
				}
			}
			found, err := tab.Locate.Find(tab.Ctx, "Delete task", locate.FindOptions{})
			if err != nil || len(found) == 0 || found[0].Role != c.role || found[0].Name != "Delete task" {
				t.Errorf("the search finds %v (%v)", found, err)
			}
		})
	}
	t.Run("not without a listener, a size or a title", func(t *testing.T) {
		t.Parallel()
		tab := pagetest.Show(t, style+`<p><i title=Online class=icon></i></p><div id=w>Text <i class=icon></i><i title=None></i><abbr title="et cetera">etc</abbr></div>`+listen("#w", "click"))
		if text := tab.Outline(); strings.Count(text, "[e") != 1 {
			t.Errorf("the reading is\n%s", text)
		}
	})
}
