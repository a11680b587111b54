package yamltree

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/diag"
)

// description returns the text at p.description of a file.
func description(src string) (Text, diag.List) {
	d, diags := ReadDocument(File{"f", []byte(src)}, &Grammar{What: "a file"})
	if d == nil || d.Root.Member("p") == nil || d.Root.Member("p").Member("description") == nil {
		return Text{}, diags
	}
	return d.Root.Member("p").Member("description").Text, diags
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
		text, _ := description(src)
		if text.Value != value {
			t.Skip("the reader takes it differently")
		}
		runes := []rune(src)
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
	text, diags := description("p:\n  description: |\n    a\n    b\n")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if at := text.At(2, 1); at != text.Pos || at.Line != 2 || at.Col != 16 {
		t.Errorf("a block scalar has one place, got %v", at)
	}
}
