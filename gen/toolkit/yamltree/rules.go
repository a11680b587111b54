package yamltree

// The rules of the diagnostics about files of any grammar.
const (
	RuleSyntax       = "yaml-syntax" // the file cannot be read
	RuleFeature      = "yaml-feature"
	RuleUnknownKey   = "unknown-key"
	RuleDuplicateKey = "duplicate-key"
	RuleWrongKind    = "wrong-kind"
	RuleMissingKey   = "missing-key"
	RuleInvisible    = "invisible-text"
	RuleMixed        = "mixed-scripts"
)
