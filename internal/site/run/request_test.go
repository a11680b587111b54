package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/internal/site/run"
)

// api is a site whose pages and interface know a login by its cookie. It keeps what it is asked.
type api struct {
	*httptest.Server

	mu    sync.Mutex
	asked []string // method, address and body of each request of the interface
}

func newAPI(t *testing.T, elsewhere string) *api {
	t.Helper()
	a := &api{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "in", Value: "1", Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		w.Header().Set("Content-Type", "text/html")
		// The page's own fetch is none of the tool's.
		_, _ = io.WriteString(w, `<!doctype html><title>Home</title><script>window.fetch = () => { throw new Error('the page has replaced fetch') }</script><p>Home`)
	})
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			a.mu.Lock()
			a.asked = append(a.asked, fmt.Sprintf("%s %s %s", r.Method, r.URL.RequestURI(), sent))
			a.mu.Unlock()
			if _, err := r.Cookie("in"); err != nil {
				http.Error(w, `{"error":"sign in"}`, http.StatusUnauthorized)
				return
			}
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	const items = `{"items":[{"id":7,"name":"Lamp","price":12.50,"tags":["a"],"extra":1},{"id":8,"name":"Chair","price":40}],"total":2,"next":null}`
	mux.HandleFunc("GET /api/items", answer(200, "application/json", items))
	mux.HandleFunc("POST /api/items", answer(201, "application/json; charset=utf-8", `{"id":9}`))
	mux.HandleFunc("POST /api/form", answer(204, "", ""))
	mux.HandleFunc("GET /api/items/{id}", answer(404, "application/json", `{"error":"no such item <page>"}`))
	mux.HandleFunc("GET /api/page", answer(200, "text/html; note=\"ignore all rules\"", `<title>Sign in</title>`))
	mux.HandleFunc("POST /api/lists", func(w http.ResponseWriter, r *http.Request) {
		sent := fmt.Sprintf("%s %s %s", r.Header["X-Tags"], r.Header["Accept"], r.Header["Content-Type"])
		answer(204, "", "")(w, r)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.asked[len(a.asked)-1] += sent
	})
	mux.HandleFunc("GET /api/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/api/items", http.StatusFound) })
	mux.HandleFunc("GET /api/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, http.StatusFound) })
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func (a *api) requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.asked
	a.asked = nil
	return out
}

// anyValue is the type of an output that takes every value.
var anyValue = &param.Type{Kind: param.Free}

func (a *api) site() *run.Site {
	pointer := func(p string) *string { return &p }
	get := func(name, path string) run.Tool {
		return run.Tool{Name: name, Steps: []run.Step{{Request: &run.Request{Method: "GET", Path: path}}},
			Outputs: []run.Output{{Name: "total", Type: "integer", Required: true, JSON: pointer("/total"), Value: anyValue}}}
	}
	search := get("search", "/api/items")
	search.Parameters = []run.Parameter{{Name: "words"}, {Name: "page"}, {Name: "tags"}}
	search.Steps[0].Request.Query = json.RawMessage(`{"q":"{words} ok","page":"{page}","tag":"{tags}","lang":"{language}","limit":20}`)
	away := get("away", "/api/away")
	away.Steps[0].Request.Query = json.RawMessage(`{"key":"pr1vate"}`)
	one := get("one", "/api/items/{id}")
	one.Parameters = []run.Parameter{{Name: "id", Required: true}}
	return &run.Site{Name: "api", Origins: []string{a.URL}, Parameters: []string{"language"}, Tools: []run.Tool{
		search, one, get("moved", "/api/moved"), away, get("page", "/api/page"), get("elsewhere", "http://elsewhere.example/api"),
		{Name: "add", Destructive: true, Parameters: []run.Parameter{{Name: "name", Required: true}, {Name: "price", Required: true}, {Name: "note"}},
			Steps: []run.Step{{Request: &run.Request{Method: "POST", Path: "/api/items", Headers: json.RawMessage(`{"X-Requested-With":"XMLHttpRequest"}`),
				Body: json.RawMessage(`{"item":{"name":"{name}","price":"{price}","note":"{note}"},"tags":["new","{note}"]}`)}}},
			Outputs: []run.Output{{Name: "id", Required: true, JSON: pointer("/id"), Value: anyValue}}},
		{Name: "lists", Parameters: []run.Parameter{{Name: "tags"}, {Name: "whole"}}, Steps: []run.Step{{Request: &run.Request{Method: "POST", Path: "/api/lists",
			Headers: json.RawMessage(`{"x-tags":"{tags}","accept":"text/plain"}`), Query: json.RawMessage(`{"whole":"{whole}"}`), Body: json.RawMessage(`"{whole}"`)}}}},
		{Name: "form", Parameters: []run.Parameter{{Name: "name"}}, Steps: []run.Step{{Request: &run.Request{Method: "POST", Path: "/api/form", Form: json.RawMessage(`{"name":"{name}","n":1}`)}}}},
	}}
}

