package repotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDecisionsAreNumbered holds the numbers of decisions: without gaps, each once, in the name of the
// file, in its heading and in the index.
func TestDecisionsAreNumbered(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("docs/adr/0*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	index, err := os.ReadFile("docs/adr/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range files { // Glob sorts them
		name, number := filepath.Base(path), fmt.Sprintf("%04d", i+1)
		if !strings.HasPrefix(name, number+"-") {
			t.Fatalf("%s is decision %d: numbers have no gaps, and each is given once", name, i+1)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "# "+number+" ") {
			t.Errorf("the heading of %s does not begin with %s", name, number)
		}
		if row := fmt.Sprintf("- [%s](%s):", number, name); !strings.Contains(string(index), row) {
			t.Errorf("docs/adr/README.md has no entry that begins with %s", row)
		}
	}
	if rows := strings.Count(string(index), "\n- [0"); rows != len(files) {
		t.Errorf("docs/adr/README.md has %d entries for %d decisions", rows, len(files))
	}
}
