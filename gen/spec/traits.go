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
		t := &Traits{Pos: m.key.Pos}
		w.fields(m.value, "traits", m.key.Pos,
			field{"roles", false, w.roles(&t.Roles)},
			field{"shows", false, w.traitValues(&t.Shows)},
			field{"record", false, w.traitValues(&t.Record)},
			field{"replay", false, w.traitValues(&t.Replay)})
		*dst = t
	}
}

func (w rootWalker) roles(dst *[]Role) func(member) {
	return w.each(func(m member) {
		r := Role{Name: m.key}
		w.fields(m.value, "role "+quoted(m.key), m.key.Pos,
			field{"description", true, w.intoText(&r.Description)},
			field{"form", false, w.intoText(&r.Form)},
			field{"names", false, w.intoTexts(&r.Names)})
		*dst = append(*dst, r)
	})
}

func (w rootWalker) traitValues(dst *[]TraitValue) func(member) {
	return w.each(func(m member) {
		v := TraitValue{Name: m.key}
		w.intoText(&v.Description)(m)
		*dst = append(*dst, v)
	})
}

func (w toolWalker) toolTraits(dst *ToolTraits) func(member) {
	return func(m member) {
		dst.Pos = m.key.Pos
		dst.Keys = w.fields(m.value, "traits", m.key.Pos,
			field{"keeps", false, w.intoBool(&dst.Keeps)},
			field{"durable", false, w.intoBool(&dst.Durable)},
			field{"shows", false, w.intoText(&dst.Shows)},
			field{"record", false, w.intoText(&dst.Record)},
			field{"replay", false, w.intoText(&dst.Replay)})
	}
}
