package toolkittest

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// probe is a value at a boundary of a schema, or of one within a value of it. Whether it is inside is for the validator.
type probe struct {
	value   json.RawMessage
	what    string
	at      string   // the JSON pointer, from the value, of what a refusal names
	refused bool     // it is outside, which no schema can say
	choices []string // all that a refusal offers in place of the value; nil where it may offer something else
}

// unheard is a name or a text that is near to none.
const unheard = "☃☃☃"

// gap is a bound that no probe breaks alone, or noExample.
type gap struct{ at, keyword string }

// noExample stands for the bounds of a schema that no value is found for.
const noExample = "every bound"

// probes lists the values at the boundaries of a schema, and the bounds that none of them breaks alone. At is where the
// schema is in that of the tool.
func (s *schema) probes(at string) (out []probe, gaps []gap) {
	for _, wrong := range []string{`null`, `true`, `false`, `1`, `1.5`, `"text"`, `"1"`, `"true"`, `[]`, `{}`} {
		out = append(out, probe{value: json.RawMessage(wrong), what: "the value " + wrong})
	}
	out = append(out, s.ownProbes()...)
	if !s.allows(s.example()) {
		gaps = append(gaps, gap{at, noExample})
	}
	tested := map[string]bool{}
	for _, p := range out {
		for _, keyword := range s.brokenAlone(p.value) {
			tested[keyword] = true
		}
	}
	for _, keyword := range s.keywords() {
		if !tested[keyword] {
			gaps = append(gaps, gap{at, keyword})
		}
	}
	inner, more := s.innerProbes(at)
	return append(out, inner...), append(gaps, more...)
}

// ownProbes lists the values at the bounds that the schema states itself.
func (s *schema) ownProbes() []probe {
	switch s.kind() {
	case "string":
		if len(s.Enum) > 0 {
			return s.choiceProbes()
		}
		return s.textProbes()
	case "integer", "number":
		if len(s.Enum) > 0 {
			return s.choiceProbes()
		}
		return s.numberProbes()
	case "array":
		return s.countProbes(s.MinItems, s.MaxItems, "items", s.listOf)
	case "object":
		return s.objectProbes(s.object())
	case "map":
		return s.mapProbes()
	}
	return nil
}

// choiceProbes lists each value of an enum, and others that resemble them.
func (s *schema) choiceProbes() (out []probe) {
	add := func(what string, value json.RawMessage) { out = append(out, probe{value: value, what: what}) }
	stranger := probe{value: quote(unheard), what: "a value of no enum"}
	if s.kind() == "integer" {
		stranger.value = json.RawMessage("12345678")
	}
	for _, raw := range s.Enum {
		var text string
		switch {
		case string(raw) == "null":
			continue
		case json.Unmarshal(raw, &text) != nil: // a number
			stranger.choices = append(stranger.choices, string(raw))
			add("a number of the enum", raw)
			n, _ := strconv.ParseFloat(string(raw), 64)
			for _, d := range []float64{-1, -0.5, 0.5, 1} {
				add("a number beside one of the enum", number(n+d))
			}
			add("a number of the enum as a text", quote(string(raw)))
			continue
		}
		stranger.choices = append(stranger.choices, text)
		add("a value of the enum", raw)
		for _, near := range []string{text + "x", text + " ", text[:max(0, len(text)-1)], swapCase(text)} {
			add("a value that resembles one of the enum", quote(near))
		}
	}
	add("an empty text for an enum", quote(""))
	for _, name := range regexp.MustCompile(`\d+ = ([^,]+)`).FindAllStringSubmatch(s.Description, -1) {
		add("the name of a number of the enum", quote(name[1]))
	}
	return append(out, stranger)
}

// swapCase makes small letters capital ones and the reverse.
func swapCase(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}

// nearFormats are texts that nearly have a format.
func nearFormats() map[string][]string {
	return map[string][]string{
		"date":      {"2026-02-30", "2026-1-31", "31.01.2026"},
		"time":      {"15:04:05", "24:04:05Z", "15:04Z"},
		"date-time": {"2026-01-31T15:04:05", "2026-01-31", "2026-13-31T15:04:05Z"},
		"duration":  {"P", "PT", "1D", "P1S"},
		"email":     {"ada", "ada@", "ada.example.com"},
		"hostname":  {"-a.example", "a..example", "a_b.example"},
		"uri":       {"/a", "example.com/a", "https://exa mple.com"},
		"ipv4":      {"192.0.2.256", "192.0.2", "2001:db8::1"},
		"ipv6":      {"2001:db8::g", "2001:db8", "192.0.2.1"},
		"uuid":      {"123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-42661417400g", "123e4567e89b12d3a456426614174000"},
	}
}

