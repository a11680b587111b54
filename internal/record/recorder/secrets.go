package recorder

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/callsheet/callsheet/internal/login/secret"
)

// Mask stands in place of what is not kept.
const Mask = "[masked]"

// secretValues are the secrets that a recording has met: what was typed into password fields, one-time codes, cookies and tokens in
// web storage. They live in memory only, and are taken out of everything that is kept, in every form.
type secretValues struct {
	mu       sync.Mutex
	typed    []string          // that were typed or made, oldest first
	tokens   []string          // that look like secrets, oldest first
	replacer *strings.Replacer // nil until asked for
}

// Values of storage and cookies are taken for secrets when they are long; everywhere else shorter ones count.
const (
	minSecretBytes = 4 // bytes; a shorter one occurs in other texts by chance
	minTokenBytes  = 8
	// maxSecretValues bounds the values; beyond it the oldest are forgotten, tokens first: a page may have any number of what looks like
	// one. Each costs some fifty forms to look for.
	maxSecretValues = 100
)

// addTyped adds values that are secret whatever they look like.
func (k *secretValues) addTyped(values ...string) { k.add(&k.typed, values) }

func (k *secretValues) add(to *[]string, values []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, v := range values {
		if len(v) < minSecretBytes || strings.Contains(v, Mask) || slices.Contains(k.typed, v) || slices.Contains(*to, v) {
			continue
		}
		*to, k.replacer = append(*to, v), nil
	}
	over := max(0, len(k.typed)+len(k.tokens)-maxSecretValues)
	k.tokens = slices.Delete(k.tokens, 0, min(over, len(k.tokens)))
	k.typed = slices.Delete(k.typed, 0, max(0, len(k.typed)-maxSecretValues))
}

// addTokens adds those values that look like tokens, also inside of JSON: long, without spaces, and no plain word or number.
func (k *secretValues) addTokens(values []string) {
	for _, v := range values {
		var inside any
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if json.Unmarshal([]byte(v), &inside) == nil {
				visitStrings(inside, func(text string) { k.addTokens([]string{text}) })
			}
			continue
		}
		if looksLikeToken(v) {
			k.add(&k.tokens, []string{v})
		}
	}
}

// visitStrings visits the texts of a JSON value.
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

func looksLikeToken(v string) bool {
	if len(v) < minTokenBytes || len(v) > 2000 || strings.ContainsFunc(v, unicode.IsSpace) {
		return false
	}
	letters := strings.ContainsFunc(v, unicode.IsLetter)
	others := strings.ContainsFunc(v, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-_/.,", r) })
	return letters && others
}

// redact masks the values in a text.
func (k *secretValues) redact(text string) string {
	k.mu.Lock()
	if k.replacer == nil {
		k.replacer = secret.Replacer(slices.Concat(k.typed, k.tokens), Mask)
	}
	r := k.replacer
	k.mu.Unlock()
	return r.Replace(text)
}

// values lists the values, for hiding them from pictures.
func (k *secretValues) values() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Concat(k.typed, k.tokens)
}
