package repotest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// linkedTest matches a link of docs/internals/security.md to a test: its name and its file.
var linkedTest = regexp.MustCompile(`\[(\w+)\]\(\.\./\.\./([^)]+_test\.go)\)`)

// TestSecurityClaimsHaveTests holds that each test that docs/internals/security.md links to exists in that
// file, as a function or as an attack, and that each claim has one.
func TestSecurityClaimsHaveTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("docs", "internals", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## What holds\n")
	claims, _, ended := strings.Cut(rest, "\n## ")
	if !found || !ended {
		t.Fatal("the document has no section about what holds")
	}
	for _, claim := range strings.Split(claims, "\n- ")[1:] {
		claim, _, _ = strings.Cut(claim, "\n\n")
		links := linkedTest.FindAllStringSubmatch(claim, -1)
		if len(links) == 0 {
			t.Errorf("a claim without a test: %s", claim)
		}
		for _, link := range links {
			if file, err := os.ReadFile(link[2]); err != nil || !hasTest(string(file), link[1]) {
				t.Errorf("%s has no test %s (%v)", link[2], link[1], err)
			}
		}
	}
}

// hasTest reports whether a file has a test or attack of this name. Attacks of a table have the end of
// their name there, or the beginning of it.
func hasTest(file, name string) bool {
	if strings.Contains(file, "func "+name+"(") || strings.Contains(file, `"`+name+"_") {
		return true
	}
	for end := name; end != ""; _, end, _ = strings.Cut(end, "_") {
		if strings.Contains(file, `"`+end+`"`) {
			return true
		}
	}
	return false
}
