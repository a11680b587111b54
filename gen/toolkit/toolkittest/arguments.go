package toolkittest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// argumentsCase is arguments of a tool, and the expected result of its decoder.
type argumentsCase struct {
	args    json.RawMessage
	what    string
	at      string // the JSON pointer that a refusal names
	refused bool
	choices []string // as of probe
}

// arguments makes cases for one tool.
type arguments struct {
	tool   *toolkit.Tool
	schema *schema
	cases  []argumentsCase
	gaps   []gap
}

// casesOf lists the cases of a tool, and the bounds that none of them breaks alone.
func casesOf(t *toolkit.Tool, given samples) ([]argumentsCase, []gap, error) {
	s, err := readSchema(t.Schema, given)
	if err != nil {
		return nil, nil, err
	}
	a := &arguments{tool: t, schema: s}
	a.wholeCases()
	for _, name := range s.names() {
		probes, gaps := s.Properties[name].probes("/" + escapePointer(name))
		a.gaps = append(a.gaps, gaps...)
		for _, p := range probes {
			if p.value[0] == '{' && a.form(name).Object != "" {
				continue // it is read as another value
			}
			p.at = "/" + escapePointer(name) + p.at
			a.add(p, a.complete(members{{name, p.value}}))
		}
	}
	for _, r := range t.Requirements {
		a.requirementCases(r)
	}
	for _, f := range t.Traits.Forms {
		a.formCases(f)
	}
	return a.cases, a.gaps, nil
}

// form is how the parameter may be given beside the schema; the zero value where in no other way.
func (a *arguments) form(name string) toolkit.Form {
	i := slices.IndexFunc(a.tool.Traits.Forms, func(f toolkit.Form) bool { return f.Name == name })
	if i < 0 {
		return toolkit.Form{}
	}
	return a.tool.Traits.Forms[i]
}

// wholeCases are about the object of the arguments.
func (a *arguments) wholeCases() {
	base := a.complete(nil)
	for _, text := range []string{`[]`, `1`, `"text"`, `{`, string(base.text()) + "{}", string(base.text()) + "x"} {
		a.cases = append(a.cases, argumentsCase{args: json.RawMessage(text), what: "no object", refused: true})
	}
	for _, p := range a.schema.objectProbes(base) {
		if p.refused { // a name stands twice
			a.cases = append(a.cases, argumentsCase{args: p.value, what: p.what, at: p.at, refused: true})
			continue
		}
		a.add(p, readMembers(p.value))
	}
	if broken := a.schema.brokenAlone(base.with(unheard, json.RawMessage("1")).text()); !slices.Contains(broken, "additionalProperties") {
		a.gaps = append(a.gaps, gap{"", "additionalProperties"})
	}
}

// readMembers reads the members of an object that has each name once.
func readMembers(text json.RawMessage) (out members) {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(text, &values) // it is an object
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = out.with(name, values[name])
	}
	return out
}

// add adds a case of a probe. Whether its arguments are refused is for the validator and the requirements.
func (a *arguments) add(p probe, m members) {
	c := argumentsCase{args: m.text(), what: p.what, at: p.at, choices: p.choices}
	switch {
	case p.refused || !a.schema.allows(c.args):
		c.refused = true
	case slices.ContainsFunc(a.tool.Requirements, func(r toolkit.Requirement) bool { return !a.met(r, m) }):
		c.refused, c.at = true, ""
	}
	a.cases = append(a.cases, c)
}

// valueBeside is a value for which the requirement does not apply.
func (a *arguments) valueBeside(r toolkit.Requirement) json.RawMessage {
	for _, value := range a.schema.Properties[r.When].Enum {
		if !a.applies(r, members{{r.When, value}}) {
			return value
		}
	}
	return a.schema.Properties[r.When].example()
}

// complete adds to members the other members that the tool requires with them.
func (a *arguments) complete(m members) members {
	decided := m
	for _, name := range a.schema.Required {
		if m.get(name) == nil {
			m = m.with(name, a.schema.Properties[name].example())
		}
	}
	for _, r := range a.tool.Requirements {
		if r.Mode == toolkit.RequireNone && !a.met(r, m) && decided.get(r.When) == nil {
			m = m.without(r.When).with(r.When, a.valueBeside(r))
		}
	}
	for range a.tool.Requirements { // one may bring in the parameter that another asks for
		for _, r := range a.tool.Requirements {
			if r.Mode == toolkit.RequireNone {
				continue
			}
			for _, name := range r.Names {
				if !a.met(r, m) && m.get(name) == nil {
					m = m.with(name, a.schema.Properties[name].example())
				}
			}
		}
	}
	return m
}

