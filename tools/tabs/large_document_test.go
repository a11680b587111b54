package tabs_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// endless serves documents that end only when the browser stops to load them.
func endless(kind, row string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, "<!doctype html><title>Endless</title><h1>Head</h1>")
		for i := 0; r.Context().Err() == nil; i++ {
			if _, err := fmt.Fprintf(w, row, i); err != nil {
				return
			}
		}
	}
}

// A document beyond the limit is read as far as it came, whoever loads it. No document here has an end.
func TestDocumentsAreCutAtTheLimit(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", 4000)
	mux := http.NewServeMux()
	mux.HandleFunc("/rows", endless("text/html", "<p>Row %d <a href=/>"+pad+"</a></p>\n"))
	mux.HandleFunc("/script", endless("text/html", "<script>/* %d "+pad+" */</script>\n"))
	mux.HandleFunc("/text", endless("text/plain", "line %d "+pad+"\n"))
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Small</title>"+body)
		}
	}
	mux.HandleFunc("/link", page(`<a href=/rows>Rows</a>`))
	mux.HandleFunc("/frame", page(`<iframe title=Part src=/rows></iframe><p>After the frame</p><img id=i src=/late alt=Late onload="document.title='complete'">`))
	mux.HandleFunc("/late", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	c := tooltest.NewOwnServer(t, app.Config{Browser: browser.Config{MaxDocument: 1}}).Connect(t.Name(), "", nil)
	const cut = "a document here is larger than 1 MB and was cut there"
	for _, path := range []string{"/rows", "/script", "/text"} {
		c.Expect("navigate", tooltest.Args{"url": site.URL + path}, path, "200", cut)
		c.Expect("read_page", tooltest.Args{"max_bytes": 600}, "Head", cut)
	}
	c.Expect("page_reload", tooltest.Args{}, "200", cut)
	if text := c.Call("navigate", tooltest.Args{"url": site.URL + "/link"}); strings.Contains(text, cut) {
		t.Errorf("a small page after a large one: %s", text)
	}
	c.Expect("interact", tooltest.Args{"query": "Rows", "then": "read"}, "clicked", "Row 0", cut)
	c.Expect("tabs_create", tooltest.Args{"url": site.URL + "/rows"}, cut)
	c.Expect("navigate", tooltest.Args{"url": site.URL + "/frame"}, "200")
	c.Expect("find", tooltest.Args{"query": "After the frame"}, "After the frame")
	c.Expect("read_page", tooltest.Args{"max_bytes": 600}, "Row 0", cut)
	c.ExpectScript("document.title", "complete")
}
