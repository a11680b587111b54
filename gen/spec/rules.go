package spec

import (
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// RuleSyntax is the rule of a file that cannot be read.
const RuleSyntax = yamltree.RuleSyntax

// RuleNotIncluded is the rule that "toolgen check" turns into an error.
const RuleNotIncluded = "not-included"

// The IDs of this package's other rules.
const (
	ruleUnknownVersion = "unknown-version"
	ruleBadInclude     = "bad-include"
)

// Rules is the table of what this package reports. The parser checks the rules while it reads
// files, so they have no Check.
func Rules() []diag.Rule[[]File] {
	return []diag.Rule[[]File]{
		{ID: RuleSyntax, Severity: diag.Error, Doc: "The file is not YAML. Nothing of the file can be read until this is mended; the problems of " +
			"other files are reported all the same. A text that contains \": \" or begins with one of [ { * & ! | > ' \" % @ ` needs quotes."},
		{ID: yamltree.RuleFeature, Severity: diag.Error, Doc: "Anchors, aliases, merge keys, tags, directives, explicit keys and several documents in one " +
			"file are refused. A manifest is read far more often than written, and a reader should see a tool's whole definition " +
			"where the tool stands."},
		{ID: yamltree.RuleUnknownKey, Severity: diag.Error, Doc: "A mapping has a key that means nothing there, most often a misspelt one. Unknown keys are " +
			"errors because a misspelt \"required\" would otherwise silently make an argument optional."},
		{ID: yamltree.RuleDuplicateKey, Severity: diag.Error, Doc: "A mapping has the same key twice. YAML readers disagree on which of the two counts, so " +
			"neither does."},
		{ID: yamltree.RuleWrongKind, Severity: diag.Error, Doc: "A value is of another YAML kind than its key takes: a list for a text, text for a number, or " +
			"nothing at all. Texts that look like numbers or booleans need quotes: since: \"0.1\"."},
		{ID: yamltree.RuleMissingKey, Severity: diag.Error, Doc: "A mapping lacks a key it must have. Even what could be assumed is written out (visible: always, " +
			"input: {}), because a reviewer should see that someone decided it."},
		{ID: yamltree.RuleInvisible, Severity: diag.Error, Doc: "A file has a character that a person who reads it does not see: a control, a mark of direction, " +
			"a tag, a space without width. A description could tell a model what its reviewer never read. Joiners and variation selectors are " +
			"allowed where a script or an emoji needs them."},
		{ID: yamltree.RuleMixed, Severity: diag.Error, Doc: "A word has letters of two alphabets, such as Latin and Cyrillic, some of which look alike: a reviewer " +
			"reads one word, and a model or a program another."},
		{ID: ruleUnknownVersion, Severity: diag.Error, Doc: "The manifest or the lock has a version this compiler does not know. A newer one may mean things by " +
			"keys that this compiler would read differently, so it reads nothing."},
		{ID: ruleBadInclude, Severity: diag.Error, Doc: "An include names a file that does not exist or that is included already, or the root file is " +
			"missing. Paths are relative to the root file."},
		{ID: RuleNotIncluded, Severity: diag.Warning, Doc: "A YAML file stands in the manifest's directory, but no include names it, so its tools do not " +
			"exist. Include it or remove it."},
	}
}
