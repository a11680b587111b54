package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/lsp/place"
	"github.com/callsheet/callsheet/gen/lsp/wire"
	"github.com/callsheet/callsheet/gen/model"
)

// hover explains a position: the rules that it breaks, then the tool, the name or the key that stands
// there.
func (d *document) hover(p wire.PositionParams) (*wire.Hover, error) {
	parts := d.broken(p.Position)
	at := d.at(p.Position)
	if at.Word != "" && at.Role != place.Nothing {
		if text := d.explain(p.Position.Line, at); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	out := wire.Hover{Contents: wire.Markup{Kind: "markdown", Value: strings.Join(parts, "\n\n---\n\n")}}
	if at.Word != "" {
		r := d.wordRange(p.Position.Line, at)
		out.Range = &r
	}
	return &out, nil
}

// broken says what the rules mean that a position breaks.
func (d *document) broken(p wire.Position) []string {
	var out []string
	rules := gen.Rules()
	for _, found := range d.module.found(d.name) {
		if !holds(rangeOf(d.lines, found.Pos), p) {
			continue
		}
		i := slices.IndexFunc(rules, func(r diag.Description) bool { return r.ID == found.Rule })
		if i < 0 {
			continue
		}
		if text := fmt.Sprintf("**%s** (%s)\n\n%s", rules[i].ID, rules[i].Severity, rules[i].Doc); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// explain returns what is known of the word at a place; "" when that is nothing.
func (d *document) explain(line int, at place.Place) string {
	if isToolName(at) {
		return d.cost(at.Word)
	}
	if n, ok := d.named(line, at); ok && n.doc != "" {
		return fmt.Sprintf("**%s**\n\n%s", n.name, n.doc)
	}
	if at.Role != place.Key {
		return ""
	}
	if text := describe(schemasAt(append(slices.Clone(at.Path), place.Step{Key: at.Word}))); text != "" {
		return fmt.Sprintf("`%s`\n\n%s", at.Word, text)
	}
	return ""
}

// isToolName reports whether a place is the name of an entry under tools.
func isToolName(at place.Place) bool {
	return at.Role == place.Value && matches([]string{"tools", "#", "name"}, at.Path)
}

// cost says what a tool costs in lists, and which lists it is in.
func (d *document) cost(name string) string {
	_, set, fresh := d.module.names()
	if set == nil {
		return ""
	}
	i := slices.IndexFunc(set.Tools, func(t *model.Tool) bool { return t.Name == name })
	if i < 0 {
		return ""
	}
	t := set.Tools[i]
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**, tier %d of capability %s\n\n", t.Name, t.Tier, t.Capability.Name)
	fmt.Fprintf(&b, "- %d bytes in `tools/list`", len(schema.Definition(t)))
	if t.Slim != nil {
		fmt.Fprintf(&b, ", %d in the slim one", len(schema.SlimDefinition(t)))
	}
	listed, other := scenarios(set, t)
	fmt.Fprintf(&b, "\n- visible: %s\n- listed by default in: %s", visible(t), orNone(listed))
	if len(other) > 0 {
		fmt.Fprintf(&b, "\n- can be called and is not listed in: %s", strings.Join(other, ", "))
	}
	if !fresh {
		b.WriteString("\n\nAs of the last text without errors.")
	}
	return b.String()
}

func visible(t *model.Tool) string {
	if t.Visible.Always() {
		return "always"
	}
	return "`" + t.Visible.Text + "`"
}

// scenarios names the scenarios in whose default list a tool is, and those in which it can be called all
// the same.
func scenarios(set *model.Toolset, t *model.Tool) (listed, other []string) {
	for _, s := range set.Scenarios {
		var facts uint64
		for _, f := range s.Facts {
			facts |= 1 << f.Bit
		}
		switch {
		case t.ListedIn(facts) && !t.Capability.OptIn:
			listed = append(listed, s.Name)
		case t.Visible.Holds(facts):
			other = append(other, s.Name)
		}
	}
	return listed, other
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "no scenario"
	}
	return strings.Join(names, ", ")
}
