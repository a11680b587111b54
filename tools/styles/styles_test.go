package styles_test

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

//go:embed testdata
var testdata embed.FS

// serve serves the fixtures, and pages that a test makes.
func serve(t *testing.T, pages map[string]string) string {
	t.Helper()
	root, err := fs.Sub(testdata, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	files := http.FileServerFS(root)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, strings.ReplaceAll(body, "PORT", r.Host[strings.LastIndex(r.Host, ":")+1:]))
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// explained is one question and what the answer must say, in this order.
type explained struct {
	page, selector, pseudo string
	properties             []string
	want                   []string
}

// TestWhyIsItRed asks why an element has its colour on pages that each decide it by another rule of
// the cascade.
func TestWhyIsItRed(t *testing.T) {
	t.Parallel()
	site := serve(t, nil)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	for _, q := range questions {
		t.Run(q.page+q.selector+q.pseudo, func(t *testing.T) {
			c.Call("navigate", tooltest.Args{"url": site + "/" + q.page + ".html"})
			a := tooltest.Args{"selector": q.selector, "properties": q.properties}
			if q.pseudo != "" {
				a["pseudo"] = q.pseudo
			}
			text := c.Call("styles", a)
			rest := text
			for _, want := range q.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("the answer lacks %q, or has it elsewhere:\n%s", want, text)
				}
				rest = after
			}
		})
	}
}

var color = []string{"color"}

var questions = []explained{
	{page: "specificity", selector: ".alert", properties: color, want: []string{
		"p.alert [e", "color: rgb(0, 128, 0)", "wins: #main .alert { color: green } at /specificity.html:5:16",
		"loses: .alert { color: red } at /specificity.html:4:10 — it is less specific: (0,1,0) against (1,1,0)",
		"loses: p { color: blue } at /specificity.html:6:5 — it is less specific: (0,0,1) against (1,1,0)",
	}},
	{page: "order", selector: ".a", properties: color, want: []string{
		"rgb(255, 0, 0)", "wins: .b { color: red } at /order.html:5:6", "loses: .a { color: navy } at /order.css:3:6 — it is as specific as the winner, which comes later",
		"/order.css:2:6", "/order.css:1:6", "loses: .a { color: 12px } at /order.css:3:19 — the browser does not understand the value",
	}},
	{page: "layers", selector: ".a", properties: []string{"color", "background-color"}, want: []string{
		"rgb(255, 0, 0)", "wins: p { color: red } at /layers.html:9:5",
		"at /layers.html:5:21 in @layer theme — it is in layer theme; declarations outside of layers win", "@layer theme.dark", "#x.a { color: blue }", "in layer reset; declarations outside",
		"rgb(255, 255, 255)", "wins: #x.a { background-color: white !important } at /layers.html:6:36 in @layer reset",
		"layer theme comes after layer reset; of !important declarations the earlier layer wins", "of !important declarations those in layers win",
	}},
	{page: "scope", selector: ".a", properties: color, want: []string{
		"wins: .a { color: red } at /scope.html:4:23 in @scope (.dark)",
		"loses: .a { color: green } at /scope.html:5:24 in @scope (.light) — its @scope root is farther: 3 levels up against 1",
	}},
	{page: "inline", selector: ".a", properties: color, want: []string{
		"wins: color: red in the style attribute", "loses: #x.a { color: green } at /inline.html:4:8 — the style attribute wins over every selector",
	}},
	{page: "inline", selector: "td", properties: []string{"backgroundColor"}, want: []string{
		"wins: td { background-color: red } at /inline.html:8:13", "in an HTML attribute — it is an attribute of HTML, which every rule of the page wins over",
	}},
	{page: "important", selector: ".a", properties: color, want: []string{
		"wins: .a { color: red !important } at /important.html:4:6", "loses: color: blue in the style attribute — the winner is !important",
		"loses: #x { color: green } at /important.html:5:6 — the winner is !important",
	}},
	{page: "inherited", selector: ".a", properties: color, want: []string{
		"wins: .card { color: red } at /inherited.html:5:9 — inherited from region \"Offer\" [e", "loses: body { color: gray } at /inherited.html:4:8 on body [e", "would be inherited",
	}},
	{page: "inherited", selector: ".link", properties: []string{"color", "border-top-color"}, want: []string{
		"wins: a:-webkit-any-link { color: -webkit-link } in the browser's style sheet", "loses: .card { color: red } at /inherited.html:5:9 on region \"Offer\"", "would be inherited",
		"wins: .link { border-top-color: inherit }", "note: the parent has the initial value",
	}},
	{page: "inherited", selector: ".i", properties: []string{"border-left-style"}, want: []string{
		"border-left-style: solid", "wins: .i { border: inherit }", "takes it from: .card { border: 1px solid } at /inherited.html:5:21, on region \"Offer\"",
	}},
	{page: "sourcemap", selector: ".danger", properties: []string{"color", "padding"}, want: []string{
		"wins: .button.danger { color: #c00 } at /src/_button.scss:7:5 (/app.css:1:35), the value at /src/_button.scss:1:10",
		"loses: .button { color: navy } at /src/_button.scss:4:3 (/app.css:1:9) — it is less specific", "in the browser's style sheet — the browser's own style sheet comes before the page's",
		"padding-top, padding-right, padding-bottom, padding-left: 4px", "wins: .toolbar .button { padding: 4px } at /src/app.scss:5:3",
	}},
	{page: "sourcemap", selector: ".title", properties: color, want: []string{"wins: .note .title { color: teal } at /note.less:4:12 (/note.css:2:3)"}},
	{page: "variables", selector: ".a", properties: color, want: []string{
		"wins: .a { color: var(--text) } at /variables.html:6:6", "var .card { --text: var(--brand, var(--danger)) } at /variables.html:5:9 on div.card [e",
		"var --brand is not defined", "var :root { --danger: red } at /variables.html:4:9 on html [e",
	}},
	{page: "variables", selector: ".b", properties: []string{"width"}, want: []string{
		"wins: .b { width: var(--danger) } at /variables.html:7:6", "note: the value is invalid when its variables are filled in, so the property is as if it were unset: width: red",
	}},
	{page: "conditions", selector: ".a", properties: color, want: []string{
		"wins: .a { color: red } at /conditions.html:4:6",
		"loses: .a { color: green } at /conditions.html:6:8 in @media (min-width: 5000px) — it does not apply: @media (min-width: 5000px) is false; the viewport is 1280×720",
		"loses: .a { color: blue } at /conditions.html:9:38 in @container (min-width: 600px) — it does not apply: @container (min-width: 600px) is false",
		"loses: .card { & .a { color: black } at /conditions.html:11:31 in @media print", "loses: p { color: purple } at /conditions.html:14:26 in @media print",
	}},
	{page: "animation", selector: ".a", properties: color, want: []string{
		"wins: @keyframes alarm { color: rgb(255, 0, 0) } at /animation.html:4:27", "loses: .a { color: green } at /animation.html:5:6 — the animation alarm sets the property",
	}},
	{page: "animation", selector: ".t", properties: color, want: []string{
		"in a transition", "loses: .t.on { color: blue } at /animation.html:7:9 — a transition of the property is running", ".t { color: green }",
	}},
	{page: "shadow", selector: "#host", properties: color, want: []string{
		"wins: #host { color: red } at /shadow.html:4:9", "loses: :host { color: green } at /shadow.html:20:9 — the style sheet outside of the shadow tree wins over the one inside",
	}},
	{page: "shadow", selector: "b", properties: color, want: []string{
		"color: rgb(255, 0, 0)", "wins: #host::part(label) { color: red } at /shadow.html:5:22", "loses: color: brown in the style attribute", "loses: .in { color: teal }",
	}},
	{page: "shadow", selector: ".s", properties: color, want: []string{
		"wins: ::slotted(span) { color: red } at /shadow.html:21:19", "loses: color: brown in the style attribute on b.in [e", "would be inherited",
	}},
	{page: "shadow", selector: ".deep", properties: []string{"font-weight"}, want: []string{"font-weight: 200", "wins: .deep { font-weight: 200 } at a constructed style sheet:1:9"}},
	{page: "pseudo", selector: ".a", pseudo: "::before", properties: color, want: []string{
		"] ::before", "wins: .a::before { color: red } at /pseudo.html:4:28", "loses: p::before { color: green } at /pseudo.html:5:13 — it is less specific: (0,0,2) against (0,1,1)",
		"loses: .a { color: blue } at /pseudo.html:6:6 on p.a [e", "would be inherited", ".a::before { color: black } at /pseudo.html:7:29 in @media print",
	}},
	{page: "invalid", selector: ".b", properties: []string{"margin", "color"}, want: []string{
		"margin-top: 1px", "wins: .b { margin: 1px 2px 3px 4px } at /invalid.html:6:6", "of it margin-top: 1px",
		"margin-left: 9px", "wins: .b { margin-left: 9px } at /invalid.html:6:31", "loses: .b { margin: 1px 2px 3px 4px } at /invalid.html:6:6 — a later declaration of the same rule wins",
		"loses: .a { color: gren } at /invalid.html:5:6 — the browser does not understand the value",
	}},
}