// met reports whether members fulfil a requirement.
func (a *arguments) met(r toolkit.Requirement, m members) bool {
	if !a.applies(r, m) {
		return true
	}
	given := 0
	for _, name := range r.Names {
		if m.get(name) != nil {
			given++
		}
	}
	switch r.Mode {
	case toolkit.RequireAll:
		return given == len(r.Names)
	case toolkit.RequireAny:
		return given > 0
	case toolkit.RequireNone:
		return given == 0
	}
	return given == 1
}

// applies reports whether the parameter that decides about a requirement has one of its values.
func (a *arguments) applies(r toolkit.Requirement, m members) bool {
	if r.When == "" {
		return true
	}
	value := m.get(r.When)
	if value == nil {
		value = a.schema.Properties[r.When].Default
	}
	var text string
	return json.Unmarshal(value, &text) == nil && string(value) != "null" && slices.Contains(r.Values, text)
}

// requirementCases give each number of the names of a requirement, with each value of the parameter that decides.
func (a *arguments) requirementCases(r toolkit.Requirement) {
	deciding := []members{nil}
	if r.When != "" {
		for _, value := range a.schema.Properties[r.When].Enum {
			deciding = append(deciding, members{{r.When, value}})
		}
	}
	for _, decided := range deciding {
		whole := a.complete(decided)
		for _, name := range r.Names {
			whole = whole.without(name)
		}
		whole = slices.Clip(whole)
		a.add(probe{what: "none of " + strings.Join(r.Names, ", ")}, whole)
		all := whole
		for i, name := range r.Names {
			one := whole.with(name, a.schema.Properties[name].example())
			a.add(probe{what: name + " alone of " + strings.Join(r.Names, ", ")}, one)
			all = all.with(name, a.schema.Properties[name].example())
			for _, other := range r.Names[:i] {
				a.add(probe{what: other + " and " + name}, one.with(other, a.schema.Properties[other].example()))
			}
		}
		a.add(probe{what: "all of " + strings.Join(r.Names, ", ")}, all)
		for _, name := range r.Names {
			a.add(probe{what: "all of " + strings.Join(r.Names, ", ") + " but " + name}, all.without(name))
		}
	}
}

// formCases give a parameter by its older names, by two names, and as an object in place of its own type.
func (a *arguments) formCases(f toolkit.Form) {
	value := a.schema.Properties[f.Name].example()
	whole := a.complete(members{{f.Name, value}})
	accepted := func(what string, m members) {
		a.cases = append(a.cases, argumentsCase{args: m.text(), what: what})
	}
	for _, old := range f.Was {
		accepted("the older name "+old, whole.without(f.Name).with(old, value))
		a.cases = append(a.cases, argumentsCase{
			args: whole.with(old, value).text(), what: "the older name " + old + " beside the name", at: "/" + escapePointer(old), refused: true,
		})
	}
	if object, same := objectFor(f, value); object != nil && a.schema.Properties[f.Name].allows(same) {
		accepted("an object in place of the type", whole.without(f.Name).with(f.Name, object))
	}
}

// objectFor returns an object that may stand in place of a value of the parameter, and the value that it is read as; nil
// where there is none.
func objectFor(f toolkit.Form, value json.RawMessage) (object, same json.RawMessage) {
	var items []json.RawMessage
	_ = json.Unmarshal(value, &items) // a text has none
	switch f.Object {
	case toolkit.ObjectText:
		return json.RawMessage(`{"a":1}`), quote(`{"a":1}`)
	case toolkit.ObjectJoined:
		return json.RawMessage(`{"a":"b"}`), list(quote("a" + f.Names[0] + "b"))
	case toolkit.ObjectPairs:
		if len(items) == 0 {
			return nil, nil
		}
		item := readMembers(items[0])
		for _, name := range f.Names {
			if item.get(name) == nil {
				item = item.with(name, quote("a"))
			}
		}
		var name string
		_ = json.Unmarshal(item.get(f.Names[0]), &name) // it is a text
		return members{{name, item.get(f.Names[1])}}.text(), list(members{{f.Names[0], quote(name)}, {f.Names[1], item.get(f.Names[1])}}.text())
	case toolkit.ObjectValues:
		var m members
		for i, name := range f.Names {
			if i < len(items) {
				m = m.with(name, items[i])
			}
		}
		if len(m) == len(f.Names) {
			return m.text(), list(items[:len(m)]...)
		}
	}
	return nil, nil
}
