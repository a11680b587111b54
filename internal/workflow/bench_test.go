package workflow_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow"
	"github.com/callsheet/callsheet/internal/workflow/external"
)

// direct calls the tool of a step without a workflow. BenchmarkStep minus BenchmarkDirect is the
// overhead of a step; it must stay below one millisecond.
func direct(tb testing.TB, r *external.Registry) {
	res, err := r.Call(tb.Context(), "up", "echo", json.RawMessage(`{"s":"x"}`), nil)
	if err != nil || res.IsError {
		tb.Fatal(res, err)
	}
}

func BenchmarkDirect(b *testing.B) {
	s := serve(b, echoWorkflow)
	s.ok(b, "echo", `{"s":"x"}`)
	for b.Loop() {
		direct(b, s.set.Registry())
	}
}

func BenchmarkStep(b *testing.B) {
	s := serve(b, echoWorkflow)
	s.ok(b, "echo", `{"s":"x"}`)
	for b.Loop() {
		s.ok(b, "echo", `{"s":"x"}`)
	}
}

// writeManyWorkflows writes a directory of 100 workflows and 20 servers, whose catalogues are kept
// already.
func writeManyWorkflows(tb testing.TB) (dir string, kept statedir.Dir) {
	var yaml, servers strings.Builder
	log := filepath.Join(tb.TempDir(), "calls")
	for i := range 100 {
		fmt.Fprintf(&yaml, `
w%d:
  description: Workflow number %d.
  parameters: { url: { type: string, required: true }, n: { type: integer, default: 3 } }
  steps:
    - { id: a, call: up%d:echo, args: { s: "{{ url }}", n: "{{ n }}" } }
    - { id: b, if: a.ok && n > 1, call: up%d:echo, args: { s: "{{ a.text | upper }}" } }
    - { call: callsheet:navigate, args: { url: "{{ url }}" } }
`, i, i, i%20, (i+1)%20)
	}
	for i := range 20 {
		if i > 0 {
			servers.WriteString(",")
		}
		entry := strings.Replace(stdioServer(log), `"env":{`, fmt.Sprintf(`"env":{"NUMBER":"%d",`, i), 1)
		fmt.Fprintf(&servers, `"up%d": %s`, i, entry)
	}
	dir = writeFiles(tb, map[string]string{"w.yaml": yaml.String(), "servers.json": `{"servers": {` + servers.String() +
		`}}`})
	kept, err := statedir.New(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	r, err := external.Open(external.Config{Files: []string{filepath.Join(dir, "servers.json")}, State: kept})
	if err != nil {
		tb.Fatal(err)
	}
	if failed := r.Discover(tb.Context()); len(failed) > 0 {
		tb.Fatal(failed)
	}
	if err := r.Close(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return dir, kept
}

func start(tb testing.TB, dir string, kept statedir.Dir) {
	set, err := workflow.Open(workflow.Config{Path: dir, State: kept})
	if err != nil {
		tb.Fatal(err)
	}
	reg, err := set.Compose(builtinRegistry())
	if err != nil {
		tb.Fatal(err)
	}
	surface, err := toolkit.NewSurface(reg, toolkit.Options{Scope: workflow.Scope})
	if err != nil || surface.Allowed().Len() != 100 {
		tb.Fatal(err)
	}
	_ = surface.NewSession("s", nil).List()
	if err := set.Close(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkStartWithAHundred(b *testing.B) {
	dir, kept := writeManyWorkflows(b)
	b.ReportAllocs()
	for b.Loop() {
		start(b, dir, kept)
	}
}
