package spec

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

func (w *walker) tools(dst *[]*Tool) func(member) {
	return func(m member) {
		items, _ := w.items(m, "a list of tools")
		for _, n := range items {
			if t := w.tool(n); t != nil {
				*dst = append(*dst, t)
			}
		}
	}
}

func (w *walker) tool(n ast.Node) *Tool {
	n = w.plain(n)
	if n == nil {
		return nil
	}
	t := &Tool{Pos: w.pos(n)}
	what, at := w.title(n, "tool")
	w.fields(n, what, at,
		field{"name", true, w.intoText(&t.Name)},
		field{"title", true, w.intoText(&t.Title)},
		field{"description", false, w.intoText(&t.Description)},
		field{"capability", false, w.intoText(&t.Capability)},
		field{"scope", true, w.intoTextOrTexts(&t.Scopes)},
		field{"tier", false, w.intoInt(&t.Tier)},
		field{"effects", false, w.effects(&t.Effects)},
		field{"visible", true, w.intoText(&t.Visible)},
		field{"changes", false, w.toolChanges(&t.Changes)},
		field{"surfaces", false, w.intoTexts(&t.Surfaces)},
		field{"input", true, w.intoObject(&t.Input)},
		field{"output", false, w.intoObject(&t.Output)},
		field{"require_when", false, w.requirements(&t.Require)},
		field{"budget", false, w.budget(&t.Budget)},
		field{"slim", false, w.slim(&t.Slim)},
		field{"was", false, w.intoTextOrTexts(&t.Was)},
	)
	if !t.Name.Set() {
		return nil // reported as missing or mistyped; nothing can refer to it
	}
	return t
}

// title names an entry of a list in messages, by its name if it has one, and says where its missing keys are shown.
func (w *walker) title(n ast.Node, what string) (string, diag.Pos) {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return "a " + what, w.pos(n)
	}
	for _, v := range m.Values {
		name, ok := v.Value.(*ast.StringNode)
		if ok && v.Key.GetToken().Value == "name" {
			return what + " \"" + name.Value + "\"", w.pos(name)
		}
	}
	return "a " + what, w.pos(n)
}

func (w *walker) effects(dst *Effects) func(member) {
	return func(m member) {
		dst.Pos = m.key.Pos
		dst.Keys = w.fields(m.value, "effects", m.key.Pos,
			field{"read_only", false, w.intoBool(&dst.ReadOnly)},
			field{"destructive", false, w.intoBool(&dst.Destructive)},
			field{"idempotent", false, w.intoBool(&dst.Idempotent)},
			field{"open_world", false, w.intoBool(&dst.OpenWorld)})
	}
}

func (w *walker) toolChanges(dst *Changes) func(member) {
	return func(m member) {
		dst.Pos = m.key.Pos
		w.fields(m.value, "changes", m.key.Pos, w.changes(dst)...)
	}
}

func (w *walker) budget(dst *Budget) func(member) {
	return func(m member) {
		w.fields(m.value, "budget", m.key.Pos,
			field{"result_bytes", false, w.intoInt(&dst.ResultBytes)},
			field{"timeout_ms", false, w.intoInt(&dst.TimeoutMS)})
	}
}

func (w *walker) slim(dst **Slim) func(member) {
	return func(m member) {
		s := &Slim{Pos: m.key.Pos}
		w.fields(m.value, "slim", m.key.Pos,
			field{"description", true, w.intoText(&s.Description)},
			field{"input", true, w.intoTexts(&s.Input)})
		*dst = s
	}
}

func (w *walker) requirements(dst *[]Requirement) func(member) {
	return func(m member) {
		items, _ := w.items(m, "a list")
		for _, n := range items {
			r := Requirement{Pos: w.pos(n)}
			w.fields(n, "an entry of require_when", r.Pos,
				field{"when", false, w.conditions(&r.When)},
				field{"all", false, w.intoNames(&r.All)},
				field{"any", false, w.intoNames(&r.Any)},
				field{"one", false, w.intoNames(&r.One)})
			*dst = append(*dst, r)
		}
	}
}

func (w *walker) conditions(dst *[]Condition) func(member) {
	return w.each(func(m member) {
		c := Condition{Property: m.key}
		switch n := w.plain(m.value).(type) {
		case nil:
		case *ast.SequenceNode:
			c.Values = w.literals(n.Values)
		default:
			c.Values = w.literals([]ast.Node{n})
		}
		*dst = append(*dst, c)
	})
}

func (w *walker) intoNames(dst **Names) func(member) {
	return func(m member) {
		names := &Names{Key: m.key.Pos}
		w.intoTexts(&names.Names)(m)
		*dst = names
	}
}
