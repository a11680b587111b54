package gen

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// foreign are words of one kind of server. The compiler and the toolkit serve every kind: what they
// must know of one, a manifest declares.
var foreign = regexp.MustCompile(`(?i)\b(browsers?|chromium|chrome|tabs?|debuggers?|devtools|playwright|puppeteer|webdriver|openchrome|cdp|dom|javascript|iframes?|` +
	`viewports?|screenshots?|cookies?|clipboard|xpath|no-?evaluate|evaluate|navigations?|navigate|headless)\b`)

// TestNoWordIsOfOneKindOfServer reads the sources and templates of this module but its tests and what
// only tests import.
func TestNoWordIsOfOneKindOfServer(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "emittest" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		if ext := filepath.Ext(path); ext != ".go" && ext != ".tmpl" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			for _, word := range foreign.FindAllString(line, -1) {
				t.Errorf("%s:%d: %q is a word of one kind of server", path, number, word)
			}
		}
		return nil
	})
	if err != nil || read < 100 {
		t.Fatalf("%d files read: %v", read, err)
	}
}
