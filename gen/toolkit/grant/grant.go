// Package grant has the proof that a call may use powers. The dispatcher makes a grant for each call,
// with the powers that the manifest declares for it, and ends it when the call has returned.
//
// Generated code has a type for each power, which wraps a grant; functions that do something dangerous
// take a value of that type and Check it first. A value that was not made by the dispatcher, such as a
// zero value, fails every check. The package must not know tools, nor what a power is for.
package grant

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/callsheet/callsheet/gen/toolkit/internal/key"
)

// Grant is the set of powers of one call, or of work that the operator began. The zero Grant has none.
type Grant struct{ of *grant }

type grant struct {
	holder string
	all    bool
	powers []string
	ended  atomic.Bool
	held   atomic.Int32 // by work that outlives the call
}

// Error is the use of a power that its holder does not have. It is a defect of the code that uses the
// power, or of the manifest entry that does not declare it.
type Error struct{ Power, Reason string }

func (e *Error) Error() string { return "the power " + e.Power + " is not granted: " + e.Reason }

// New makes the grant of a call of the tool called holder. End takes the powers back.
func New(k key.Key, holder string, powers ...string) (g Grant, end func()) {
	if !k.Valid() {
		return Grant{}, func() {}
	}
	of := &grant{holder: holder, powers: powers}
	return Grant{of}, func() { of.ended.Store(true) }
}

// NewUnlimited makes a grant of every power that does not end, for work that the operator began.
func NewUnlimited(k key.Key, holder string) Grant {
	if !k.Valid() {
		return Grant{}
	}
	return Grant{&grant{holder: holder, all: true}}
}

// Hold keeps the grant past the end of its call, for work that the call began, until release is
// called.
func (g Grant) Hold() (release func()) {
	if g.of == nil || g.of.ended.Load() {
		return func() {}
	}
	g.of.held.Add(1)
	return sync.OnceFunc(func() { g.of.held.Add(-1) })
}

// Check returns an *Error unless the grant has the power and its call still runs.
func (g Grant) Check(power string) error {
	switch {
	case g.of == nil:
		return &Error{power, "no call was granted it"}
	case g.of.ended.Load() && g.of.held.Load() == 0:
		return &Error{power, "the call of " + g.of.holder + " has ended"}
	case !g.of.all && !slices.Contains(g.of.powers, power):
		return &Error{power, "this call of " + g.of.holder + " does not use it by its manifest entry"}
	}
	return nil
}
