package yamltree

import "slices"

// Grammar describes a kind of file, so that a mistake in one is reported in its words. The zero Grammar
// describes a file without keys of its own.
type Grammar struct {
	What string // the kind of file in messages: "the manifest"

	// Homes has the hints about keys that authors write in the wrong mapping or know from elsewhere: where
	// each belongs.
	Homes map[string]string
	// StandsFor names the key that is meant by one of Homes, so that it is not reported as missing too.
	StandsFor map[string]string
	Keys      []string // further keys of the grammar
	// Visible refuses characters that a reader of the file does not see, in texts and in comments.
	Visible bool
	// Scalars has the hints about keys that take a scalar and were given a list or a mapping.
	Scalars map[string]string

	// Sample returns the usual value of a required key in a mapping, as a hint writes it; "" when there is
	// none. It may be nil.
	Sample func(key, in string) string
}

// isKey reports whether a word is a key of the grammar.
func (g *Grammar) isKey(word string) bool {
	return g.Homes[word] != "" || slices.Contains(g.Keys, word)
}

// sample returns a required key with its usual value.
func (g *Grammar) sample(key, in string) string {
	value := ""
	if g.Sample != nil {
		value = g.Sample(key, in)
	}
	if value == "" {
		value = "…"
	}
	return key + ": " + value
}
