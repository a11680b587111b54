package act_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveParts serves pages of several sizes: short, long without a main element, with one, and with a
// dialog on top of it.
func serveParts(t *testing.T) string {
	t.Helper()
	many := strings.Repeat("<li><a href=/x>An entry of the menu</a></li>", 400)
	pages := map[string]string{
		"/short":  `<h1>Short</h1><a href=/main>Orders</a> <a href="#end">End</a><nav>Menu</nav><main><button>Save</button></main>`,
		"/long":   `<h1>Long</h1><ul>` + many + `</ul>`,
		"/main":   `<nav><ul>` + many + `</ul></nav><main aria-label=Orders><h1>Orders</h1><a href=/short>Home</a></main>`,
		"/dialog": `<main><h1>Behind</h1><ul>` + many + `</ul></main><dialog id=d aria-label=Terms><p>Read them<button>Agree</button></dialog><script>d.showModal()</script>`,
		"/rest":   `<nav>` + many + `</nav><main><h1>Stock</h1><ul>` + many + `</ul></main>`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Parts</title><link rel=icon href=data:,>`+pages[r.URL.Path])
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// A navigation answers with the page: whole where that is short, else with its dialog or main element.
func TestNavigationsAnswerWithABriefReading(t *testing.T) {
	t.Parallel()
	home, c := serveParts(t), tooltest.Connect(t, toolkit.Options{})
	for _, row := range []struct {
		path  string
		has   []string
		lacks string
	}{
		{"/short", []string{`button "Save" [e`, "Menu"}, "[only"},
		{"/long", []string{`heading "Long"`, "[cut, ", `cursor "`}, "[only"},
		{"/main", []string{`heading "Orders"`, `link "Home" [e`, `[only main "Orders" [e`, "read_page"}, "An entry"},
		{"/dialog", []string{`button "Agree" [e`, `[only dialog "Terms" [e`}, "An entry"},
		{"/rest", []string{`heading "Stock"`, "[only main [e", "[cut, "}, "[not a diff"},
	} {
		said := c.Expect("navigate", tooltest.Args{"url": home + row.path}, append(row.has, "<page ")...)
		if strings.Contains(said, row.lacks) || len(said) > 3300 {
			t.Errorf("%s: %d bytes, without %q: %s", row.path, len(said), row.lacks, said)
		}
	}
	said := c.Call("navigate", tooltest.Args{"url": home + "/rest"})
	_, cursor, _ := strings.Cut(said, `cursor "`)
	cursor, _, _ = strings.Cut(cursor, `"`)
	c.Expect("read_page", tooltest.Args{"cursor": cursor}, "An entry of the menu")
	if said := c.Call("navigate", tooltest.Args{"url": home + "/short", "then": "none"}); strings.Contains(said, "<page") {
		t.Errorf("then: none reads the page: %s", said)
	}
}

// So does an action that opens another document, and no other.
func TestActionsThatNavigateAnswerWithABriefReading(t *testing.T) {
	t.Parallel()
	home, c := serveParts(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/short"})
	if said := c.Call("interact", tooltest.Args{"query": "End"}); strings.Contains(said, "<page") {
		t.Errorf("a click within the document reads it: %s", said)
	}
	c.Expect("interact", tooltest.Args{"query": "Orders"}, "/main", "<page ", `link "Home" [e`)
	c.Expect("act", tooltest.Args{"steps": []tooltest.Args{{"action": "click", "query": "Home"}, {"action": "hover", "query": "Save"}}}, "<page ", `button "Save" [e`)
	said := c.Call("act", tooltest.Args{"steps": []tooltest.Args{{"action": "navigate", "value": home + "/main"}, {"action": "read", "query": "Orders heading"}}})
	if strings.Count(said, "<page ") != 1 {
		t.Errorf("a page that a step has read is read again: %s", said)
	}
}
