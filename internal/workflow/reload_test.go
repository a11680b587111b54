package workflow_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

// watched is a served set whose files are watched, with a client that counts list changes.
type watched struct {
	*fixture
	*toolkittest.Kit
	dir     string
	changes atomic.Int32
	changed chan struct{}
}

func watch(t *testing.T, files map[string]string) *watched {
	t.Helper()
	log := filepath.Join(t.TempDir(), "calls")
	if _, ok := files["servers.json"]; !ok {
		files["servers.json"] = `{"servers": {"up": ` + stdioServer(log) + `}}`
	}
	w := &watched{dir: writeFiles(t, files), changed: make(chan struct{}, 100)}
	w.fixture = serveDir(t, w.dir, log)
	w.Kit = connectLines(t, w.fixture, "2025-11-25", mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			w.changes.Add(1)
			w.changed <- struct{}{}
		}})
	w.set.Watch(func(area string, rows []toolkit.Tool) error {
		reg, err := w.surface.Registry().Replace(area, rows)
		if err != nil {
			return err
		}
		return w.surface.Update(reg)
	})
	return w
}

// connectLines connects a client of a protocol revision over lines, as on standard input and output.
func connectLines(t *testing.T, b *fixture, revision string, opts mcp.ClientOptions) *toolkittest.Kit {
	t.Helper()
	server := mcpserver.New(b.surface, mcpserver.Options{Name: "test", Version: "1"})
	return toolkittest.Dial(t, toolkittest.Lines(t, server), nil, toolkittest.Revision(revision), toolkittest.Client(opts))
}

// write replaces a file of the directory, and awaitChange the notification that follows.
func (w *watched) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w *watched) awaitChange(t *testing.T) {
	t.Helper()
	select {
	case <-w.changed:
	case <-time.After(30 * time.Second):
		t.Fatalf("no list change:\n%s", w.logs)
	}
}

func (w *watched) run(t *testing.T, name string, args map[string]any) string {
	t.Helper()
	return runOver(t, w.Kit, name, args)
}

// runOver calls a tool over the protocol and returns its text.
func runOver(t *testing.T, session *toolkittest.Kit, name string, args map[string]any) string {
	t.Helper()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return "error: " + err.Error()
	}
	var lines []string
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			lines = append(lines, text.Text)
		}
	}
	return strings.Join(lines, "\n")
}

func says(name, text string) string {
	return fmt.Sprintf("%s: { description: %s, steps: [{ call: up:echo, args: { s: %s } }] }\n", name, name, text)
}

// Changed, new and removed workflows are served after one notification, and a change of steps alone
// needs none.
func TestReload(t *testing.T) {
	t.Parallel()
	w := watch(t, map[string]string{"a.yaml": says("one", "first") + says("two", "first")})
	if got := w.run(t, "one", nil); !strings.Contains(got, "first") {
		t.Fatal(got)
	}
	w.write(t, "a.yaml", says("one", "second")+says("three", "second"))
	w.awaitChange(t)
	if got := w.Listed(t); !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]string{"one": `"s":"second"`, "three": `"s":"second"`, "two": `unknown tool "two"`} {
		if got := w.run(t, name, nil); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	w.write(t, "a.yaml", says("one", "third")+says("three", "third"))
	eventually(t, "the steps are new", func() bool { return strings.Contains(w.run(t, "three", nil), `"s":"third"`) })
	w.write(t, "a.yaml", says("one", "third")+says("two", "back"))
	w.awaitChange(t)
	if got := w.Listed(t); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
	if got := w.run(t, "two", nil); !strings.Contains(got, "back") {
		t.Error(got)
	}
	if n := w.changes.Load(); n != 2 {
		t.Errorf("%d notifications for two changed lists", n)
	}
}

