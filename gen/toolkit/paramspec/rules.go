package paramspec

// The rules of the diagnostics about types.
const (
	RuleBadBounds         = "bad-bounds"
	RuleBadDefault        = "bad-default"
	RuleBadEnum           = "bad-enum"
	RuleBadName           = "bad-name"
	RuleBadPattern        = "bad-pattern"
	RuleBadUnion          = "bad-union"
	RuleGoNameClash       = "go-name-clash"
	RuleKeyMisplaced      = "key-misplaced"
	RuleMissingItems      = "missing-items"
	RuleMissingProperties = "missing-properties"
	RuleMissingTrait      = "missing-trait"
	RuleObjectForm        = "object-form"
	RuleParameterClash    = "parameter-clash"
	RuleRecursiveType     = "recursive-type"
	RuleRefusalReason     = "refusal-reason"
	RuleRequiredDefault   = "required-default"
	RuleTooManyProperties = "too-many-properties"
	RuleTraitMisplaced    = "trait-misplaced"
	RuleUnknownFormat     = "unknown-format"
	RuleUnknownTrait      = "unknown-trait"
	RuleUnknownType       = "unknown-type"
	RuleUnlistedRequired  = "unlisted-required"
	RuleUntypedProperty   = "untyped-property"
	RuleUnusedType        = "unused-type"
)
