package read_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// What a page or the agent put into a field is shown, what a person typed only on request.
func TestReadShowsValuesButThoseOfPersons(t *testing.T) {
	b := pagetest.Show(t, `<input id=a aria-label=Agent><input id=p aria-label=Person><input id=d aria-label=Default value=given>
<input type=password aria-label=Secret value=hunter2>`)
	b.MustSet(b.Ref("#a"), "by agent")
	b.JS(`p.focus()`)
	if _, err := cdp.Call(b.Ctx, b.Session, input.InsertText, input.InsertTextParams{Text: "by hand"}); err != nil {
		t.Fatal(err)
	}
	text := b.Outline()
	for _, want := range []string{`"Agent" [e1] value "by agent"`, `"Person" [e2] focused filled`, `"Default" [e3] value "given"`, `password value "••••••••"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if text := b.MustRead(read.Options{Values: true}).Text; !strings.Contains(text, `value "by hand"`) {
		t.Errorf("on request:\n%s", text)
	}
}

func TestReadShowsFormatting(t *testing.T) {
	b := pagetest.Show(t, `<div contenteditable role=textbox aria-label=Message><h2>Plan</h2><p>Buy <b>two</b> <i>red</i> pens</p><ul><li>ink</li><li>paper</li></ul></div>`)
	if want := `value "## Plan\nBuy **two** *red* pens\n- ink\n- paper"`; !strings.Contains(b.Outline(), want) {
		t.Errorf("no %s in\n%s", want, b.Outline())
	}
}
