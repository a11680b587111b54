// Command mutate edits a copy of this repository in memory so that each edit breaks a promise, and
// expects the compiler of the manifest, or Go's with the release tag, to refuse every edit.
//
// It acts as an author would: it makes the edit, freezes it where the case says so, generates, and
// only then looks for what is still wrong. What a generator can rewrite is therefore no evidence. It
// must not know how a rule works, and it writes nothing into the repository.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

// leastMutations is how many edits a run must make: a table that is emptied proves nothing.
const leastMutations = 190

func main() {
	goBuild := flag.Bool("build", true, "make the edits that only the Go compiler can refuse")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: mutate [-build=false]")
		os.Exit(2)
	}
	v, err := newVerifier(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
	made, survived := v.report(*goBuild)
	v.close()
	fmt.Printf("mutations=%d survivors=%d\n", made, survived)
	if survived > 0 || made < leastMutations {
		os.Exit(1)
	}
}

// report makes every edit and prints the rule that refused each.
func (v *verifier) report(goBuild bool) (made, survived int) {
	for _, m := range mutations() {
		if m.build != nil && !goBuild {
			continue
		}
		made++
		by, err := v.refusedBy(m)
		if err != nil {
			survived++
			fmt.Printf("SURVIVED %s: %s: %v\n", m.family, m.name, err)
			continue
		}
		fmt.Printf("%2d. %-10s %-62s %s\n", made, m.family, m.name, by)
	}
	return made, survived
}

// mutations lists the edits of every family.
func mutations() []mutation {
	var out []mutation
	for _, f := range []struct {
		family string
		list   []mutation
	}{
		{"scope", scopeMutations}, {"deferral", deferralMutations}, {"lint", lintMutations}, {"terms", termMutations}, {"part", partMutations}, {"vocabulary", vocabularyMutations},
		{"invisible", invisibleMutations},
		{"release", releaseMutations}, {"breaking", breakingMutations}, {"claim", claimMutations}, {"document", documentMutations},
		{"promotion", promotionMutations}, {"gate", gateMutations}, {"generated", generatedMutations}, {"handler", handlerMutations},
	} {
		for _, m := range f.list {
			m.family = f.family
			out = append(out, m)
		}
	}
	return out
}

// names reports whether an output says the rule or the symbol.
func names(said []string, rule string) bool {
	return slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, rule) })
}
