package contract

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/text"
)

// memberReader reads the members of one leaf, in any order, and reports all that is wrong with
// them. A leaf that is written short, as a bare value, is as if it had only the member short.
type memberReader struct {
	*parser
	path        string
	value       any
	shortMember string

	members map[string]any
	names   []string
}

// open makes the members ready. It answers false where there are none to read.
func (r *memberReader) open(known ...string) bool {
	r.names = known
	switch v := r.value.(type) {
	case map[string]any:
		r.members = v
	case string, float64, bool:
		if r.shortMember == "" {
			r.problem(r.path, "expected an object with %s, got %s", strings.Join(known, ", "), typeOf(v))
			return false
		}
		r.members = map[string]any{r.shortMember: v}
	default:
		r.problem(r.path, "expected an object with %s, got %s", strings.Join(known, ", "), typeOf(v))
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		if !slices.Contains(known, name) {
			r.unknown(r.memberPath(name), "property", name, known)
		}
	}
	return true
}

// at is the pointer of a member. One that was written short is the leaf itself.
func (r *memberReader) memberPath(name string) string {
	if _, ok := r.value.(map[string]any); !ok {
		return r.path
	}
	return memberPointer(r.path, name)
}

func (r *memberReader) has(name string) bool { _, ok := r.members[name]; return ok }

// text reads a text that is not empty; absent is "".
func (r *memberReader) text(name string) string {
	v, ok := r.members[name]
	if !ok {
		return ""
	}
	text, ok := v.(string)
	if !ok || text == "" {
		r.problem(r.memberPath(name), "expected a text that is not empty, got %s", typeOf(v))
	}
	return text
}

// choice reads one of some words; absent is the first.
func (r *memberReader) choice(name string, words []string) string {
	if !r.has(name) {
		return words[0]
	}
	text := r.text(name)
	if text != "" && !slices.Contains(words, text) {
		r.unknown(r.memberPath(name), name, text, words)
	}
	return text
}

