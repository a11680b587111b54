package toolkit

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callsheet/callsheet/gen/toolkit/format"
)

// Args reads one call's arguments for generated decoders: a single pass over the JSON that fills
// typed fields and collects every violation instead of stopping at the first.
//
// Its methods read the value at the current place. On a wrong one they record why, skip it and
// return the zero value.
type Args struct {
	dec        *jsontext.Decoder
	text       []byte // all of it
	buf        bytes.Buffer
	key        []byte
	violations Violations
	broken     bool // the text is not JSON from here on; everything else reads as empty
}

// maxShown is how many bytes of a wrong value or place a violation repeats; maxViolations is how
// many are reported.
const (
	maxShown      = 80
	maxViolations = 20
)

// ReadArgs begins to read an arguments object, which Object then enters. Absent arguments and null
// read as {}.
func ReadArgs(raw []byte) *Args {
	a := new(Args)
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
	}
	a.text = raw
	a.buf = *bytes.NewBuffer(raw)
	a.dec = jsontext.NewDecoder(&a.buf, jsontext.AllowDuplicateNames(true)) // Mark finds them, at no cost
	return a
}

// Done ends the reading and returns the Violations, or nil.
func (a *Args) Done() error {
	if !a.broken {
		if _, err := a.dec.ReadToken(); !errors.Is(err, io.EOF) {
			a.violate("", "more text after the JSON object", "")
		}
	}
	if len(a.violations) == 0 {
		return nil
	}
	return a.violations
}

// Next moves to the next member of the current object and reports whether there is one. After it
// Key names the member and the value must be read.
func (a *Args) Next() bool {
	if a.broken {
		return false
	}
	if a.dec.PeekKind() == '}' {
		_, err := a.dec.ReadToken()
		a.fail(err)
		return false
	}
	raw, err := a.dec.ReadValue()
	if a.fail(err) {
		return false
	}
	a.key = raw[1 : len(raw)-1]
	if bytes.IndexByte(a.key, '\\') >= 0 {
		a.key, _ = jsontext.AppendUnquote(nil, raw)
	}
	return true
}

// Key is the current member's name; it is valid until the next read.
func (a *Args) Key() []byte { return a.key }

// Mark adds the property with index i to the set of those seen in the current object; a second time
// is a violation.
func (a *Args) Mark(seen uint64, i int) uint64 {
	if seen&(1<<i) != 0 {
		a.violate(string(a.dec.StackPointer()), "given twice", "")
	}
	return seen | 1<<i
}

// More moves to the next element of the current array and reports whether there is one.
func (a *Args) More() bool {
	if a.broken {
		return false
	}
	if a.dec.PeekKind() == ']' {
		_, err := a.dec.ReadToken()
		a.fail(err)
		return false
	}
	return true
}

// Object enters an object value. When it returns true, Next walks the members.
func (a *Args) Object() bool { return a.enter('{', "object") }

// Array enters an array value. When it returns true, More walks the elements.
func (a *Args) Array() bool { return a.enter('[', "array") }

func (a *Args) enter(kind jsontext.Kind, want string) bool {
	if !a.expect(kind, want) {
		return false
	}
	_, err := a.dec.ReadToken()
	return !a.fail(err)
}

// String reads a string and holds it against the rule.
func (a *Args) String(r *StringRule) string {
	if !a.expect('"', "string") {
		return ""
	}
	tok, err := a.dec.ReadToken()
	if a.fail(err) {
		return ""
	}
	return a.checkString(tok.String(), r)
}

// Int reads an integer; 2.0 and 1e3 are integers, as JSON Schema has it.
func (a *Args) Int(r *NumberRule) int {
	f, ok := a.number("integer")
	if !ok {
		return 0
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		a.violateHere("expected an integer, got "+formatNumber(f), "")
		return 0
	}
	a.checkNumber(f, r)
	return int(f)
}

// Number reads a number.
func (a *Args) Number(r *NumberRule) float64 {
	f, ok := a.number("number")
	if ok {
		a.checkNumber(f, r)
	}
	return f
}

func (a *Args) number(want string) (float64, bool) {
	if !a.expect('0', want) {
		return 0, false
	}
	tok, err := a.dec.ReadToken()
	if a.fail(err) {
		return 0, false
	}
	f, err := tok.Float()
	if err != nil || math.IsInf(f, 0) {
		a.violateHere("the number is too large", "")
		return 0, false
	}
	return f, true
}

// Bool reads a boolean.
func (a *Args) Bool() bool {
	if a.broken {
		return false
	}
	if k := a.dec.PeekKind(); k != 't' && k != 'f' {
		a.wrongType("boolean")
		return false
	}
	tok, err := a.dec.ReadToken()
	return !a.fail(err) && tok.Bool()
}

