package read_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestReadOutline(t *testing.T) {
	b := pagetest.Show(t, `<nav aria-label=Main><ul><li><a href=/a>Alpha</a><li><a href=/b?x=1>Beta</a></ul></nav>
<main><h1>Hello <em>world</em></h1><p>Some <b>bold</b> text with <a href="#x">a link</a> in it.</p><p>Next.</p>
<label>Email <input type=email value="a@b.c" required></label>
<select aria-label=Fruit><option>Apple<option selected>Pear</select>
<label><input type=checkbox checked> Accept</label><button disabled>Save</button>
<div style="cursor:pointer;width:30px;height:30px" class="icon-trash"></div>
<table><tr><th>A<th>B<tr><td>1<td>2</table><details><summary>More</summary>folded</details></main>`)
	want := `- navigation "Main" [e1]:
  - list:
    - link "Alpha" [e2] → /a
    - link "Beta" [e3] → /b?x=1
- main [e4]:
  - heading "Hello world" level 1
  - text: Some bold text with
  - link "a link" [e5] → #x
  - text: in it.
  - text: Next.
  - textbox "Email" [e6] email required value "a@b.c"
  - combobox "Fruit" [e7] value "Pear" options "Apple" | "Pear"
  - checkbox "Accept" [e8] checked
  - button "Save" [e9] disabled
  - clickable [e10] (.icon-trash)
  - table [e11]:
    - row: A | B
    - row: 1 | 2
  - group:
    - button "More" [e12] collapsed
`
	if diff := cmp.Diff(want, b.Outline()); diff != "" {
		t.Errorf("compact reading (-want +got)\n%s", diff)
	}
	interactive := b.MustRead(read.Options{Mode: read.ModeInteractive}).Text
	if strings.Contains(interactive, "text:") || !strings.Contains(interactive, `  - button "Save" [e9] disabled`) {
		t.Errorf("interactive reading:\n%s", interactive)
	}
	full := b.MustRead(read.Options{Mode: read.ModeFull}).Text
	for _, line := range []string{"paragraph [e", "cell [e", b.URL + "/a"} {
		if !strings.Contains(full, line) {
			t.Errorf("the full reading lacks %q:\n%s", line, full)
		}
	}
	sub := b.MustRead(read.Options{Ref: "e1", Depth: 1}).Text
	if diff := cmp.Diff("- navigation \"Main\" [e1] …\n", sub); diff != "" {
		t.Errorf("subtree with depth (-want +got)\n%s", diff)
	}
	if got := b.MustRead(read.Options{Selector: "table"}).Text; !strings.HasPrefix(got, "- table [e11]:\n  - row: A | B") {
		t.Errorf("subtree by selector:\n%s", got)
	}
}

