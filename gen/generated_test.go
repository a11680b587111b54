package gen

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestGenerated compiles the real manifest and compares the plan with the disk, so that stale
// output fails where everybody looks first.
func TestGenerated(t *testing.T) {
	t.Parallel()
	src, err := Load("..")
	if err != nil {
		t.Fatal(err)
	}
	plan, diags := Run(src)
	if len(diags) > 0 {
		t.Fatalf("the manifest has problems: %v", diags)
	}
	changes, err := plan.Diff("../" + Generated)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		t.Errorf("%s/%s is %s at line %d; run: go generate ./...", Generated, c.Path, c.Kind, c.Line)
	}
}

// BenchmarkGenerate compiles the real manifest, without the disk.
func BenchmarkGenerate(b *testing.B) {
	src, err := Load("..")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if plan, diags := Run(src); plan == nil {
			b.Fatal(diags)
		}
	}
}

// maxColumns is the longest line of generated Go, with tabs of four columns.
const maxColumns = 140

// TestGeneratedLinesAreShort holds generated Go to lines that a reviewer can read.
func TestGeneratedLinesAreShort(t *testing.T) {
	t.Parallel()
	src, err := Load("..")
	if err != nil {
		t.Fatal(err)
	}
	plan, diags := Run(src)
	if plan == nil {
		t.Fatal(diags)
	}
	for _, f := range plan.Files {
		if path.Ext(f.Path) != ".go" {
			continue
		}
		for n, line := range strings.Split(string(f.Data), "\n") {
			if width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); width > maxColumns {
				t.Errorf("%s:%d has %d columns, more than %d", f.Path, n+1, width, maxColumns)
			}
		}
	}
}
