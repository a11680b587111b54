package emittest

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// update rewrites golden archives instead of comparing with them.
var update = flag.Bool("update", false, "rewrite golden archives")

// Update reports whether golden files are rewritten.
func Update() bool { return *update }

// Golden compares planned files with the txtar archive at path, file by file and byte by byte.
// Every file must end in a newline, which the archive cannot leave out and which text files owe
// anyway.
func Golden(t *testing.T, path string, files []output.File) {
	t.Helper()
	got := &txtar.Archive{}
	for _, f := range files {
		if len(f.Data) == 0 || f.Data[len(f.Data)-1] != '\n' {
			t.Errorf("%s does not end in a newline", f.Path)
		}
		got.Files = append(got.Files, txtar.File{Name: f.Path, Data: f.Data})
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatalf("read the golden archive (-update writes it): %v", err)
	}
	if diff := cmp.Diff(contents(want), contents(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// contents is the archive as readable pairs; cmp shows a changed byte slice as hex.
func contents(a *txtar.Archive) [][2]string {
	return slicesx.List(a.Files, func(f txtar.File) [2]string { return [2]string{f.Name, string(f.Data)} })
}