// A file with a mistake keeps the version before it, and answers say where the mistake is.
func TestReloadBroken(t *testing.T) {
	t.Parallel()
	w := watch(t, map[string]string{"a.yaml": says("one", "good"), "b.yaml": says("other", "good")})
	for _, broken := range []struct{ text, at string }{
		{"one:\n  steps:\n    - { cal: up:echo }\n", `a.yaml:3:9: unknown key "cal" in step 1; did you mean "call"?`},
		{"one: {{{", "a.yaml:1:"},
		{says("one", "x") + "\ntwo: { steps: [{ call: nowhere:x }] }\none: 3\n", "a.yaml:"},
		{"one: { steps: [{ call: callsheet:no_tool }] }\n", `has no tool "no_tool"`},
	} {
		w.write(t, "a.yaml", broken.text)
		eventually(t, "the answer names the mistake", func() bool {
			got := w.run(t, "one", nil)
			return strings.Contains(got, broken.at) && strings.Contains(got, `"s":"good"`) || strings.Contains(broken.text, "one: 3") &&
				strings.Contains(got, `"s":"x"`)
		})
		if got := w.run(t, "other", nil); !strings.Contains(got, `"s":"good"`) || strings.Contains(got, "error") {
			t.Error(got)
		}
		w.write(t, "a.yaml", says("one", "good"))
		eventually(t, "the mistake is mended", func() bool {
			got := w.run(t, "one", nil)
			return strings.Contains(got, `"s":"good"`) && !strings.Contains(got, "a.yaml")
		})
	}
	if !strings.Contains(w.logs.String(), "a.yaml:3:9") {
		t.Errorf("the log does not say where:\n%s", w.logs)
	}
}

// A run ends with the steps and the server that it began with, and later ones have the new ones.
func TestReloadDuringARun(t *testing.T) {
	t.Parallel()
	gate, newLog := filepath.Join(t.TempDir(), "gate"), filepath.Join(t.TempDir(), "calls")
	text := func(s string) string {
		return fmt.Sprintf("w: { description: %s, steps: [{ call: up:await, args: { file: %q } }, { call: up:echo, args: { s: %s } }] }\n", s, gate, s)
	}
	w := watch(t, map[string]string{"a.yaml": text("old")})
	done := make(chan string, 1)
	go func() { done <- w.run(t, "w", nil) }()
	eventually(t, "the run has begun", func() bool { return strings.Contains(w.calls(t), "begin await") })
	w.write(t, "a.yaml", text("new"))
	w.write(t, "servers.json", `{"servers": {"up": `+stdioServer(newLog)+`, "more": `+stdioServer(newLog)+`}}`)
	w.awaitChange(t)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-done; !strings.Contains(got, `"s":"old"`) || !strings.Contains(w.calls(t), `begin echo {"format":"png","s":"old"}`) {
		t.Errorf("%s\n%s", got, w.calls(t))
	}
	if got := w.run(t, "w", nil); !strings.Contains(got, `"s":"new"`) {
		t.Error(got)
	}
	if now, err := os.ReadFile(newLog); err != nil || !strings.Contains(string(now), `"s":"new"`) {
		t.Errorf("the new server was not called: %v %s", err, now)
	}
	w.write(t, "servers.json", `{"servers": {"up": {"comand": "x"}}}`)
	eventually(t, "the answer names the mistake", func() bool {
		got := w.run(t, "w", nil)
		return strings.Contains(got, `"s":"new"`) && strings.Contains(got, `servers.json:1:21: unknown key "comand"`)
	})
}

// A workflow that does not fit the tools of its servers is in no list once the servers have said so, and a call of it says why.
// It comes back with a file that fits.
func TestRefutedWorkflowsAreNotListed(t *testing.T) {
	t.Parallel()
	const missing, misfit = "missing: { steps: [{ call: up:no_such_tool }] }\n", "misfit: { steps: [{ call: up:echo, args: { nosuch: 1 } }] }\n"
	w := watch(t, map[string]string{"workflows.yaml": echoWorkflow + missing + misfit})
	for !slices.Equal(w.Listed(t), []string{"echo"}) {
		w.awaitChange(t)
	}
	if got := w.run(t, "missing", nil); !strings.Contains(got, `has no tool "no_such_tool"`) {
		t.Error(got)
	}
	if got := w.run(t, "misfit", nil); !strings.Contains(got, `unknown argument "nosuch"`) {
		t.Error(got)
	}
	w.write(t, "workflows.yaml", echoWorkflow+"missing: { steps: [{ call: up:echo, args: { s: found } }] }\n"+misfit)
	for !slices.Equal(w.Listed(t), []string{"echo", "missing"}) {
		w.awaitChange(t)
	}
	if got := w.run(t, "missing", nil); !strings.Contains(got, "found") {
		t.Error(got)
	}
}
