package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/site/serve"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/tools"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

// club is a site with a login: a page of members that only a member sees.
func club(t *testing.T) string {
	t.Helper()
	var mu sync.Mutex
	member := false
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, "<!doctype html><title>Club</title><main>%s</main>", body)
	}
	in := func() bool { mu.Lock(); defer mu.Unlock(); return member }
	set := func(to bool) { mu.Lock(); defer mu.Unlock(); member = to }
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		if in() {
			page(w, `<a href="/out">Sign out</a>`)
			return
		}
		page(w, `<form action="/in" method="post"><label>Name <input name="n"></label><button>Enter</button></form>`)
	})
	mux.HandleFunc("/in", func(w http.ResponseWriter, r *http.Request) { set(true); http.Redirect(w, r, "/", http.StatusSeeOther) })
	mux.HandleFunc("/out", func(w http.ResponseWriter, r *http.Request) {
		set(false)
		http.Redirect(w, r, "/", http.StatusSeeOther)
	})
	mux.HandleFunc("/members", func(w http.ResponseWriter, r *http.Request) {
		page(w, fmt.Sprintf(`<a href="/out">Sign out</a><h1>Members of %s</h1><ul><li>Ann</li><li>Bob</li></ul>`, r.FormValue("city")))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// source writes the source of the site.
func source(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"site.yaml": `version: 1
name: club
description: A club.
origins: [https://club.example]
facts:
  inside: {observe: {element: {role: link, name: Sign out}}, event: true}
`,
		"tools/enter.yaml": `name: enter
description: Enter the club.
visible: "!inside"
changes: {sets: [inside]}
start: /
steps:
  - tool: interact
    target: {role: button, name: Enter}
`,
		"tools/list_members.yaml": `name: list_members
description: List the members of a city.
visible: inside
effects: {read_only: true}
input:
  city: {type: string, required: true}
output:
  title: {type: string, required: true}
  names: {type: array, required: true, items: {type: string}}
start: /members?city={city}
extract:
  title: {element: {css: h1}}
  names: {element: {css: li}, list: true}
`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// served compiles the site of a directory and returns it as a server loads it.
func served(t *testing.T, o serve.Options) *serve.Site {
	t.Helper()
	o.Compile = func(_ context.Context, dir string) error {
		return compile.Update(dir, compile.Options{Builtin: tools.Registry(tools.Needs{})})
	}
	if err := o.Compile(t.Context(), o.Dir); err != nil {
		t.Fatal(err)
	}
	return serve.New(o)
}

func connect(t *testing.T, revision string, o serve.Options) tooltest.Client {
	t.Helper()
	s := tooltest.NewServer(t, app.Config{Site: served(t, o), Surface: toolkit.Options{Scope: compiled.Scope}})
	return s.Connect(t.Name(), revision, nil)
}

func names(t *testing.T, c tooltest.Client) []string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, tool := range list.Tools {
		out = append(out, tool.Name)
	}
	return out
}

func call(t *testing.T, c tooltest.Client, tool string, args map[string]any) (*mcp.CallToolResult, string) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, content := range res.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return res, b.String()
}

// TestListFollowsWhatThePageShows works through the site as a client of a session: the list has the site's
// tools alone, and follows the facts that its pages show.
func TestListFollowsWhatThePageShows(t *testing.T) {
	t.Parallel()
	c := connect(t, tooltest.SessionRevision, serve.Options{Dir: source(t), Origin: club(t)})
	if got := names(t, c); !slices.Equal(got, []string{"enter"}) {
		t.Fatalf("before the first call the list is %v", got)
	}
	res, text := call(t, c, "list_members", map[string]any{"city": "Rome"})
	if !res.IsError || !strings.Contains(text, "enter") {
		t.Errorf("a call in the wrong state: %s", text)
	}
	if res, text = call(t, c, "enter", nil); res.IsError {
		t.Fatal(text)
	}
	if got := names(t, c); !slices.Equal(got, []string{"list_members"}) {
		t.Errorf("inside the list is %v", got)
	}
	res, text = call(t, c, "list_members", map[string]any{"city": "Rome & Ostia"})
	if res.IsError || !strings.Contains(text, "<page") {
		t.Fatal(text)
	}
	got, _ := res.StructuredContent.(map[string]any)
	if got["title"] != "Members of Rome & Ostia" || fmt.Sprint(got["names"]) != "[Ann Bob]" {
		t.Errorf("the answer is %v", res.StructuredContent)
	}
	if res, text = call(t, c, "list_members", map[string]any{"town": "Rome"}); !res.IsError || !strings.Contains(text, "city") {
		t.Errorf("a call with a wrong name: %s", text)
	}
}

// TestStatelessClientsGetTheWay has a client whose list never changes.
func TestStatelessClientsGetTheWay(t *testing.T) {
	t.Parallel()
	c := connect(t, "", serve.Options{Dir: source(t), Origin: club(t)})
	if got := names(t, c); !slices.Equal(got, []string{"enter", "list_members"}) {
		t.Fatalf("the list is %v", got)
	}
	res, text := call(t, c, "list_members", map[string]any{"city": "Rome"})
	if !res.IsError || !strings.Contains(text, "enter") {
		t.Errorf("a call in the wrong state: %s", text)
	}
}

// TestAutoTakesTheWay calls a tool that needs another one first.
func TestAutoTakesTheWay(t *testing.T) {
	t.Parallel()
	c := connect(t, tooltest.SessionRevision, serve.Options{Dir: source(t), Origin: club(t), Auto: true})
	res, text := call(t, c, "list_members", map[string]any{"city": "Rome"})
	if res.IsError || !strings.Contains(text, "ran first: enter") {
		t.Fatal(text)
	}
}

// TestSitesThatAreNotServed names what is wrong with a compiled site, and the command that mends it.
func TestSitesThatAreNotServed(t *testing.T) {
	t.Parallel()
	replace := func(name, old, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			file := filepath.Join(dir, filepath.FromSlash(name))
			before, err := os.ReadFile(file)
			if err == nil && !strings.Contains(string(before), old) {
				err = fmt.Errorf("no %q in %s", old, before)
			}
			if err == nil {
				err = os.WriteFile(file, []byte(strings.Replace(string(before), old, text, 1)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for want, change := range map[string]func(t *testing.T, dir string){
		"is not compiled":                                  func(t *testing.T, dir string) { t.Helper(); remove(t, dir, compiled.FileName) },
		"no longer has tools/enter.yaml":                   func(t *testing.T, dir string) { t.Helper(); remove(t, dir, "tools/enter.yaml") },
		"has another site.yaml than it was compiled from":  replace("site.yaml", ", event: true", ""),
		"format 2, and this program reads format 1":        replace("site.json", `"format": 1`, `"format": 2`),
		"site.json that cannot be read":                    replace("site.json", `"format"`, `format`),
		"calls navigate, which has other parameters":       replace("site.json", `"navigate": "`, `"navigate": "0`),
		"calls fly_home, and this server has no such tool": replace("site.json", `"navigate": "`, `"fly_home": "`),
		"has got tools/leave.yaml since it was compiled":   func(t *testing.T, dir string) { t.Helper(); add(t, dir, "tools/leave.yaml") },
		"has got allowances.yaml since it was compiled":    func(t *testing.T, dir string) { t.Helper(); add(t, dir, "allowances.yaml") },
	} {
		dir := source(t)
		site := served(t, serve.Options{Dir: dir})
		change(t, dir)
		_, err := app.New(app.Config{Site: site, StateDir: t.TempDir(), OutputDir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "run: callsheet site compile "+dir) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestValuesThatDoNotFitKeepTheServerFromStarting names the value of a parameter that the site does not have.
func TestValuesThatDoNotFitKeepTheServerFromStarting(t *testing.T) {
	t.Parallel()
	_, err := app.New(app.Config{Site: served(t, serve.Options{Dir: source(t), Values: map[string]string{"city": "Rome"}}), StateDir: t.TempDir(), OutputDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "the parameters of the site club: /city: unknown property") {
		t.Errorf("the error is %v", err)
	}
}

// TestCallersNameNoSecret refuses the argument before anything is opened.
func TestCallersNameNoSecret(t *testing.T) {
	t.Parallel()
	c := connect(t, tooltest.SessionRevision, serve.Options{Dir: source(t), Origin: club(t), Auto: true})
	for _, city := range []string{"{secret:PW}", "Rome {totp:club.example}"} {
		res, text := call(t, c, "list_members", map[string]any{"city": city})
		if !res.IsError || !strings.Contains(text, "city of list_members holds {secret:") || !strings.Contains(fmt.Sprint(tooltest.Envelope(res)), "INVALID_ARGUMENTS") {
			t.Errorf("%s: %s %v", city, text, tooltest.Envelope(res))
		}
	}
}
