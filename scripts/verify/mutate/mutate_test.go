package main

import (
	"os"
	"testing"
)

// TestNoMutationSurvives makes the edits that toolgen alone decides about. scripts/verify/mutations
// makes those for Go's compiler too.
func TestNoMutationSurvives(t *testing.T) {
	t.Parallel()
	if os.Getenv("CI") != "" {
		t.Skip("CI runs scripts/verify/mutations, which makes these edits and more")
	}
	v, err := newVerifier("../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.close)
	made := 0
	for _, m := range mutations() {
		if m.build != nil {
			continue
		}
		made++
		if _, err := v.refusedBy(m); err != nil {
			t.Errorf("%s: %s: %v", m.family, m.name, err)
		}
	}
	if made < leastMutations {
		t.Errorf("%d edits, fewer than %d", made, leastMutations)
	}
}

// TestAMutationThatChangesNothingSurvives shows that the verifier sees a survivor, and a case that
// has gone stale.
func TestAMutationThatChangesNothingSurvives(t *testing.T) {
	t.Parallel()
	v, err := newVerifier("../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.close)
	for _, m := range []mutation{
		{name: "a comment", rule: "scope-changed", edits: []edit{add(browserFile, "# a comment\n")}},
		{name: "another rule", rule: "scope-added", edits: []edit{inEntry(tabsFile, "page_reload", "tier: 1", "tier: 2")}},
		{name: "nothing to edit", rule: "scope-added", edits: []edit{{file: tabsFile, from: "no such text", to: "x"}}},
	} {
		if by, err := v.refusedBy(m); err == nil {
			t.Errorf("%s is refused by %s", m.name, by)
		}
	}
}
