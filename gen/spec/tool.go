package spec

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

// toolWalker reads tools, live ones and deferred ones.
type toolWalker struct{ *walker }

func (w toolWalker) tools(dst *[]*Tool) func(member) {
	return func(m member) {
		items, _ := w.items(m, "a list of tools")
		for _, n := range items {
			if t := w.tool(n); t != nil {
				*dst = append(*dst, t)
			}
		}
	}
}

func (w toolWalker) tool(n ast.Node) *Tool {
	n = w.plain(n)
	if n == nil {
		return nil
	}
	t := &Tool{Pos: w.pos(n)}
	what, at := w.title(n, "tool")
	fields := w.liveFields(t)
	if hasMember(n, "forward") {
		fields = notRequired(fields, "input") // without it, the tool has the schema of the upstream
	}
	if hasMember(n, "deferred") {
		fields = w.deferredFields(t, fields)
	}
	w.fields(n, what, at, fields...)
	if !t.Name.Set() {
		return nil // reported as missing or mistyped; nothing can refer to it
	}
	return t
}

// liveFields are the keys of a tool that is there.
func (w toolWalker) liveFields(t *Tool) []field {
	return []field{
		{"name", true, w.intoText(&t.Name)},
		{"title", true, w.intoText(&t.Title)},
		{"description", false, w.intoText(&t.Description)},
		{"capability", false, w.intoText(&t.Capability)},
		{"scope", true, w.intoTextOrTexts(&t.Scopes)},
		{"tier", false, w.intoInt(&t.Tier)},
		{"effects", false, w.effects(&t.Effects)},
		{"visible", true, w.intoText(&t.Visible)},
		{"listed", false, w.intoText(&t.Listed)},
		{"changes", false, w.toolChanges(&t.Changes)},
		{"surfaces", false, w.intoTexts(&t.Surfaces)},
		{"powers", false, w.toolPowers(&t.Powers, &t.PowersPos)},
		{"traits", false, w.toolTraits(&t.Traits)},
		{"asks", false, w.intoTexts(&t.Asks)},
		{"forward", false, w.intoText(&t.Forward)},
		{"input", true, schemaWalker{w.walker}.intoObject(&t.Input)},
		{"output", false, schemaWalker{w.walker}.intoObject(&t.Output)},
		{"require_when", false, w.requirements(&t.Require)},
		{"budget", false, w.budget(&t.Budget)},
		{"slim", false, w.slim(&t.Slim)},
		{"builtin", false, w.intoText(&t.Builtin)},
		{"cli", false, verbWalker{w.walker}.verbs(&t.CLI)},
		{"was", false, w.intoTextOrTexts(&t.Was)},
		{"not", false, schemaWalker{w.walker}.refused(&t.Not)},
	}
}

// deferredFields are the keys of a tool that is deliberately not there. Those of a live one are
// noted, and model says that an entry is one or the other.
func (w toolWalker) deferredFields(t *Tool, live []field) []field {
	out := []field{{"deferred", true, w.deferred(&t.Deferred)}}
	for _, f := range live {
		if f.name != "name" && f.name != "scope" && f.name != "capability" {
			f.required = false
			f.read = func(m member) { t.Live = append(t.Live, m.key) }
		}
		out = append(out, f)
	}
	return out
}

func (w toolWalker) deferred(dst **Deferred) func(member) {
	return func(m member) {
		d := &Deferred{Pos: m.key.Pos}
		w.fields(m.value, "deferred", m.key.Pos,
			field{"reason", true, w.intoText(&d.Reason)},
			field{"cli_equivalent", true, w.cliEquivalent(&d.CLI)},
			field{"competitor_ref", false, w.competitorRef(&d.Competitor)},
			field{"since", true, w.intoText(&d.Since)},
			field{"surfaces", true, w.intoTexts(&d.Surfaces)})
		*dst = d
	}
}

func (w toolWalker) cliEquivalent(dst *CLIEquivalent) func(member) {
	return func(m member) {
		dst.Pos = m.key.Pos
		w.fields(m.value, "cli_equivalent", m.key.Pos,
			field{"verb", true, w.intoText(&dst.Verb)},
			field{"args", false, w.intoTexts(&dst.Args)})
	}
}

func (w toolWalker) competitorRef(dst *CompetitorRef) func(member) {
	return func(m member) {
		dst.Pos = m.key.Pos
		w.fields(m.value, "competitor_ref", m.key.Pos,
			field{"product", true, w.intoText(&dst.Product)},
			field{"tool", false, w.intoText(&dst.Tool)},
			field{"none", false, w.intoText(&dst.None)})
	}
}

// hasMember reports whether a mapping has the key, read or not.
func hasMember(n ast.Node, key string) bool {
	is := func(v *ast.MappingValueNode) bool { return v.Key.GetToken().Value == key }
	switch n := n.(type) {
	case *ast.MappingNode:
		return slices.ContainsFunc(n.Values, is)
	case *ast.MappingValueNode:
		return is(n)
	}
	return false
}

// title names an entry of a list in messages, by its name if it has one, and says where its missing
// keys are shown.
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

func (w toolWalker) effects(dst *Effects) func(member) {
	return func(m member) {
		dst.Pos = m.key.Pos
		dst.Keys = w.fields(m.value, "effects", m.key.Pos,
			field{"read_only", false, w.intoBool(&dst.ReadOnly)},
			field{"destructive", false, w.intoBool(&dst.Destructive)},
			field{"idempotent", false, w.intoBool(&dst.Idempotent)},
			field{"open_world", false, w.intoBool(&dst.OpenWorld)})
	}
}

func (w toolWalker) toolChanges(dst *Changes) func(member) {
	return func(m member) {
		dst.Pos = m.key.Pos
		w.fields(m.value, "changes", m.key.Pos, w.changes(dst)...)
	}
}

func (w toolWalker) budget(dst *Budget) func(member) {
	return func(m member) {
		w.fields(m.value, "budget", m.key.Pos,
			field{"result_bytes", false, w.intoInt(&dst.ResultBytes)},
			field{"timeout_ms", false, w.intoInt(&dst.TimeoutMS)})
	}
}

func (w toolWalker) slim(dst **Slim) func(member) {
	return func(m member) {
		s := &Slim{Pos: m.key.Pos}
		w.fields(m.value, "slim", m.key.Pos,
			field{"description", true, w.intoText(&s.Description)},
			field{"input", true, w.intoTexts(&s.Input)})
		*dst = s
	}
}

func (w toolWalker) requirements(dst *[]Requirement) func(member) {
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
