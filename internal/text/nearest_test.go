package text_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/text"
)

// TestNearestEqualsToolkit compares both implementations: clients must not see two opinions on one
// typing error.
func TestNearestEqualsToolkit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringMatching(`[abcä]{0,8}`)
		name, candidates := word.Draw(rt, "name"), rapid.SliceOfN(word, 0, 6).Draw(rt, "candidates")
		if got, want := text.Nearest(name, candidates), toolkit.Nearest(name, candidates); got != want {
			rt.Errorf("Nearest(%q, %q) = %q, toolkit.Nearest gives %q", name, candidates, got, want)
		}
	})
}
