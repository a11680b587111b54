package breaking

import (
	"maps"
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
	if was.Values != nil && now.Values != nil {
		in.pairTypes(path+"[name]", *was.Values, *now.Values)
	}
	if was.Kind == "object" && now.Kind == "object" {
		in.properties(path+".", was.Properties, now.Properties)
	}
	for _, v := range was.Variants {
		if i := slices.IndexFunc(now.Variants, func(n Variant) bool { return n.Name == v.Name }); i >= 0 {
			in.properties(path+"("+v.Name+").", v.Properties[1:], now.Variants[i].Properties[1:])
		}
	}
}

// compatible reports whether the new type takes every kind of value that the old one took.
func (p typePair) compatible() bool {
	switch {
	case p.now.Kind == "any":
		return true
	case p.was.Kind == "integer" && p.now.Kind == "number":
		return true
	case p.now.Kind == openObject:
		return slices.Contains([]string{"object", mapObject, unionObject, openObject}, p.was.Kind)
	}
	return p.was.Kind == p.now.Kind && p.was.Tag == p.now.Tag
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
		if n.Mode == "none" { // names that are new could not be given
			n.Names = slices.DeleteFunc(slices.Clone(n.Names), func(name string) bool {
				return !slices.ContainsFunc(in.was.Input, func(p Property) bool { return p.Name == name })
			})
			if len(n.Names) == 0 {
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
		switch {
		case p.was.Kind == p.now.Kind && !p.compatible():
			report(diag.Pos{}, "the tag of %q of %q was %q and is %q", p.path, in.was.Name, p.was.Tag, p.now.Tag)
		case !p.compatible():
			report(diag.Pos{}, "%q of %q was %s and is %s", p.path, in.was.Name, p.was.Kind, p.now.Kind)
		case p.was.Nullable && !p.now.Nullable && p.now.Kind != "any":
			report(diag.Pos{}, "%q of %q could be null and cannot", p.path, in.was.Name)
		}
		if p.compatible() {
			p.checkVariants(in.was.Name, report)
		}
	}
}

// checkVariants reports the variants of a union that are gone.
func (p typePair) checkVariants(tool string, report diag.Report) {
	if p.now.Kind != unionObject {
		return
	}
	for _, v := range p.was.Variants {
		if !slices.ContainsFunc(p.now.Variants, func(n Variant) bool { return n.Name == v.Name }) {
			report(diag.Pos{}, "%q of %q no longer takes the variant %q", p.path, tool, v.Name)
		}
	}
}

func checkEnums(in *Input, report diag.Report) {
	for _, p := range in.types {
		checkNumbers(p, in.was.Name, report)
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

// checkNumbers compares enums of integers by what calls send, the numbers.
func checkNumbers(p typePair, tool string, report diag.Report) {
	if !p.compatible() || len(p.now.Numbers) == 0 {
		return
	}
	if len(p.was.Numbers) == 0 {
		report(diag.Pos{}, "%q of %q took any number and takes only those of its enum", p.path, tool)
		return
	}
	taken := slices.Collect(maps.Values(p.now.Numbers))
	for _, name := range slices.Sorted(maps.Keys(p.was.Numbers)) {
		if v := p.was.Numbers[name]; !slices.Contains(taken, v) {
			report(diag.Pos{}, "%q of %q no longer takes %d (%s)", p.path, tool, v, name)
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
		{"minProperties", p.was.MinProperties, p.now.MinProperties, true}, {"maxProperties", p.was.MaxProperties, p.now.MaxProperties, false},
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
	if p.now.NamePattern != "" && p.now.NamePattern != p.was.NamePattern {
		report(diag.Pos{}, "the names in %q of %q must match another pattern: %s", p.path, tool, p.now.NamePattern)
	}
	if p.now.Format != "" && p.now.Format != p.was.Format {
		report(diag.Pos{}, "%q of %q must be of another format: %s", p.path, tool, p.now.Format)
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
	case "all", "none":
		return was.Mode == now.Mode && subset(now.Names, was.Names)
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
	if was.Kind != now.Kind && !r.narrower(was, now) || was.Tag != now.Tag {
		r.report(diag.Pos{}, "%q in the result of %q was %s and is %s", path, r.tool, was.Kind, now.Kind)
		return
	}
	r.values(path, was, now)
	switch {
	case was.Items != nil && now.Items != nil:
		r.member(path+"[]", *was.Items, *now.Items)
	case was.Values != nil && now.Values != nil:
		r.member(path+"[name]", *was.Values, *now.Values)
	case was.Kind == "object":
		r.members(path+".", was.Properties, now.Properties)
	}
	for _, n := range now.Variants {
		if i := slices.IndexFunc(was.Variants, func(w Variant) bool { return n.Name == w.Name }); i < 0 {
			r.report(diag.Pos{}, "%q in the result of %q has the new variant %q", path, r.tool, n.Name)
		} else {
			r.members(path+"("+n.Name+").", was.Variants[i].Properties, n.Properties)
		}
	}
}

// narrower reports whether whoever reads the old kind of value can read the new one.
func (r results) narrower(was, now Type) bool {
	return was.Kind == "any" || was.Kind == "number" && now.Kind == "integer" ||
		was.Kind == openObject && slices.Contains([]string{"object", mapObject, unionObject}, now.Kind)
}

// values compares which values of a kind a result may have: a reader of the old ones knows no others.
func (r results) values(path string, was, now Type) {
	if now.Nullable && !was.Nullable && was.Kind != "any" {
		r.report(diag.Pos{}, "%q in the result of %q may be null", path, r.tool)
	}
	if was.Format != "" && now.Format != was.Format {
		r.report(diag.Pos{}, "%q in the result of %q no longer has the format %s", path, r.tool, was.Format)
	}
	for _, name := range slices.Sorted(maps.Keys(now.Numbers)) {
		if v := now.Numbers[name]; len(was.Numbers) > 0 && !slices.Contains(slices.Collect(maps.Values(was.Numbers)), v) {
			r.report(diag.Pos{}, "%q in the result of %q has the new value %d (%s)", path, r.tool, v, name)
		}
	}
	for _, v := range now.Enum {
		if len(was.Enum) > 0 && !slices.Contains(was.Enum, v) {
			r.report(diag.Pos{}, "%q in the result of %q has the new value %q", path, r.tool, v)
		}
	}
}
