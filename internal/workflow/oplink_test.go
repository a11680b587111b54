package workflow_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callsheet/callsheet/internal/workflow"
)

// Each archive has the workflows of one of Oplink's example directories, in our words: what loads,
// and what is said of the rest.
func TestOplinksExamplesLoad(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/oplink/*.txtar")
	if err != nil || len(archives) != 6 {
		t.Fatalf("%v %v", archives, err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{"servers.json": `{"servers": {
			"chrome-devtools": {"type": "stdio", "command": "false"}, "shadcn": {"type": "stdio", "command": "false", "cwd": "${FRONTEND_ROOT}"},
			"deepwiki": {"type": "http", "url": "http://127.0.0.1:9/mcp"}, "context7": {"type": "stdio", "command": "false"},
			"linear": {"type": "stdio", "command": "false"}, "discord": {"type": "stdio", "command": "false", "env": {"T": "${DISCORD_BOT_TOKEN}"}},
			"atlassian": {"type": "stdio", "command": "false", "env": {"X": "${X:-default}"}}}}`}
		want := ""
		for _, f := range archive.Files {
			if f.Name == "want.txt" {
				want = strings.TrimSpace(string(f.Data))
			} else {
				files[f.Name] = string(f.Data)
			}
		}
		set, err := workflow.Open(workflow.Config{Path: writeFiles(t, files)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checked := set.Validate(t.Context(), builtinRegistry(), true)
		got := "offered: " + strings.Join(checked.Offered, ", ")
		for _, d := range checked.Diags {
			if d.Rule == "not-checked" {
				continue
			}
			message, _, _ := strings.Cut(d.Message, ", which lets")
			got += "\n" + d.Rule + ": " + message
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}
