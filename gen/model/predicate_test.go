package model

import (
	"errors"
	"strings"
	"testing"
)

func someFacts() []*Fact {
	var facts []*Fact
	for i, name := range []string{"connected", "paused", "dialog_open", "x"} {
		facts = append(facts, &Fact{Name: name, Bit: i})
	}
	return facts
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		" always ":                         "",
		"((paused))":                       "paused",
		"connected&&(paused&&x)":           "connected && paused && x",
		"(connected && paused) || x":       "connected && paused || x",
		"connected && (paused || x)":       "connected && (paused || x)",
		"!(connected && !paused)":          "!(connected && !paused)",
		"!(x)":                             "!x",
		"!!x":                              "!!x",
		"connected ||\n  (paused || x)\n":  "connected || paused || x",
		"(connected||x)&&(paused)&&(x||x)": "(connected || x) && paused && (x || x)",
	} {
		p, err := ParsePredicate(text, someFacts())
		if err != nil || p.Text != want {
			t.Errorf("%q: %q, %v; want %q", text, p.Text, err, want)
		}
		if p.Always() != (want == "") {
			t.Errorf("%q: always is %v", text, p.Always())
		}
	}
}

// Whatever the text: an error lies inside it; a predicate's canonical text is read back as itself;
// and it holds in just the states in which the text does, by an evaluator that shares nothing with
// the parser.
func FuzzPredicate(f *testing.F) {
	for _, seed := range []string{"always", "!connected || paused && x", "(x)", "a > 1", "x &", "not x", "!(x||!paused)&&connected\n", "x//", "«x»", ""} {
		f.Add(seed)
	}
	facts := someFacts()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePredicate(text, facts)
		var bad *PredicateError
		if errors.As(err, &bad) {
			if bad.Offset < 0 || bad.Length < 0 || bad.Offset+bad.Length > len(text) {
				t.Fatalf("%q: %d bytes from %d are not in it", text, bad.Length, bad.Offset)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %T: %v", text, err, err)
		}
		if p.Always() {
			return
		}
		again, err := ParsePredicate(p.Text, facts)
		if err != nil || again.Text != p.Text {
			t.Fatalf("%q: canonical %q is read as %q, %v", text, p.Text, again.Text, err)
		}
		for state := range uint64(1 << len(facts)) {
			if want := evaluate(text, facts, state); p.Holds(state) != want || again.Holds(state) != want {
				t.Fatalf("%q in state %b: %v, want %v", text, state, p.Holds(state), want)
			}
		}
	})
}

// evaluate reduces the text itself: facts become 1 and 0, then innermost groups and operators are
// rewritten until one digit is left.
func evaluate(text string, facts []*Fact, state uint64) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n()!&|", r) })
	s := text
	for _, name := range words { // longest first is not needed: words are replaced where they stand, left to right
		i := strings.Index(s, name)
		digit := "0"
		for _, f := range facts {
			if f.Name == name && state>>f.Bit&1 == 1 {
				digit = "1"
			}
		}
		s = s[:i] + digit + s[i+len(name):]
	}
	s = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace(s)
	for before := ""; before != s; {
		before = s
		s = reduce(s)
	}
	return s == "1"
}

// reduce applies the first rule that fits: groups and negations, then conjunctions, and
// disjunctions only when no conjunction is left in front of or behind them.
func reduce(s string) string {
	for _, r := range []struct{ from, to string }{{"(0)", "0"}, {"(1)", "1"}, {"!0", "1"}, {"!1", "0"},
		{"0&&0", "0"}, {"0&&1", "0"}, {"1&&0", "0"}, {"1&&1", "1"}} {
		if strings.Contains(s, r.from) {
			return strings.Replace(s, r.from, r.to, 1)
		}
	}
	for _, r := range []struct{ from, to string }{{"0||0", "0"}, {"0||1", "1"}, {"1||0", "1"}, {"1||1", "1"}} {
		for i := 0; i+4 <= len(s); i++ {
			if s[i:i+4] != r.from || strings.HasPrefix(s[i+4:], "&&") || strings.HasSuffix(s[:i], "&&") || strings.HasSuffix(s[:i], "!") {
				continue
			}
			return s[:i] + r.to + s[i+4:]
		}
	}
	return s
}
