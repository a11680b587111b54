package callsheet_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/starter"
)

// TestMinimalExampleIsWhatInitWrites keeps examples/minimal equal to what toolgen init begins a module
// with. To bring it up to date, remove it and run
// "go tool toolgen init examples/minimal --module github.com/callsheet/callsheet/examples/minimal --toolkit gen".
func TestMinimalExampleIsWhatInitWrites(t *testing.T) {
	t.Parallel()
	const dir = "examples/minimal"
	files, err := starter.Files(starter.Module{Path: module + "/" + dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		have, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(string(f.Data), string(have)); d != "" {
			t.Errorf("%s/%s (-init +example)\n%s", dir, f.Path, d)
		}
	}
}
