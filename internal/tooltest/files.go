package tooltest

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	scripts "github.com/callsheet/callsheet/internal/record/script"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// FilesContaining returns the paths of the files below a directory that contain a text.
func FilesContaining(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// SavePlan stores a plan in a state directory.
func SavePlan(t *testing.T, dir, name string, script replay.Script) {
	t.Helper()
	place, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	db := database.New(place)
	defer func() { _ = db.Close() }()
	if _, err := scripts.NewStore(db).Save(t.Context(), scripts.Entry{Kind: scripts.Plan, Name: name, Script: script}); err != nil {
		t.Fatal(err)
	}
}

// PlanStep returns a successful step of a plan in its first tab.
func PlanStep(seq int, tool string, in Args) recorder.Step {
	data, _ := json.Marshal(in)
	return recorder.Step{Seq: seq, Tool: tool, Args: data, Outcome: "ok", Tab: "t1"}
}
