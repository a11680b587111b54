package page_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
)

// What a page or the agent put into a field is shown, what a person typed only on request.
func TestReadShowsValuesButThoseOfPersons(t *testing.T) {
	b := show(t, `<input id=a aria-label=Agent><input id=p aria-label=Person><input id=d aria-label=Default value=given>
<input type=password aria-label=Secret value=hunter2>`)
	b.set(b.ref("#a"), "by agent")
	b.js(`p.focus()`)
	if _, err := cdp.Call(b.ctx, b.session, input.InsertText, input.InsertTextParams{Text: "by hand"}); err != nil {
		t.Fatal(err)
	}
	text := b.outline()
	for _, want := range []string{`"Agent" [e1] value "by agent"`, `"Person" [e2] focused filled`, `"Default" [e3] value "given"`, `password value "••••••••"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if text := b.read(page.ReadOptions{Values: true}).Text; !strings.Contains(text, `value "by hand"`) {
		t.Errorf("on request:\n%s", text)
	}
}

func TestReadShowsFormatting(t *testing.T) {
	b := show(t, `<div contenteditable role=textbox aria-label=Message><h2>Plan</h2><p>Buy <b>two</b> <i>red</i> pens</p><ul><li>ink</li><li>paper</li></ul></div>`)
	if want := `value "## Plan\nBuy **two** *red* pens\n- ink\n- paper"`; !strings.Contains(b.outline(), want) {
		t.Errorf("no %s in\n%s", want, b.outline())
	}
}
