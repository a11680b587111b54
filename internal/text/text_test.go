package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/internal/text"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in           string
		limit        int
		runes, bytes string
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "…"},
		{"äöüß", 3, "äö…", "…"},
		{"äöüß", 4, "äöüß", "…"},
		{"äöüß", 7, "äöüß", "äö…"},
		{"abcd", 0, "", ""},
		{"abcd", -1, "", ""},
		{"abcd", 2, "a…", "ab"},
	} {
		if got := text.ClipRunes(c.in, c.limit); got != c.runes {
			t.Errorf("ClipRunes(%q, %d) = %q, want %q", c.in, c.limit, got, c.runes)
		}
		if got := text.ClipBytes(c.in, c.limit); got != c.bytes {
			t.Errorf("ClipBytes(%q, %d) = %q, want %q", c.in, c.limit, got, c.bytes)
		}
	}
}

func TestClipKeepsItsLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s, limit := rapid.String().Draw(rt, "s"), rapid.IntRange(0, 40).Draw(rt, "limit")
		if got := text.ClipRunes(s, limit); utf8.RuneCountInString(got) > limit || !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) {
			rt.Errorf("ClipRunes(%q, %d) = %q", s, limit, got)
		}
		if got := text.ClipBytes(s, limit); len(got) > limit || !utf8.ValidString(got) {
			rt.Errorf("ClipBytes(%q, %d) = %q", s, limit, got)
		}
	})
}
