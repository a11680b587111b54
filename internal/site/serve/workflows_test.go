package serve_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/site/serve"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestReloadedWorkflowsKeepTheSite changes the file of a workflow that is served beside a site: the tools of the site
// stay.
func TestReloadedWorkflowsKeepTheSite(t *testing.T) {
	t.Parallel()
	dir, _ := notesSource(t)
	file := filepath.Join(t.TempDir(), "flows.yaml")
	write := func(name string) {
		text := name + ": {description: Say where the session is., steps: [{call: 'callsheet:tabs_context'}]}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first_flow")
	s := tooltest.NewServer(t, app.Config{Site: served(t, serve.Options{Dir: dir}), Workflows: app.Workflows{Path: file}})
	s.Connect(t.Name(), tooltest.SessionRevision, nil)
	has := func(name string) bool { _, ok := s.Surface.Registry().Lookup(name); return ok }
	if !has("first_flow") || !has("keep") {
		t.Fatal("the registry lacks the workflow or the tool of the site")
	}
	write("second_flow")
	tooltest.Eventually(t, "the new workflow is served", func() bool { return has("second_flow") })
	if has("first_flow") || !has("keep") {
		t.Errorf("after the reload, the old workflow is there: %t; the tool of the site: %t", has("first_flow"), has("keep"))
	}
}