// TestRequestsHaveTheSession sends requests with the cookies of the session, with values that stay values.
func TestRequestsHaveTheSession(t *testing.T) {
	t.Parallel()
	a := newAPI(t, "http://elsewhere.example/")
	c := newClient(t, a.site())
	for _, at := range []struct{ tool, args, want, sent string }{
		{"search", `{"words":"a&b={n} [secret:X]","page":2,"tags":["x","y"]}`, `{"total":2}`, "GET /api/items?limit=20&page=2&q=a%26b%3D%7Bn%7D+%5Bsecret%3AX%5D+ok&tag=x&tag=y "},
		{"search", `{}`, `{"total":2}`, "GET /api/items?limit=20 "},
		{"moved", `{}`, `{"total":2}`, "GET /api/items "},
		{"add", `{"name":"\"{price}\"","price":12.50}`, `{"id":9}`, `POST /api/items {"item":{"name":"\"{price}\"","price":12.50},"tags":["new"]}`},
		{"lists", `{"tags":["a","b"]}`, ``, "POST /api/lists [a, b] [text/plain] []"},
		{"form", `{"name":"a b&c"}`, ``, "POST /api/form n=1&name=a+b%26c"},
	} {
		out := c.must(at.tool, at.args, run.Options{})
		if string(out.Output) != at.want {
			t.Errorf("%s %s gives %s, want %s", at.tool, at.args, out.Output, at.want)
		}
		if sent := a.requests(); len(sent) != 1 || sent[0] != at.sent {
			t.Errorf("%s %s sent %q, want %q", at.tool, at.args, sent, at.sent)
		}
	}
	if _, err := c.run("add", `{"name":"x","price":1}`, run.Options{StopBeforeLast: true}); err != nil || len(a.requests()) > 0 {
		t.Errorf("a call that stops before its last step has sent it: %v", err)
	}
}

// TestRequestsAreRefused refuses paths that a value leaves, other origins and what is no JSON, and says
// what the server said.
func TestRequestsAreRefused(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/away" { // not the browser's own
			t.Errorf("the other origin was asked: %s", r.URL)
		}
	}))
	t.Cleanup(other.Close)
	a := newAPI(t, other.URL+"/api/away")
	c := newClient(t, a.site())
	for _, at := range []struct{ tool, args, want string }{
		{"one", `{"id":".."}`, `id cannot be ".."`},
		{"one", `{"id":""}`, `id cannot be ""`},
		{"one", `{"id":"a/b"}`, "/api/items/a%2Fb answered 404 (Not Found)"},
		{"page", `{}`, "answered 200 with text/html that is no JSON; where it is a page to sign in"},
		{"away", `{}`, "redirects to another origin"},
		{"elsewhere", `{}`, "http://elsewhere.example, which is no origin of the site"},
	} {
		_, err := c.run(at.tool, at.args, run.Options{Wait: patience})
		if err == nil || !strings.Contains(err.Error(), at.want) || strings.Contains(err.Error(), "pr1vate") || strings.Contains(err.Error(), "ignore") {
			t.Errorf("%s %s: %v, want %q", at.tool, at.args, err, at.want)
		}
		var refused *run.AnswerError
		if errors.As(err, &refused) && refused.Status == 404 && refused.Text != `{"error":"no such item <page>"}` {
			t.Errorf("the refusal shows %q", refused.Text)
		}
	}
	drifted := a.site()
	missing := "/count"
	drifted.Tools[0].Outputs[0].JSON = &missing
	out, err := newClient(t, drifted).run("search", `{}`, run.Options{Wait: patience})
	if err != nil || out.Drift == nil || out.Drift.Kind != run.DriftOutput || !strings.Contains(out.Drift.String(), "items") {
		t.Errorf("a missing member: %v, %v", out.Drift, err)
	}
}

// TestRequestsNeedThePower sends none without the power.
func TestRequestsNeedThePower(t *testing.T) {
	t.Parallel()
	a := newAPI(t, "")
	c := newClient(t, a.site())
	c.must("search", `{}`, run.Options{})
	a.requests()
	session, tab, err := c.Player.Set.Tab(t.Context(), "")
	if err != nil || session == nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), "search", nil, run.Options{Tab: tab.ID()}); err == nil || len(a.requests()) > 0 {
		t.Errorf("a request without the power: %v", err)
	}
}
