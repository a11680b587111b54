package repotest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/starter"
)

// TestMinimalExampleIsWhatInitWrites keeps examples/minimal equal to what toolgen init begins a module
// with, but for the place of the schema of manifests. To bring it up to date, remove it and run
// "go tool toolgen init examples/minimal --module github.com/callsheet/callsheet/examples/minimal --toolkit gen".
func TestMinimalExampleIsWhatInitWrites(t *testing.T) {
	t.Parallel()
	const dir = "examples/minimal"
	files, err := starter.Files(starter.Module{Path: Module + "/" + dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == "manifest/tools.yaml" { // the schema of manifests is in the repository once
			f.Data = bytes.Replace(f.Data, []byte("$schema=../generated"), []byte("$schema=../../../generated"), 1)
		}
		have, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(string(f.Data), string(have)); d != "" {
			t.Errorf("%s/%s (-init +example)\n%s", dir, f.Path, d)
		}
	}
}

// TestExamplesAreCompiled keeps what is generated in each example equal to its manifest.
func TestExamplesAreCompiled(t *testing.T) {
	t.Parallel()
	manifests, err := filepath.Glob("examples/*/manifest/tools.yaml")
	if err != nil || len(manifests) < 2 {
		t.Fatalf("%d manifests: %v", len(manifests), err)
	}
	for _, manifest := range manifests {
		dir := filepath.Dir(filepath.Dir(manifest))
		src, err := gen.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		plan, diags := gen.Run(src)
		if len(diags) > 0 {
			t.Errorf("%s: %v", dir, diags)
			continue
		}
		changes, err := plan.Diff(filepath.Join(dir, "generated"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			t.Errorf("%s/generated/%s is %s; run: go -C %s generate ./...", dir, c.Path, c.Kind, dir)
		}
	}
}
