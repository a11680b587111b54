package reference_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/spec"
)

func TestExamplesCompile(t *testing.T) {
	t.Parallel()
	modules, err := os.ReadDir("examples")
	if err != nil || len(modules) == 0 {
		t.Fatalf("%v, %d modules", err, len(modules))
	}
	for _, m := range modules {
		t.Run(m.Name(), func(t *testing.T) {
			t.Parallel()
			src := source(t, m.Name())
			if _, diags := gen.Check(src); len(diags) > 0 {
				for _, d := range diags {
					t.Errorf("%s: %s (%s)", d.Pos, d.Message, d.Rule)
				}
			}
		})
	}
}

// source is a module of the examples, as the compiler reads one.
func source(t *testing.T, name string) gen.Source {
	t.Helper()
	src := gen.Source{Module: "example.org/" + name}
	files := os.DirFS("examples/" + name)
	err := fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err == nil && !src.Add(spec.File{Name: path, Data: data}) {
			t.Errorf("%s is no file that the compiler reads", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return src
}
