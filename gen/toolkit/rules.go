package toolkit

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/format"
)

// StringRule limits a string. The zero value allows any.
type StringRule struct {
	Enum           []string
	Pattern        *Pattern
	Format         string // a name of package format
	MinLen, MaxLen int    // in characters; MaxLen 0 is no limit
}

// NumberRule limits a number. Bounds hold only when their flag is set.
type NumberRule struct {
	Min, Max       float64
	HasMin, HasMax bool
	Enum           []Named // the values that there are; nil for any
}

// Named is one value of an enum of integers.
type Named struct {
	Name  string
	Value int
}

// CountRule limits an array's length; 0 is no limit.
type CountRule struct{ Min, Max int }

// MapRule limits a map: how many members it has, 0 being no limit, and what each name matches.
type MapRule struct {
	Min, Max int
	Names    *Pattern
}

// Pattern is a regular expression that is compiled at its first use, because start-up must not pay
// for it.
type Pattern struct {
	text string
	once func() *regexp.Regexp
}

// NewPattern wraps an RE2 expression that the manifest compiler has already checked.
func NewPattern(text string) *Pattern {
	return &Pattern{text: text, once: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

func (a *Args) checkString(s string, r *StringRule) string {
	if r == nil {
		return s
	}
	if r.Enum != nil {
		for _, e := range r.Enum {
			if e == s {
				return e
			}
		}
		hint := "one of " + quoted(r.Enum)
		if near := Nearest(s, r.Enum); near != "" {
			hint = "did you mean " + strconv.Quote(near) + "?"
		}
		a.violateHere("unknown value "+strconv.Quote(clip(s)), hint)
		return s
	}
	if r.Format != "" && !format.Valid(r.Format, s) {
		a.violateHere("expected "+article(r.Format)+", got "+strconv.Quote(clip(s)), "such as "+strconv.Quote(format.Example(r.Format)))
		return s
	}
	if r.MinLen > 0 || r.MaxLen > 0 {
		n := utf8.RuneCountInString(s)
		if n < r.MinLen {
			a.violateHere("needs at least "+strconv.Itoa(r.MinLen)+" characters, got "+strconv.Itoa(n), "")
		}
		if r.MaxLen > 0 && n > r.MaxLen {
			a.violateHere("takes at most "+strconv.Itoa(r.MaxLen)+" characters, got "+strconv.Itoa(n), "")
		}
	}
	if r.Pattern != nil && !r.Pattern.once().MatchString(s) {
		a.violateHere(strconv.Quote(clip(s))+" does not match "+r.Pattern.text, "")
	}
	return s
}

func (a *Args) checkNumber(f float64, r *NumberRule) {
	if r == nil {
		return
	}
	if r.Enum != nil && !slices.ContainsFunc(r.Enum, func(n Named) bool { return float64(n.Value) == f }) {
		known := slicesx.List(r.Enum, func(n Named) string { return strconv.Itoa(n.Value) + " (" + n.Name + ")" })
		a.violateHere("unknown value "+formatNumber(f), "one of "+strings.Join(known, ", "))
		return
	}
	if r.HasMin && f < r.Min {
		a.violateHere("must be at least "+formatNumber(r.Min)+", got "+formatNumber(f), "")
	}
	if r.HasMax && f > r.Max {
		a.violateHere("must be at most "+formatNumber(r.Max)+", got "+formatNumber(f), "")
	}
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// clip cuts a text for showing, at a character boundary.
func clip(s string) string { return clipBytes(s, maxShown) }

// clipBytes shortens a text to at most n bytes and an ellipsis, at a character boundary.
func clipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// The readers of values that hold others. Read reads an inner value at the current place.

// ReadNull reads null, or a value.
func ReadNull[T any](a *Args, read func() T) (out Null[T]) {
	if !a.broken && a.dec.PeekKind() == 'n' {
		_, err := a.dec.ReadToken()
		a.fail(err)
		return out
	}
	out.Value, out.Valid = read(), true
	return out
}

// ReadList reads an array. The rule may be nil.
func ReadList[T any](a *Args, r *CountRule, read func() T) []T {
	if !a.Array() {
		return nil
	}
	out := []T{}
	for a.More() {
		out = append(out, read())
	}
	if r != nil {
		a.Count(len(out), r)
	}
	return out
}

// ReadMap reads an object with whatever names. The rule may be nil.
func ReadMap[T any](a *Args, r *MapRule, read func() T) map[string]T {
	if !a.Object() {
		return nil
	}
	out := map[string]T{}
	for a.Next() {
		name := string(a.Key())
		_, again := out[name]
		out[name] = read()
		switch {
		case a.broken:
		case again:
			a.violateHere("given twice", "")
		case r != nil && r.Names != nil && !r.Names.once().MatchString(name):
			a.violateHere("the name does not match "+r.Names.text, "")
		}
	}
	if r == nil || a.broken {
		return out
	}
	switch n := len(out); {
	case n < r.Min:
		a.violateHere("needs at least "+strconv.Itoa(r.Min)+" members, got "+strconv.Itoa(n), "")
	case r.Max > 0 && n > r.Max:
		a.violateHere("takes at most "+strconv.Itoa(r.Max)+" members, got "+strconv.Itoa(n), "")
	}
	return out
}

// ReadObject reads an object by its reader.
func ReadObject[T any](a *Args, read func(*T, *Args)) (v T) {
	read(&v, a)
	return v
}

// Variant looks at the object that comes next, reads nothing, and returns the value of its tag: one of names. Where the
// object has no such value, it records why, skips the object and returns "".
func (a *Args) Variant(tag string, names []string) string {
	if !a.expect('{', "object") {
		return ""
	}
	rest := a.text[a.dec.InputOffset():] // a comma or colon is before the object
	value, found := memberValue(rest[max(bytes.IndexByte(rest, '{'), 0):], tag)
	for _, name := range names {
		if found && value.Kind() == '"' && unquoted(value) == name {
			return name
		}
	}
	if a.fail(a.dec.SkipValue()) {
		return ""
	}
	at, hint := a.Path()+"/"+tag, "one of "+quoted(names)
	switch {
	case !found:
		a.violate(at, "required, but missing", hint)
	case value.Kind() != '"':
		a.violate(at, "expected a string, got "+clip(string(value)), hint)
	default:
		if near := Nearest(unquoted(value), names); near != "" {
			hint = "did you mean " + strconv.Quote(near) + "?"
		}
		a.violate(at, "unknown value "+strconv.Quote(clip(unquoted(value))), hint)
	}
	return ""
}
