package skill_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// exportVariable is the variable that asks for the exports of all ten flows; see make
// verify-export.
const exportVariable = "CALLSHEET_EXPORT"

// exportEnvironment has what the recordings leave out.
func exportEnvironment() []string {
	return []string{"PASSWORD=correct horse", "STEP10_TEXT=correct horse"}
}

// TestExportedTests writes recorded flows as Go and TypeScript tests, and runs those against the
// same site.
func TestExportedTests(t *testing.T) {
	proctest.Nightly(t)
	c, site := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeFlows(t)
	goDir, tsDir := t.TempDir(), t.TempDir()
	for _, f := range append(replayFlows(), travelFlow()) {
		if os.Getenv(exportVariable) == "" && f.name != "login" && f.name != "travel" {
			continue
		}
		_, id := f.record(t, c, site)
		if err := os.Mkdir(filepath.Join(goDir, f.name), 0o755); err != nil {
			t.Fatal(err)
		}
		for format, path := range map[string]string{
			"go": filepath.Join(goDir, f.name, "recorded_test.go"), "playwright": filepath.Join(tsDir, f.name+".spec.ts"),
		} {
			links := tooltest.Links(c.Do("oc_recording_export", tooltest.Args{"recordingId": id, "format": format}))
			if len(links) != 1 {
				t.Fatalf("the export of %s has %d files", f.name, len(links))
			}
			text := c.ReadArtifact(links[0].URI)
			if strings.Contains(text, "correct horse") {
				t.Errorf("the %s test of %s holds the password", format, f.name)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Run("go", func(t *testing.T) { tooltest.RunGoTests(t, goDir, exportEnvironment()...) })
	t.Run("playwright", func(t *testing.T) { tooltest.RunPlaywright(t, tsDir, exportEnvironment()...) })
}

// travelFlow goes to an address without a scheme, through the history and on by keys.
func travelFlow() replayFlow {
	return replayFlow{name: "travel", do: func(f *flowRun) {
		f.Call("navigate", tooltest.Args{"url": strings.TrimPrefix(f.site.URL, "http://") + "/login.html"})
		f.open("list.html")
		f.Call("navigate", tooltest.Args{"url": "back"})
		f.Call("page_reload", nil)
		f.Call("form_input", tooltest.Args{"ref": f.ref(`textbox "Email"`, nil), "value": "nobody"})
		f.Call("computer", tooltest.Args{"action": "key", "text": "ctrl+a delete"})
		f.Call("computer", tooltest.Args{"action": "type", "text": "ada@example.com"})
		f.Call("computer", tooltest.Args{"action": "key", "text": "Tab"})
		f.Call("computer", tooltest.Args{"action": "type", "text": "correct horse"})
		f.Call("computer", tooltest.Args{"action": "key", "text": "return"})
		f.see("Welcome, Ada")
	}}
}
