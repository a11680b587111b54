package external

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind says what went wrong with a server or a call, as far as a caller can act on it.
type Kind string

// The kinds.
const (
	UnknownServer Kind = "unknown_server" // no such alias; the message names the nearest
	UnknownTool   Kind = "unknown_tool"   // the server has no such tool, or its entry does not allow it
	BadEntry      Kind = "bad_entry"      // the server's entry in servers.json cannot be used
	Unavailable   Kind = "unavailable"    // the server could not be started or reached in time
	Died          Kind = "died"           // the connection ended during the call; whether the tool ran is unknown
	Timeout       Kind = "timeout"        // the call's time was up
	Canceled      Kind = "canceled"       // the caller gave up
	Rejected      Kind = "rejected"       // the server answered with a protocol error
	TooLarge      Kind = "too_large"      // the answer was larger than the server's maxResultBytes
	Input         Kind = "input"          // the server asks the user for something, which calls of a registry do not offer
	LoginRequired Kind = "login_required" // the server wants an OAuth login
	Drift         Kind = "drift"          // the tools are not those of the lock file
	Closed        Kind = "closed"         // the registry is closed
)

// Error is every error of a registry. Its text never holds a value that came from a variable, a header or env.
type Error struct {
	Alias string
	Tool  string // of a call, else ""
	Kind  Kind
	Err   error
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

// KindOf gives the kind of an error of this package, or "".
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// errf makes an error of a server.
func errf(alias string, kind Kind, format string, args ...any) *Error {
	return &Error{Alias: alias, Kind: kind, Err: fmt.Errorf(format, args...)}
}

// hint appends a suggestion to a message.
func hint(near string) string {
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// redactor hides the values a server was configured with. The zero redactor hides nothing.
type redactor struct {
	r      *strings.Replacer
	values []string // the longest first
}

// shortestSecret is the length below which a value is not hidden: replacing every "1" would only garble a message.
const shortestSecret = 6

func newRedactor(values []string) redactor {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < shortestSecret })
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

// headless takes the rest of a value off the beginning of a text whose own beginning is lost.
func (r redactor) headless(s string) string {
	for _, v := range r.values {
		for i := 1; len(v)-i >= shortestSecret; i++ {
			if rest, ok := strings.CutPrefix(s, v[i:]); ok {
				return rest
			}
		}
	}
	return s
}

func (r redactor) text(s string) string {
	if r.r == nil {
		return s
	}
	return r.r.Replace(s)
}

// error keeps the chain of an error for errors.Is and hides values in its text.
func (r redactor) error(err error) error {
	if err == nil || r.r == nil || r.text(err.Error()) == err.Error() {
		return err
	}
	return &redacted{text: r.text(err.Error()), err: err}
}

type redacted struct {
	text string
	err  error
}

func (e *redacted) Error() string { return e.text }

func (e *redacted) Is(target error) bool { return errors.Is(e.err, target) }
