package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/proctest"
)

// ledger is a site with a login. It keeps items, which its page gets by a script.
type ledger struct {
	mu    sync.Mutex
	items []string
	calls int
}

const (
	ledgerSession  = "5f1d0c7be2a94638a6d1c0ffee"
	ledgerCSRF     = "c5rf90b81f72ab34de56"
	ledgerPassword = "correct horse & staple"
)

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	cookie, _ := r.Cookie("sid")
	in := cookie != nil && cookie.Value == ledgerSession
	switch r.Method + " " + r.URL.Path {
	case "POST /login":
		if r.FormValue("password") == ledgerPassword && r.FormValue("csrf_token") == ledgerCSRF {
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: ledgerSession, Path: "/", HttpOnly: true})
		}
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case "POST /items":
		data, _ := io.ReadAll(r.Body)
		var item struct{ Name string }
		if json.Unmarshal(data, &item) != nil || !in {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		l.items = append(l.items, item.Name)
	case "GET /items":
		_ = json.NewEncoder(w).Encode(map[string]any{"items": append([]string{}, l.items...), "access_token": ledgerSession})
	case "GET /dot.png":
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte{0x89, 'P', 'N', 'G', 0xff, 0xfe})
	case "GET /":
		w.Header().Set("Content-Type", "text/html")
		if !in {
			_, _ = fmt.Fprintf(w, `<!doctype html><title>Ledger</title><form method=post action=/login><input type=hidden name=csrf_token value=%s>
<label>Password <input type=password name=password></label><button>Sign in</button></form>`, ledgerCSRF)
			return
		}
		_, _ = fmt.Fprint(w, `<!doctype html><title>Ledger</title><p>Signed in</p><img src=/dot.png alt=""><label>Name <input id=n></label><button onclick="add()">Add</button><ul></ul>
<script>
const list = document.querySelector("ul");
async function show() { const r = await (await fetch("/items")).json(); list.innerHTML = ""; for (const i of r.items) list.append(Object.assign(document.createElement("li"), {textContent: i})); }
async function add() { await fetch("/items", {method: "POST", body: JSON.stringify({name: document.querySelector("#n").value})}); await show(); }
try { new WebSocket("ws://" + location.host + "/socket"); } catch {}
show();
</script>`)
	default:
		http.NotFound(w, r)
	}
}

func (l *ledger) count() int { l.mu.Lock(); defer l.mu.Unlock(); return l.calls }

// ledgerSource writes the source of the site.
func ledgerSource(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"site.yaml": `version: 1
name: ledger
description: A ledger.
origins: [https://ledger.example]
secrets: [LEDGER_PASSWORD]
facts:
  inside: {observe: {element: {css: p, text: Signed in}}, event: clears}
`,
		"tools/ledger_login.yaml": `name: ledger_login
description: Sign in.
visible: "!inside"
changes: {sets: [inside]}
start: /
steps:
  - type "{secret:LEDGER_PASSWORD}" in Password
  - click Sign in
`,
		"tools/add_item.yaml": `name: add_item
description: Add an item.
visible: inside
input: {name: {type: string, required: true}}
start: /
steps:
  - type "{name}" in Name
  - tool: interact
    target: {role: button, name: Add}
postcondition: {dom_text: {selector: ul, contains: "{name}"}}
examples: [{name: Lamp}, {name: Chair}]
`,
		"tools/list_items.yaml": `name: list_items
description: List the items.
visible: inside
effects: {read_only: true}
output: {items: {type: array, required: true, items: {type: string}}}
start: /
postcondition: {dom_text: {selector: ul, contains: Chair}}
extract: {items: {element: {css: li}, list: true}}
`,
		".env": "LEDGER_PASSWORD='" + ledgerPassword + "'\n",
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

// editFile replaces a text in a file, which must have it.
func editFile(t *testing.T, name, old, text string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q:\n%s", name, old, data)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(data), old, text)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSiteCheckReplaysTraffic records a site with a login, ends it, and checks it from the recording: as it was,
// with a tool that does not fit, and with a recording that lacks a request.
func TestSiteCheckReplaysTraffic(t *testing.T) {
	proctest.Nightly(t)
	t.Parallel()
	site := &ledger{}
	server := httptest.NewServer(site)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	dir := ledgerSource(t)
	har := filepath.Join(dir, "ledger.har")
	run := func(args ...string) (string, int) {
		var out bytes.Buffer
		p := program{stdin: strings.NewReader(""), stdout: &out, stderr: &out}
		code := p.run(t.Context(), append([]string{"check", dir, "--site-origin", server.URL, "--state-dir", t.TempDir(), "--acts", "--wait", "10s"}, args...))
		return out.String(), code
	}
	const all = "ledger: 4 passed, 0 prepared, 0 drifted, 0 failed, 0 unchecked"
	if out, code := run("--secrets", filepath.Join(dir, ".env"), "--record", har); code != exit.OK || !strings.Contains(out, all) || !strings.Contains(out, "recorded ") {
		t.Fatalf("live: %d %s", code, out)
	}
	data, err := os.ReadFile(har)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{ledgerSession, ledgerCSRF, ledgerPassword, "correct+horse", "correct%20horse"} {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("the recording has %s", secret)
		}
	}
	calls := site.count()
	for range 2 {
		if out, code := run("--har", har); code != exit.OK || !strings.Contains(out, all) {
			t.Fatalf("from the recording: %d %s", code, out)
		}
	}
	tool := filepath.Join(dir, "tools", "add_item.yaml")
	editFile(t, tool, "name: Add}", "name: Put}")
	if out, code := run("--har", har); code != exit.Tool || !strings.Contains(out, `expected button "Put", found nothing`) || !strings.Contains(out, "drifted   add_item") || strings.Contains(out, "stale") {
		t.Errorf("with a tool that does not fit: %d %s", code, out)
	}
	editFile(t, tool, "name: Put}", "name: Add}")
	editFile(t, tool, "name: Lamp}", "name: Sofa}")
	out, code := run("--har", har)
	if code != exit.Tool || !strings.Contains(out, `stale     add_item {"name":"Sofa"}`) || !strings.Contains(out, "not in the recording: POST "+server.URL+`/items {"name":"Sofa"} (xhr)`) {
		t.Errorf("with a recording that lacks a request: %d %s", code, out)
	}
	if n := site.count() - calls; n != 0 {
		t.Errorf("the site was asked %d times", n)
	}
	if out, code = run("--har", har, "--record", har); code != exit.Usage {
		t.Errorf("both flags: %d %s", code, out)
	}
	if out, code = run("--har", tool); code != exit.Usage || !strings.Contains(out, "is no HAR") {
		t.Errorf("another file: %d %s", code, out)
	}
}
