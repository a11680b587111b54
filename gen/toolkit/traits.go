package toolkit

import (
	"strconv"
	"strings"
)

// Traits are the properties of a tool that its schema does not state and that a server acts on. The manifest
// declares them; tools made at start-up have the zero value.
type Traits struct {
	Keeps   bool   // persists or passes on what its arguments say, so it must get names of secrets and not values
	Durable bool   // an answer promises that something is on disk, so the call may wait for the database
	Shows   Shows  // what a result shows
	Record  Record // how a recorder treats a call
	Replay  Replay // how a recorded call is made again, and written as code
	Roles   []Parameter
	Forms   []Form // what arguments may be written as beside the schema
}

// Role is the purpose of a parameter, such as naming a user.
type Role string

// Shows is the kind of content in the results of a tool.
type Shows string

// Record is how a recorder treats the calls of a tool.
type Record string

// Replay is how a replay and an export of code treat the recorded calls of a tool.
type Replay string

// Parameter is a parameter that has a role. Path is a JSON pointer (RFC 6901) to its texts, in
// which * stands for every index: "/fields/*/value".
type Parameter struct {
	Path   string
	Role   Role
	Secret SecretUse
}

// SecretUse is the use of the secrets that a parameter may name; the zero value allows none.
type SecretUse string

// The uses: a secret is typed where its origin is shown, or sent to the origin that the call
// names.
const (
	SecretTyped SecretUse = "typed"
	SecretSent  SecretUse = "sent"
)

// Has reports whether a parameter of the tool, at any depth, has the role.
func (t Traits) Has(role Role) bool {
	for i := range t.Roles {
		if t.Roles[i].Role == role {
			return true
		}
	}
	return false
}

// Role returns the role of the argument at a JSON pointer; "" when it has none.
func (t Traits) Role(pointer string) Role {
	for i := range t.Roles {
		if pathMatches(t.Roles[i].Path, pointer) {
			return t.Roles[i].Role
		}
	}
	return ""
}

// Secret returns what a secret in the argument at a JSON pointer is for; "" where none may be.
func (t Traits) Secret(pointer string) SecretUse {
	for i := range t.Roles {
		if t.Roles[i].Secret != "" && pathMatches(t.Roles[i].Path, pointer) {
			return t.Roles[i].Secret
		}
	}
	return ""
}

// pathMatches reports whether a pointer has the form of a path.
func pathMatches(path, pointer string) bool {
	for path != "" && pointer != "" {
		var want, got string
		want, path = nextToken(path)
		got, pointer = nextToken(pointer)
		if _, err := strconv.Atoi(got); want != got && (want != "*" || err != nil) {
			return false
		}
	}
	return path == pointer
}

// nextToken splits "/a/b" into "a" and "/b".
func nextToken(pointer string) (token, rest string) {
	token, rest, more := strings.Cut(pointer[1:], "/")
	if more {
		rest = "/" + rest
	}
	return token, rest
}

// Requirement is a condition on several parameters of a tool, which its schema cannot say. Where the
// parameter When has one of Values, or always when When is "", Mode says how many of Names a call gives.
// Decoders are generated from the same entry of the manifest and do not read it; tests compare them with it.
type Requirement struct {
	When   string
	Values []string
	Mode   RequirementMode
	Names  []string
}

// RequirementMode is how many of the names of a requirement a call gives.
type RequirementMode string

// The modes.
const (
	RequireAll  RequirementMode = "all"  // each of them
	RequireAny  RequirementMode = "any"  // at least one
	RequireOne  RequirementMode = "one"  // exactly one
	RequireNone RequirementMode = "none" // none of them
)
