package pagetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// RespondAfter responds with a text after a time, or when the client has left.
func RespondAfter(d time.Duration, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, text)
	}
}

// ServeHosts serves documents at the same port under many host names: hosts of another site than
// 127.0.0.1 run in processes of their own.
func ServeHosts(t testing.TB, documents map[string]string) (at func(host, path string) string) {
	t.Helper()
	var port string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		text, ok := documents[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, strings.ReplaceAll(text, "PORT", port))
	}))
	t.Cleanup(server.Close)
	_, port, _ = strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	return func(host, path string) string { return "http://" + host + ":" + port + path }
}

// LeafDocument is a document with one field and one button, whose text says what the field had when it was pressed.
const LeafDocument = `<!doctype html><title>Leaf</title><body style="margin:20px"><label>Name <input id=name></label>
<button onclick="this.textContent='Pressed '+document.querySelector('#name').value">Press</button>`
