package page

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func FuzzParseKeys(f *testing.F) {
	for _, seed := range []string{"Enter", "Control+a", "Tab Tab Enter", "Control++", "+", "Shift++ +", "Ctrl+Shift+T", "é", "Entr", "a+b", "", " ", "\xff", "日本"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, keys string) {
		chords, err := parseKeys(keys)
		if err != nil {
			if _, ok := errors.AsType[*BadKeyError](err); !ok || len(chords) > 0 {
				t.Fatalf("%q: %v with %d chords", keys, err, len(chords))
			}
			return
		}
		if want := len(strings.Fields(keys)); len(chords) != max(1, want) {
			t.Fatalf("%q: %d chords", keys, len(chords))
		}
		for _, c := range chords {
			if (c.key == nil) == (c.text == "") {
				t.Fatalf("%q: chord %+v is neither a key nor a text", keys, c)
			}
			var bits int64
			for _, m := range c.modifiers {
				bits |= modifierBit(m)
			}
			if bits != c.bits || bits == 0 && len(c.modifiers) > 0 {
				t.Fatalf("%q: modifiers %v, bits %d", keys, c.modifiers, c.bits)
			}
		}
	})
}

func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"submit button", "Search field", "  größe\t", "日本 ボタン", "🙂", "\xff", "menu menu", "e-mail"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		s := parseQuery(query)
		for _, token := range append(slices.Clone(s.Tokens), s.Rest...) {
			if token == "" || strings.ContainsAny(token, " \t\n.,") {
				t.Fatalf("%q: token %q", query, token)
			}
		}
		if len(s.Rest) > len(s.Tokens) || s.RestPhrase != strings.Join(s.Rest, " ") {
			t.Fatalf("%q: rest %q of %q", query, s.Rest, s.Tokens)
		}
		sorted := slices.Clone(s.Roles)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(s.Roles) {
			t.Fatalf("%q: roles %q repeat", query, s.Roles)
		}
	})
}

func FuzzParseContinuation(f *testing.F) {
	for _, seed := range []string{"r1@0", "r12@345", "r@", "r1@-1", "1@1", "r1@1@1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, handle string) {
		id, offset, ok := parseContinuation(handle)
		if !ok {
			return
		}
		if id2, offset2, ok := parseContinuation(continuation(id, offset)); offset < 0 || !ok || id2 != id || offset2 != offset {
			t.Fatalf("%q: %d@%d", handle, id, offset)
		}
	})
}

// For every budget the pieces join to the text. Each is within the budget unless one character
// exceeds it, and ends at a line's end where one is in reach.
func TestCutLinesKeepsAllText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab é日🙂\n"))).Draw(t, "text")
		budget := rapid.IntRange(1, 40).Draw(t, "budget")
		for rest := text; rest != ""; {
			piece := cutLines(rest, budget)
			if piece == "" || !strings.HasPrefix(rest, piece) || !utf8.ValidString(piece) {
				t.Fatalf("piece %q of %q", piece, rest)
			}
			if len(piece) > budget && utf8.RuneCountInString(piece) > 1 {
				t.Fatalf("piece %q exceeds %d bytes", piece, budget)
			}
			if piece != rest && strings.Contains(piece, "\n") && !strings.HasSuffix(piece, "\n") {
				t.Fatalf("piece %q of %q is cut within a line", piece, rest)
			}
			rest = rest[len(piece):]
		}
	})
}

func TestKeysByName(t *testing.T) {
	for keys, want := range map[string]string{
		"enter": "Enter", "Esc": "Escape", "Control++": "+", "+": "+", "Space": " ", "ctrl+PageDown": "PageDown", "del": "Delete", "F12": "F12",
	} {
		chords, err := parseKeys(keys)
		if err != nil || chords[0].key.Key != want {
			t.Errorf("%s: %+v %v", keys, chords, err)
		}
	}
	for keys, nearest := range map[string]string{"Entr": "Enter", "Contrl+a": "Control", "ArowDown": "ArrowDown", "Qwertzuiop": "", "a+b": ""} {
		_, err := parseKeys(keys)
		bad, ok := errors.AsType[*BadKeyError](err)
		if !ok || bad.Nearest != nearest {
			t.Errorf("%s: %v", keys, err)
		}
	}
}
