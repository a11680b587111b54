package toolkittest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/toolkit/format"
)

// members are those of an object, in their order. A name may stand twice.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

// with returns the members and one more.
func (m members) with(name string, value json.RawMessage) members {
	return append(slices.Clip(m), member{name, value})
}

// without returns the members but one.
func (m members) without(name string) members {
	return slices.DeleteFunc(slices.Clone(m), func(x member) bool { return x.name == name })
}

// get returns the value of a member; nil where there is none.
func (m members) get(name string) json.RawMessage {
	i := slices.IndexFunc(m, func(x member) bool { return x.name == name })
	if i < 0 {
		return nil
	}
	return m[i].value
}

// text is the object as JSON.
func (m members) text() json.RawMessage {
	out := []byte{'{'}
	for i, x := range m {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(x.name)...), ':'), x.value...)
	}
	return append(out, '}')
}

// list is an array as JSON.
func list(items ...json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, x := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, x...)
	}
	return append(out, ']')
}

// quote is a text as JSON.
func quote(text string) json.RawMessage {
	out, _ := json.Marshal(text) // a text always marshals
	return out
}

// number is a number as JSON.
func number(f float64) json.RawMessage {
	out, _ := json.Marshal(f) // it comes from JSON
	return out
}

// example returns a value that the schema allows. Where none is found, as for a pattern that no drawn text matches, it is
// some value.
func (s *schema) example() json.RawMessage {
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	switch s.kind() {
	case "string":
		if texts := s.texts(); len(texts) > 0 {
			return quote(texts[0])
		}
		return quote("text")
	case "integer", "number":
		return number(s.within(1))
	case "boolean":
		return json.RawMessage("true")
	case "array":
		return s.listOf(max(1, lower(s.MinItems)))
	case "object":
		return s.object().text()
	case "map":
		return s.mapOf(lower(s.MinProperties)).text()
	case "union":
		return s.variants()[0].example()
	}
	return json.RawMessage(`"any"`)
}

// within is a number as near to f as the bounds allow.
func (s *schema) within(f float64) float64 {
	if s.Minimum != nil {
		f = max(f, *s.Minimum)
	}
	if s.Maximum != nil {
		f = min(f, *s.Maximum)
	}
	return f
}

// lower is a bound from below; 0 without one.
func lower(bound *int) int {
	if bound == nil {
		return 0
	}
	return *bound
}

// object returns the members that an object requires.
func (s *schema) object() members {
	out := members{}
	for _, name := range s.Required {
		out = out.with(name, s.Properties[name].example())
	}
	return out
}

// listOf returns a list of n examples.
func (s *schema) listOf(n int) json.RawMessage {
	items := make([]json.RawMessage, n)
	for i := range items {
		items[i] = s.Items.example()
	}
	return list(items...)
}

// mapOf returns a map of n examples; nil where there are not that many names.
func (s *schema) mapOf(n int) members {
	names, out := s.memberNames(), members{}
	if len(names) < n {
		return nil
	}
	for _, name := range names[:n] {
		out = out.with(name, s.mapValue())
	}
	return out
}

func (s *schema) mapValue() json.RawMessage {
	if s.AdditionalProperties.values == nil {
		return json.RawMessage(`{"any":[1]}`)
	}
	return s.AdditionalProperties.values.example()
}

// memberNames lists names that the members of a map may have: enough for one more than it takes.
func (s *schema) memberNames() (out []string) {
	wanted := lower(s.MinProperties) + 1
	if s.MaxProperties != nil {
		wanted = max(wanted, *s.MaxProperties+1)
	}
	for seed := 0; len(out) < wanted && seed < 20*wanted; seed++ {
		name := "m" + strconv.Itoa(seed)
		switch {
		case s.PropertyNames == nil || s.PropertyNames.Pattern == "":
		case seed < len(s.PropertyNames.samples):
			name = s.PropertyNames.samples[seed]
		default:
			name = drawText(s.PropertyNames.Pattern, seed)
		}
		if !slices.Contains(out, name) && (s.PropertyNames == nil || s.PropertyNames.allows(quote(name))) {
			out = append(out, name)
		}
	}
	return out
}

// draws is how many texts are drawn of a pattern.
const draws = 40

// texts lists texts that the schema allows.
func (s *schema) texts() []string {
	if s.drawn == nil {
		s.drawn = s.drawTexts()
	}
	return s.drawn
}

func (s *schema) drawTexts() (out []string) {
	add := func(text string) {
		if s.allows(quote(text)) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	switch {
	case s.Format != "":
		add(format.Example(s.Format))
	case s.Pattern == "":
		add("text")
		add(strings.Repeat("é", lower(s.MinLength)))
		if s.MaxLength != nil {
			add(strings.Repeat("é", *s.MaxLength))
		}
	default:
		for _, text := range s.samples {
			add(text)
		}
		for seed := range draws {
			text := drawText(s.Pattern, seed)
			add(text)
			for _, bound := range []*int{s.MinLength, s.MaxLength} {
				if bound != nil {
					add(resize(text, *bound, s.Pattern))
				}
			}
		}
	}
	return out
}

// drawText returns a text that a pattern matches, the same one for each seed; "" where none can be drawn.
func drawText(pattern string, seed int) (text string) {
	defer func() {
		if recover() != nil { // the library gives up on a pattern with a failed assertion
			text = ""
		}
	}()
	return rapid.StringMatching(pattern).Example(seed)
}

// ofLength returns a text of n characters that the pattern matches, if there is one; false where none is found.
func (s *schema) ofLength(n int) (string, bool) {
	if s.Pattern == "" && s.Format == "" {
		return strings.Repeat("é", max(0, n)), n >= 0
	}
	for _, text := range s.texts() {
		if resized := resize(text, n, s.Pattern); n >= 0 && utf8.RuneCountInString(resized) == n {
			return resized, true
		}
	}
	return "", false
}

// resize repeats one character of a text, or leaves out some, so that it has n characters and still matches the pattern.
// It returns the text where there is no such character.
func resize(text string, n int, pattern string) string {
	runes, matches := []rune(text), regexp.MustCompile(pattern).MatchString
	for i := range runes {
		var changed []rune
		switch missing := n - len(runes); {
		case missing >= 0:
			changed = slices.Insert(slices.Clone(runes), i, slices.Repeat(runes[i:i+1], missing)...)
		case i-missing <= len(runes):
			changed = slices.Delete(slices.Clone(runes), i, i-missing)
		default:
			continue
		}
		if matches(string(changed)) {
			return string(changed)
		}
	}
	return text
}
