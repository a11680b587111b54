package spec

import "github.com/goccy/go-yaml/ast"

// cli reads the root's description of the command line.
func (w rootWalker) cli(dst **CLI) func(member) {
	return func(m member) {
		c := &CLI{Pos: m.Key.Pos}
		w.Fields(m.Value, "cli", m.Key.Pos,
			required("program", w.IntoText(&c.Program)),
			optional("commands", w.IntoTexts(&c.Commands)),
			optional("flags", w.IntoTexts(&c.Flags)))
		*dst = c
	}
}

// verbWalker reads the verbs that a tool has on the command line.
type verbWalker struct{ *walker }

// verbs reads one verb or a list of them.
func (w verbWalker) verbs(dst *[]Verb) func(member) {
	return func(m member) {
		if _, ok := w.Plain(m.Value).(*ast.SequenceNode); !ok {
			*dst = append(*dst, w.verb(m.Value))
			return
		}
		items, _ := w.Items(m, "a verb or a list of verbs")
		for _, n := range items {
			*dst = append(*dst, w.verb(n))
		}
	}
}

func (w verbWalker) verb(n ast.Node) Verb {
	v := Verb{Pos: w.Pos(n)}
	w.Fields(n, "a verb", v.Pos,
		optional("verb", w.IntoText(&v.Verb)),
		optional("description", w.IntoText(&v.Description)),
		optional("args", w.intoNames(&v.Args)),
		optional("set", w.settings(&v.Set)),
		optional("flags", w.flags(&v.Flags)),
		optional("hide", w.IntoTexts(&v.Hide)),
		optional("watch", w.IntoBool(&v.Watch)),
		optional("save", w.IntoBool(&v.Save)),
		optional("example", w.IntoText(&v.Example)))
	return v
}

func (w verbWalker) settings(dst *[]Setting) func(member) {
	return w.Each(func(m member) {
		s := Setting{Property: m.Key}
		w.IntoLiteral(&s.Value)(m)
		*dst = append(*dst, s)
	})
}

// flags reads names on the command line: each stands for a property, or, as a switch, for a
// property with a value.
func (w verbWalker) flags(dst *[]Flag) func(member) {
	return w.Each(func(m member) {
		f := Flag{Name: m.Key}
		switch w.Plain(m.Value).(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			w.settings(&f.Set)(m)
		default:
			w.IntoText(&f.Property)(m)
		}
		*dst = append(*dst, f)
	})
}
