package chromium

import (
	"slices"
	"testing"
)

func TestKnownExecutables(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"darwin", "windows", "linux"} {
		if !slices.Contains(knownExecutables(goos), "chromium") {
			t.Errorf("%s: no chromium", goos)
		}
	}
}
