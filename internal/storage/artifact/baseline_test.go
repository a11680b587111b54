package artifact

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestIsName: a name under which something is kept is a plain part of a path.
func TestIsName(t *testing.T) {
	t.Parallel()
	grammar := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-z0-9@\[._/-]{0,70}`)).Draw(t, "name")
		if IsName(name) != grammar.MatchString(name) {
			t.Fatalf("%q: %t", name, IsName(name))
		}
	})
	for name, want := range map[string]bool{"": false, "..": false, "a/b": false, "a\n": false, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false} {
		if IsName(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}
