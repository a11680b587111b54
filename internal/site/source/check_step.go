package source

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/site/compiled"
	"github.com/callsheet/callsheet/internal/workflow/toolschema"
)

// builtin returns the tool of this server that a step calls, or nil.
func (in Input) builtin(name string) *toolkit.Tool {
	if i, ok := in.Builtin.Lookup(name); ok {
		return &in.Builtin.Tools[i]
	}
	return nil
}

// isAddress reports whether an argument of a tool is the address of a page.
func (in Input) isAddress(tool, pointer string) bool {
	return toolset.TraitsOf(tool).Role(pointer) == toolset.RoleURL
}

// eachStep visits the steps whose tool is known.
func (in Input) eachStep(visit func(t *Tool, s *Step, b *toolkit.Tool)) {
	for _, t := range in.Site.Tools {
		for i := range t.Steps {
			if b := in.builtin(t.Steps[i].Tool); b != nil {
				visit(t, &t.Steps[i], b)
			}
		}
	}
}

func checkTools(in Input, report diag.Report) {
	names := slicesx.Map(in.Builtin.Tools, func(t toolkit.Tool) string { return t.Name })
	for _, t := range in.Site.Tools {
		for i := range t.Steps {
			s := &t.Steps[i]
			if s.Request != nil || in.builtin(s.Tool) != nil {
				continue
			}
			d := report(s.ToolPos, "step %d of tool %q calls %q, and this server has no such tool", s.Number, t.Entry.Name.Value, s.Tool)
			switch {
			case in.Site.Tool(s.Tool) != nil:
				d.Hint = "a tool of a site does not call another: write its steps out, or let visible lead to it"
			default:
				if d.Hint = diag.DidYouMean(s.Tool, names); d.Hint == "" {
					d.Hint = "callsheet tools lists them"
				}
			}
		}
	}
}

func checkArguments(in Input, report diag.Report) {
	in.eachStep(func(t *Tool, s *Step, b *toolkit.Tool) {
		schema, err := toolschema.Parse(json.RawMessage(b.Schema))
		if err != nil {
			report(s.ToolPos, "the schema of %q cannot be read: %v", b.Name, err)
			return
		}
		var args map[string]any
		if json.Unmarshal(s.Args, &args) != nil {
			return // reported when it was read
		}
		for pointer := range s.Targets {
			name := strings.TrimPrefix(pointer, "/")
			if known := schema.Names(); !strings.Contains(name, "/") && !slices.Contains(known, name) {
				report(s.Pos, "%s has no argument %q, which a target is for", b.Name, name).Hint = "arguments: " + strings.Join(known, ", ")
			}
			if !strings.Contains(name, "/") {
				args[name] = toolschema.Unresolved{}
			}
		}
		for _, v := range schema.Check(schema.Convert(unresolved(args))) {
			at := s.Pos
			if s.args != nil {
				at = nodeAt(s.args, "/"+strings.Join(v.Path, "/")).Pos
				for _, m := range s.args.Members {
					if len(v.Path) == 1 && m.Key.Value == v.Path[0] {
						at = m.Key.Pos
					}
				}
			}
			where := strings.Join(v.Path, ".")
			if where != "" {
				where += ": "
			}
			report(at, "step %d of tool %q does not fit %s: %s%s", s.Number, t.Entry.Name.Value, b.Name, where, v.Message).Hint = v.Hint
		}
	})
}