func TestReadOmitsHiddenText(t *testing.T) {
	b := pagetest.Show(t, `<p>seen</p><p style="display:none">NO1</p><p style="visibility:hidden">NO2</p><div style="opacity:0">NO3<button>NO4</button></div>
<p inert style="visibility:hidden">NO6</p><div style="position:absolute;width:1px;height:1px;overflow:hidden"><p>NO7</p></div>
<div style="position:absolute;left:-9999px">NO8</div><p style="font-size:0">NO9</p><p style="color:transparent">NO10</p>
<script>"NO11"</script><template>NO12</template><noscript>NO13</noscript><p>zero`+"\u200b\u202e"+`width</p><p hidden>NO14</p>
<div style="visibility:hidden">NO15<button style="visibility:visible">Back</button></div><input type=hidden value=NO16>
<button>A<span style="display:none">NO17</span></button>`)
	want := "- text: seen\n- text: zerowidth\n- button \"Back\" [e1]\n- button \"A\" [e2]\n"
	if diff := cmp.Diff(want, b.Outline()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReadMasksSecrets(t *testing.T) {
	b := pagetest.Show(t, `<input id=p type=password aria-label=Password value=hunter2><input id=c autocomplete="cc-number" aria-label=Card value=4111>
<label for=x>Name <input type=password value=hunter2></label><input id=x>`)
	check := func(when string) {
		t.Helper()
		for _, mode := range []read.Mode{read.ModeCompact, read.ModeInteractive, read.ModeFull} {
			if text := b.MustRead(read.Options{Mode: mode}).Text; strings.Contains(text, "hunter2") || strings.Contains(text, "4111") {
				t.Errorf("%s a reading shows a secret:\n%s", when, text)
			}
		}
	}
	check("at first")
	b.JS(`document.getElementById('p').type = 'text'`)
	check("once shown by the page")
	e := b.MustSet(b.Ref("#p"), "s3cret")
	if e.Element.Value == "s3cret" || b.JS(`document.getElementById('p').value`) != "s3cret" {
		t.Errorf("effect shows %q", e.Element.Value)
	}
}

func TestReadShadowTreesSlotsAndFrames(t *testing.T) {
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<button>Other origin</button>`))
	}))
	defer foreign.Close()
	b := pagetest.Open(t, map[string]any{
		"/": `<!doctype html><my-card><span slot=title>Slotted</span><button>Light</button></my-card>
<iframe title=Inner src=/inner style="border:5px solid;padding:7px;margin-left:40px"></iframe><iframe title=Far src="` + foreign.URL + `"></iframe>
<script>customElements.define('my-card', class extends HTMLElement { constructor() { super();
this.attachShadow({mode:'open'}).innerHTML = '<h2><slot name=title></slot></h2><slot></slot><button id=deep onclick="this.textContent=\'Deep pressed\'">Deep</button>' } })</script>`,
		"/inner": `<label>In frame <input id=field></label><button onclick="this.textContent='Frame pressed'">Frame button</button>`,
	})
	want := `- heading "Slotted" level 2
- button "Light" [e1]
- button "Deep" [e2]
- iframe "Inner" [e3]:
  - textbox "In frame" [e4]
  - button "Frame button" [e5]
- iframe "Far" [e6]:
  - button "Other origin" [e7]
`
	if diff := cmp.Diff(want, b.Outline()); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	for ref, name := range map[string]string{"e2": "Deep pressed", "e5": "Frame pressed"} {
		if got := b.MustClick(ref).Element.Name; got != name {
			t.Errorf("after the click %s is %q, want %q", ref, got, name)
		}
	}
	if e := b.MustSet("e4", "inside"); e.Element.Value != "inside" {
		t.Errorf("the field in the frame holds %q", e.Element.Value)
	}
}

// A form's named children shadow the DOM's own properties for every script.
func TestReadWithDOMClobbering(t *testing.T) {
	b := pagetest.Show(t, `<form aria-label=Login><input name=parentNode aria-label=a><input name=firstChild aria-label=b><input name=nextSibling aria-label=c>
<input name=getAttribute aria-label=d><input name=localName aria-label=e><button name=shadowRoot type=button>Go</button></form>
<img name=activeElement><img name=querySelectorAll>`)
	if text := b.Outline(); strings.Count(text, "textbox") != 5 || !strings.Contains(text, `form "Login"`) {
		t.Errorf("reading:\n%s", text)
	}
	b.MustClick(b.Ref("button"))
}

func TestReadBudgetAndContinuation(t *testing.T) {
	b := pagetest.Show(t, pagetest.Controls(200)+`<p>Ünïcödé 日本語 🙂 text</p>`)
	whole := b.MustRead(read.Options{MaxBytes: 1 << 20})
	if whole.Truncated || whole.Next != "" {
		t.Fatal("the whole reading is cut")
	}
	for _, budget := range []int{1, 33, 500, 4000} {
		var got strings.Builder
		r := b.MustRead(read.Options{MaxBytes: budget})
		for rounds := 0; ; rounds++ {
			if budget > 4 && len(r.Text) > budget {
				t.Fatalf("%d bytes exceed the budget of %d", len(r.Text), budget)
			}
			got.WriteString(r.Text)
			if !r.Truncated {
				break
			}
			// The page changes meanwhile: the reading does not.
			if rounds == 0 {
				b.JS(`document.body.append('later')`)
			}
			r = b.MustRead(read.Options{MaxBytes: budget, Continue: r.Next})
		}
		want := whole.Text
		if budget != 1 {
			want = got.String() // later readings also hold what was appended
			if !strings.HasPrefix(got.String(), whole.Text[:1000]) {
				t.Errorf("budget %d: the pieces are not the reading", budget)
			}
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("budget %d (-want +got)\n%s", budget, diff)
		}
	}
	cut := b.MustRead(read.Options{MaxBytes: 100})
	b.JS(`location.reload()`)
	if _, err := b.Settle.WaitForFunction(b.Ctx, powertest.Script, "document.readyState=='complete' && !document.body.textContent.includes('later')"); err != nil {
		t.Fatal(err)
	}
	_, err := b.Read.Page(b.Ctx, read.Options{Continue: cut.Next})
	var stale *read.StaleContinuationError
	if !errors.As(err, &stale) {
		t.Errorf("after a reload: %v", err)
	}
	if _, err = b.Read.Page(b.Ctx, read.Options{Continue: "nonsense"}); !errors.As(err, &stale) {
		t.Errorf("nonsense handle: %v", err)
	}
}
