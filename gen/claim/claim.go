// Package claim compares a project's texts about itself with a list of claims: a word that promises
// more than a test can show needs an entry with its evidence.
//
// A denial needs an entry too, because a rule that reads a sentence for its meaning is wrong in both
// directions. The package reads texts and must not know what they are: documents, manifest files and
// package comments are alike to it.
package claim

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// words are the beginnings of words, or of phrases, that every project must list. A file of claims
// can add some.
var words = []string{
	"stealth", "undetect", "indistinguishable", "human-like", "bypass", "cloud", "hosted runtime",
	"works everywhere", "works on every", "works with every", "works on any", "always works", "never fails",
	"leaderboard", "state of the art", "state-of-the-art", "best-in-class", "fastest", "blazing", "unbreakable", "bulletproof",
	"military-grade", "production-ready", "enterprise-grade", "100 %", "100%", "guaranteed",
}

// leastWords is how many words an entry quotes at least: a single one would excuse every use of it.
const leastWords = 3

// Facts are the texts, the claims, and the documents and tests that may be their evidence.
type Facts struct {
	Texts  []spec.File
	Claims spec.Claims
	Docs   []spec.File     // documents that may be evidence
	Tests  []evidence.Test // tests that may be
}

// Input is the input of the rules: the places where the words stand, and the entries.
type Input struct {
	facts Facts
	lower [][]byte // the texts in lower case
	uses  []use
	found []bool // of each entry, whether its text stands in its file and has one of the words
}

// use is a place where a word stands, by bytes of its text.
type use struct {
	text       int // index of the text
	begin, end int
	covered    bool
}

// Rules is the table of what this package reports.
func Rules() []diag.Rule[*Input] {
	return []diag.Rule[*Input]{
		{ID: "claim-unlisted", Severity: diag.Error, Doc: "A document, a file of the manifest or a package comment uses a word that promises more than a test can show, such as " +
			"stealth or cloud, and manifest/claims.yaml has no entry for the place. Delete the word, or add an entry with the file, the text around the " +
			"word and the evidence: a test (tools/billing.TestX) or a document (docs/x.md). That holds for denials too.", Check: checkListed},
		{ID: "claim-unused", Severity: diag.Error, Doc: "An entry of manifest/claims.yaml quotes a text that its file does not have, or that has none of the words. It would excuse what " +
			"someone writes later.", Check: checkUsed},
		{ID: "claim-evidence", Severity: diag.Error, Doc: "The evidence of a claim does not exist, is a test that might be skipped, or the entry quotes so little that it would excuse " +
			"every use of a word.", Check: checkEvidence},
	}
}

// Check holds the texts against every rule.
func Check(facts Facts) diag.List {
	in := &Input{facts: facts}
	patterns := slicesx.Map(append(slices.Clone(words), facts.Claims.Words...), newPhrase)
	for i, f := range facts.Texts {
		in.lower = append(in.lower, lower(f.Data))
		in.uses = append(in.uses, usesOf(patterns, in.lower[i], i)...)
	}
	for _, c := range facts.Claims.Entries {
		in.found = append(in.found, in.cover(c))
	}
	return diag.Check(Rules(), in)
}

// usesOf lists the uses of phrases in text number i. Where two overlap, it lists the first.
func usesOf(patterns []phrase, text []byte, i int) []use {
	var all, apart []use
	for _, p := range patterns {
		for _, at := range p.in(text) {
			all = append(all, use{text: i, begin: at[0], end: at[1]})
		}
	}
	slices.SortStableFunc(all, func(a, b use) int { return cmp.Compare(a.begin, b.begin) })
	for _, u := range all {
		if n := len(apart); n == 0 || apart[n-1].end <= u.begin {
			apart = append(apart, u)
		}
	}
	return apart
}

// cover marks the uses inside of an entry's text and reports whether there is one.
func (in *Input) cover(c spec.Claim) (found bool) {
	i := slices.IndexFunc(in.facts.Texts, func(f spec.File) bool { return f.Name == c.File.Value })
	if i < 0 || strings.TrimSpace(c.Text.Value) == "" {
		return false
	}
	for _, at := range newPhrase(c.Text.Value).in(in.lower[i]) {
		for j := range in.uses {
			if u := &in.uses[j]; u.text == i && u.begin >= at[0] && u.end <= at[1] {
				u.covered, found = true, true
			}
		}
	}
	return found
}

func checkListed(in *Input, report diag.Report) {
	for _, u := range in.uses {
		if u.covered {
			continue
		}
		f := in.facts.Texts[u.text]
		report(position(f, u.begin, u.end), "%q is a claim that manifest/claims.yaml does not list", f.Data[u.begin:u.end]).Hint =
			"delete it, or add an entry with its evidence"
	}
}

func checkUsed(in *Input, report diag.Report) {
	for i, c := range in.facts.Claims.Entries {
		if !in.found[i] {
			report(c.Text.Pos, "%s does not have this text, or it has no word that needs an entry", c.File.Value).Hint = "delete the entry"
		}
	}
}

func checkEvidence(in *Input, report diag.Report) {
	for _, c := range in.facts.Claims.Entries {
		if len(strings.Fields(c.Text.Value)) < leastWords {
			report(c.Text.Pos, "the entry quotes %q, and must quote at least %d words", c.Text.Value, leastWords).Hint = "quote more of the sentence"
		}
		evidence := c.Evidence.Value
		if strings.HasSuffix(evidence, ".md") {
			if !slices.ContainsFunc(in.facts.Docs, func(f spec.File) bool { return f.Name == evidence && f.Name != c.File.Value }) {
				report(c.Evidence.Pos, "there is no other document %q", evidence).Hint = "name a document below docs/, or a test"
			}
			continue
		}
		at := slices.IndexFunc(in.facts.Tests, isTest(evidence))
		switch {
		case at < 0:
			report(c.Evidence.Pos, "there is no test %q", evidence).Hint = "write the package's directory and the name, such as tools/billing.TestX, or a document"
		case in.facts.Tests[at].Skip != "":
			report(c.Evidence.Pos, "%s might not run: %s", evidence, in.facts.Tests[at].Skip).Hint = "name a test that always runs"
		}
	}
}

func isTest(name string) func(evidence.Test) bool {
	return func(t evidence.Test) bool { return t.Dir+"."+t.Name == name }
}

// position is the place of some bytes of a file.
func position(f spec.File, begin, end int) diag.Pos {
	start := bytes.LastIndexByte(f.Data[:begin], '\n') + 1
	return diag.Pos{
		File: f.Name, Line: bytes.Count(f.Data[:begin], []byte("\n")) + 1,
		Col: utf8.RuneCount(f.Data[start:begin]) + 1, Len: utf8.RuneCount(f.Data[begin:end]),
	}
}
