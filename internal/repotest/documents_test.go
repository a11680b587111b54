package repotest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// documentWidth is the longest line of a document, in characters.
const documentWidth = 120

// relativeLink matches a link of a document to a file of the repository or to a heading.
var relativeLink = regexp.MustCompile(`\]\(([^)\s:]+)\)`)

// TestDocuments holds the documents that people write: each relative link leads to a file and a heading that exist, no
// line is longer than documentWidth, and no retired word or phrase occurs.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > documentWidth && strings.HasPrefix(name, "docs/") {
				t.Errorf("%s:%d: %d columns, of at most %d", name, i+1, n, documentWidth)
			}
			if !strings.HasSuffix(name, "/toolgen-manifest.md") { // written from the schema of the manifest
				checkProse(t, name, i+1, line)
			}
		}
		for _, m := range relativeLink.FindAllStringSubmatch(string(text), -1) {
			checkLink(t, name, m[1])
		}
	}
}

// documents returns the paths of the documents: those at the root, and those below docs.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "bench/README.md"}
	err := filepath.WalkDir("docs", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// checkLink reports a relative link of a document that leads nowhere.
func checkLink(t *testing.T, document, link string) {
	t.Helper()
	file, anchor, _ := strings.Cut(link, "#")
	target := document
	if file != "" {
		target = path.Join(path.Dir(document), file)
	}
	text, err := os.ReadFile(target)
	if info, statErr := os.Stat(target); statErr != nil {
		t.Errorf("%s: %s does not exist", document, link)
	} else if err != nil && !info.IsDir() {
		t.Error(err)
	}
	if anchor != "" && path.Ext(target) == ".md" && !hasHeading(string(text), anchor) {
		t.Errorf("%s: %s has no such heading", document, link)
	}
}

// hasHeading reports whether a document has a heading with an anchor.
func hasHeading(text, anchor string) bool {
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if heading := strings.TrimLeft(line, "#"); !fenced && heading != line && anchorOf(heading) == anchor {
			return true
		}
	}
	return false
}

// anchorOf returns the anchor that GitHub makes of a heading.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}
