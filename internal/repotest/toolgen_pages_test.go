//go:build unix

package repotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// toolgenSections are the sections of pages about toolgen whose blocks are executed, by page.
var toolgenSections = map[string][]string{
	"how-to/toolgen-server.md":      {"List tools by state", "Promise it"},
	"how-to/toolgen-releases.md":    {"Freeze a scope", "Record a release", "Test a server"},
	"reference/toolgen-protocol.md": {"Wire a server and a command line"},
}

// TestToolgenPages executes the commands of each section in a module that toolgen init has begun, and
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
	for page, sections := range toolgenSections {
		for _, heading := range sections {
			t.Run(heading, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(module)); err != nil {
					t.Fatal(err)
				}
				run := &reader{t: t, dir: dir, env: os.Environ()}
				for _, b := range blocks(section(t, filepath.Join("docs", filepath.FromSlash(page)), heading)) {
					run.follow(b)
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// section returns the text of a document below a heading of the second level.
func section(t *testing.T, document, heading string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", document, heading)
	}
	body, _, _ := strings.Cut(rest, "\n## ")
	return body
}
