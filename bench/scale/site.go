package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
)

// servePages serves a page at every path: a heading with the path, a button that counts, and as
// much text and links as a small article has.
func servePages() *httptest.Server {
	filler := strings.Repeat(`<p>A paragraph of text with <a href="/other">a link</a> and <b>some</b> markup.</p>`, 20)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		path := r.URL.Path
		fmt.Fprintf(w, `<!doctype html><title>%[1]s</title><h1>Page %[1]s</h1><button onclick="count(this)">Press</button>
<output>pressed 0 times</output><script>let n = 0; function count() { document.querySelector('output').textContent =
'pressed ' + (++n) + ' times' }</script>%[2]s`, path, filler)
	}))
}
