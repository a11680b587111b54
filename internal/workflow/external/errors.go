package external

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Reason says what went wrong with a server or a call, as far as a caller can act on it.
type Reason string

// The kinds.
const (
	UnknownServer Reason = "unknown_server" // no such alias; the message names the nearest
	UnknownTool   Reason = "unknown_tool"   // the server has no such tool, or its entry does not allow it
	BadEntry      Reason = "bad_entry"      // the server's entry in servers.json cannot be used
	Unavailable   Reason = "unavailable"    // the server could not be started or reached in time
	Died          Reason = "died"           // the connection ended during the call; whether the tool ran is unknown
	Timeout       Reason = "timeout"        // the call's time was up
	Canceled      Reason = "canceled"       // the caller gave up
	Rejected      Reason = "rejected"       // the server answered with a protocol error
	TooLarge      Reason = "too_large"      // the answer was larger than the server's maxResultBytes
	Input         Reason = "input"          // the server asks the user for something, which calls of a registry do not offer
	LoginRequired Reason = "login_required" // the server wants an OAuth login
	Drift         Reason = "drift"          // the tools are not those of the lock file
	Closed        Reason = "closed"         // the registry is closed
)

// Error is every error of a registry. Its text never holds a value that came from a variable, a header or env.
type Error struct {
	Alias  string
	Tool   string // of a call, else ""
	Reason Reason
	Err    error
}

// Error names the tool as workflows do, alias:tool.
func (e *Error) Error() string {
	name := e.Alias
	if e.Tool != "" {
		name += ":" + e.Tool
	}
	return fmt.Sprintf("%s: %v", name, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ReasonOf gives the kind of an error of this package, or "".
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

// errorf makes an error of a server.
func errorf(alias string, kind Reason, format string, args ...any) *Error {
	return &Error{Alias: alias, Reason: kind, Err: fmt.Errorf(format, args...)}
}

// didYouMean appends a suggestion to a message.
func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// redactor hides the values a server was configured with. The zero redactor hides nothing.
type redactor struct {
	replacer *strings.Replacer
	values   []string // the longest first
}

// minSecretLength is the length below which a value is not hidden: replacing every "1" would only garble a message.
const minSecretLength = 6

func newRedactor(values []string) redactor {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < minSecretLength })
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // one may hold another
	if len(values) == 0 {
		return redactor{}
	}
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, "***")
	}
	return redactor{strings.NewReplacer(pairs...), values}
}

// trimPartialPrefix takes the rest of a value off the beginning of a text whose own beginning is lost.
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

// redactError keeps the chain of an error for errors.Is and hides values in its text.
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
