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
		items, _ := w.Items(m, "a list of tools")
		for _, n := range items {
			if t := w.tool(n); t != nil {
				*dst = append(*dst, t)
			}
		}
	}
}

func (w toolWalker) tool(n ast.Node) *Tool {
	n = w.Plain(n)
	if n == nil {
		return nil
	}
	t := &Tool{Pos: w.Pos(n)}
	what, at := w.title(n, "tool")
	fields := w.liveFields(t)
	if hasMember(n, "forward") {
		fields = notRequired(fields, "input") // without it, the tool has the schema of the upstream
	}
	if hasMember(n, "deferred") {
		fields = w.deferredFields(t, fields)
	}
	w.Fields(n, what, at, fields...)
	if !t.Name.Set() {
		return nil // reported as missing or mistyped; nothing can refer to it
	}
	return t
}

// liveFields are the keys of a tool that is there.
func (w toolWalker) liveFields(t *Tool) []field {
	return []field{
		required("name", w.IntoText(&t.Name)),
		required("title", w.IntoText(&t.Title)),
		optional("description", w.IntoText(&t.Description)),
		optional("capability", w.IntoText(&t.Capability)),
		required("scope", w.IntoTextOrTexts(&t.Scopes)),
		optional("tier", w.IntoInt(&t.Tier)),
		optional("effects", w.effects(&t.Effects)),
		required("visible", w.IntoText(&t.Visible)),
		optional("listed", w.IntoText(&t.Listed)),
		optional("joins", w.IntoText(&t.Joins)),
		optional("also", w.also(&t.Also)),
		optional("changes", w.toolChanges(&t.Changes)),
		optional("surfaces", w.IntoTexts(&t.Surfaces)),
		optional("powers", w.toolPowers(&t.Powers, &t.PowersPos)),
		optional("traits", w.toolTraits(&t.Traits)),
		optional("asks", w.IntoTexts(&t.Asks)),
		optional("confirm", w.IntoText(&t.Confirm)),
		optional("forward", w.IntoText(&t.Forward)),
		required("input", w.types().IntoObject(&t.Input)),
		optional("output", w.types().IntoObject(&t.Output)),
		optional("require_when", w.requirements(&t.Require)),
		optional("budget", w.budget(&t.Budget)),
		optional("slim", w.slim(&t.Slim)),
		optional("builtin", w.IntoText(&t.Builtin)),
		optional("cli", verbWalker(w).verbs(&t.CLI)),
		optional("was", w.IntoTextOrTexts(&t.Was)),
		optional("not", w.types().IntoRefused(&t.Not)),
	}
}

// deferredFields are the keys of a tool that is deliberately not there. Those of a live one are
// noted, and model says that an entry is one or the other.
func (w toolWalker) deferredFields(t *Tool, live []field) []field {
	out := []field{required("deferred", w.deferred(&t.Deferred))}
	for _, f := range live {
		if f.Name != "name" && f.Name != "scope" && f.Name != "capability" {
			f.Required = false
			f.Read = func(m member) { t.Live = append(t.Live, m.Key) }
		}
		out = append(out, f)
	}
	return out
}

func (w toolWalker) deferred(dst **Deferred) func(member) {
	return func(m member) {
		d := &Deferred{Pos: m.Key.Pos}
		w.Fields(m.Value, "deferred", m.Key.Pos,
			required("reason", w.IntoText(&d.Reason)),
			optional("cli_equivalent", w.cliEquivalent(&d.CLI)),
			optional("competitor_ref", w.competitorRef(&d.Competitor)),
			optional("since", w.IntoText(&d.Since)),
			required("surfaces", w.IntoTexts(&d.Surfaces)))
		*dst = d
	}
}

func (w toolWalker) cliEquivalent(dst *CLIEquivalent) func(member) {
	return func(m member) {
		dst.Pos = m.Key.Pos
		w.Fields(m.Value, "cli_equivalent", m.Key.Pos,
			required("verb", w.IntoText(&dst.Verb)),
			optional("args", w.IntoTexts(&dst.Args)))
	}
}

func (w toolWalker) competitorRef(dst *CompetitorRef) func(member) {
	return func(m member) {
		dst.Pos = m.Key.Pos
		w.Fields(m.Value, "competitor_ref", m.Key.Pos,
			required("product", w.IntoText(&dst.Product)),
			optional("tool", w.IntoText(&dst.Tool)),
			optional("none", w.IntoText(&dst.None)))
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
		return "a " + what, w.Pos(n)
	}
	for _, v := range m.Values {
		name, ok := v.Value.(*ast.StringNode)
		if ok && v.Key.GetToken().Value == "name" {
			return what + " \"" + name.Value + "\"", w.Pos(name)
		}
	}
	return "a " + what, w.Pos(n)
}

func (w toolWalker) effects(dst *Effects) func(member) {
	return func(m member) {
		dst.Pos = m.Key.Pos
		dst.Keys = w.Fields(m.Value, "effects", m.Key.Pos,
			optional("read_only", w.IntoBool(&dst.ReadOnly)),
			optional("destructive", w.IntoBool(&dst.Destructive)),
			optional("idempotent", w.IntoBool(&dst.Idempotent)),
			optional("open_world", w.IntoBool(&dst.OpenWorld)))
	}
}

func (w toolWalker) toolChanges(dst *Changes) func(member) {
	return func(m member) {
		dst.Pos = m.Key.Pos
		w.Fields(m.Value, "changes", m.Key.Pos, w.changes(dst)...)
	}
}

func (w toolWalker) budget(dst *Budget) func(member) {
	return func(m member) {
		w.Fields(m.Value, "budget", m.Key.Pos,
			optional("result_bytes", w.IntoInt(&dst.ResultBytes)),
			optional("timeout_ms", w.IntoInt(&dst.TimeoutMS)))
	}
}

func (w toolWalker) slim(dst **Slim) func(member) {
	return func(m member) {
		s := &Slim{Pos: m.Key.Pos}
		w.Fields(m.Value, "slim", m.Key.Pos,
			required("description", w.IntoText(&s.Description)),
			required("input", w.IntoTexts(&s.Input)))
		*dst = s
	}
}

func (w toolWalker) requirements(dst *[]Requirement) func(member) {
	return func(m member) {
		items, _ := w.Items(m, "a list")
		for _, n := range items {
			r := Requirement{Pos: w.Pos(n)}
			w.Fields(n, "an entry of require_when", r.Pos,
				optional("when", w.conditions(&r.When)),
				optional("all", w.intoNames(&r.All)),
				optional("any", w.intoNames(&r.Any)),
				optional("one", w.intoNames(&r.One)),
				optional("only", w.intoNames(&r.Only)))
			*dst = append(*dst, r)
		}
	}
}

func (w *walker) conditions(dst *[]Condition) func(member) {
	return w.Each(func(m member) {
		c := Condition{Property: m.Key}
		switch n := w.Plain(m.Value).(type) {
		case nil:
		case *ast.SequenceNode:
			c.Values = w.Literals(n.Values)
		default:
			c.Values = w.Literals([]ast.Node{n})
		}
		*dst = append(*dst, c)
	})
}

func (w *walker) intoNames(dst **Names) func(member) {
	return func(m member) {
		names := &Names{Key: m.Key.Pos}
		w.IntoTexts(&names.Names)(m)
		*dst = names
	}
}

// also reads the capabilities that have the tool beside its own, each with the states in which it is listed for them.
func (w toolWalker) also(dst *[]Also) func(member) {
	return w.Each(func(m member) {
		a := Also{Capability: m.Key}
		w.IntoText(&a.When)(m)
		*dst = append(*dst, a)
	})
}
