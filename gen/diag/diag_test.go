package diag

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	words := []string{"core", "storage", "profile", "description", "type", "scope"}
	for _, c := range []struct{ name, want string }{
		{"croe", "core"}, // a swap is one edit
		{"scop", "scope"},
		{"descripton", "description"},
		{"profiel", "profile"},
		{"tpye", "type"},
		{"xyz", ""},
		{"", ""},
		{"descriptXYZ", "description"}, // 11 characters allow three edits
	} {
		if got := Nearest(c.name, words); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
	if got := Nearest("b", []string{"a", "bc"}); got != "bc" {
		t.Errorf("a guess must keep something of a short name: got %q", got)
	}
}

func sample() (List, Source) {
	lines := []string{"a: 1", "\tcapability: croe, é: ü", "b:   [" + strings.Repeat("item, ", 40) + "last]"}
	source := func(file string, line int) (string, bool) {
		if file != "m.yaml" || line > len(lines) {
			return "", false
		}
		return lines[line-1], true
	}
	var l List
	l.Errorf(Pos{"m.yaml", 2, 14, 4}, "unknown-capability", "unknown capability %q", "croe").Hint = `did you mean "core"?`
	d := l.Warnf(Pos{"m.yaml", 3, 247, 4}, "odd", "100%% odd: a,b")
	d.Related = &Related{Pos{"m.yaml", 1, 1, 1}, "first here"}
	l.Errorf(Pos{File: "other.yaml"}, "lost", "the file is empty")
	return l, source
}

func TestText(t *testing.T) {
	l, source := sample()
	var b strings.Builder
	if err := l.Fprint(&b, Text, source); err != nil {
		t.Fatal(err)
	}
	want := `m.yaml:2:14: unknown capability "croe"; did you mean "core"? [unknown-capability]
    capability: croe, é: ü
                ^~~~
m.yaml:3:247: warning: 100% odd: a,b [odd]
    item, item, item, item, item, item, item, item, item, item, last]
                                                                ^~~~
  m.yaml:1:1: first here
other.yaml: the file is empty [lost]
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestNoFileControlsTheTerminal prints messages and source lines that hold controls, marks of direction and tags.
func TestNoFileControlsTheTerminal(t *testing.T) {
	evil := "a\x1b[2Jb\rc\u009bd\u202ee\u2028f\U000E0041g\ah"
	list := List{{Pos: Pos{File: "x.yaml", Line: 1, Col: 1, Len: 1}, Severity: Error, Rule: "bad", Message: "unknown key " + evil, Hint: evil, Detail: evil}}
	for _, format := range []Format{Text, GitHub} {
		var b strings.Builder
		if err := list.Fprint(&b, format, func(string, int) (string, bool) { return evil + "\r", true }); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); strings.ContainsAny(got, "\x1b\r\u009b\u202e\u2028\U000E0041\a") || !strings.Contains(got, "unknown key a\ufffd[2Jb") {
			t.Errorf("%s: %q", format, got)
		}
	}
}

func TestGitHub(t *testing.T) {
	l, source := sample()
	var b strings.Builder
	if err := l.Fprint(&b, GitHub, source); err != nil {
		t.Fatal(err)
	}
	want := `::error file=m.yaml,line=2,col=14,endColumn=18,title=unknown-capability::unknown capability "croe"; did you mean "core"?
::warning file=m.yaml,line=3,col=247,endColumn=251,title=odd::100%25 odd: a,b%0Am.yaml:1:1: first here
::error file=other.yaml,title=lost::the file is empty
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := List(nil).Fprint(&b, JSON, nil); err != nil {
		t.Fatal(err)
	}
	if b.String() != "[]\n" {
		t.Errorf("an empty list is %q", b.String())
	}
}

func TestTextIsCapped(t *testing.T) {
	var l List
	for i := range 45 {
		l.Errorf(Pos{File: "m.yaml", Line: i + 1, Col: 1}, "r", "no")
	}
	var b strings.Builder
	if err := l.Fprint(&b, Text, nil); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 21 || lines[20] != "and 25 more" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}

// Whatever a position claims, the excerpt stays on its line and the caret under it.
func TestExcerptNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.String().Draw(t, "line")
		at := Pos{"f", 1, rapid.IntRange(-2, 300).Draw(t, "col"), rapid.IntRange(-2, 300).Draw(t, "len")}
		var b strings.Builder
		excerpt(&b, strings.ReplaceAll(line, "\n", " "), at)
	})
}
