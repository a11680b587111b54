package spec

// Refusal is an entry of refusals in the root file: a code of a refusal, or fields of one that the
// toolkit has, or, under the name any, fields that each code may have.
type Refusal struct {
	Code, Description, Class Text
	From                     []Text // sentinel errors that stand for the code
	Advice                   Text   // the action of the client where a sentinel error stands for the code
	Fields                   []RefusalField
}

// RefusalField is a member of the envelope of a refusal.
type RefusalField struct{ Name, Type, Description Text }

func (w rootWalker) refusals(dst *[]Refusal) func(member) {
	return w.Each(func(m member) {
		r := Refusal{Code: m.Key}
		w.Fields(m.Value, "refusal "+quoted(m.Key), m.Key.Pos,
			optional("description", w.IntoText(&r.Description)),
			optional("class", w.IntoText(&r.Class)),
			optional("from", w.IntoTextOrTexts(&r.From)),
			optional("advice", w.IntoText(&r.Advice)),
			optional("fields", w.refusalFields(&r.Fields)))
		*dst = append(*dst, r)
	})
}

func (w rootWalker) refusalFields(dst *[]RefusalField) func(member) {
	return w.Each(func(m member) {
		f := RefusalField{Name: m.Key}
		w.Fields(m.Value, "field "+quoted(m.Key), m.Key.Pos,
			required("type", w.IntoText(&f.Type)),
			required("description", w.IntoText(&f.Description)))
		*dst = append(*dst, f)
	})
}
