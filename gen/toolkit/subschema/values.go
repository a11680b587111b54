package subschema

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// limits compares lengths, numbers, patterns and formats.
func (c *comparer) limits(path string, a, b *node) []Difference {
	if a.hasEnum {
		return c.enumLimits(path, a, b)
	}
	var out []Difference
	for _, row := range []struct {
		name, strict string
		kind         types
	}{
		{"minimum", "exclusiveMinimum", integer | fraction}, {"maximum", "exclusiveMaximum", integer | fraction}, {"minLength", "", text}, {"maxLength", "", text},
		{"minItems", "", array}, {"maxItems", "", array}, {"minProperties", "", object}, {"maxProperties", "", object},
	} {
		if a.types&row.kind == 0 {
			continue
		}
		was, now := a.limit(row.name, row.strict), b.limit(row.name, row.strict)
		if now.tighter(was, lower(row.name)) {
			out = append(out, c.say(Bounds, path, "its %s was %[2]s and is %[3]s", "its %s was %[3]s and is %[2]s", row.name, was, now))
		}
	}
	if a.types&text == 0 {
		return out
	}
	for _, p := range b.patterns {
		if !slices.Contains(a.patterns, p) {
			out = append(out, c.pattern(path, a.patterns, p))
		}
	}
	for _, f := range b.formats {
		if !slices.Contains(a.formats, f) {
			out = append(out, c.say(Bounds, path, "it must be of the format %s", "it no longer has the format %s", f))
		}
	}
	return out
}

// bound is a limit of values.
type bound struct {
	at     float64
	strict bool // the limit itself is refused
	set    bool
}

func (b bound) String() string {
	switch {
	case !b.set:
		return "none"
	case b.strict:
		return fmt.Sprintf("%v (exclusive)", b.at)
	}
	return fmt.Sprint(b.at)
}

// limit is the tighter one of an inclusive and an exclusive limit.
func (n *node) limit(name, strict string) bound {
	at, ok := n.limits[name]
	out := bound{at, false, ok}
	if edge, ok := n.limits[strict]; ok {
		if other := (bound{edge, true, true}); other.tighter(out, lower(name)) {
			out = other
		}
	}
	if out.strict && n.types&fraction == 0 { // integers beyond an edge begin at the next one
		if lower(name) {
			return bound{math.Floor(out.at) + 1, false, true}
		}
		return bound{math.Ceil(out.at) - 1, false, true}
	}
	if (name == "minLength" || name == "minItems" || name == "minProperties") && out.at <= 0 {
		return bound{}
	}
	return out
}

// maxSafe is the greatest integer that every JSON number holds exactly. Generators write it, and its negative,
// for "any integer".
const maxSafe = 1<<53 - 1

// tighter reports whether the bound refuses a value that the other takes.
func (b bound) tighter(other bound, least bool) bool {
	switch {
	case !b.set:
		return false
	case !other.set:
		return least && b.at > -maxSafe || !least && b.at < maxSafe
	case b.at == other.at:
		return b.strict && !other.strict
	}
	return least == (b.at > other.at)
}

// pattern compares a pattern with those before. Of two patterns a sample of the old ones that the new one
// refuses decides; without one it is unknown.
func (c *comparer) pattern(path string, was []string, now string) Difference {
	if len(was) == 0 {
		return c.say(Bounds, path, "it must match the pattern %s", "it no longer matches the pattern %s", now)
	}
	target, err := regexp.Compile(now)
	if err == nil && len(was) == 1 {
		for _, s := range samples(was[0]) {
			if !target.MatchString(s) {
				return c.say(Bounds, path, "its pattern was %[1]s and is %[2]s, which refuses %[3]q", "its pattern was %[2]s and is %[1]s, which takes %[3]q", was[0], now, s)
			}
		}
	}
	return c.unknown(path, "its pattern changed, and which one is wider cannot be decided", strings.Join(was, " and "), now)
}

// enumLimits holds each value of an enum against the limits.
func (c *comparer) enumLimits(path string, a, b *node) []Difference {
	lost := slicesx.Filter(a.enum, func(v any) bool { return !b.takes(v) })
	if len(lost) == 0 {
		return nil
	}
	return []Difference{c.say(Bounds, path, "its limits no longer take %s", "it may now be %s", list(lost))}
}

// takes reports whether the limits of the node take a scalar value.
func (n *node) takes(v any) bool {
	switch v := v.(type) {
	case string:
		length := bound{float64(utf8.RuneCountInString(v)), false, true}
		if n.limit("minLength", "").tighter(length, true) || n.limit("maxLength", "").tighter(length, false) {
			return false
		}
		return !slices.ContainsFunc(n.patterns, func(p string) bool {
			re, err := regexp.Compile(p)
			return err == nil && !re.MatchString(v)
		})
	case json.Number:
		f, err := v.Float64()
		exact := bound{f, false, true}
		return err != nil || !n.limit("minimum", "exclusiveMinimum").tighter(exact, true) && !n.limit("maximum", "exclusiveMaximum").tighter(exact, false)
	}
	return true
}

// arrays compares items by place.
func (c *comparer) arrays(path string, a, b *node) []Difference {
	var out []Difference
	for i := range max(len(a.prefix), len(b.prefix)) {
		source, target := a.items, b.items
		if i < len(a.prefix) {
			source = a.prefix[i]
		}
		if i < len(b.prefix) {
			target = b.prefix[i]
		}
		out = append(out, c.compare(fmt.Sprintf("%s[%d]", path, i), source, target)...)
	}
	if a.takesNoMoreThan(len(a.prefix)) && len(a.prefix) > 0 {
		return out
	}
	return append(out, c.compare(path+"[]", a.items, b.items)...)
}

// takesNoMoreThan reports whether an array has at most so many items.
func (n *node) takesNoMoreThan(count int) bool {
	most := n.limit("maxItems", "")
	return most.set && most.at <= float64(count) || len(n.items) == 1 && n.items[0].value == false
}
