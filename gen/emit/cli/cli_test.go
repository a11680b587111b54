package cli_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/callsheet/callsheet/gen/emit/cli"
	"github.com/callsheet/callsheet/gen/emit/docs"
	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// set compiles the manifest of testdata.
func set(t *testing.T) *model.Toolset {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/manifest.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var files []spec.File
	for _, f := range archive.Files {
		files = append(files, spec.File{Name: f.Name, Data: f.Data})
	}
	tree, diags := spec.Parse("tools.yaml", files)
	ts, more := model.Resolve("example.org/tools", tree)
	if len(diags)+len(more) > 0 {
		t.Fatal(diags, more)
	}
	return ts
}

// TestEmit holds the table, and the page about it, against what was reviewed.
func TestEmit(t *testing.T) {
	t.Parallel()
	ts := set(t)
	files, err := cli.Emit(ts)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := docs.Emit(ts)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Path == "docs/CLI.md" {
			files = append(files, p)
		}
	}
	emittest.Golden(t, "testdata/emit.txtar", files)
}

func TestNoProgramNoCommandLine(t *testing.T) {
	t.Parallel()
	if files, err := cli.Emit(emittest.Toolset()); len(files) > 0 || err != nil {
		t.Errorf("%v %v", files, err)
	}
}
