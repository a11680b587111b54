package spec

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

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
			files = append(files, File{f.Name, f.Data})
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
		{root, []byte("version: 1\ninclude: [tools/page.yaml]\ncapabilities: {core: {title: Core, description: d}}\n" +
			"facts: {on: It is on.}\nscenarios: {cold: [], warm: [on]}\nscopes: {default: {status: open, since: \"1\"}}\n")},
		{"manifest/tools/page.yaml", []byte("tools:\n  - {name: read, title: Read, scope: default, visible: on, was: [old],\n" +
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

func TestParseObject(t *testing.T) {
	f := File{"w.yaml", []byte("one:\n  parameters: {n: {type: integer}, s: {typ: string}}\ntwo: {}\n")}
	o, diags := ParseObject(f, "one", "parameters")
	if o == nil || len(o.Properties) != 2 || o.Properties[0].Schema.Type.Value != "integer" {
		t.Errorf("object: %+v", o)
	}
	if len(diags) != 1 || diags[0].Pos.String() != "w.yaml:2:40" || diags[0].Hint != `did you mean "type"?` {
		t.Errorf("diagnostics: %v", diags)
	}
	if o, diags := ParseObject(f, "two", "parameters"); o != nil || len(diags) > 0 {
		t.Errorf("keys that lead nowhere: %v, %v", o, diags)
	}
}

// A part of a text is where it stands in the source, whatever the quotes: for every character that
// is written as itself, the position of that character holds it.
func TestAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOfN(rapid.RuneFrom([]rune("abé'\"\\ü&|! \t")), 1, 20, -1).Draw(t, "value")
		quoted := "'" + strings.ReplaceAll(value, "'", "''") + "'"
		if rapid.Bool().Draw(t, "double") {
			quoted = strings.ReplaceAll(fmt.Sprintf("%q", value), "é", `\u00e9`)
		}
		src := "p: {é: 1, description: " + quoted + "}\n"
		o, _ := ParseObject(File{"f", []byte(src)})
		if o == nil || o.Properties[0].Schema.Description.Value != value {
			t.Skip("the reader takes it differently")
		}
		text, runes := o.Properties[0].Schema.Description, []rune(src)
		for i, r := range value {
			at := text.At(i, utf8.RuneLen(r))
			if found := runes[at.Col-1]; found != r && found != '\\' && found != '\'' {
				t.Fatalf("%s: byte %d of %q is %q, and its place holds %q", src, i, value, r, found)
			}
		}
		if end := text.At(len(value), 0); runes[end.Col-1] != runes[text.Pos.Col-1] {
			t.Fatalf("%s: the end of %q is at %v, not at the closing quote", src, value, end)
		}
	})
}

func TestAtWholeText(t *testing.T) {
	o, diags := ParseObject(File{"f", []byte("p:\n  description: |\n    a\n    b\n")})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	text := o.Properties[0].Schema.Description
	if at := text.At(2, 1); at != text.Pos || at.Line != 2 || at.Col != 16 {
		t.Errorf("a block scalar has one place, got %v", at)
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
		_, asRoot := Parse(root, []File{{root, data}})
		_, asArea := Parse(root, []File{{root, small}, {"manifest/a.yaml", data}})
		_, asLock := ParseLock(File{"lock.yaml", data})
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