// textProbes lists texts at the bounds of length, and texts that nearly match a pattern or nearly have a format.
func (s *schema) textProbes() (out []probe) {
	add := func(what, text string) { out = append(out, probe{value: quote(text), what: what}) }
	for _, b := range []struct {
		keyword string
		bound   *int
	}{{"minLength", s.MinLength}, {"maxLength", s.MaxLength}} {
		if b.bound == nil {
			continue
		}
		for n := *b.bound - 1; n <= *b.bound+1; n++ {
			if text, ok := s.ofLength(n); ok {
				add(fmt.Sprintf("%d characters, at %s", n, b.keyword), text)
			}
		}
	}
	for _, text := range nearFormats()[s.Format] {
		add("a text that nearly has the format "+s.Format, text)
	}
	for i, text := range s.texts() {
		add("a text of the kind", text)
		if i > 2 || s.Pattern == "" {
			continue
		}
		runes := []rune(text)
		for _, near := range []string{text + "\n", text + "!", "!" + text, text + "x", "x" + text, text + "é", swapCase(text), string(runes[:max(0, len(runes)-1)]), string(runes[min(1, len(runes)):])} {
			add("a text that resembles one of the pattern", near)
		}
	}
	add("an empty text", "")
	add("a text of no pattern", unheard)
	return out
}

// numberProbes lists numbers at the bounds.
func (s *schema) numberProbes() (out []probe) {
	add := func(what string, f float64) {
		if s.kind() == "number" || math.Abs(f) < 1<<53 { // larger integers are not exact
			out = append(out, probe{value: number(f), what: what})
		}
	}
	for _, b := range []struct {
		keyword string
		bound   *float64
	}{{"minimum", s.Minimum}, {"maximum", s.Maximum}} {
		if b.bound == nil {
			add("a large number without "+b.keyword, map[string]float64{"minimum": -1 << 50, "maximum": 1 << 50}[b.keyword])
			continue
		}
		near := []float64{*b.bound - 1, *b.bound, *b.bound + 1}
		if s.kind() == "number" {
			near = append(near, math.Nextafter(*b.bound, math.Inf(-1)), math.Nextafter(*b.bound, math.Inf(1)))
		}
		for _, f := range near {
			add("a number at "+b.keyword, f)
		}
	}
	inside := s.within(1)
	add("zero", 0)
	add("a negative number", -1)
	add("a number between integers", s.within(math.Floor(inside)+0.5))
	add("a number between integers", inside-0.5)
	return append(out,
		probe{value: json.RawMessage(strconv.FormatFloat(inside, 'e', -1, 64)), what: "a number with an exponent"},
		probe{value: quote(string(number(inside))), what: "a number as a text"})
}

// countProbes lists values of as many items as the bounds allow, and of one less and more.
func (s *schema) countProbes(lowest, highest *int, what string, of func(n int) json.RawMessage) (out []probe) {
	counts := map[int]bool{0: true, 1: true, 2: true}
	for _, bound := range []*int{lowest, highest} {
		for d := -1; bound != nil && d <= 1; d++ {
			counts[*bound+d] = true
		}
	}
	for n := range counts {
		if n < 0 {
			continue
		}
		if value := of(n); value != nil {
			out = append(out, probe{value: value, what: fmt.Sprintf("%d %s", n, what)})
		}
	}
	slices.SortFunc(out, func(a, b probe) int { return strings.Compare(a.what, b.what) })
	return out
}

