package workflow_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/state"
	"github.com/callsheet/callsheet/internal/workflow"
)

// The catalogue is kept between two starts.
func TestTheSecondStartKnowsTheTools(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	dir := directory(t, map[string]string{"w.yaml": "w: { steps: [{ call: up:echo }] }\n", "servers.json": `{"servers": {"up": ` + stdioServer(log) + `}}`})
	kept, err := state.At(t.TempDir())
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
