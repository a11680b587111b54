package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/site/source"
)

// generaliser turns rows into the steps of a draft.
type generaliser struct {
	draft *Draft
	count int // recordings
}

// add generalises one step.
func (g *generaliser) add(i int, r row) error {
	args := make([]map[string]any, len(r))
	for n, s := range r {
		d := json.NewDecoder(bytes.NewReader(s.Args))
		d.UseNumber()
		if err := d.Decode(&args[n]); err != nil {
			return fmt.Errorf("recording %d, step %d: read its arguments: %w", n+1, s.Seq, err)
		}
		delete(args[n], "tabId")
		delete(args[n], "then")
	}
	kind := toolset.TraitsOf(r[0].Tool).Replay
	if i == 0 && (kind == toolset.ReplayNavigate || kind == toolset.ReplayOpenTab) {
		g.start(args)
		return nil
	}
	if kind == toolset.ReplayNavigate {
		g.navigation(args)
	}
	step := Step{Tool: r[0].Tool, Targets: map[string]locate.Identity{}}
	for pointer := range r[0].Targets {
		ids := make([]locate.Identity, len(r))
		for n, s := range r {
			ids[n] = s.Targets[pointer]
			remove(args[n], pointer)
		}
		step.Targets[pointer] = g.identity(ids)
	}
	for _, pointer := range masked(r) {
		name := g.secret(labelFor(r[0].Targets, pointer))
		for n := range args {
			set(args[n], pointer, "{secret:"+name+"}")
		}
	}
	values := make([]any, len(args))
	for n := range args {
		values[n] = args[n]
	}
	merged, ok := g.merge(values, "", r).(map[string]any)
	if !ok {
		merged = map[string]any{}
	}
	step.Args = merged
	g.draft.Steps = append(g.draft.Steps, step)
	return nil
}

// identity generalises over an element. What all share stays; a name or a label that differs is a
// parameter, unless a test id is the same in all.
func (g *generaliser) identity(ids []locate.Identity) locate.Identity {
	out := ids[0]
	out.Ref, out.Document = "", ""
	column := func(of func(locate.Identity) string) []string {
		values := make([]string, len(ids))
		for n := range ids {
			values[n] = of(ids[n])
		}
		return values
	}
	names := column(func(id locate.Identity) string { return id.Name })
	switch {
	case allSame(names):
	case out.TestID != "" && allSame(column(func(id locate.Identity) string { return id.TestID })):
		g.note("%s %q is also called %s: it is found by its test id %q", out.Role, names[0], quoteAll(names[1:]), out.TestID)
		out.Name, out.Text = "", ""
	default:
		out.Name, out.Text = g.inText(out.Role, names), ""
	}
	if labels := column(func(id locate.Identity) string { return id.Label }); !allSame(labels) {
		if slices.Contains(labels, "") {
			out.Label = ""
			g.note("%s stands beside %s: the label is left out", out.Role, quoteAll(labels))
		} else {
			out.Label = g.inText("row", labels)
		}
	}
	if texts := column(func(id locate.Identity) string { return id.Text }); !allSame(texts) {
		out.Text = ""
	}
	if leads := column(func(id locate.Identity) string { return id.Leads }); !allSame(leads) {
		out.Leads = g.leads(leads)
	}
	if out.Ordinal > 0 && slices.ContainsFunc(ids, func(id locate.Identity) bool { return id.Ordinal != out.Ordinal || id.AlikeCount != out.AlikeCount }) {
		g.note("%s is number %d of %d in the first recording and another one elsewhere: give it a label", out.String(), out.Ordinal, out.AlikeCount)
	}
	return out
}

// leads keeps where an element leads where known parameters explain the difference, or numbers do.
func (g *generaliser) leads(all []string) string {
	filled, _ := g.explained(all, url.PathEscape)
	return filled
}

// explained returns texts as one, in which a known parameter stands for what differs, and whether there is
// such a parameter. An empty value stands nowhere, and a secret has no value.
func (g *generaliser) explained(texts []string, escape func(string) string) (string, bool) {
	for _, p := range g.draft.Parameters {
		filled := slices.Clone(texts)
		for n := range filled {
			if p.values[n] != "" && !p.Secret {
				filled[n] = strings.ReplaceAll(filled[n], escape(p.values[n]), "{"+p.Name+"}")
			}
		}
		if allSame(filled) {
			return filled[0], true
		}
	}
	return "", false
}

// inText returns a text in which what differs is a parameter: a known one where its values explain the
// difference.
func (g *generaliser) inText(name string, texts []string) string {
	if filled, ok := g.explained(texts, func(value string) string { return value }); ok {
		return filled
	}
	return "{" + g.parameter(name, texts) + "}"
}

// parameter returns the name of the parameter with these values: an existing one, or a new one.
func (g *generaliser) parameter(label string, values []string) string {
	for _, p := range g.draft.Parameters {
		if !p.Secret && slices.Equal(p.values, values) {
			return p.Name
		}
	}
	p := Parameter{Name: g.freeName(label), values: values, Description: description(label)}
	if p.Type, p.Format = infer(values); p.Type == "integer" && isNumbered(label) {
		p.Type = "string"
	}
	g.draft.Parameters = append(g.draft.Parameters, p)
	return p.Name
}

// secret returns the name of the secret for a field.
func (g *generaliser) secret(label string) string {
	name := source.UnnamedSecret(parameterName(label)) // the page wrote the label
	if !slices.ContainsFunc(g.draft.Parameters, func(p Parameter) bool { return p.Secret && p.Name == name }) {
		g.draft.Parameters = append(g.draft.Parameters, Parameter{Name: name, Secret: true, values: make([]string, g.count)})
		g.note("%q is a field for secrets: write the name that the vault has of its value in place of %s", label, name)
	}
	return name
}

func (g *generaliser) freeName(label string) string {
	base := parameterName(label)
	name := base
	for n := 2; slices.ContainsFunc(g.draft.Parameters, func(p Parameter) bool { return p.Name == name }); n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	return name
}

func (g *generaliser) note(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	if !slices.Contains(g.draft.Notes, text) {
		g.draft.Notes = append(g.draft.Notes, text)
	}
}
