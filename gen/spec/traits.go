package spec

import "github.com/callsheet/callsheet/gen/diag"

// Traits is the vocabulary that the root file declares under traits. A list that is not written is
// empty.
type Traits struct {
	Pos                   diag.Pos
	Roles                 []Role
	Shows, Record, Replay []TraitValue
}

// Role is an entry of roles. Names are the parameters that must state a role; Form is the regular
// expression of its values, where they have one form.
type Role struct {
	Name, Description Text
	Form              Text
	Names             []Text
}

// TraitValue is a value that a trait of a tool may have.
type TraitValue struct{ Name, Description Text }

// ToolTraits are the traits of one tool. Pos is zero when the key is missing; Keys are the traits
// that are written, readable or not.
type ToolTraits struct {
	Pos                   diag.Pos
	Keys                  []Text
	Keeps, Durable        Scalar[bool]
	Shows, Record, Replay Text
}

func (w rootWalker) traits(dst **Traits) func(member) {
	return func(m member) {
		t := &Traits{Pos: m.Key.Pos}
		w.Fields(m.Value, "traits", m.Key.Pos,
			optional("roles", w.roles(&t.Roles)),
			optional("shows", w.traitValues(&t.Shows)),
			optional("record", w.traitValues(&t.Record)),
			optional("replay", w.traitValues(&t.Replay)))
		*dst = t
	}
}

func (w rootWalker) roles(dst *[]Role) func(member) {
	return w.Each(func(m member) {
		r := Role{Name: m.Key}
		w.Fields(m.Value, "role "+quoted(m.Key), m.Key.Pos,
			required("description", w.IntoText(&r.Description)),
			optional("form", w.IntoText(&r.Form)),
			optional("names", w.IntoTexts(&r.Names)))
		*dst = append(*dst, r)
	})
}

func (w rootWalker) traitValues(dst *[]TraitValue) func(member) {
	return w.Each(func(m member) {
		v := TraitValue{Name: m.Key}
		w.IntoText(&v.Description)(m)
		*dst = append(*dst, v)
	})
}

func (w toolWalker) toolTraits(dst *ToolTraits) func(member) {
	return func(m member) {
		dst.Pos = m.Key.Pos
		dst.Keys = w.Fields(m.Value, "traits", m.Key.Pos,
			optional("keeps", w.IntoBool(&dst.Keeps)),
			optional("durable", w.IntoBool(&dst.Durable)),
			optional("shows", w.IntoText(&dst.Shows)),
			optional("record", w.IntoText(&dst.Record)),
			optional("replay", w.IntoText(&dst.Replay)))
	}
}
