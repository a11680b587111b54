package breaking

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
)

// paramPair is a parameter of the old surface beside that of the new one; nil where one has none.
type paramPair struct {
	path     string
	was, now *Property
}

// typePair is the type of a parameter, or of its items, in both surfaces.
type typePair struct {
	path     string
	was, now Type
}

// properties pairs the members of an object; path names the object in messages.
func (in *Input) properties(path string, was, now []Property) {
	for i, w := range was {
		pair := paramPair{path: path + w.Name, was: &was[i]}
		if j := slices.IndexFunc(now, func(p Property) bool { return p.Name == w.Name }); j >= 0 {
			pair.now = &now[j]
			in.pairTypes(pair.path, w.Type, pair.now.Type)
		}
		in.params = append(in.params, pair)
	}
	for i, n := range now {
		if !slices.ContainsFunc(was, func(p Property) bool { return p.Name == n.Name }) {
			in.params = append(in.params, paramPair{path: path + n.Name, now: &now[i]})
		}
	}
}

func (in *Input) pairTypes(path string, was, now Type) {
	pair := typePair{path, was, now}
	in.types = append(in.types, pair)
	if !pair.compatible() {
		return
	}
	if was.Items != nil && now.Items != nil {
		in.pairTypes(path+"[]", *was.Items, *now.Items)
	}
	if was.Kind == "object" && now.Kind == "object" {
		in.properties(path+".", was.Properties, now.Properties)
	}
}

// compatible reports whether the new type takes every kind of value that the old one took.
func (p typePair) compatible() bool {
	widened := p.was.Kind == "integer" && p.now.Kind == "number" || p.was.Kind == "object" && p.now.Kind == openObject
	return p.was.Kind == p.now.Kind || widened
}

// renamed is the tool with its parameters by the names that they have now: calls by the older ones go on.
func (t Tool) renamed(now []Property) Tool {
	name := func(old string) string {
		for _, p := range now {
			if slices.Contains(p.Was, old) {
				return p.Name
			}
		}
		return old
	}
	t.Input, t.Requirements = slices.Clone(t.Input), slices.Clone(t.Requirements)
	for i := range t.Input {
		t.Input[i].Name = name(t.Input[i].Name)
	}
	for i := range t.Requirements {
		r := &t.Requirements[i]
		r.When, r.Names = name(r.When), slices.Clone(r.Names)
		for j := range r.Names {
			r.Names[j] = name(r.Names[j])
		}
	}
	return t
}

func checkParamsDeleted(in *Input, report diag.Report) {
	for _, p := range in.params {
		if p.now == nil {
			report(diag.Pos{}, "%q no longer takes %q", in.was.Name, p.path)
			continue
		}
		if p.was == nil {
			continue
		}
		for _, old := range p.was.Was {
			if p.now.Name != old && !slices.Contains(p.now.Was, old) {
				report(diag.Pos{}, "%q no longer takes %q by its older name %q", in.was.Name, p.path, old)
			}
		}
	}
}

// checkNewRequired looks at parameters, and for conditional demands that calls of the old surface
// could fail.
func checkNewRequired(in *Input, report diag.Report) {
	for _, p := range in.params {
		switch {
		case p.now == nil || !p.now.Required:
		case p.was == nil:
			report(diag.Pos{}, "%q requires the new %q", in.was.Name, p.path)
		case !p.was.Required:
			report(diag.Pos{}, "%q of %q was optional and is required", p.path, in.was.Name)
		}
	}
	if in.now == nil {
		return
	}
	demanded := slices.Clone(in.was.Requirements)
	for _, p := range in.was.Input {
		if p.Required {
			demanded = append(demanded, Requirement{Mode: "one", Names: []string{p.Name}})
		}
	}
	for _, n := range in.now.Requirements {
		if len(n.Values) > 0 { // values that the old surface did not take break nothing
			n.Values = slices.DeleteFunc(slices.Clone(n.Values), func(v string) bool { return !took(in.was.Input, n.When, v) })
			if len(n.Values) == 0 {
				continue
			}
		}
		if !slices.ContainsFunc(demanded, func(w Requirement) bool { return covers(w, n, in.was.Input) }) {
			report(diag.Pos{}, "%q demands %s of %q, which it did not", in.was.Name, n.Mode, n.Names)
		}
	}
}

func checkTypes(in *Input, report diag.Report) {
	for _, p := range in.types {
		if !p.compatible() {
			report(diag.Pos{}, "%q of %q was %s and is %s", p.path, in.was.Name, p.was.Kind, p.now.Kind)
		}
	}
}

