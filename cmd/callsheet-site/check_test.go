package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// notes is a site that keeps notes, and can be redesigned.
type notes struct {
	mu     sync.Mutex
	posts  int
	button string
	field  string
}

func (n *notes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.Method == http.MethodPost {
		n.posts++
		http.Redirect(w, r, "/kept", http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprintf(w, `<title>Notes</title><form method=post action=/keep><label>Note <input name=note></label>%s<button>%s</button></form>`, n.field, n.button)
}

func (n *notes) set(button, field string) (posts int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.button, n.field = button, field
	posts, n.posts = n.posts, 0
	return posts
}

// TestSiteCheck checks a site, one with a renamed button, accepts the repair, and one with a required field.
func TestSiteCheck(t *testing.T) {
	t.Parallel()
	site := &notes{button: "Keep"}
	server := httptest.NewServer(site)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	dir, state := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"site.yaml": "version: 1\nname: notes\ndescription: Notes of a person.\norigins: [https://notes.example]\n",
		"tools/keep.yaml": `name: keep
description: Keep a note.
input:
  note: {type: string, required: true}
start: /
steps:
  - type "{note}" in Note
  - tool: interact
    target: {role: button, name: Keep}
postcondition: {url: /kept}
examples:
  - {note: milk}
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
	run := func(args ...string) (string, int) {
		var out bytes.Buffer
		p := program{stdin: strings.NewReader(""), stdout: &out, stderr: &out}
		code := p.run(t.Context(), append([]string{"check", dir, "--site-origin", server.URL, "--state-dir", state, "--wait", "2s", "--acts"}, args...))
		return out.String(), code
	}
	if out, code := run(); code != exit.OK || !strings.Contains(out, `passed    keep {"note":"milk"}`) {
		t.Fatalf("as it was: %d %s", code, out)
	}
	site.set("Keep note", "")
	out, code := run()
	if code != exit.Tool || !strings.Contains(out, `keep, step 2 (interact, `) || !strings.Contains(out, `expected button "Keep", found nothing`) || !strings.Contains(out, "proposed repair, not applied") {
		t.Errorf("renamed: %d %s", code, out)
	}
	if out, code = run("--json"); code != exit.Tool || !strings.Contains(out, `"status":"drifted"`) || !strings.Contains(out, `"kind":"gone"`) {
		t.Errorf("as JSON: %d %s", code, out)
	}
	if out, code = run("--accept"); code != exit.Tool || !strings.Contains(out, "repaired ") {
		t.Errorf("accepted: %d %s", code, out)
	}
	if posts := site.set("Keep note", ""); posts != 0 {
		t.Errorf("a drift has posted %d times", posts)
	}
	if out, code = run(); code != exit.OK {
		t.Errorf("repaired: %d %s", code, out)
	}
	if posts := site.set("Save", ""); posts != 1 {
		t.Errorf("the repaired tool has posted %d times", posts)
	}
	if out, code = run(); code != exit.Tool || !strings.Contains(out, "it is the only button") {
		t.Errorf("another word on the only button: %d %s", code, out)
	}
	site.set("Save", `<button type=button>Delete account</button>`)
	if out, code = run(); code != exit.Tool || strings.Contains(out, "proposed repair") {
		t.Errorf("one of two buttons was chosen: %d %s", code, out)
	}
	site.set("Keep note", "<label>Day <input name=day required></label>")
	if out, code = run(); code != exit.Tool || !strings.Contains(out, `the form asks for textbox "Day"`) {
		t.Errorf("with a required field: %d %s", code, out)
	}
	if posts := site.set("", ""); posts != 0 {
		t.Error("an incomplete form was posted")
	}
	site.set("Keep note", "<label>Day <input name=day required></label>")
	tool := filepath.Join(dir, "tools", "keep.yaml")
	if err := os.Chmod(tool, 0o640); err != nil {
		t.Fatal(err)
	}
	if out, code = run("--accept"); code != exit.Tool || !strings.Contains(out, "repaired ") {
		t.Errorf("a field accepted: %d %s", code, out)
	}
	text, err := os.ReadFile(tool)
	if at := strings.Index(string(text), `{"args":{"value":"{day}"},`); err != nil || at < strings.Index(string(text), `in Note`) || at > strings.Index(string(text), `- tool: interact`) || !strings.Contains(string(text), `  day: {`) {
		t.Errorf("%v\n%s", err, text)
	}
	if info, err := os.Stat(tool); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	for _, bad := range []string{"no=1", "=1"} {
		if out, code = run("--site-parameter", bad); code != exit.Usage || !strings.Contains(out, "unknown property") {
			t.Errorf("a parameter that the site does not have: %d %s", code, out)
		}
	}
	if out, code = run("kept"); code != exit.Usage || !strings.Contains(out, `has no tool "kept"; it has keep`) {
		t.Errorf("a tool that the site does not have: %d %s", code, out)
	}
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("site.yaml", "version: 1\nname: notes\ndescription: Notes of a person.\norigins: [https://notes.example]\nsecrets: [NOTE]\n"+
		"facts:\n  signed_in: {description: A person is signed in., observe: {element: {role: link, name: Sign out}}, event: true}\n")
	write("tools/keep.yaml", "name: keep\ndescription: Keep a note.\nvisible: signed_in\nstart: /\nsteps:\n  - type \"{secret:NOTE}\" in Note\n")
	if out, code = run(); code != exit.Usage || !strings.Contains(out, "the site types the secrets NOTE, which are not given: --secrets FILE") {
		t.Errorf("a secret that is not given: %d %s", code, out)
	}
	write("secrets.env", "NOTE=swordfish\n")
	if out, code = run("--secrets", filepath.Join(dir, "secrets.env")); code != exit.Usage || !strings.Contains(out, "nothing was checked: keep needs signed_in") {
		t.Errorf("no person is signed in: %d %s", code, out)
	}
	if out, code = run("--param"); code != exit.Usage {
		t.Errorf("an unknown flag: %d %s", code, out)
	}
}
