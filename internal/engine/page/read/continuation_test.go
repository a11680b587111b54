package read

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

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
			if end := strings.LastIndexByte(piece, '\n'); piece != rest && end >= budget/2 && end+1 != len(piece) {
				t.Fatalf("piece %q of %q is cut within a line", piece, rest)
			}
			rest = rest[len(piece):]
		}
	})
}
