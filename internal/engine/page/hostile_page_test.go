package page_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

var allModes = []read.Mode{read.ModeCompact, read.ModeInteractive, read.ModeFull, read.ModeDOM, read.ModeCSS, read.ModeMarkdown}

// No page may hang or break a reading or exceed its budget.
func TestHostilePages(t *testing.T) {
	tab := pagetest.Show(t, "")
	for name, body := range map[string]string{
		"clobbered": `<form aria-label=F><input name=children><input name=textContent><input name=querySelectorAll><input name=getBoundingClientRect>
<input name=style><input name=attributes><input name=ownerDocument><input name=localName></form><img name=body><img name=styleSheets><p>end</p>`,
		"huge attributes": `<p>end</p><button aria-label="` + strings.Repeat("long ", 100_000) + `" class="` + strings.Repeat("c ", 50_000) + `">x</button><a href="` + strings.Repeat("/a", 100_000) + `">l</a>`,
		"lone surrogates": `<p id=s></p><button id=b></button><p>end</p><script>s.textContent='a\ud800b';b.setAttribute('aria-label','\udc00x');document.title='\ud83d'</script>`,
		"many nodes":      `<p>end</p><div id=m></div><script>m.innerHTML='<i>x</i>'.repeat(20000)</script>`,
		"deep":            `<p>end</p><script>let d=document.body;for(let i=0;i<1500;i++){const n=document.createElement('div');d.append(n);d=n}d.textContent='bottom'</script>`,
		"storm":           `<p>end</p><div id=m></div><script>setInterval(()=>{for(let i=0;i<50;i++){m.append(document.createElement('b'));if(m.childNodes.length>500)m.textContent=''}},1)</script>`,
		"broken builtins": `<p>end</p><script>Array.prototype.push=null;String.prototype.replace=()=>{throw 1};Map=null;JSON.stringify=()=>'x';Element.prototype.getAttribute=()=>'y';Object.prototype.toJSON=()=>1</script>`,
		"fake frames":     `<p>&lt;!--frame:1--&gt; end</p><!--frame:1-->`,
	} {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, body)
			ctx, cancel := context.WithTimeout(pagetest.Browser, 2*time.Minute) // how long it takes is the machine's matter
			defer cancel()
			b.Ctx = ctx
			for _, mode := range allModes {
				r := b.MustRead(read.Options{Mode: mode, MaxBytes: 5000, Hidden: true, Boxes: true})
				if len(r.Text) > 5000 {
					t.Errorf("mode %d gives %d bytes", mode, len(r.Text))
				}
				if mode != read.ModeInteractive && mode != read.ModeCSS && !strings.Contains(r.Text, "end") && r.Next == "" {
					t.Errorf("mode %d lacks the text:\n%s", mode, r.Text)
				}
				if !strings.Contains(fmt.Sprintf("%q", r.Text), `\ufffd`) && strings.ToValidUTF8(r.Text, "?") != r.Text {
					t.Errorf("mode %d is no UTF-8", mode)
				}
			}
			if _, err := b.Read.Content(b.Ctx, read.Options{MaxBytes: 5000}, false); err != nil {
				t.Error(err)
			}
			if _, _, err := b.Read.Observe(b.Ctx, read.ObserveOptions{WholeDocument: true, Hidden: true}); err != nil {
				t.Error(err)
			}
			if _, err := b.Read.Overview(b.Ctx, true, 100); err != nil {
				t.Error(err)
			}
			if _, err := b.Read.StructuredData(b.Ctx, read.DataOptions{Words: []string{"title", "price"}, Multiple: true}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Deep text is read, but not as markup beyond the depth of the Markdown converter.
func TestReadDeepText(t *testing.T) {
	b := pagetest.Show(t, `<body><script>let d=document.body;for(let i=0;i<700;i++){const n=document.createElement('div');d.append(n);d=n}d.textContent='bottom'</script>`)
	for _, mode := range []read.Mode{read.ModeCompact, read.ModeMarkdown} {
		if text := b.MustRead(read.Options{Mode: mode}).Text; !strings.Contains(text, "bottom") {
			t.Errorf("mode %d lacks the text", mode)
		}
	}
}

func TestReadLargeTable(t *testing.T) {
	var body strings.Builder
	body.WriteString("<table><tr><th>Id<th>Name<th>Amount<th>")
	for i := range 1000 {
		fmt.Fprintf(&body, `<tr><td>%d<td>Customer number %d<td>%d.00 €<td><a href="/c/%d">Open</a>`, i, i, i*7, i)
	}
	b := pagetest.Show(t, body.String())
	r := b.MustRead(read.Options{})
	if len(r.Text) > 25_000 || !r.Truncated {
		t.Errorf("%d bytes, truncated %t", len(r.Text), r.Truncated)
	}
}

// A form exposes its controls as properties, and a window its elements: neither may replace what
// the engine reads.
func TestDOMClobbering(t *testing.T) {
	var inputs strings.Builder
	for _, name := range []string{
		"parentNode", "parentElement", "previousElementSibling", "nextElementSibling", "children", "querySelector", "querySelectorAll", "placeholder",
		"innerText", "innerHTML", "outerHTML", "ownerDocument", "scrollIntoView",
	} {
		inputs.WriteString(`<input type=hidden name=` + name + `>`)
	}
	b := pagetest.Show(t, `<style>form{display:block;height:200px}</style><div id=callsheetEngine></div>
<form tabindex=0 aria-label=F onclick="document.title='form'"><p>words</p><input id=p type=password value=hunter2><div class=r><b class=price>1</b></div><div class=r>2</div>`+inputs.String()+`</form>`)
	b.Ctx = b.WithTimeout(2 * time.Minute)
	for _, mode := range allModes {
		if text := b.MustRead(read.Options{Mode: mode, Hidden: true}).Text; mode != read.ModeInteractive && mode != read.ModeCSS && !strings.Contains(text, "words") {
			t.Errorf("mode %d lacks the text:\n%s", mode, text)
		}
	}
	reveal, err := b.Secrets.Mask(b.Ctx, []string{"words"})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.JS(`getComputedStyle(p).color + getComputedStyle(document.querySelector('p')).color`); strings.Count(got, "rgba(0, 0, 0, 0)") != 2 {
		t.Errorf("not concealed: %s", got)
	}
	reveal()
	form := b.Ref("form")
	if _, err := b.Read.Content(b.Ctx, read.Options{Ref: form}, true); err != nil {
		t.Error(err)
	}
	if got, _, err := b.Locate.SuggestSelectors(b.Ctx, locate.Description{Text: "words", Tag: "p"}); err != nil || len(got) != 1 {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := b.Read.StructuredData(b.Ctx, read.DataOptions{Ref: form, Words: []string{"price"}, Multiple: true}); err != nil {
		t.Error(err)
	}
	if _, err := b.Widget.SetValue(b.Ctx, form, "v"); err == nil || !strings.Contains(err.Error(), "it holds") {
		t.Errorf("setting a form: %v", err)
	}
	if _, err := b.Mouse.ScrollIntoView(b.Ctx, form); err != nil {
		t.Error(err)
	}
	if e := b.MustClick(form); e.Title != "form" {
		t.Errorf("%+v", e)
	}
}

// Algorithms over pairs of elements would not end on a large page.
func TestThousandsOfAlikeElements(t *testing.T) {
	b := pagetest.Show(t, `<div id=m></div><table><tbody id=r></table><script>m.innerHTML='<b>word</b>'.repeat(10000);
r.innerHTML = Array.from({length: 5000}, (_, i) => '<tr><td>Person '+i+'<td><button>Edit</button>').join('')</script>`)
	ctx, cancel := context.WithTimeout(pagetest.Browser, time.Minute)
	defer cancel()
	b.Ctx = ctx
	found, total, err := b.Locate.SuggestSelectors(ctx, locate.Description{Text: "word", Limit: 1})
	if err != nil || total != 10000 || len(found) != 1 {
		t.Errorf("%d of %d: %v", len(found), total, err)
	}
	b.JS(`(m.innerHTML = '<p style="color:#fff">unseen</p>'.repeat(10000) + '<img>'.repeat(2000), 1)`)
	if text := b.Outline(); strings.Contains(text, "unseen") {
		t.Errorf("text of the colour of its ground: %.200s", text)
	}
	if id := b.Identify("tr:nth-child(4000) button"); id.Label != "Person 3999" || id.AlikeCount != 0 {
		t.Errorf("%+v", id)
	}
	b.JS(`(m.innerHTML = "<b>word</b>".repeat(10000), 1)`)
	if got := b.Relocated(locate.Identity{Role: "paragraph", Tag: "b", Text: "word"}); !strings.HasPrefix(got, "ambiguous: 10000") {
		t.Error(got)
	}
}

// A released handle keeps no element in memory.
func TestRemoteObjectIsReleased(t *testing.T) {
	b := pagetest.Show(t, `<button id=x>Go</button>`)
	handle, err := b.Nodes.RemoteObject(b.Ctx, b.Ref("#x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cdp.Call(b.Ctx, b.Session, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: handle}); err != nil {
		t.Fatal(err)
	}
	b.JS(`(kept = new WeakRef(x), x.remove())`)
	for range 20 {
		if _, err := cdp.Call(b.Ctx, b.Session, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
		if b.JS(`kept.deref() === undefined`) == "true" {
			return
		}
		b.JS(`new Promise(done => setTimeout(done, 50))`)
	}
	t.Error("the element stays in memory")
}