// objectProbes lists objects that lack a member, have one twice or have one too many.
func (s *schema) objectProbes(whole members) []probe {
	out := []probe{
		{value: whole.text(), what: "the members that are required"},
		{value: whole.with(unheard, json.RawMessage("1")).text(), what: "an unknown member", at: "/" + unheard, choices: s.names()},
	}
	for _, name := range s.Required {
		out = append(out, probe{value: whole.without(name).text(), what: "no " + name, at: "/" + escapePointer(name)})
	}
	for _, name := range s.names() {
		for _, near := range []string{name + "x", swapCase(name)} {
			if s.Properties[near] == nil && near != name {
				out = append(out, probe{value: whole.with(near, s.Properties[name].example()).text(), what: "a member that resembles " + name, at: "/" + escapePointer(near)})
			}
		}
		value := s.Properties[name].example()
		twice := whole.without(name).with(name, value).with(name, value)
		out = append(out, probe{value: twice.text(), what: name + " twice", at: "/" + escapePointer(name), refused: true})
	}
	return out
}

// mapProbes lists maps of as many members as the bounds allow, with names of each kind.
func (s *schema) mapProbes() []probe {
	out := s.countProbes(s.MinProperties, s.MaxProperties, "members", func(n int) json.RawMessage {
		if m := s.mapOf(n); m != nil {
			return m.text()
		}
		return nil
	})
	rest := s.mapOf(max(0, lower(s.MinProperties)-1))
	for _, name := range []string{"", "a", "A", "1", "é", " ", unheard, "a\n", "a b", "~/"} {
		out = append(out, probe{value: rest.with(name, s.mapValue()).text(), what: "the name " + strconv.Quote(name), at: "/" + escapePointer(name)})
	}
	if names := s.memberNames(); s.AdditionalProperties.values != nil && len(names) > 0 {
		twice := rest.without(names[0]).with(names[0], s.mapValue()).with(names[0], s.mapValue())
		out = append(out, probe{value: twice.text(), what: "a name twice", at: "/" + escapePointer(names[0]), refused: true})
	}
	return out
}

// innerProbes lists the probes of the values within a value of the schema, each in such a value.
func (s *schema) innerProbes(at string) (out []probe, gaps []gap) {
	within := func(inner *schema, at, token string, in func(json.RawMessage) json.RawMessage) {
		found, missing := inner.probes(at)
		gaps = append(gaps, missing...)
		for _, p := range found {
			p.value, p.at = in(p.value), token+p.at
			out = append(out, p)
		}
	}
	switch s.kind() {
	case "array":
		n := max(1, lower(s.MinItems))
		if s.MaxItems == nil || *s.MaxItems > n {
			n++
		}
		first := slices.Repeat([]json.RawMessage{s.Items.example()}, n-1)
		within(s.Items, at+"/*", "/"+strconv.Itoa(n-1), func(v json.RawMessage) json.RawMessage { return list(append(slices.Clip(first), v)...) })
	case "map":
		names := s.memberNames()
		if n := max(1, lower(s.MinProperties)); s.AdditionalProperties.values != nil && len(names) >= n {
			rest := s.mapOf(n - 1)
			within(s.AdditionalProperties.values, at+"/*", "/"+escapePointer(names[n-1]), func(v json.RawMessage) json.RawMessage { return rest.with(names[n-1], v).text() })
		}
	case "object":
		for _, name := range s.names() {
			rest := s.object().without(name)
			within(s.Properties[name], at+"/"+escapePointer(name), "/"+escapePointer(name), func(v json.RawMessage) json.RawMessage { return rest.with(name, v).text() })
		}
	case "union":
		for _, v := range s.variants() {
			within(v, at, "", func(v json.RawMessage) json.RawMessage { return v })
		}
		s.chooseTags(out)
	}
	return out, gaps
}

// chooseTags corrects what a refusal of the tag offers, which the variants have one value of each.
func (s *schema) chooseTags(probes []probe) {
	choices := map[string][]string{}
	for i := range probes {
		if p := &probes[i]; p.choices != nil && strings.Count(p.at, "/") == 1 && p.at != "/"+unheard {
			choices[p.at] = append(choices[p.at], p.choices...)
		}
	}
	for i := range probes {
		if p := &probes[i]; p.choices != nil && len(choices[p.at]) > 0 && s.isTag(p.at[1:]) {
			p.choices = choices[p.at]
		}
	}
}

// isTag reports whether a member tells the variants apart.
func (s *schema) isTag(name string) bool {
	return !slices.ContainsFunc(s.variants(), func(v *schema) bool {
		return !slices.Contains(v.Required, name) || len(v.Properties[name].Enum) != 1
	})
}
