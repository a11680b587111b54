package paramspec

import (
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
)

// MaxProperties is the most properties of an object: a generated reader marks each that it has read by a bit of one
// machine word.
const MaxProperties = 64

// IsProperty reports whether a text is a name for a property: a letter, then letters, digits and underscores,
// 64 characters at most.
func IsProperty(s string) bool {
	return len(s) <= 64 && Matches(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// Matches reports whether s is [a-z][a-z0-9_]* with the further letters allowed anywhere.
func Matches(s, letters string) bool {
	for i, c := range s {
		small := c >= 'a' && c <= 'z' || strings.ContainsRune(letters, c)
		if !small && (i == 0 || (c != '_' && (c < '0' || c > '9'))) {
			return false
		}
	}
	return s != ""
}

// Claims has the identifiers of one Go package, and what each is the name of.
type Claims map[string]claim

// claim is the first use of a name. Pos is zero where no place of a file declares it.
type claim struct {
	what string
	pos  diag.Pos
}

// Reserve claims an identifier for what no file declares.
func (c Claims) Reserve(name, what string) { c[name] = claim{what: what} }

// Claim claims an identifier and reports whether it was free.
func (c Claims) Claim(diags *diag.List, name, what string, at diag.Pos) bool {
	if first, ok := c[name]; ok {
		d := diags.Errorf(at, RuleGoNameClash, "%s would be called %s in Go, as is %s", what, name, first.what)
		if !first.pos.IsZero() {
			d.Related = &diag.Related{Pos: first.pos, Message: "first used here"}
		}
		return false
	}
	c[name] = claim{what, at}
	return true
}