func checkEnums(in *Input, report diag.Report) {
	for _, p := range in.types {
		switch {
		case !p.compatible() || len(p.now.Enum) == 0:
			continue
		case len(p.was.Enum) == 0:
			report(diag.Pos{}, "%q of %q took any value and takes only %q", p.path, in.was.Name, p.now.Enum)
		}
		for _, v := range p.was.Enum {
			if !slices.Contains(p.now.Enum, v) {
				report(diag.Pos{}, "%q of %q no longer takes %q", p.path, in.was.Name, v)
			}
		}
	}
}

func checkBounds(in *Input, report diag.Report) {
	for _, p := range in.types {
		if p.compatible() {
			bounds(p, in.was.Name, report)
		}
	}
}

func bounds(p typePair, tool string, report diag.Report) {
	for _, b := range []struct {
		name     string
		was, now *float64
		least    bool
	}{
		{"minimum", p.was.Minimum, p.now.Minimum, true}, {"maximum", p.was.Maximum, p.now.Maximum, false},
		{"minLength", p.was.MinLength, p.now.MinLength, true}, {"maxLength", p.was.MaxLength, p.now.MaxLength, false},
		{"minItems", p.was.MinItems, p.now.MinItems, true}, {"maxItems", p.was.MaxItems, p.now.MaxItems, false},
	} {
		switch {
		case b.now == nil:
		case b.was == nil:
			report(diag.Pos{}, "%q of %q had no %s and has %v", p.path, tool, b.name, *b.now)
		case b.least && *b.now > *b.was || !b.least && *b.now < *b.was:
			report(diag.Pos{}, "the %s of %q of %q was %v and is %v", b.name, p.path, tool, *b.was, *b.now)
		}
	}
	if p.now.Pattern != "" && p.now.Pattern != p.was.Pattern {
		report(diag.Pos{}, "%q of %q must match another pattern: %s", p.path, tool, p.now.Pattern)
	}
}

// took reports whether a property had the value in its enum.
func took(input []Property, name, value string) bool {
	return slices.ContainsFunc(input, func(p Property) bool { return p.Name == name && slices.Contains(p.Type.Enum, value) })
}

// covers reports whether whoever met the old demand, with the old input, meets the new one.
func covers(was, now Requirement, input []Property) bool {
	if was.When != "" && (was.When != now.When || !subset(now.Values, was.Values)) {
		return false
	}
	switch now.Mode {
	case "all":
		return was.Mode == "all" && subset(now.Names, was.Names)
	case "any":
		if was.Mode == "all" {
			return slices.ContainsFunc(was.Names, func(s string) bool { return slices.Contains(now.Names, s) })
		}
		return subset(was.Names, now.Names)
	}
	// Exactly one of more names also forbids what could be given beside: only names that are new
	// are harmless.
	beside := func(name string) bool {
		return !slices.Contains(was.Names, name) && slices.ContainsFunc(input, func(p Property) bool { return p.Name == name })
	}
	return was.Mode == now.Mode && subset(was.Names, now.Names) && !slices.ContainsFunc(now.Names, beside)
}

func subset(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(whole, s) })
}

// checkResult compares what a tool gives back: there, a promise may grow.
func checkResult(in *Input, report diag.Report) {
	if in.now == nil || in.was.Output == nil {
		return
	}
	if in.now.Output == nil {
		report(diag.Pos{}, "the result of %q is no longer an object", in.was.Name)
		return
	}
	r := results{in.was.Name, report}
	r.members("", in.was.Output, in.now.Output)
}

// results compares the results of one tool.
type results struct {
	tool   string
	report diag.Report
}

func (r results) members(path string, was, now []Property) {
	for _, w := range was {
		i := slices.IndexFunc(now, func(p Property) bool { return p.Name == w.Name })
		switch {
		case i < 0:
			r.report(diag.Pos{}, "the result of %q no longer has %q", r.tool, path+w.Name)
			continue
		case w.Required && !now[i].Required:
			r.report(diag.Pos{}, "%q is no longer sure to be in the result of %q", path+w.Name, r.tool)
		}
		r.member(path+w.Name, w.Type, now[i].Type)
	}
}

func (r results) member(path string, was, now Type) {
	switch {
	case was.Kind != now.Kind && (was.Kind != "number" || now.Kind != "integer"):
		r.report(diag.Pos{}, "%q in the result of %q was %s and is %s", path, r.tool, was.Kind, now.Kind)
	case was.Items != nil && now.Items != nil:
		r.member(path+"[]", *was.Items, *now.Items)
	case was.Kind == "object":
		r.members(path+".", was.Properties, now.Properties)
	}
}
