package read_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/read"
)

// Names with generated content are those of Chromium's accessibility tree: pictures are no text, alternative
// texts replace all parts, escapes are decoded, and counters and invisible content do not count.
func TestNamesOfContentProperty(t *testing.T) {
	const picture = `url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/%3E")`
	shared := pagetest.Show(t, "")
	for name, c := range map[string]struct{ style, body, want string }{
		"picture":               {`[role=radio]::before{content:` + picture + `}`, `<div role=radio tabindex=0>Small</div>`, "Small"},
		"picture after":         {`button::after{content:` + picture + `}`, `<button>Open</button>`, "Open"},
		"picture and strings":   {`button::before{content:"A " ` + picture + ` " B "}`, `<button>C</button>`, "A B C"},
		"image set":             {`button::before{content:image-set(` + picture + ` 1x)}`, `<button>Set</button>`, "Set"},
		"gradient":              {`button::before{content:linear-gradient(red,blue)}`, `<button>Blend</button>`, "Blend"},
		"alternative":           {`button::before{content:` + picture + ` / "Star"}`, `<button>Rate</button>`, "Star Rate"},
		"empty alternative":     {`button::before{content:"*" / ""}`, `<button>Rate</button>`, "Rate"},
		"two alternatives":      {`button::before{content:"*" / "a" "b"}`, `<button>Rate</button>`, "ab Rate"},
		"line break":            {`button::before{content:"One\A Two ";white-space:pre}`, `<button>Three</button>`, "One Two Three"},
		"escape":                {`button::before{content:"\2713 "}`, `<button>Done</button>`, "✓Done"},
		"escaped quote":         {`button::after{content:" \"x\""}`, `<button>Say</button>`, `Say "x"`},
		"quotes":                {`button::before{content:open-quote}button::after{content:close-quote}`, `<button>Word</button>`, "“Word”"},
		"own quotes":            {`button{quotes:"<" ">"}button::before{content:open-quote}button::after{content:close-quote}`, `<button>Word</button>`, "<Word>"},
		"counter":               {`body{counter-reset:n}button{counter-increment:n}button::before{content:counter(n) ". "}`, `<i></i><button>First</button>`, ". First"},
		"counter of pseudo":     {`button::before{counter-increment:n 3;content:counter(n,lower-alpha) " "}`, `<button>First</button>`, "First"},
		"counters":              {`ol{counter-reset:n}li{counter-increment:n}button::before{content:counters(n,".") " "}`, `<ol><li>x<ol><li><button>Deep</button></ol></ol>`, "Deep"},
		"invisible":             {`button::before{content:"no ";visibility:hidden}`, `<button>Yes</button>`, "Yes"},
		"element":               {`span{content:` + picture + ` / "Logo"}`, `<button><span></span></button>`, "Logo"},
		"attribute":             {`button::after{content:" " attr(data-n)}`, `<button data-n=7>Cart</button>`, "Cart 7"},
		"label":                 {`label::after{content:` + picture + `}`, `<label>Mail <input></label>`, "Mail"},
		"heading within button": {`h2::before{content:` + picture + `}`, `<button><h2>Part</h2></button>`, "Part"},
	} {
		t.Run(name, func(t *testing.T) {
			tab := shared.Row(t, "<style>"+c.style+"</style>"+c.body)
			want := controlName(t, tab)
			if want != c.want {
				t.Errorf("Chromium's name is %q, expected %q", want, c.want)
			}
			text := tab.MustRead(read.Options{MaxBytes: 1 << 16}).Text
			if quoted := strings.ReplaceAll(c.want, `"`, `\"`); !strings.Contains(text, ` "`+quoted+`" [e`) {
				t.Errorf("the name %q is not in\n%s", c.want, text)
			}
		})
	}
}

