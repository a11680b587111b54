package spec

import "github.com/goccy/go-yaml/ast"

// cli reads the root's description of the command line.
func (w rootWalker) cli(dst **CLI) func(member) {
	return func(m member) {
		c := &CLI{Pos: m.key.Pos}
		w.fields(m.value, "cli", m.key.Pos,
			field{"program", true, w.intoText(&c.Program)},
			field{"commands", false, w.intoTexts(&c.Commands)},
			field{"flags", false, w.intoTexts(&c.Flags)})
		*dst = c
	}
}

// verbWalker reads the verbs that a tool has on the command line.
type verbWalker struct{ *walker }

// verbs reads one verb or a list of them.
func (w verbWalker) verbs(dst *[]Verb) func(member) {
	return func(m member) {
		if _, ok := w.plain(m.value).(*ast.SequenceNode); !ok {
			*dst = append(*dst, w.verb(m.value))
			return
		}
		items, _ := w.items(m, "a verb or a list of verbs")
		for _, n := range items {
			*dst = append(*dst, w.verb(n))
		}
	}
}

func (w verbWalker) verb(n ast.Node) Verb {
	v := Verb{Pos: w.pos(n)}
	w.fields(n, "a verb", v.Pos,
		field{"verb", false, w.intoText(&v.Verb)},
		field{"description", false, w.intoText(&v.Description)},
		field{"args", false, w.intoNames(&v.Args)},
		field{"set", false, w.settings(&v.Set)},
		field{"flags", false, w.flags(&v.Flags)},
		field{"hide", false, w.intoTexts(&v.Hide)},
		field{"watch", false, w.intoBool(&v.Watch)},
		field{"save", false, w.intoBool(&v.Save)},
		field{"example", false, w.intoText(&v.Example)})
	return v
}

func (w verbWalker) settings(dst *[]Setting) func(member) {
	return w.each(func(m member) {
		s := Setting{Property: m.key}
		w.intoLiteral(&s.Value)(m)
		*dst = append(*dst, s)
	})
}

// flags reads names on the command line: each stands for a property, or, as a switch, for a
// property with a value.
func (w verbWalker) flags(dst *[]Flag) func(member) {
	return w.each(func(m member) {
		f := Flag{Name: m.key}
		switch w.plain(m.value).(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			w.settings(&f.Set)(m)
		default:
			w.intoText(&f.Property)(m)
		}
		*dst = append(*dst, f)
	})
}
