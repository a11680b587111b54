package workflow_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow"
)

// The catalogue is kept between two starts.
func TestCatalogIsStored(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	dir := writeFiles(t, map[string]string{"w.yaml": "w: { steps: [{ call: up:echo }] }\n",
		"servers.json": `{"servers": {"up": ` + stdioServer(log) + `}}`})
	kept, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	same := func(c *workflow.Config) { c.State = kept }
	first := serveDir(t, dir, log, same)
	if list := string(first.session.List()); strings.Contains(list, "readOnlyHint") {
		t.Errorf("a promise about tools that nobody knows: %s", list)
	}
	first.ok(t, "w", ``)
	second := serveDir(t, dir, log, same)
	if list := string(second.session.List()); !strings.Contains(list, `"annotations":{"readOnlyHint":true}`) {
		t.Error(list)
	}
}

// Who checks files offline starts nothing, and neither does who only asks what is known.
func TestOfflineValidationStartsNoServer(t *testing.T) {
	t.Parallel()
	started := filepath.Join(t.TempDir(), "started")
	kept, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	logged := &strings.Builder{}
	log := slog.New(slog.NewTextHandler(lockedWriter{&sync.Mutex{}, logged}, nil))
	set, err := workflow.Open(workflow.Config{State: kept, Log: log, Path: writeFiles(t, map[string]string{
		"w.yaml":       "w: { steps: [{ call: up:echo }] }\n",
		"servers.json": `{"servers": {"up": {"command": "sh", "args": ["-c", "touch ` + started + `; sleep 60"]}}}`,
	})})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Validate(t.Context(), builtinRegistry(), true); len(got.Offered) != 1 {
		t.Errorf("%+v", got)
	}
	if err := set.Close(t.Context()); err != nil { // waits for every attempt to start a server
		t.Error(err)
	}
	if _, err := os.Stat(started); err == nil || strings.Contains(logged.String(), "external server") {
		t.Errorf("the server was started:\n%s", logged)
	}
}

// TestStoredCatalogsKeepWorkflowsOffTheList starts with workflows that the stored catalogue refutes, before the server
// that would say the same again has answered.
func TestStoredCatalogsKeepWorkflowsOffTheList(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	dir := writeFiles(t, map[string]string{"w.yaml": "w: { steps: [{ call: up:echo }] }\n", "servers.json": `{"servers": {"up": ` + stdioServer(log) + `}}`})
	kept, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	same := func(c *workflow.Config) { c.State = kept }
	first := serveDir(t, dir, log, same)
	first.ok(t, "w", ``)
	refuted := "gone: { steps: [{ call: up:gone }] }\nnested: { steps: [{ parallel: [{ call: up:echo }, { call: up:gone }] }] }\nlast: { steps: [{ call: up:echo }], finally: [{ call: up:gone }] }\n"
	if err := os.WriteFile(filepath.Join(dir, "x.yaml"), []byte(refuted), 0o600); err != nil {
		t.Fatal(err)
	}
	second := serveDir(t, dir, log, same)
	list := string(second.session.List())
	if !strings.Contains(list, `"name":"w"`) {
		t.Errorf("a workflow that fits is not listed: %s", list)
	}
	for _, name := range []string{"gone", "nested", "last"} {
		if strings.Contains(list, `"name":"`+name+`"`) {
			t.Errorf("%s is listed at the start", name)
		}
	}
}
