package yamltree

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A template without quotes is text, whatever stands in it, and everything keeps its place.
func TestBareTemplates(t *testing.T) {
	src := "a: {{ full_page | true }}\nargs: { x: {{ y | \"png\" }}, z: 1 }\nlist: [{{ q.r[0] }}, b]\nprose: |\n  {{ kept }}\n"
	d, diags := ReadDocument(File{"w.yaml", []byte(src)}, &Grammar{What: "a file"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := d.Root.Member("a").Text; got.Value != "{{ full_page | true }}" || got.At(3, 9).Col != 7 {
		t.Errorf("a: %+v", got)
	}
	args := d.Root.Member("args")
	if got := args.Member("x").Text.Value; got != `{{ y | "png" }}` {
		t.Errorf("x: %q", got)
	}
	if z := args.Member("z"); z.Number != 1 || z.Pos.Col != 32 {
		t.Errorf("z: %+v", z)
	}
	if got := d.Root.Member("list").Items[0].Text.Value; got != "{{ q.r[0] }}" {
		t.Errorf("list: %q", got)
	}
	if got := d.Root.Member("prose").Text.Value; got != "{{ kept }}\n" {
		t.Errorf("prose: %q", got)
	}
}

// Messages name the kind of file that the grammar describes.
func TestGrammarNamesFile(t *testing.T) {
	for _, src := range []string{"%YAML 1.2\n---\na: 1\n", "a: &x 1\n", "a: 1\n---\nb: 2\n", "a: !!str 1\n"} {
		_, diags := ReadDocument(File{"p.yaml", []byte(src)}, &Grammar{What: "a policy"})
		if len(diags) != 1 || !strings.Contains(diags[0].Message, "not part of a policy") {
			t.Errorf("%q: %v", src, diags)
		}
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte("a: {{ x | true }}\nb: [{{ y }}]\n"))
	f.Add([]byte("w:\n  steps:\n    - call: a:b\n      args: { u: \"{{ url }}\" }\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, diags := ReadDocument(File{"w.yaml", data}, &Grammar{What: "a file"})
		lines := strings.Split(string(data), "\n")
		for _, d := range diags {
			if d.Pos.Line > len(lines) || d.Pos.Line > 0 && (d.Pos.Col < 1 || d.Pos.Col > utf8.RuneCountInString(lines[d.Pos.Line-1])+1) {
				t.Fatalf("%v is not in the file: %s", d.Pos, d.Message)
			}
		}
	})
}
