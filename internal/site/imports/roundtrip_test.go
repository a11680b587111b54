package imports_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/imports"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

// patience bounds a run on a busy machine.
const patience = 30 * time.Second

// shop is a site with an interface that knows a login by its cookie.
type shop struct {
	*httptest.Server

	mu    sync.Mutex
	items []map[string]any
	asked []string // what the page of the search was asked for
}

// found returns what the page of the search was asked for.
func (s *shop) found() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{items: []map[string]any{{"id": 1, "name": "Lamp", "price": 12.5}, {"id": 2, "name": "Chair", "price": 40}}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Shop</title><p>Shop")
	})
	mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Search</title><form action=/found><input type=hidden name=n value=%s>
			<label>Words <input name=words></label><label>Note <input name=note></label><button>Find</button></form>`, r.FormValue("n"))
	})
	mux.HandleFunc("GET /found", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, fmt.Sprintf("n=%s words=%s note=%s", r.FormValue("n"), r.FormValue("words"), r.FormValue("note")))
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Found</title><p>Found")
	})
	mux.HandleFunc("POST /api/login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("user") == "ann" {
			http.SetCookie(w, &http.Cookie{Name: "in", Value: "1", Path: "/", HttpOnly: true})
		}
		answer(w, http.StatusOK, map[string]any{"user": r.FormValue("user")})
	})
	mux.HandleFunc("GET /api/items", s.signedIn(func(w http.ResponseWriter, r *http.Request) {
		found := []map[string]any{}
		for _, item := range s.items {
			if strings.Contains(strings.ToLower(item["name"].(string)), r.FormValue("q")) {
				found = append(found, item)
			}
		}
		answer(w, http.StatusOK, map[string]any{"items": found, "total": len(found), "next": nil})
	}))
	mux.HandleFunc("GET /api/items/{id}", s.signedIn(func(w http.ResponseWriter, r *http.Request) {
		for _, item := range s.items {
			if fmt.Sprint(item["id"]) == r.PathValue("id") {
				answer(w, http.StatusOK, item)
				return
			}
		}
		answer(w, http.StatusNotFound, map[string]any{"error": "no such item"})
	}))
	mux.HandleFunc("POST /api/items", s.signedIn(func(w http.ResponseWriter, r *http.Request) {
		var item map[string]any
		if err := json.NewDecoder(r.Body).Decode(&item); err != nil {
			answer(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
			return
		}
		item["id"] = len(s.items) + 1
		s.items = append(s.items, item)
		answer(w, http.StatusCreated, item)
	}))
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *shop) signedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("in"); err != nil {
			answer(w, http.StatusUnauthorized, map[string]any{"error": "sign in"})
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		next(w, r)
	}
}

// site imports a file into a new site of the shop, and returns what it became with the runner of the site.
func (s *shop) site(t *testing.T, name, text string) (*imports.Result, *imports.Written, *run.Runner) {
	t.Helper()
	dir := t.TempDir()
	root := fmt.Sprintf("version: 1\nname: shop\ndescription: What the shop offers.\norigins: [%s]\n", s.URL)
	if err := os.WriteFile(filepath.Join(dir, "site.yaml"), []byte(root), 0o600); err != nil {
		t.Fatal(err)
	}
	server := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	builtin := server.Surface.Registry()
	read, err := imports.Read(imports.Options{Data: []byte(text), File: name, Origins: []string{s.URL}})
	if err != nil {
		t.Fatal(err)
	}
	written, err := read.Write(dir, imports.WriteOptions{Builtin: builtin, From: name})
	if err != nil {
		t.Fatal(err)
	}
	compiled, diags, err := compile.Compile(dir, compile.Options{Builtin: builtin})
	if err != nil || compiled == nil {
		t.Fatalf("%v %v", err, diags)
	}
	loaded, err := compiled.Load()
	if err != nil {
		t.Fatal(err)
	}
	site, err := loaded.ForRunner("", nil)
	if err != nil {
		t.Fatal(err)
	}
	player := replay.ForSession(server.Surface.NewStaticSession(t.Name()), server.Session(t.Name()))
	t.Cleanup(func() { server.EndSession(t.Name()) })
	return read, written, &run.Runner{Site: site, Player: player}
}

func call(t *testing.T, r *run.Runner, tool, args string) (string, error) {
	t.Helper()
	granted := operator.Grant("test")
	out, err := r.Run(t.Context(), tool, json.RawMessage(args), run.Options{Window: power.NewWindow(granted), Network: power.NewNetwork(granted), Wait: patience})
	if err != nil {
		return "", err
	}
	if out.Drift != nil {
		t.Errorf("%s %s: %s", tool, args, out.Drift)
	}
	return string(out.Output), nil
}

// check calls tools in order and compares what they give, or their refusals.
func check(t *testing.T, r *run.Runner, calls [][3]string) {
	t.Helper()
	for _, c := range calls {
		got, err := call(t, r, c[0], c[1])
		if err != nil {
			got = err.Error()
		}
		if got != c[2] && (err == nil || !strings.Contains(got, c[2])) {
			t.Errorf("%s %s gives %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

func toolNames(w *imports.Written) []string {
	var out []string
	for _, f := range w.Files {
		out = append(out, f.Tool.Name)
	}
	return out
}

// TestRoundTripOfAnArchive imports requests, compiles the site and calls its tools in Chromium.
func TestRoundTripOfAnArchive(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := &archive{site: s.URL}
	a.add("POST", "/api/login", form("user=ann"), `{"user":"ann"}`)
	a.add("GET", "/api/items?q=lamp&limit=20", "", `{"items":[{"id":1,"name":"Lamp","price":12.5}],"total":1,"next":null}`)
	a.add("GET", "/api/items?q=chair&limit=20", "", `{"items":[],"total":0,"next":null}`)
	a.add("GET", "/api/items/1", "", `{"id":1,"name":"Lamp","price":12.5}`)
	a.add("POST", "/api/items", `{"name":"Bed","price":100}`, `{"id":3,"name":"Bed","price":100}`)
	_, written, runner := s.site(t, "shop.har", a.text(t))
	if want := []string{"get_item", "get_items", "post_items", "post_login"}; !slices.Equal(toolNames(written), want) {
		t.Fatalf("the tools are %v, want %v", toolNames(written), want)
	}
	check(t, runner, [][3]string{
		{"get_items", `{"q":"lamp"}`, "answered 401 (Unauthorized): the session may not do this; sign in on the site first"},
		{"post_login", `{"user":"ann"}`, `{"user":"ann"}`},
		{"get_items", `{"q":"lamp"}`, `{"items":[{"id":1,"name":"Lamp","price":12.5}],"total":1}`},
		{"post_items", `{"name":"Desk & \"co\"","price":7}`, `{"id":3,"name":"Desk \u0026 \"co\"","price":7}`},
		{"get_item", `{"item_id":3}`, `{"id":3,"name":"Desk \u0026 \"co\"","price":7}`},
		{"get_item", `{"item_id":9}`, "answered 404 (Not Found)"},
	})
}

const flows = `find:
  description: Find an item in the shop.
  parameters:
    words: {type: string, required: true}
    note: {type: string}
    unused: {type: string}
    count: {type: integer, required: true, default: 2}
  steps:
    - {call: "callsheet:navigate", args: {url: "/search?n={{ count }}"}}
    - {call: "callsheet:form_input", args: {query: Words, value: "{{ words }}"}}
    - {requires: note, call: "callsheet:form_input", args: {query: Note, value: "{{ note }} !"}}
    - {call: "callsheet:interact", args: {query: Find button}}
    - {call: "chat:post", args: {text: "{{ words }}"}}
    - {sleep: 1s}
