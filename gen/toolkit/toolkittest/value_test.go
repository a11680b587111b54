package toolkittest

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTextsMatch draws texts of patterns as manifests have them, and resizes them.
func TestTextsMatch(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		`^[a-z]+$`, `^$|^a`, `\bfoo\b`, `(?i)^abc$`, `^\S+$`, `^(?:\d{3}-){2}\d{4}$`, `^.{1,5}$`, `^\p{L}+$`, `abc`, `^https?://`, `^(a|bc)*d$`,
		`^[^|<>&]{3,}$`, `^#[0-9a-fA-F]{6}$`, `^e[0-9]+$`, `^[A-Za-z_][A-Za-z0-9_]*$`, `^v?\d+\.\d+\.\d+$`, `^/`, `\.json$`,
	} {
		s, err := readSchema(`{"type":"string","pattern":`+string(quote(pattern))+`}`, nil)
		if err != nil {
			t.Fatal(err)
		}
		texts := s.texts()
		if len(texts) == 0 {
			t.Errorf("%s: no text is drawn", pattern)
		}
		for _, text := range texts {
			for n := range 12 {
				if resized := resize(text, n, pattern); !regexp.MustCompile(pattern).MatchString(resized) {
					t.Errorf("%s: %q does not match with %d characters", pattern, resized, utf8.RuneCountInString(resized))
				}
			}
		}
	}
}

// TestSample takes the text of a test where none can be drawn.
func TestSample(t *testing.T) {
	t.Parallel()
	const pattern = `^[a-z]{2}(-[0-9]{3})*$`
	for _, given := range []samples{nil, {pattern: {"ab" + strings.Repeat("-123", 100)}}} {
		s, err := readSchema(`{"type":"object","properties":{"a":{"type":"string","pattern":"`+pattern+`","minLength":400}},"required":["a"],"additionalProperties":false}`, given)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.allows(s.example()); got != (given != nil) {
			t.Errorf("with the samples %d: an example is found: %v", len(given), got)
		}
	}
}