// TestOverview lists the declarations that apply, without a property.
func TestOverview(t *testing.T) {
	t.Parallel()
	site := serve(t, nil)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": site + "/invalid.html"})
	text := c.Expect("styles", tooltest.Args{"selector": ".b"}, ".b { margin-left: 9px } at /invalid.html:6:31",
		".b { margin: 1px 2px 3px 4px } at /invalid.html:6:6 — of it margin-top, margin-right, margin-bottom", ".a { color: red }", "2 declarations lose")
	if strings.Contains(text, "gren") || strings.Contains(text, "browser's style sheet") {
		t.Errorf("it lists what decides nothing, or is not the page's:\n%s", text)
	}
	c.Call("navigate", tooltest.Args{"url": site + "/sourcemap.html"})
	c.Expect("styles", tooltest.Args{"query": "Delete", "properties": color}, `button "Delete" [e`, "/src/_button.scss:7:5")
	c.ExpectRefusal("INVALID_ARGUMENTS", "styles", tooltest.Args{"query": "Delete", "properties": []string{"colr"}}, `did you mean \"color\"`)
	c.ExpectRefusal("NOT_FOUND", "styles", tooltest.Args{"selector": ".nothing"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "styles", tooltest.Args{"properties": color})
}

// TestFrames asks about elements of frames, in the process of the page and in another one.
func TestFrames(t *testing.T) {
	t.Parallel()
	site := serve(t, map[string]string{"/far.html": `<!doctype html><title>Far</title><iframe src="http://localhost:PORT/sourcemap.html"></iframe>`})
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": site + "/frame.html"})
	c.Expect("styles", tooltest.Args{"query": "text", "properties": color}, "wins: .b { color: red } at /order.html:5:6", "/order.css:3:6")
	c.Call("navigate", tooltest.Args{"url": site + "/far.html"})
	c.Expect("styles", tooltest.Args{"query": "Delete", "properties": color}, "wins: .button.danger { color: #c00 } at /src/_button.scss:7:5")
}
