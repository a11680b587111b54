package script_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/script"
	"github.com/callsheet/callsheet/internal/jsbundle"
)

func TestBundleIsCurrent(t *testing.T) {
	t.Parallel()
	built, err := jsbundle.Build("engine.js", "callsheetEngine", "callsheet:engine")
	if err != nil {
		t.Fatal(err)
	}
	if string(built) != script.Engine {
		t.Error("bundle.js is stale: run go generate ./internal/engine/page/script")
	}
}

// layers are the folders of the modules from the bottom up.
var layers = []string{"dom", "document", "settle", "locate", "read", "input", "widget", "."}

var imported = regexp.MustCompile(`(?m)from '(\.[^']+)';$`)

// TestModulesImportDownwards holds the imports of each module against the order of the folders.
func TestModulesImportDownwards(t *testing.T) {
	t.Parallel()
	arrows := 0
	for i, folder := range layers {
		files, err := filepath.Glob(filepath.Join(folder, "*.js"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no module in %s (%v)", folder, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
				arrows++
				to := filepath.Join(folder, m[1])
				if row := slices.Index(layers, filepath.Dir(to)); row < 0 || row > i {
					t.Errorf("%s imports %s, which is in no lower folder", file, to)
				}
			}
		}
	}
	if arrows == 0 {
		t.Error("no imports were found")
	}
}
