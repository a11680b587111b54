package read_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// A reading shows what a link adds to the page: nothing for the page itself, the fragment of a place in it.
func TestAddressesOfLinks(t *testing.T) {
	t.Parallel()
	long := "/x?" + strings.Repeat("abcdefghi-", 70)
	tab := pagetest.Open(t, map[string]any{"/same/page.html": `<!doctype html><title>F</title>
<a href="#">Hash</a><a href="">Empty</a><a href="page.html">Own</a><a href="/same/page.html">Path</a><a href="/same/page.html#">Path and hash</a>
<a href="page.html?q=1#a">Query</a><a href="#top">Top</a><a href="/same/page.html#low">Low</a><a href="/other">Other</a><a href="javascript:void 0">Script</a>
<iframe srcdoc="<base href=/same/page.html><a href=/same/page.html>Framed</a>"></iframe><a href="` + long + `">Long</a>`, "/": "<p>start"})
	tab.Load("/same/page.html")
	text := tab.Outline() + "\n"
	for name, want := range map[string]string{
		"Hash": "", "Empty": "", "Own": "", "Path": "", "Path and hash": "", "Query": " → /same/page.html?q=1#a", "Top": " → #top",
		"Low": " → #low", "Other": " → /other", "Script": "", "Framed": " → /same/page.html",
	} {
		_, rest, _ := strings.Cut(text, `link "`+name+`" [`)
		_, got, _ := strings.Cut(strings.SplitN(rest, "\n", 2)[0], "]")
		if got != want {
			t.Errorf("%s leads to %q, want %q", name, got, want)
		}
	}
	if markdown := tab.MustRead(read.Options{Mode: read.ModeMarkdown}).Text; !strings.Contains(markdown, long+")") {
		t.Errorf("the Markdown cuts the address:\n%s", markdown)
	}
}

// A value that is cut says how much follows, and a reading of the element has it whole.
func TestCutValues(t *testing.T) {
	long := strings.Repeat("abcde ", 51)[:301]
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct{ body, css, cut string }{
		"field":       {`<input id=a value="` + long + `">`, "#a", long[:120] + `…" (+181 more)`},
		"textarea":    {`<textarea id=a>` + long + `</textarea>`, "#a", long[:120] + `…" (+181 more)`},
		"placeholder": {`<input id=a aria-label=A placeholder="` + long + `">`, "#a", long[:120] + `…" (+181 more)`},
		"editor":      {`<div contenteditable id=a>` + strings.Repeat(long, 2) + `</div>`, "#a", `…" (+302 more)`},
		"address":     {`<a id=a href="/x?` + strings.ReplaceAll(long, " ", "-") + `">Link</a>`, "#a", `…`},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, c.body)
			if text := tab.Outline(); !strings.Contains(text, c.cut) {
				t.Errorf("%q is not in\n%s", c.cut, text)
			}
			text := tab.MustRead(read.Options{Ref: tab.Ref(c.css)}).Text
			if strings.Contains(text, "…") || strings.Contains(text, "more)") || !strings.Contains(strings.ReplaceAll(text, "-", " "), long[:300]) {
				t.Errorf("the reading of the element is\n%s", text)
			}
		})
	}
}

// Line breaks that a person sees are kept, in every mode.
func TestLineBreaksAreKept(t *testing.T) {
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct{ body, outline, dom, markdown string }{
		"pre":               {"<pre>def f():\n  return 1\n</pre>", "- text: def f():\n- text:   return 1\n", `def f():\n`, "def f():\n  return 1"},
		"highlighted":       {"<pre><code><b>def</b> f():\n  <i>return</i> 1\n\n<b>end</b></code></pre>", "- text: def f():\n- text:   return 1\n- text:\n- text: end\n", "", ""},
		"pre-wrap":          {"<div style=white-space:pre-wrap>one\ntwo</div>", "- text: one\n- text: two\n", `one\ntwo`, "one  \ntwo"},
		"pre-line":          {"<p style=white-space:pre-line>one  \n  two</p>", "- text: one\n- text: two\n", `one\ntwo`, "one  \ntwo"},
		"break-spaces":      {"<div style=white-space:break-spaces><span>one\ntwo</span></div>", "- text: one\n- text: two\n", `one\ntwo`, ""},
		"textarea":          {"<textarea aria-label=A>one\n  two</textarea>", `value "one\n  two"`, "", ""},
		"in a control":      {"<p tabindex=0 style=white-space:pre>one\ntwo</p>", "paragraph [e1]:\n  - text: one\n  - text: two\n", `one\ntwo`, ""},
		"in a cell":         {"<table><tr><td style=white-space:pre>one\ntwo<td>x</table>", "- text: one\n", "", ""},
		"not of the markup": {"<p>one\ntwo</p><pre>  single </pre>", "- text: one two\n- text: single\n", "one two", "one two"},
		"many short lines":  {"<pre>a\nb\nc\nd\ne</pre>", "- text: a\n- text: b\n- text: c\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, c.body)
			tab.UseSession(tab.Session) // its refs begin with e1
			for mode, want := range map[read.Mode]string{read.ModeCompact: c.outline, read.ModeDOM: c.dom, read.ModeMarkdown: c.markdown} {
				if text := tab.MustRead(read.Options{Mode: mode}).Text; !strings.Contains(text, want) {
					t.Errorf("mode %d: %q is not in\n%s", mode, want, text)
				}
			}
		})
	}
}

// With boxes, text has a place too.
func TestBoxesOfText(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, `<style>body{margin:0}p{position:absolute;left:40px;margin:0;width:200px;font:20px/20px Arial}</style>
<p style="top:30px">Some <b>bold</b> words</p><h1 style="position:absolute;top:60px;left:9px;margin:0;width:300px;height:30px">Title</h1>
<p style="top:100px;white-space:pre">one
two</p><iframe style="position:absolute;left:100px;top:200px;border:0" srcdoc="<body style='margin:0'><p style='margin:7px'>Inner"></iframe>`)
	text := tab.MustRead(read.Options{Boxes: true}).Text
	for _, want := range []string{"text: Some bold words @40,", `heading "Title" level 1 @9,60 300×30`, "text: one @40,", "- text: two\n", ": Inner @107,207 "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text := tab.Outline(); strings.Contains(text, "@") {
		t.Errorf("a reading without boxes has places:\n%s", text)
	}
}

// A label that is drawn for a control that is not is that control.
func TestLabelsDrawnForControls(t *testing.T) {
	t.Parallel()
	tab := pagetest.Show(t, `<label class=button id=u>Upload <input type=file style="display:none"></label>
<input type=file id=f hidden><label for=f>Choose picture</label><input type=checkbox id=c checked style="visibility:hidden;position:absolute"><label for=c>Menu</label>
<label>Mail <input></label><label>Off <input type=file disabled hidden></label><label>Name <input hidden></label>`)
	text := tab.Outline()
	for _, want := range []string{`clickable "Upload" [e1] file`, `clickable "Choose picture" [e2] file`, `clickable "Menu" [e3] checkbox checked`, `textbox "Mail" [e4]`, "text: Off Name"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	tab.MustClick(tab.Ref("label[for=c]"))
	if text := tab.Outline(); strings.Contains(text, "checkbox checked") {
		t.Errorf("the click did not reach the control:\n%s", text)
	}
	overview, err := tab.Read.Overview(tab.Ctx, false, 0)
	if err != nil || len(overview.Fields) != 4 || !strings.HasPrefix(overview.Fields[0], `clickable "Upload"`) {
		t.Errorf("the fields are %q (%v)", overview.Fields, err)
	}
}
