package toolkit

import (
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"
)

// StringRule limits a string. The zero value allows any.
type StringRule struct {
	Enum           []string
	Pattern        *Pattern
	MinLen, MaxLen int // in characters; MaxLen 0 is no limit
}

// NumberRule limits a number. Bounds hold only when their flag is set.
type NumberRule struct {
	Min, Max       float64
	HasMin, HasMax bool
}

// CountRule limits an array's length; 0 is no limit.
type CountRule struct{ Min, Max int }

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
