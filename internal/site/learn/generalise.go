package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page"
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
	step := Step{Tool: r[0].Tool, Targets: map[string]page.Identity{}}
	for pointer := range r[0].Targets {
		ids := make([]page.Identity, len(r))
		for n, s := range r {
			ids[n] = s.Targets[pointer]
			remove(args[n], pointer)
		}
		step.Targets[pointer] = g.identity(ids)
	}
	for _, pointer := range r[0].MaskedPointers {
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

// start takes the first address as the tool's start.
func (g *generaliser) start(args []map[string]any) {
	paths := make([]string, len(args))
	for n := range args {
		address, _ := args[n]["url"].(string)
		paths[n], g.draft.Origin = pathOf(address)
	}
	g.draft.Start = g.address(paths)
}

// address generalises over paths: segments and values of the query that differ are parameters.
func (g *generaliser) address(paths []string) string {
	if allSame(paths) {
		return paths[0]
	}
	parts := make([][]string, len(paths))
	for n, p := range paths {
		parts[n] = separators.FindAllString(p, -1)
		if len(parts[n]) != len(parts[0]) {
			g.note("the recordings begin at %s: another number of segments, so the address of the first is kept", strings.Join(paths, " and "))
			return paths[0]
		}
	}
	var b strings.Builder
	for i := range parts[0] {
		column := make([]string, len(parts))
		for n := range parts {
			column[n] = parts[n][i]
		}
		if allSame(column) {
			b.WriteString(column[0])
			continue
		}
		lead := column[0][:1]
		for n := range column {
			if plain, err := url.PathUnescape(column[n][1:]); err == nil {
				column[n] = plain
			}
		}
		name := "id"
		if i > 0 {
			name = strings.TrimSuffix(strings.Trim(parts[0][i-1], "/?&="), "s")
		}
		b.WriteString(lead + "{" + g.parameter(name, column) + "}")
	}
	return b.String()
}

// separators splits an address into parts that begin with their separator.
var separators = regexp.MustCompile(`[/?&=][^/?&=]*|^[^/?&=]+`)

// identity generalises over an element. What all share stays; a name or a label that differs is a
// parameter, unless a test id is the same in all.
func (g *generaliser) identity(ids []page.Identity) page.Identity {
	out := ids[0]
	out.Ref, out.Document = "", ""
	column := func(of func(page.Identity) string) []string {
		values := make([]string, len(ids))
		for n := range ids {
			values[n] = of(ids[n])
		}
		return values
	}
	names := column(func(id page.Identity) string { return id.Name })
	switch {
	case allSame(names):
	case out.TestID != "" && allSame(column(func(id page.Identity) string { return id.TestID })):
		g.note("%s %q is also called %s: it is found by its test id %q", out.Role, names[0], quoteAll(names[1:]), out.TestID)
		out.Name, out.Text = "", ""
	default:
		out.Name, out.Text = g.inText(out.Role, names), ""
	}
	if labels := column(func(id page.Identity) string { return id.Label }); !allSame(labels) {
		if slices.Contains(labels, "") {
			out.Label = ""
			g.note("%s stands beside %s: the label is left out", out.Role, quoteAll(labels))
		} else {
			out.Label = g.inText("row", labels)
		}
	}
	if texts := column(func(id page.Identity) string { return id.Text }); !allSame(texts) {
		out.Text = ""
	}
	if leads := column(func(id page.Identity) string { return id.Leads }); !allSame(leads) {
		out.Leads = g.leads(leads)
	}
	if out.Ordinal > 0 && slices.ContainsFunc(ids, func(id page.Identity) bool { return id.Ordinal != out.Ordinal || id.AlikeCount != out.AlikeCount }) {
		g.note("%s is number %d of %d in the first recording and another one elsewhere: give it a label", out.String(), out.Ordinal, out.AlikeCount)
	}
	return out
}

// leads keeps where an element leads where known parameters explain the difference, or numbers do.
func (g *generaliser) leads(all []string) string {
	for _, p := range g.draft.Parameters {
		filled := make([]string, len(all))
		for n := range all {
			filled[n] = strings.ReplaceAll(all[n], url.PathEscape(p.values[n]), "{"+p.Name+"}")
		}
		if allSame(filled) {
			return filled[0]
		}
	}
	return ""
}

// inText returns a text in which what differs is a parameter: a known one where its values explain the
// difference.
func (g *generaliser) inText(name string, texts []string) string {
	for _, p := range g.draft.Parameters {
		filled := make([]string, len(texts))
		for n := range texts {
			if filled[n] = texts[n]; p.values[n] != "" && !p.Secret {
				filled[n] = strings.ReplaceAll(texts[n], p.values[n], "{"+p.Name+"}")
			}
		}
		if allSame(filled) {
			return filled[0]
		}
	}
	return "{" + g.parameter(name, texts) + "}"
}

// merge generalises over values of one argument.
func (g *generaliser) merge(values []any, pointer string, r row) any {
	if allEqual(values) {
		return values[0]
	}
	objects, lists := asAll[map[string]any](values), asAll[[]any](values)
	switch {
	case objects != nil:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(objects[0])) {
			inner := make([]any, len(objects))
			for n := range objects {
				inner[n] = objects[n][key]
			}
			out[key] = g.merge(inner, pointer+"/"+key, r)
		}
		return out
	case lists != nil && sameLength(lists):
		out := make([]any, len(lists[0]))
		for i := range out {
			inner := make([]any, len(lists))
			for n := range lists {
				inner[n] = lists[n][i]
			}
			out[i] = g.merge(inner, pointer+"/"+strconv.Itoa(i), r)
		}
		return out
	}
	texts := make([]string, len(values))
	for n, v := range values {
		texts[n] = textOf(v)
	}
	return g.inText(labelFor(r[0].Targets, pointer), texts)
}

// parameter returns the name of the parameter with these values: an existing one, or a new one.
func (g *generaliser) parameter(label string, values []string) string {
	for _, p := range g.draft.Parameters {
		if !p.Secret && slices.Equal(p.values, values) {
			return p.Name
		}
	}
	p := Parameter{Name: g.freeName(label), values: values, Description: description(label)}
	p.Type, p.Format = infer(values)
	g.draft.Parameters = append(g.draft.Parameters, p)
	return p.Name
}

// secret returns the name of the secret for a field.
func (g *generaliser) secret(label string) string {
	name := strings.ToUpper(parameterName(label))
	if !slices.ContainsFunc(g.draft.Parameters, func(p Parameter) bool { return p.Secret && p.Name == name }) {
		g.draft.Parameters = append(g.draft.Parameters, Parameter{Name: name, Secret: true, values: make([]string, g.count)})
		g.note("%q is a field for secrets: its value is the secret %s", label, name)
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