// choices reads a word of some, or a list of them.
func (r *memberReader) choices(name string, known []string) []string {
	list, ok := r.members[name].([]any)
	if !ok {
		return []string{r.choice(name, known)}
	}
	out := make([]string, 0, len(list))
	for i, v := range list {
		at := fmt.Sprintf("%s/%d", r.memberPath(name), i)
		text, ok := v.(string)
		switch {
		case !ok:
			r.problem(at, "expected a text, got %s", typeOf(v))
		case !slices.Contains(known, text):
			r.unknown(at, name, text, known)
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		r.problem(r.memberPath(name), "the list is empty")
	}
	return out
}

// number reads a number from 0; set says that there is one.
func (r *memberReader) number(name string) (n float64, set bool) {
	v, ok := r.members[name]
	if !ok {
		return 0, false
	}
	n, ok = v.(float64)
	if !ok || n < 0 {
		r.problem(r.memberPath(name), "expected a number from 0, got %s", typeOf(v))
		return 0, false
	}
	return n, true
}

// bounds reads eq, min and max, and limits them to whole numbers where those are counted.
func (r *memberReader) bounds(whole bool) bounds {
	b := bounds{max: math.Inf(1)}
	for _, name := range []string{"eq", "min", "max"} {
		n, set := r.number(name)
		if !set {
			continue
		}
		if whole && n != math.Trunc(n) {
			r.problem(r.memberPath(name), "expected a whole number, got %v", n)
		}
		if name != "max" {
			b.min = n
		}
		if name != "min" {
			b.max = n
		}
		b.isSet = true
	}
	switch {
	case r.has("eq") && (r.has("min") || r.has("max")):
		r.problem(r.path, "give eq, or min and max")
	case b.min > b.max:
		r.problem(r.path, "min %v is above max %v", b.min, b.max)
	}
	return b
}

// bounds are the limits of a number; without any, set is false.
type bounds struct {
	min, max float64
	isSet    bool
}

func (b bounds) contains(n float64) bool { return n >= b.min && n <= b.max }

// String says the bounds: 3, at least 3, at most 3, 1 to 3.
func (b bounds) String() string {
	switch {
	case b.min == b.max:
		return fmt.Sprintf("%v", b.min)
	case math.IsInf(b.max, 1):
		return fmt.Sprintf("at least %v", b.min)
	case b.min == 0:
		return fmt.Sprintf("at most %v", b.max)
	}
	return fmt.Sprintf("%v to %v", b.min, b.max)
}

// selectorIndex reads a selector and returns its index; -1 without one.
func (r *memberReader) selectorIndex(required bool) int {
	if !r.has("selector") {
		if required {
			r.problem(r.path, "selector is missing")
		}
		return -1
	}
	text := r.text("selector")
	i, ok := r.selectorIndexes[text]
	if !ok {
		i = len(r.selectors)
		r.selectorIndexes[text] = i
		r.selectors = append(r.selectors, text)
	}
	return i
}

// since reads the moment from which something counts.
func (r *memberReader) since() Since { return Since(r.choice("since", sinceNames())) }

// How texts are compared.
const (
	contains = "contains"
	equals   = "equals"
	matches  = "matches"
)

// matcher compares texts. The zero value matches all.
type matcher struct {
	operator, text string
	pattern        *regexp.Regexp
}

// matcher reads exactly one of contains, equals and matches, or at most one if none is required.
func (r *memberReader) matcher(required bool) matcher {
	var m matcher
	for _, how := range []string{contains, equals, matches} {
		switch {
		case !r.has(how):
			continue
		case m.operator != "":
			r.problem(r.memberPath(how), "give one of contains, equals, matches")
		}
		m.operator = how
		if v, ok := r.members[how].(string); ok && how == equals {
			m.text = v // that something is empty can be said
		} else {
			m.text = r.text(how)
		}
	}
	if m.operator == "" && required {
		r.problem(r.path, "give one of contains, equals, matches")
	}
	if m.operator == matches {
		var err error
		if m.pattern, err = regexp.Compile(m.text); err != nil {
			r.problem(r.memberPath(matches), "%v; the syntax is RE2's, without look-around and back-references", err)
		}
	}
	return m
}

// accepts reports whether a text matches.
func (m matcher) accepts(text string) bool {
	switch m.operator {
	case contains:
		return strings.Contains(text, m.text)
	case equals:
		return text == m.text
	case matches:
		return m.pattern.MatchString(text)
	}
	return true
}

// acceptsPrefix reports whether a clipped text that matches would match with any continuation: the
// match ends before the text does, greedy or not.
func (m matcher) acceptsPrefix(text string) bool {
	if m.operator != matches {
		return m.operator != equals
	}
	patterns := []*regexp.Regexp{m.pattern}
	if lazy, err := regexp.Compile("(?U)" + m.text); err == nil {
		patterns = append(patterns, lazy)
	}
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool {
		at := p.FindStringIndex(text)
		return at != nil && at[1] < len(text)
	})
}

func (m matcher) isSet() bool { return m.operator != "" }

// withCollapsedSpace returns the matcher for texts whose white space is collapsed.
func (m matcher) withCollapsedSpace() matcher {
	if m.operator != matches {
		m.text = collapseSpace(m.text)
	}
	return m
}

// String says what fits: contains "x", matches /x/.
func (m matcher) String() string {
	switch m.operator {
	case matches:
		return "matches /" + text.ClipRunes(m.text, maxShownRunes) + "/"
	case "":
		return "is any"
	}
	return fmt.Sprintf("%s %q", m.operator, text.ClipRunes(m.text, maxShownRunes))
}

// texts reads a list of texts that are not empty; absent means none.
func (r *memberReader) texts(name string) []string {
	if !r.has(name) {
		return nil
	}
	list, ok := r.members[name].([]any)
	if !ok || len(list) == 0 {
		r.problem(r.memberPath(name), "expected a list of texts, got %s", typeOf(r.members[name]))
		return nil
	}
	var out []string
	for i, v := range list {
		text, ok := v.(string)
		if !ok || text == "" {
			r.problem(fmt.Sprintf("%s/%d", r.memberPath(name), i), "expected a text that is not empty, got %s", typeOf(v))
		}
		out = append(out, text)
	}
	return out
}
