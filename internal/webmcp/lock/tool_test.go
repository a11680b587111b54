package lock_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/webmcp/lock"
)

// TestNesting counts objects and arrays alone: brackets inside of texts do not nest.
func TestNesting(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`1`: 0, `{}`: 1, `[[]]`: 2, `{"a":[{}],"b":{}}`: 3, `{"[[[":"{{{"}`: 1, `["\\",["\"["]]`: 2,
	} {
		if got := lock.Nesting([]byte(text)); got != want {
			t.Errorf("%s is nested %d deep, want %d", text, got, want)
		}
	}
}