// unresolved replaces texts with placeholders by values that fit any schema of their type.
func unresolved(v any) any {
	switch v := v.(type) {
	case string:
		p := Placeholders(v)
		if len(p) == 1 && p[0].Len == len(v) {
			return toolschema.Unresolved{}
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = unresolved(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = unresolved(v[k])
		}
		return out
	}
	return v
}

// checkTargets reports the keys of targets that no step looks at.
func checkTargets(in Input, report diag.Report) {
	instead := map[string]string{
		"css": "role and name, or testId", "has": "text, or name", "not_text": "name, or label for the words beside it", "within": "label for the words beside it",
	}
	for _, t := range in.Site.Tools {
		for i := range t.Steps {
			s := &t.Steps[i]
			for _, pointer := range slices.Sorted(maps.Keys(s.Targets)) {
				for _, key := range s.Targets[pointer].conditions {
					report(key.Pos, "step %d of tool %q looks for its target by %s, which only facts, when and extract do", s.Number, t.Entry.Name.Value, key.Value).Hint =
						"describe the element by " + instead[key.Value]
				}
			}
		}
	}
}

func checkEffects(in Input, report diag.Report) {
	in.eachStep(func(t *Tool, s *Step, b *toolkit.Tool) {
		e := t.Entry.Effects
		if e.ReadOnly.Value && !b.Effects.ReadOnly && b.Traits.Replay != toolset.ReplayNavigate {
			report(e.ReadOnly.Pos, "tool %q is read_only, and step %d calls %s, which acts on the page", t.Entry.Name.Value, s.Number, b.Name).Hint =
				"write read_only: false, or open what is read by its address with start"
		}
	})
}

// PowersOf lists the powers that a tool of the site uses, sorted.
func (in Input) PowersOf(t *Tool) []string {
	calls := slicesx.List(t.Steps, func(s Step) compiled.Call { return compiled.Call{Tool: s.Tool, Args: s.Args} })
	return compiled.PowersOf(calls, in.Builtin)
}

func checkPowers(in Input, report diag.Report) {
	for _, t := range in.Site.Tools {
		used := in.PowersOf(t)
		for _, p := range t.Powers {
			if !slices.Contains(used, p.Value) {
				d := report(p.Pos, "no step of tool %q uses power %q", t.Entry.Name.Value, p.Value)
				if d.Hint = diag.DidYouMean(p.Value, used); d.Hint == "" {
					d.Hint = "delete it"
				}
			}
		}
		for _, name := range used {
			if t.Powers == nil || name == "navigation" || name == "window" ||
				slices.ContainsFunc(t.Powers, func(p spec.Text) bool { return p.Value == name }) {
				continue
			}
			report(t.Powers[0].Pos, "the steps of tool %q use power %q, which powers does not name", t.Entry.Name.Value, name).Hint = "add " + name
		}
	}
}

func checkExtract(in Input, report diag.Report) {
	for _, t := range in.Site.Tools {
		if t.Output == nil && len(t.Extract) > 0 {
			report(t.Extract[0].Property.Pos, "tool %q has extract and no output", t.Entry.Name.Value).Hint = "declare under output what is extracted"
			continue
		}
		checkMembers(t.Entry.Name.Value, t.Output, t.Extract, report)
	}
}

func checkMembers(tool string, out *param.Object, extract []Extraction, report diag.Report) {
	if out == nil {
		return
	}
	names := slicesx.Map(out.Properties, func(p *param.Property) string { return p.Name })
	for i := range extract {
		x := &extract[i]
		p := find(out.Properties, x.Property.Value)
		if p == nil {
			d := report(x.Property.Pos, "the output of tool %q has no property %q", tool, x.Property.Value)
			if d.Hint = diag.DidYouMean(x.Property.Value, names); d.Hint == "" {
				d.Hint = "declare it under output"
			}
			continue
		}
		checkRead(tool, p, x, report)
	}
	for _, p := range out.Properties {
		if !slices.ContainsFunc(extract, func(x Extraction) bool { return x.Property.Value == p.Name }) {
			report(p.Pos, "nothing extracts property %q of the output of tool %q", p.Name, tool).Hint = "add it under extract"
		}
	}
}

// checkRead compares what an extraction reads with the type of its property, and fills in read.
func checkRead(tool string, p *param.Property, x *Extraction, report diag.Report) {
	if x.JSON != nil {
		return // an answer has values of every type
	}
	kind := p.Type
	if x.List != (kind.Kind == param.Array) {
		report(x.Property.Pos, "property %q of tool %q is %s, and list is %t", p.Name, tool, kind.Kind, x.List).Hint =
			"a list is extracted into an array, and nothing else is"
		return
	}
	if x.List {
		kind = kind.Items
	}
	if kind.Kind == param.Nested || len(x.Members) > 0 {
		if kind.Object == nil || len(x.Members) == 0 {
			report(x.Property.Pos, "property %q of tool %q: an object is extracted by list with a mapping of its members, and nothing else is", p.Name, tool).Hint =
				"write list: {name: {element: …}} for a list of objects"
			return
		}
		checkMembers(tool, kind.Object, x.Members, report)
		return
	}
	fits := map[param.Kind][]Read{
		param.String: {ReadText, ReadValue, ReadAttribute, ReadURL}, param.Integer: {ReadNumber, ReadCount}, param.Number: {ReadNumber, ReadCount},
		param.Boolean: {ReadPresent},
	}[kind.Kind]
	switch {
	case len(fits) == 0:
		report(p.Pos, "property %q of tool %q is %s, which nothing on a page is", p.Name, tool, kind.Kind).Hint = "string, integer, number, boolean, or an array of them or of objects"
	case x.Read == "":
		x.Read = fits[0]
	case !slices.Contains(fits, x.Read):
		report(x.Property.Pos, "property %q of tool %q is %s, and read: %s gives something else", p.Name, tool, kind.Kind, x.Read).Hint = "read: " + string(fits[0])
	}
}
