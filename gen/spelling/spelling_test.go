package spelling

import (
	"testing"

	"pgregory.net/rapid"
)

// The distance is a measure of edits: symmetric, zero only between equals, one for each single
// edit.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.RuneFrom([]rune("abcé")), 0, 8)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		d := distance(a, b)
		if d != distance(b, a) {
			t.Fatalf("distance(%q, %q) is not symmetric", string(a), string(b))
		}
		if (d == 0) != (string(a) == string(b)) {
			t.Fatalf("distance(%q, %q) = %d", string(a), string(b), d)
		}
		if d < abs(len(a)-len(b)) || d > max(len(a), len(b)) {
			t.Fatalf("distance(%q, %q) = %d is out of bounds", string(a), string(b), d)
		}
		i := rapid.IntRange(0, len(a)).Draw(t, "i")
		longer := append(append(append([]rune{}, a[:i]...), 'x'), a[i:]...)
		if got := distance(a, longer); got != 1 {
			t.Fatalf("an insertion costs %d", got)
		}
	})
}
