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

// known are the secrets that a recording has met: what was typed into password fields, one-time codes, cookies and tokens in
// web storage. They live in memory only, and are taken out of everything that is kept, in every form.
type known struct {
	mu     sync.Mutex
	values []string          // that were typed or made, oldest first
	tokens []string          // that look like secrets, oldest first
	made   *strings.Replacer // nil until asked for
}

// Values of storage and cookies are taken for secrets when they are long; everywhere else shorter ones count.
const (
	shortest = 4 // bytes; a shorter one occurs in other texts by chance
	token    = 8
	// mostKnown bounds the values; beyond it the oldest are forgotten, tokens first: a page may have any number of what looks like
	// one. Each costs some fifty forms to look for.
	mostKnown = 100
)

// learn adds values that are secret whatever they look like.
func (k *known) learn(values ...string) { k.add(&k.values, values) }

func (k *known) add(to *[]string, values []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, v := range values {
		if len(v) < shortest || strings.Contains(v, Mask) || slices.Contains(k.values, v) || slices.Contains(*to, v) {
			continue
		}
		*to, k.made = append(*to, v), nil
	}
	over := max(0, len(k.values)+len(k.tokens)-mostKnown)
	k.tokens = slices.Delete(k.tokens, 0, min(over, len(k.tokens)))
	k.values = slices.Delete(k.values, 0, max(0, len(k.values)-mostKnown))
}

// learnTokens adds those values that look like tokens, also inside of JSON: long, without spaces, and no plain word or number.
func (k *known) learnTokens(values []string) {
	for _, v := range values {
		var inside any
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if json.Unmarshal([]byte(v), &inside) == nil {
				eachText(inside, func(text string) { k.learnTokens([]string{text}) })
			}
			continue
		}
		if looksSecret(v) {
			k.add(&k.tokens, []string{v})
		}
	}
}

// eachText visits the texts of a JSON value.
func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			eachText(e, visit)
		}
	case map[string]any:
		for _, e := range v {
			eachText(e, visit)
		}
	}
}

func looksSecret(v string) bool {
	if len(v) < token || len(v) > 2000 || strings.ContainsFunc(v, unicode.IsSpace) {
		return false
	}
	letters := strings.ContainsFunc(v, unicode.IsLetter)
	others := strings.ContainsFunc(v, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-_/.,", r) })
	return letters && others
}

// redact masks the values in a text.
func (k *known) redact(text string) string {
	k.mu.Lock()
	if k.made == nil {
		k.made = secret.Replacer(slices.Concat(k.values, k.tokens), Mask)
	}
	r := k.made
	k.mu.Unlock()
	return r.Replace(text)
}

// all lists the values, for hiding them from pictures.
func (k *known) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Concat(k.values, k.tokens)
}
