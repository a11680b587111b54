package model

import (
	"slices"
	"strings"
)

// Any reports whether the change names a fact.
func (c Change) Any() bool {
	return len(c.Sets)+len(c.Clears)+len(c.MaySet)+len(c.MayClear) > 0
}

// FullDescription is the description a client sees: the author's words, then what the tool needs
// in the shortest form a model understands, so that the text can never disagree with the validator.
// What a value does not take is left to the refusal, which names the values that do.
func (t *Tool) FullDescription() string {
	var clauses []string
	for _, r := range t.Requirements {
		if r.Mode != None {
			clauses = append(clauses, r.clause())
		}
	}
	if len(clauses) == 0 {
		return t.Description
	}
	return t.Description + " Needs " + strings.Join(clauses, "; ") + "."
}

// clause says one requirement: "selector for css", "one of ref, query".
func (r *Requirement) clause() string {
	var names []string
	for _, p := range r.Names {
		if !p.Unlisted {
			names = append(names, p.Name)
		}
	}
	what := strings.Join(names, " and ")
	switch r.Mode {
	case Any:
		what = strings.Join(names, " or ")
	case One:
		what = "one of " + strings.Join(names, ", ")
	case All, None:
	}
	return what + r.condition()
}

// Rest lists the values of the deciding property for which the requirement does not apply.
func (r *Requirement) Rest() []string {
	return slices.DeleteFunc(slices.Clone(r.When.Type.Enum), func(v string) bool { return slices.Contains(r.Values, v) })
}

// condition says when a requirement applies, naming whichever of the two sets of values is shorter.
func (r *Requirement) condition() string {
	if r.When == nil {
		return ""
	}
	rest := r.Rest()
	if len(rest) > 0 && len(rest) < len(r.Values) {
		return " except for " + alternatives(rest, r.When.Type.Enum)
	}
	return " for " + alternatives(r.Values, r.When.Type.Enum)
}

// alternatives joins values with "|". Three or more that are all the enum's values with one ending
// are written once, as "*_click": the reader has the enum beside it.
func alternatives(values, enum []string) string {
	var out []string
	for _, v := range values {
		ending := v[strings.LastIndex(v, "_")+1:]
		same := func(w string) bool { return strings.HasSuffix(w, "_"+ending) }
		group := slices.DeleteFunc(slices.Clone(values), func(w string) bool { return !same(w) })
		all := slices.DeleteFunc(slices.Clone(enum), func(w string) bool { return !same(w) })
		if same(v) && len(group) > 2 && len(group) == len(all) {
			v = "*_" + ending
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return strings.Join(out, "|")
}