// Raw reads an object with whatever members, as JSON text of the caller's own.
func (a *Args) Raw() jsontext.Value {
	if !a.expect('{', "object") {
		return nil
	}
	raw, err := a.dec.ReadValue()
	if a.fail(err) {
		return nil
	}
	return raw.Clone()
}

// Any reads any value, as JSON text of the caller's own.
func (a *Args) Any() jsontext.Value {
	if a.broken {
		return nil
	}
	raw, err := a.dec.ReadValue()
	if a.fail(err) {
		return nil
	}
	return raw.Clone()
}

// Time reads a point in time by RFC 3339.
func (a *Args) Time() (t time.Time) {
	if s := a.String(dateTimeRule); format.Valid(dateTimeRule.Format, s) {
		_ = t.UnmarshalText([]byte(s)) // valid
	}
	return t
}

var dateTimeRule = &StringRule{Format: "date-time"}

// Refused is a name that arguments do not take, and what an answer says about it.
type Refused struct{ Name, Reason string }

// Unknown records that the current member is not one of names, and skips its value. A refused name is
// answered with its reason, that of the first list that has it.
func (a *Args) Unknown(names []string, refused ...[]Refused) {
	key := string(a.key)
	if a.refused(key, refused) {
		return
	}
	hint := ""
	if near := Nearest(key, names); near != "" {
		hint = "did you mean " + strconv.Quote(near) + "?"
	} else if len(names) > 0 {
		hint = "known: " + quoted(names)
	} else {
		hint = "none are taken here"
	}
	if a.fail(a.dec.SkipValue()) {
		return
	}
	a.violateHere("unknown property", hint)
}

// refused records that a member is refused, if it is, and skips its value.
func (a *Args) refused(key string, lists [][]Refused) bool {
	for _, list := range lists {
		for i := range list {
			if list[i].Name == key {
				if !a.fail(a.dec.SkipValue()) {
					a.violateHere("not taken here: "+list[i].Reason, "")
				}
				return true
			}
		}
	}
	return false
}

// Missing records that a required member of the object just left is absent.
func (a *Args) Missing(name string) {
	if !a.broken {
		a.violate(a.Path()+"/"+name, "required, but missing", "")
	}
}

// Needs records that a conditional requirement on the object just left is not met.
func (a *Args) Needs(problem string) {
	if !a.broken {
		a.violateHere(problem, "")
	}
}

// Count checks the length of the array just left.
func (a *Args) Count(n int, r *CountRule) {
	switch {
	case a.broken:
	case r.Min > 0 && n < r.Min:
		a.violateHere("needs at least "+strconv.Itoa(r.Min)+" items, got "+strconv.Itoa(n), "")
	case r.Max > 0 && n > r.Max:
		a.violateHere("takes at most "+strconv.Itoa(r.Max)+" items, got "+strconv.Itoa(n), "")
	}
}

// Path is the JSON pointer of the value read last, or of the container just left.
func (a *Args) Path() string { return string(a.dec.StackPointer()) }

// expect peeks at the value's kind; on another one it records the mistake and skips the value.
func (a *Args) expect(kind jsontext.Kind, want string) bool {
	if a.broken {
		return false
	}
	if a.dec.PeekKind() != kind {
		a.wrongType(want)
		return false
	}
	return true
}

func (a *Args) wrongType(want string) {
	raw, err := a.dec.ReadValue()
	if a.fail(err) {
		return
	}
	shown := clip(string(raw))
	hint := ""
	if shown == "null" {
		hint = "leave the property out instead"
	} else if len(raw) > 2 && raw[0] == '"' && want != "string" && raw[1:len(raw)-1].IsValid() {
		hint = "without the quotes"
	}
	a.violateHere("expected "+article(want)+", got "+shown, hint)
}

// violateHere records a violation at the value just read.
func (a *Args) violateHere(problem, hint string) { a.violate(a.Path(), problem, hint) }

// violate records a violation, up to a number that a model can use: arguments may be hostile or
// broken without end.
func (a *Args) violate(path, problem, hint string) {
	if len(a.violations) < maxViolations {
		a.violations = append(a.violations, Violation{Path: clip(path), Problem: problem, Hint: hint})
	}
}

// fail turns a syntax error into the last violation and reports whether there was one.
func (a *Args) fail(err error) bool {
	if err == nil {
		return false
	}
	if !a.broken {
		a.broken = true
		a.violate("", "not valid JSON: "+err.Error(), "")
	}
	return true
}

func article(noun string) string {
	switch noun {
	case "integer", "object", "array", "email", "ipv4", "ipv6":
		return "an " + noun
	}
	return "a " + noun
}
