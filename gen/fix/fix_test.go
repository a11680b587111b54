package fix

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/diag"
)

func at(line, col, length int) diag.Pos {
	return diag.Pos{File: "f", Line: line, Col: col, Len: length}
}

func TestApply(t *testing.T) {
	text := "é: one # kept\n\tb: two\n"
	edits := []diag.Edit{
		diag.Replace(at(1, 4, 3), "1"),
		diag.Insert(at(3, 1, 1), "c: 3\n"),
		diag.Replace(at(2, 5, 3), `"two"`),
		diag.Insert(at(1, 1, 1), "# "),
	}
	got, err := Apply([]byte(text), edits)
	if want := "# é: 1 # kept\n\tb: \"two\"\nc: 3\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for _, e := range []diag.Edit{diag.Replace(at(1, 12, 5), ""), diag.Insert(at(9, 1, 1), "x"), diag.Insert(at(2, 9, 1), "x")} {
		if got, err := Apply([]byte(text), []diag.Edit{e}); err == nil {
			t.Errorf("%+v lies outside and made %q", e, got)
		}
	}
}

func TestPlanLeavesOverlapsForLater(t *testing.T) {
	fixed := func(edits ...diag.Edit) diag.Diagnostic { return diag.Diagnostic{Fix: diag.FixBy("t", edits...)} }
	other := diag.Replace(at(5, 1, 2), "x")
	other.File = "lock"
	list := diag.List{
		fixed(diag.Replace(at(1, 4, 4), "a")),
		fixed(diag.Replace(at(1, 6, 4), "b")), // overlaps the first
		fixed(diag.Replace(at(1, 8, 4), "c")),
		fixed(other),
		{Hint: "only likely"},
		fixed(diag.Insert(at(1, 8, 1), "d")),                                  // where another begins
		fixed(diag.Replace(at(2, 1, 1), "e"), diag.Replace(at(1, 5, 1), "f")), // one of two overlaps
	}
	got := Plan(list, func(file string) bool { return file == "f" })
	var texts []string
	for _, d := range got {
		texts = append(texts, d.Fix.Edits[0].Text)
	}
	if strings.Join(texts, "") != "ac" {
		t.Errorf("chosen: %q", texts)
	}
}

// An edit changes what it names and nothing else.
func TestApplyKeepsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[aé:# \t]{0,6}`), 1, 6).Draw(t, "lines")
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		runes := []rune(lines[i])
		from := rapid.IntRange(0, len(runes)).Draw(t, "from")
		to := rapid.IntRange(from, len(runes)).Draw(t, "to")
		e := diag.Edit{File: "f", Line: i + 1, Col: from + 1, EndLine: i + 1, EndCol: to + 1, Text: "new"}
		got, err := Apply([]byte(strings.Join(lines, "\n")), []diag.Edit{e})
		lines[i] = string(runes[:from]) + "new" + string(runes[to:])
		if want := strings.Join(lines, "\n"); err != nil || string(got) != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	})
}