repeated:
  description: Open pages.
  parameters: {urls: {type: array, required: true, items: {type: string}}}
  steps:
    - {forEach: "{{ urls }}", call: "callsheet:navigate", args: {url: "{{ item }}"}}
chosen:
  description: Open a page.
  parameters: {url: {type: string, required: true}}
  steps:
    - {call: "callsheet:navigate", args: {url: "{{ url }}"}}
result:
  description: Open what was found.
  steps:
    - {id: found, call: "callsheet:read_page"}
    - {call: "callsheet:navigate", args: {url: "/{{ found.text }}"}}
hidden:
  description: Post a text.
  steps:
    - {call: "chat:post", args: {text: hello}}
`

// TestRoundTripOfWorkflows imports workflows, compiles the site and calls its tool in Chromium.
func TestRoundTripOfWorkflows(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	read, written, runner := s.site(t, "flows.yaml", flows)
	if !slices.Equal(toolNames(written), []string{"shop_find"}) {
		t.Fatalf("the tools are %v", toolNames(written))
	}
	notes := strings.Join(written.Files[0].Tool.Notes, "\n")
	for _, want := range []string{"step 5 is left out, for it calls chat:post of another server", "the pause of step 6", "parameter unused is left out"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in:\n%s", want, notes)
		}
	}
	left := ""
	for _, l := range read.Omissions {
		left += l.String() + "\n"
	}
	for _, want := range []string{"workflow repeated: step 1: it repeats", "lets a caller choose the origin", "workflow result: step 2: it uses the template", "workflow hidden: it has no step that calls a tool of this server"} {
		if !strings.Contains(left, want) {
			t.Errorf("no %q in:\n%s", want, left)
		}
	}
	if _, err := call(t, runner, "shop_find", `{"words":"lamp"}`); err != nil {
		t.Error(err)
	}
	if got := s.found(); !slices.Equal(got, []string{"n=2 words=lamp note="}) {
		t.Errorf("the site was asked for %q", got)
	}
}
