package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestReplayOfAFile records with one process and plays with others: exit code 0 is as recorded, 1
// is not, 2 is usage.
func TestReplayOfAFile(t *testing.T) {
	var renamed atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		name := "More"
		if renamed.Load() {
			name = "Less"
		}
		_, _ = fmt.Fprintf(w, "<title>%s</title><a href=/more>%s</a><p>at %s</p>", name, name, r.URL.Path)
	}))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "serve", "--state-dir", dir, "--all-tools")
	cmd.Env = append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0")
	session := tooltest.Dial(t, &mcp.CommandTransport{Command: cmd}, "")
	var id string
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"oc_recording_start", map[string]any{"screenshots": false}},
		{"navigate", map[string]any{"url": site.URL}},
		{"interact", map[string]any{"query": "More"}},
		{"oc_assert", map[string]any{"contract": `{"url":"/more"}`}},
		{"oc_recording_stop", nil},
		{"oc_recording_export", map[string]any{"path": "it.json"}},
	} {
		if text := session.Call(t, c.tool, c.args).Text; id == "" {
			id = strings.TrimRight(strings.Fields(text[strings.Index(text, "rec-"):])[0], ",.:")
		}
	}
	_ = session.Close()
	file := savedFile(t, dir, "it.json")

	says(t, replayed(t, exit.OK, id, "--state-dir", dir), "completed: 3 of 3 steps", "verdict pass, recorded pass")
	says(t, replayed(t, exit.OK, file, "--state-dir", t.TempDir(), "--json"), `"status":"completed"`)
	says(t, replayed(t, exit.Tool, file, "--state-dir", dir, "--exclude-tools", "interact"), "TOOL_DISABLED", "step 2 (interact)")
	says(t, replayed(t, exit.Usage, file, "--state-dir", dir, "--param", "nobody=1"), "there is no parameter nobody")
	says(t, replayed(t, exit.Usage, file, "--state-dir", dir, "--param", "nobody"), "no name=value")
	says(t, replayed(t, exit.Usage, "rec-none", "--state-dir", dir), "no recording, skill or plan has that id")
	says(t, replayed(t, exit.Usage, filepath.Join(dir, "none.json"), "--state-dir", dir), "no such file")
	says(t, replayed(t, exit.Usage, "--state-dir", dir), "the file of an export, or an id")

	says(t, replayed(t, exit.OK, "plan", id, "--name", "more", "--retries", "1", "--state-dir", dir), "kept plan more: 3 steps")
	says(t, replayed(t, exit.OK, "more", "--state-dir", dir), "completed", "contract pass")
	edited := filepath.Join(dir, "plan.json")
	if err := os.WriteFile(edited, []byte(replayed(t, exit.OK, "plan", file, "--print", "--contract", `{"dom_text":"at /more"}`, "--state-dir", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	says(t, replayed(t, exit.OK, "plan", edited, "--name", "edited", "--state-dir", dir), "kept plan edited")
	says(t, replayed(t, exit.Usage, "plan", edited, "--name", "edited", "--param", "who=More", "--state-dir", dir), "--param", "is a plan")
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"name":"x","script":{"steps":[{"seq":1,"tool":"navigate","args":{}}],"handling":{"7":{"retries":99}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	says(t, replayed(t, exit.Usage, broken, "--state-dir", dir), "there is no such step", "retries is 0 to 10")
	says(t, replayed(t, exit.Usage, "plan", id, "--name", "no name", "--state-dir", dir), "--name")
	says(t, replayed(t, exit.Usage, "plan", id, "--retries", "11", "--state-dir", dir), "retries is 0 to 10")
	says(t, replayed(t, exit.Usage, "plan", id, "--contract", `{"nothing":1}`, "--state-dir", dir), "--contract", "nothing")
	says(t, replayed(t, exit.Usage, "plan", "rec-none", "--state-dir", dir), "no recording with steps")

	renamed.Store(true)
	says(t, replayed(t, exit.Tool, "edited", "--state-dir", dir, "--wait", "500ms"), "drifted: 1 of 3 steps", `step 2 (interact): expected link "More"`, `no link is called "More"`, `near are link "Less"`)
}

// savedFile returns the one file of a name in the output directories of the sessions of a state
// directory.
func savedFile(t *testing.T, dir, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "output", "*", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", name, found, err)
	}
	return found[0]
}
