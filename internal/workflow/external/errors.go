package external

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Reason classifies the failure of a server or a call by what a caller can do about it.
type Reason string

// The reasons.
const (
	UnknownServer Reason = "unknown_server" // no server has the alias
	UnknownTool   Reason = "unknown_tool"   // the server has no such tool, or servers.json does not allow it
	BadEntry      Reason = "bad_entry"      // the entry in servers.json is invalid
	Unavailable   Reason = "unavailable"    // the server could not be started or reached in time
	Died          Reason = "died"           // the connection ended during the call; the tool may have run
	Timeout       Reason = "timeout"        // the deadline of the call passed
	Canceled      Reason = "canceled"       // the caller cancelled the call
	Rejected      Reason = "rejected"       // the server responded with a protocol error
	TooLarge      Reason = "too_large"      // the response exceeds maxResultBytes
	Input         Reason = "input"          // the server requests sampling, roots or elicitation, which this client does not offer
	LoginRequired Reason = "login_required" // the server requires an OAuth login
	Drift         Reason = "drift"          // the tools differ from the lock file
	Closed        Reason = "closed"         // the registry is closed
)

// Error is the error type of a Registry. Its text never contains a value that came from a variable,
// a header or env.
type Error struct {
	Alias  string
	Tool   string // the tool of a call, else ""
	Reason Reason
	Err    error
}

// Error returns alias:tool, as workflows name it, and the cause.
func (e *Error) Error() string {
	name := e.Alias
	if e.Tool != "" {
		name += ":" + e.Tool
	}
	return fmt.Sprintf("%s: %v", name, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ReasonOf returns the reason of an error of this package, or "".
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

// errorf returns an error of a server.
func errorf(alias string, kind Reason, format string, args ...any) *Error {
	return &Error{Alias: alias, Reason: kind, Err: fmt.Errorf(format, args...)}
}

// didYouMean formats a suggestion for the end of a message.
func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// redactor replaces the secret values of a server's entry. The zero redactor replaces nothing.
type redactor struct {
	replacer *strings.Replacer
	values   []string // longest first
}

// minSecretLength is the length below which a value is not replaced: replacing every "1" would
// garble messages.
const minSecretLength = 6

func newRedactor(values []string) redactor {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < minSecretLength })
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // one value may contain another
	if len(values) == 0 {
		return redactor{}
	}
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, "***")
	}
	return redactor{strings.NewReplacer(pairs...), values}
}

// trimPartialPrefix removes the rest of a value from the start of a text that was truncated inside
// of it.
func (r redactor) trimPartialPrefix(s string) string {
	for _, v := range r.values {
		for i := 1; len(v)-i >= minSecretLength; i++ {
			if rest, ok := strings.CutPrefix(s, v[i:]); ok {
				return rest
			}
		}
	}
	return s
}

func (r redactor) redact(s string) string {
	if r.replacer == nil {
		return s
	}
	return r.replacer.Replace(s)
}

// redactError replaces values in the text of an error and keeps its chain for errors.Is.
func (r redactor) redactError(err error) error {
	if err == nil || r.replacer == nil || r.redact(err.Error()) == err.Error() {
		return err
	}
	return &redactedError{text: r.redact(err.Error()), err: err}
}

type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }
