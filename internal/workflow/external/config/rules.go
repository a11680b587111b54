package config

// Diagnostic rules of servers.json.
const (
	ruleSyntax     = "servers-syntax" // the file is not JSON with comments
	ruleWrongKind  = "servers-shape"  // a value has the wrong JSON type
	ruleUnknownKey = "servers-unknown-key"
	ruleIgnoredKey = "servers-ignored-key" // a key of other programs that has no effect here
	ruleDuplicate  = "servers-duplicate"
	ruleAlias      = "servers-alias"
	ruleTransport  = "servers-transport" // command and url, neither, or the wrong one for the type
	ruleVariable   = "servers-variable"  // text that cannot be expanded
	ruleValue      = "servers-value"     // a value that is not allowed
)
