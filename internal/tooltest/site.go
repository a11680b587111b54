package tooltest

import (
	"embed"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// ServeSite serves the pages of site and the few responses that need a server, and returns its
// address.
func ServeSite(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(subFS(t, "site")))
	mux.HandleFunc("/submitted", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		fmt.Fprintf(w, "<!doctype html><title>Submitted</title><h1>Thanks</h1><pre>%s</pre>", html.EscapeString(r.PostForm.Encode()))
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
		fmt.Fprint(w, "done")
	})
	mux.HandleFunc("/cookies", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "served", Value: "yes", Path: "/"})
		fmt.Fprintf(w, "<!doctype html><title>Cookies</title><pre>%s</pre>", html.EscapeString(r.Header.Get("Cookie")))
	})
	mux.HandleFunc("/missing", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "nothing here", http.StatusNotFound) })
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// OpenActingPage opens acting.html and returns its reading.
func OpenActingPage(t *testing.T, opt toolkit.Options) (Client, string) {
	t.Helper()
	c := Connect(t, opt)
	c.Call("navigate", Args{"url": ServeSite(t) + "/acting.html"})
	return c, c.Call("read_page", Args{"max_bytes": 100000})
}

// pages holds the fixture pages.
//
//go:embed site flows
var pages embed.FS

func subFS(t *testing.T, dir string) fs.FS {
	t.Helper()
	sub, err := fs.Sub(pages, dir)
	if err != nil {
		t.Fatal(err)
	}
	return sub
}
