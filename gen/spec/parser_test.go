package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/callsheet/callsheet/gen/spec"
)

// TestParserParsesWhatChanged edits one of two files: the entries of the other are the same, and the tree is
// that of a parser without a memory, mistakes included.
func TestParserParsesWhatChanged(t *testing.T) {
	t.Parallel()
	root := spec.File{Name: "manifest/tools.yaml", Data: []byte("version: 1\ninclude: [a.yaml, b.yaml]\ncapabilities: {}\nscopes: {}\n")}
	a := spec.File{Name: "manifest/a.yaml", Data: []byte("tools:\n  - {name: one, tilte: One}\n")}
	b := spec.File{Name: "manifest/b.yaml", Data: []byte("tools:\n  - {name: two}\n")}
	var parser spec.Parser
	first, _ := parser.Parse(root.Name, []spec.File{root, a, b})
	b.Data = []byte("tools:\n  - {name: three}\n")
	root.Data = append([]byte("# a comment moves the includes\n"), root.Data...)
	files := []spec.File{root, a, b}
	second, diags := parser.Parse(root.Name, files)
	if first.Areas[0].Tools[0] != second.Areas[0].Tools[0] {
		t.Error("the file that did not change was parsed again")
	}
	want, wantDiags := spec.Parse(root.Name, files)
	unexported := cmpopts.IgnoreUnexported(spec.Text{})
	if d := cmp.Diff(want, second, unexported); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(wantDiags, diags); d != "" || len(diags) == 0 {
		t.Error(d)
	}
}
