package recorder

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/callsheet/callsheet/internal/login/secret"
)

// Mask replaces the values that a recording does not hold.
const Mask = "[masked]"

// secretValues are the secrets of a recording so far: values typed into password fields, one-time
// codes, cookies and tokens in web storage. They live in memory only and are redacted in everything
// that is recorded, in every encoding.
type secretValues struct {
	mu       sync.Mutex
	typed    []string          // that were typed or made, oldest first
	tokens   []string          // that look like secrets, oldest first
	replacer *strings.Replacer // nil until asked for
}

// Values of storage and cookies count as secrets from minTokenBytes on, typed values from
// minSecretBytes on.
const (
	minSecretBytes = 4 // bytes; a shorter one occurs in other texts by chance
	minTokenBytes  = 8
	// maxSecretValues bounds the values. Beyond it the oldest are forgotten, tokens first, because
	// a page may have any number of values that look like tokens. Each value costs about fifty
	// encodings to look for.
	maxSecretValues = 100
)

// addTyped adds values that are secret whatever they look like.
func (s *secretValues) addTyped(values ...string) { s.add(&s.typed, values) }

func (s *secretValues) add(to *[]string, values []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		if len(v) < minSecretBytes || strings.Contains(v, Mask) || slices.Contains(s.typed, v) || slices.Contains(*to, v) {
			continue
		}
		*to, s.replacer = append(*to, v), nil
	}
	over := max(0, len(s.typed)+len(s.tokens)-maxSecretValues)
	s.tokens = slices.Delete(s.tokens, 0, min(over, len(s.tokens)))
	s.typed = slices.Delete(s.typed, 0, max(0, len(s.typed)-maxSecretValues))
}

// addTokens adds the values that look like tokens, also those inside JSON.
func (s *secretValues) addTokens(values []string) {
	for _, v := range values {
		var inside any
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if json.Unmarshal([]byte(v), &inside) == nil {
				visitStrings(inside, func(text string) { s.addTokens([]string{text}) })
			}
			continue
		}
		if looksLikeToken(v) {
			s.add(&s.tokens, []string{v})
		}
	}
}

// visitStrings calls visit with every string of a JSON value.
func visitStrings(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			visitStrings(e, visit)
		}
	case map[string]any:
		for _, e := range v {
			visitStrings(e, visit)
		}
	}
}

// looksLikeToken reports whether a value is long, has no spaces, and is no plain word or number.
func looksLikeToken(v string) bool {
	if len(v) < minTokenBytes || len(v) > 2000 || strings.ContainsFunc(v, unicode.IsSpace) {
		return false
	}
	letters := strings.ContainsFunc(v, unicode.IsLetter)
	others := strings.ContainsFunc(v, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-_/.,", r) })
	return letters && others
}

// redact masks the values in a text.
func (s *secretValues) redact(text string) string {
	s.mu.Lock()
	if s.replacer == nil {
		s.replacer = secret.Replacer(slices.Concat(s.typed, s.tokens), Mask)
	}
	r := s.replacer
	s.mu.Unlock()
	return r.Replace(text)
}

// values returns all values, for hiding them in screenshots.
func (s *secretValues) values() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.typed, s.tokens)
}
