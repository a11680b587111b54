package deferral

import "testing"

func TestPlaceholder(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                     true,
		"todo":                                 true,
		"TODO: to be done later":               true,
		"to be decided, not yet planned":       true,
		"n/a":                                  true,
		"none":                                 true,
		"too short":                            true,
		"........................":             true,
		"planned: TBD TBD TBD TBD TBD":         true,
		"planned: navigate the active tab":     false,
		"the policy on files is not settled":   false,
		"needs a second pair of eyes on files": false,
	} {
		if got := Placeholder(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
