package spec

// Refusal is an entry of refusals in the root file: a code of a refusal, or fields of one that the
// toolkit has, or, under the name any, fields that each code may have.
type Refusal struct {
	Code, Description, Class Text
	Fields                   []RefusalField
}

// RefusalField is a member of the envelope of a refusal.
type RefusalField struct{ Name, Type, Description Text }

func (w rootWalker) refusals(dst *[]Refusal) func(member) {
	return w.each(func(m member) {
		r := Refusal{Code: m.key}
		w.fields(m.value, "refusal "+quoted(m.key), m.key.Pos,
			field{"description", false, w.intoText(&r.Description)},
			field{"class", false, w.intoText(&r.Class)},
			field{"fields", false, w.refusalFields(&r.Fields)})
		*dst = append(*dst, r)
	})
}

func (w rootWalker) refusalFields(dst *[]RefusalField) func(member) {
	return w.each(func(m member) {
		f := RefusalField{Name: m.key}
		w.fields(m.value, "field "+quoted(m.key), m.key.Pos,
			field{"type", true, w.intoText(&f.Type)},
			field{"description", true, w.intoText(&f.Description)})
		*dst = append(*dst, f)
	})
}