// controlName returns the name of the first control of the accessibility tree.
func controlName(t *testing.T, tab *pagetest.Tab) string {
	t.Helper()
	tree, err := cdp.Call(tab.Ctx, tab.Session, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range tree.Nodes {
		if n.Role == nil || n.Ignored {
			continue
		}
		switch role := strings.Trim(string(n.Role.Value), `"`); role {
		case "button", "radio", "textbox":
			var name string
			if err := json.Unmarshal(n.Name.Value, &name); err != nil {
				t.Fatal(err)
			}
			return strings.Join(strings.Fields(name), " ")
		}
	}
	t.Fatal("the tree has no control")
	return ""
}

// An element that refers to itself beside its label is named by both, each once, as in Chromium's tree.
func TestNamesOfElementsThatReferToThemselves(t *testing.T) {
	shared := pagetest.Show(t, "")
	for body, want := range map[string]string{
		`<label for=b id=l>File</label><i id=c>,</i><button id=b aria-labelledby="l c b"><b>None</b> chosen</button>`: "File , None chosen",
		`<label for=b id=l>File</label><button id=b aria-labelledby="l c b">A<i id=c>, </i>B</button>`:                "File , A, B",
		`<label for=b id=l>File</label><button id=b aria-labelledby="b l">None</button>`:                              "File File",
		`<label for=b id=l>File</label><button id=b aria-labelledby=b>None</button>`:                                  "File",
		`<i id=l>File</i><button id=b aria-label=Pick aria-labelledby="l b">None</button>`:                            "File Pick",
		`<label for=b>File</label><i id=l>My</i><button id=b aria-labelledby="l b">None</button>`:                     "My File",
		`<label id=l>File <button id=b aria-labelledby="l b">None</button></label>`:                                   "File None None",
		`<label id=l>File <button id=b aria-labelledby=l>None</button></label>`:                                       "File None",
	} {
		tab := shared.Row(t, body)
		if tree := controlName(t, tab); tree != want {
			t.Errorf("%s: Chromium's name is %q, expected %q", body, tree, want)
		}
		if text := tab.Outline(); !strings.Contains(text, `button "`+want+`"`) {
			t.Errorf("%s: %q is not in\n%s", body, want, text)
		}
	}
}

// Quotation marks of <q>, pictures in the place of elements, and signs and words that styles draw are read as
// Chromium's tree has them, in names and in texts.
func TestNamesAndTextsThatStylesDraw(t *testing.T) {
	const picture = `url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/%3E")`
	const logo = `<style>#x{content:` + picture + ` / "Logo"}</style>`
	tab := pagetest.Show(t, "")
	for _, c := range []struct{ body, want string }{
		{`<button><q>Hi</q></button>`, `button "“Hi”"`},
		{`<button><q>Hi <q>you</q></q></button>`, `button "“Hi ‘you’”"`},
		{`<div lang=de-AT><button><q>Hi</q></button></div>`, `button "„Hi“"`},
		{`<button lang=fr><q>Hi</q></button>`, `button "«Hi»"`},
		{logo + `<button><span id=x>old</span></button>`, `button "Logo"`},
		{logo + `<button id=x>old</button>`, `button "Logo"`},
		{logo + `<button><img id=x alt=old></button>`, `button "Logo"`},
		{logo + `<button><i id=x title=T>old</i></button>`, `button "Logo"`},
		{`<button title=Home><b style='content:` + picture + `'>old</b></button>`, `button "Home"`},
		{`<style>button::before{content:"a" ` + picture + ` "b"}</style><button>Save</button>`, `button "a bSave"`},
		{logo + `<h2 id=x>old</h2><button>Go</button>`, `heading "Logo" level 2`},
		{logo + `<table><tr><th>Paid<tr><td><i id=x>old</i></table><button>Go</button>`, "row: Logo"},
		{`<p>He said <q>Hello</q></p><button>Go</button>`, "text: He said “Hello”"},
		{`<style>p::before{content:"$"}p::after{content:" ▲"}</style><p>5</p><button>Go</button>`, "text: $5 ▲"},
		{`<style>a::after{content:"|"}</style><p><a href=/a>One</a></p><button>Go</button>`, "link \"One|\""},
		{`<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<style>p::before{content:"Note: "}:host::after{content:"End"}</style><p>Go</p>'</script><button>Go</button>`, "text: Note: Go"},
	} {
		tab.Body(c.body)
		if name, ok := strings.CutPrefix(c.want, "button "); ok && `"`+controlName(t, tab)+`"` != name {
			t.Errorf("%s: Chromium's name is %q, expected %s", c.body, controlName(t, tab), name)
		}
		if text := tab.Outline(); !strings.Contains(text, c.want) {
			t.Errorf("%s\nreads, without %s:\n%s", c.body, c.want, text)
		}
	}
}
