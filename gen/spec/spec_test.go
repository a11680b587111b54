package spec

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callsheet/callsheet/gen/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const root = "manifest/tools.yaml"

// Each archive holds manifest files and, as want.txt, every diagnostic of reading them, as a person
// sees it.
func TestDiagnostics(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := sources(archive)
			_, diags := Parse(root, files)
			var got bytes.Buffer
			if err := diags.Sorted().Fprint(&got, diag.Text, line(files)); err != nil {
				t.Fatal(err)
			}
			golden(t, name, archive, got.Bytes())
		})
	}
}

func sources(archive *txtar.Archive) []File {
	var files []File
	for _, f := range archive.Files {
		if f.Name != "want.txt" {
			files = append(files, File{Name: f.Name, Data: f.Data})
		}
	}
	return files
}

func line(files []File) diag.Source {
	return func(file string, line int) (string, bool) {
		for _, f := range files {
			if lines := strings.Split(string(f.Data), "\n"); f.Name == file && line <= len(lines) {
				return lines[line-1], true
			}
		}
		return "", false
	}
}

func golden(t *testing.T, name string, archive *txtar.Archive, got []byte) {
	t.Helper()
	for i, f := range archive.Files {
		if f.Name != "want.txt" {
			continue
		}
		if !*update {
			if diff := cmp.Diff(string(f.Data), string(got)); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
			return
		}
		archive.Files[i].Data = got
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatal("the archive has no want.txt")
}

func TestTree(t *testing.T) {
	files := []File{
		{Name: root, Data: []byte("version: 1\ninclude: [tools/page.yaml]\ncapabilities: {core: {title: Core, description: d}}\n" +
			"facts: {on: It is on.}\nscenarios: {cold: [], warm: [on]}\nscopes: {default: {status: open, since: \"1\"}}\n")},
		{Name: "manifest/tools/page.yaml", Data: []byte("tools:\n  - {name: read, title: Read, scope: default, visible: on, was: [old],\n" +
			"     input: {a: {type: integer, minimum: 1.5, default: 2}, b: {type: array, items: {type: string}}}}\n")},
	}
	tree, diags := Parse(root, files)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	tool := tree.Areas[0].Tools[0]
	a, b := tool.Input.Properties[0].Schema, tool.Input.Properties[1].Schema
	got := []any{
		tree.Areas[0].Name.Value, tool.Name.Value, tool.Scopes[0].Value, tool.Was[0].Value, tool.Name.Pos.String(),
		a.Minimum.Value, a.Default.Number, a.Default.Kind, b.Items.Type.Value, tree.Scenarios[1].Facts[0].Value,
	}
	want := []any{"page", "read", "default", "old", "manifest/tools/page.yaml:2:12", 1.5, 2.0, NumberLiteral, "string", "on"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// No input makes the reader panic, and every position it gives exists.
func FuzzParse(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name != "want.txt" {
				f.Add(file.Data)
			}
		}
	}
	f.Add([]byte("a: &x [1, *x, !!t 2]\n? b\n: c\n<<: *x\n--- |\n  z\r\n\t"))
	f.Fuzz(func(t *testing.T, data []byte) {
		small := []byte("version: 1\ninclude: [a.yaml]\ncapabilities: {}\nscenarios: {}\nscopes: {}\n")
		_, asRoot := Parse(root, []File{{Name: root, Data: data}})
		_, asArea := Parse(root, []File{{Name: root, Data: small}, {Name: "manifest/a.yaml", Data: data}})
		_, asLock := ParseLock(File{Name: "lock.yaml", Data: data})
		inside(t, root, data, asRoot)
		inside(t, "manifest/a.yaml", data, asArea)
		inside(t, "lock.yaml", data, asLock)
	})
}

func inside(t *testing.T, file string, data []byte, diags diag.List) {
	lines := strings.Split(string(data), "\n")
	for _, d := range diags {
		switch at := d.Pos; {
		case at.Line == 0, at.File != file:
		case at.Line > len(lines), at.Col < 1, at.Col > utf8.RuneCountInString(lines[at.Line-1])+1:
			t.Fatalf("%v is not in the file: %s", at, d.Message)
		}
	}
}
