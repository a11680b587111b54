package claim

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/spec"
)

// TestUses holds the places at which words are found: in any case, by their beginning, over the end
// of a line, and not inside of other words.
func TestUses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Undetectable.":                     {"a.md:1:1"},
		"ä stealthy, STEALTH":               {"a.md:1:3", "a.md:1:13"},
		"It works\neverywhere.":             {"a.md:1:4"},
		"// It works\n// everywhere.":       {"a.md:1:7"},
		"  # never\n  #  fails":             {"a.md:1:5"},
		"one\n\n100 % and 100% of it":       {"a.md:3:1", "a.md:3:11"},
		"encloud, it works, and everywhere": nil,
		"works\n\neverywhere":               nil,
		"":                                  nil,
	} {
		var got []string
		for _, d := range Check(Facts{Texts: []spec.File{{Name: "a.md", Data: []byte(text)}}}) {
			got = append(got, d.Pos.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestWordsOfTheProject shows that a file of claims adds words, and that an entry covers its own
// text alone.
func TestWordsOfTheProject(t *testing.T) {
	t.Parallel()
	text := func(v string) spec.Text { return spec.Text{Value: v} }
	facts := Facts{
		Texts:  []spec.File{{Name: "a.md", Data: []byte("A sky-high promise. Another sky-high one.")}, {Name: "b.md"}},
		Docs:   []spec.File{{Name: "a.md"}, {Name: "b.md"}},
		Claims: spec.Claims{Words: []string{"sky-high"}, Entries: []spec.Claim{{File: text("a.md"), Text: text("A sky-high promise"), Evidence: text("b.md")}}},
	}
	diags := Check(facts)
	if len(diags) != 1 || diags[0].Rule != "claim-unlisted" || diags[0].Pos.Col != 29 {
		t.Errorf("%v", diags)
	}
	facts.Claims.Entries[0].Evidence = text("a.md")
	if diags := Check(facts); len(diags) != 2 || diags[1].Rule != "claim-evidence" {
		t.Errorf("a document is evidence of itself: %v", diags)
	}
}

// TestCaseOfLettersOutsideASCII shows that a word is found in any case also where letters take more
// than a byte, and that the places before and after such letters are right.
func TestCaseOfLettersOutsideASCII(t *testing.T) {
	t.Parallel()
	facts := Facts{
		Texts:  []spec.File{{Name: "a.md", Data: []byte("İ \xff Übergroß, STEALTH and übergroß.")}},
		Claims: spec.Claims{Words: []string{"ÜBERgroß"}},
	}
	var got []string
	for _, d := range Check(facts) {
		got = append(got, d.Pos.String())
	}
	if diff := cmp.Diff([]string{"a.md:1:5", "a.md:1:15", "a.md:1:27"}, got); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkCheck reads a document of 1 MB that has none of the words.
func BenchmarkCheck(b *testing.B) {
	facts := Facts{Texts: []spec.File{{Name: "a.md", Data: bytes.Repeat([]byte("It always does what the state of a page allows, and never waits.\n"), 16_000)}}}
	b.SetBytes(int64(len(facts.Texts[0].Data)))
	for b.Loop() {
		if diags := Check(facts); len(diags) > 0 {
			b.Fatal(diags)
		}
	}
}
