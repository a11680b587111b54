//go:build unix

package repotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// toolgenPages are the pages about toolgen whose blocks are executed.
var toolgenPages = []string{"wiring", "facts", "scopes", "releases", "testing"}

// TestToolgenPages executes the commands of each page in a module that toolgen init has begun, and
// compiles its files.
func TestToolgenPages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a module")
	}
	toolkit, err := filepath.Abs("gen")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(t.TempDir(), "hello")
	begin := exec.Command("go", "run", "./cmd/toolgen", "init", "--cli", module, "--toolkit", toolkit)
	begin.Dir = "gen"
	if out, err := begin.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, page := range toolgenPages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("docs", "how-to", "toolgen-"+page+".md"))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(module)); err != nil {
				t.Fatal(err)
			}
			run := &reader{t: t, dir: dir, env: os.Environ()}
			for _, b := range blocks(string(text)) {
				run.follow(b)
				if t.Failed() {
					return
				}
			}
		})
	}
}
