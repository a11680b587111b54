// Package principal keeps what the callers of one server store apart: each row and file belongs to the principal on
// whose behalf it was stored, and is not found for another.
//
// The operator's own clients, and callers whose server demands no token, share what they store. The package must not
// know where principals come from, nor what they store.
package principal

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"strings"
)

// The principals that are the operator: clients over standard input and output, and holders of his one token.
const (
	Lines    = "stdio"
	Operator = "auth-token"
)

// Named begins the names of the principals that the configuration file names.
const Named = "token "

type key struct{}

// With returns the context of a call on behalf of a principal.
func With(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, key{}, owner(name))
}

// Of returns the owner of what a call stores: "" for the operator. It is not valid where the program itself acts, such as
// for the operator's commands and ui, which see what every principal stores.
func Of(ctx context.Context) sql.NullString {
	owner, ok := ctx.Value(key{}).(string)
	return sql.NullString{String: owner, Valid: ok}
}

// owner returns the owner for a principal. Callers over HTTP without a token prove nothing, so they are the operator.
func owner(name string) string {
	switch {
	case name == "", name == Lines, name == Operator, name == "session", name == "handle", strings.HasPrefix(name, "shared:"):
		return ""
	}
	return Digest(name)
}

// Digest names the files of a principal.
func Digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}
