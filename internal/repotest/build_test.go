package repotest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// buildTags are the files that a tag chooses, by the tag: no test sees what else a build with it would run.
var buildTags = map[string][]string{
	"release": {"cmd/callsheet/release.go", "manifest/embed.go", "gen/emit/golang/sources.go", "generated/registry/release_gate.go", "generated/registry/release_sources.go"},
	"manual":  {"internal/cli/manual/manual.go", "internal/cli/manual/nomanual.go"},
}

// constraint matches a tag of a build constraint that is no system.
var constraint = regexp.MustCompile(`\w+`)

// TestBuildsRunTheTestedCode refuses code that only a build with tags of its own has, and links past the compiler: a
// handler could be exchanged by either.
func TestBuildsRunTheTestedCode(t *testing.T) {
	t.Parallel()
	systems := " unix linux darwin windows "
	read := 0
	if err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			return err
		}
		text, err := os.ReadFile(file)
		if problem := untestedBuild(filepath.ToSlash(file), text, systems); problem != "" {
			t.Errorf("%s %s", file, problem)
		}
		read++
		return err
	}); err != nil || read < 1000 {
		t.Errorf("%d files were read: %v", read, err)
	}
	for text, want := range map[string]string{
		"//go:build release\n\npackage act": "tag release", "//go:build !release && linux\n\npackage act": "tag release", "// +build release\n\npackage act": "old form",
		"package act\n\n//go:linkname interact github.com/callsheet/callsheet/tools/act.click\n": "links", "//go:build unix && !linux\n\npackage act": "",
		"package act\n\nconst text = `//go:linkname`\n": "",
	} {
		if got := untestedBuild("tools/act/act.go", []byte(text), systems); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// untestedBuild returns what of a file may keep tests from what a build runs; "" for nothing.
func untestedBuild(file string, text []byte, systems string) string {
	for line := range bytes.Lines(text) {
		switch line := strings.TrimRight(string(line), "\n"); {
		case strings.HasPrefix(line, "//go:linkname "):
			return "links a name past the compiler"
		case strings.HasPrefix(line, "// +build "):
			return "has a build constraint of the old form"
		case strings.HasPrefix(line, "//go:build "):
			for _, tag := range constraint.FindAllString(strings.TrimPrefix(line, "//go:build "), -1) {
				if strings.Contains(systems, " "+tag+" ") || isListed(file, buildTags[tag]) {
					continue
				}
				return "is built with the tag " + tag + " alone, which no test sets"
			}
		}
	}
	return ""
}

// isListed reports whether a path is one of a list, also below a module of its own.
func isListed(file string, list []string) bool {
	for _, path := range list {
		if file == path || strings.HasPrefix(file, "examples/") && strings.HasSuffix(file, "/"+path) {
			return true
		}
	}
	return false
}
