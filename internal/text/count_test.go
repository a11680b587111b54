package text_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/text"
)

func TestCount(t *testing.T) {
	for want, c := range map[string]struct {
		n    int
		what string
	}{"0 errors": {0, "error"}, "1 error": {1, "error"}, "2 canvases": {2, "canvas"}, "1 canvas": {1, "canvas"}} {
		if got := text.Count(c.n, c.what); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
