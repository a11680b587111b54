package definition

import (
	"cmp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Definitions is the content of a set of workflow files. Workflows excludes those with errors and
// is sorted by name; Broken names the excluded ones.
type Definitions struct {
	Workflows []*Workflow
	Broken    []string
	Partial   []*Workflow // the readable part of broken workflows, to report all of their errors at once
	Diags     diag.List
	Source    diag.Source
}

// grammar describes a file of workflows to the reader of YAML.
var grammar = func() *yamltree.Grammar {
	g := paramspec.Grammar("a workflow file")
	g.Keys = append(g.Keys, strings.Fields("name title disabled runtime prompt context toolMode tools externalServers parameters output return "+
		"steps finally summarize show shared timeout id saveAs saveTo confirm fields call args parallel maxConcurrency forEach sleep set requires "+
		"if expect until interval retry attempts backoff maxDelay on unsafe onError quiet")...)
	return g
}()

// Load parses files. An error excludes only its workflow, and a file that is not YAML only its own
// workflows.
func Load(files []yamltree.File) *Definitions {
	out := &Definitions{Source: sourceLines(files)}
	first := make(map[string]diag.Pos)
	for _, f := range files {
		doc, diags := yamltree.ReadDocument(f, grammar)
		out.Diags = append(out.Diags, diags...)
		if doc == nil || doc.Root == nil {
			continue
		}
		if doc.Root.Kind != yamltree.MappingNode {
			out.Diags.Errorf(doc.Root.Pos, ruleWrongKind,
				"a file of workflows is a mapping of names to workflows, not %s", doc.Root.Kind)
			continue
		}
		for _, m := range doc.Root.Members {
			if strings.HasPrefix(m.Key.Value, "$") {
				continue // $schema is for editors
			}
			r := newReader(doc)
			w := r.readWorkflow(m)
			if w != nil {
				r.newResolver().resolve(w)
			}
			out.Diags = append(out.Diags, r.diags...)
			if w != nil && first[w.Name] != (diag.Pos{}) {
				d := out.Diags.Errorf(m.Key.Pos, ruleDuplicate, "workflow %q is defined twice", w.Name)
				d.Related = &diag.Related{Pos: first[w.Name], Message: "first here; this one is left out"}
				continue
			}
			if r.diags.HasErrors() || hasErrorWithin(diags, m) {
				out.Broken = append(out.Broken, m.Key.Value)
				if w != nil {
					out.Partial = append(out.Partial, w)
				}
				continue
			}
			if w != nil {
				first[w.Name] = m.Key.Pos
				out.Workflows = append(out.Workflows, w)
			}
		}
	}
	slices.SortFunc(out.Workflows, func(a, b *Workflow) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// hasErrorWithin reports whether parsing found an error on the lines of a workflow.
func hasErrorWithin(diags diag.List, m yamltree.Member) bool {
	last := lastLine(m.Value)
	return slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && d.Pos.Line >= m.Key.Pos.Line && d.Pos.Line <= last
	})
}

func lastLine(n *yamltree.Node) int {
	last := n.Pos.Line
	for _, m := range n.Members {
		last = max(last, lastLine(m.Value))
	}
	for _, item := range n.Items {
		last = max(last, lastLine(item))
	}
	return last
}

// draft collects the keys of a workflow.
type draft struct {
	*Workflow
	disabled       bool
	runtime        string
	prompt         diag.Pos // of the first key that only a prompt has; zero for a plain tool
	servers        []string
	params, output *yamltree.Node
}

// readWorkflow reads one workflow. It returns nil for one that is disabled or is not supported.
func (r *reader) readWorkflow(m yamltree.Member) *Workflow {
	w := draft{Workflow: &Workflow{Name: m.Key.Value, Pos: m.Key.Pos}}
	name := m.Key
	r.Fields(m.Value, "workflow \""+m.Key.Value+"\"", map[string]yamltree.NodeField{
		"title": r.text(&w.Title), "description": r.text(&w.Description), "disabled": r.Bool(&w.disabled),
		"name": func(key yamltree.Text, n *yamltree.Node) {
			if r.text(&w.Name)(key, n); n.Kind == yamltree.StringLiteral {
				name = n.Text
			}
		},
		"runtime":         r.oneOf(&w.runtime, "scripted", "prompt", "external"),
		"prompt":          onlyPosition(&w.prompt),
		"context":         onlyPosition(&w.prompt),
		"toolMode":        onlyPosition(&w.prompt),
		"tools":           onlyPosition(&w.prompt),
		"externalServers": r.list(&w.servers),
		"parameters":      func(_ yamltree.Text, n *yamltree.Node) { w.params = n },
		"output":          func(_ yamltree.Text, n *yamltree.Node) { w.output = n },
		"return":          r.variables(&w.Return),
		"steps":           r.steps(&w.Steps, ""),
		"finally":         r.steps(&w.Finally, "finally."),
		"summarize":       r.summarize(&w.Summarize),
		"show":            r.list(&w.Show),
		"shared":          r.list(&w.Shared),
		"timeout":         r.duration(&w.Timeout),
	})
	if w.disabled {
		r.diags = nil
		return nil
	}
	if !toolNamePattern().MatchString(name.Value) {
		hint := "a tool's name is a letter, then letters, digits, _ and -, 64 at most"
		if strings.Contains(name.Value, ":") {
			hint = "a colon separates alias and tool in a step; the tool of a server cannot be a workflow"
		}
		r.Errorf(name.Pos, ruleName, "%q is not a valid workflow name", name.Value).Hint = hint
	}
	if w.Description == "" {
		w.Description = strings.ReplaceAll(w.Name, "_", " ")
	}
	w.Params = r.readObject(w.params, "parameters")
	if w.output != nil {
		w.Output = r.readObject(w.output, "output")
	}
	return r.finishWorkflow(m, w)
}

// finishWorkflow checks which keys occur together. It returns nil for a router or a prompt of Oplink.
func (r *reader) finishWorkflow(m yamltree.Member, w draft) *Workflow {
	switch {
	case len(w.Steps) > 0:
		if len(w.servers) > 0 {
			r.diags.Warnf(m.Key.Pos, ruleOplink,
				"externalServers has no effect with steps").Hint = "each call names its server"
		}
		if !w.prompt.IsZero() {
			r.diags.Warnf(w.prompt, ruleOplink, "a prompt has no effect with steps").Hint = "summarize has a prompt for the report"
		}
	case m.Value.Member("steps") != nil: // already reported
	case w.servers != nil || w.runtime == "external":
		r.diags.Warnf(m.Key.Pos, ruleRouter, "workflow %q is a router, which lets clients call hidden tools; it is skipped", w.Name).Hint =
			"write the calls as steps"
		return nil
	case !w.prompt.IsZero():
		r.Errorf(w.prompt, ruleStep, "workflow %q is a prompt, and a tool is a list of steps", w.Name).Hint =
			"a text for the model belongs into its client; write the calls as steps, with summarize for a report"
		return nil
	default:
		r.Errorf(m.Key.Pos, ruleMissing, "workflow %q has no steps", w.Name).Hint = "add steps: [{call: alias:tool}]"
	}
	if w.Output != nil && len(w.Return) == 0 {
		r.Errorf(m.Key.Pos, ruleMissing, "workflow %q has output but no return",
			w.Name).Hint = "add return: {name: \"{{ … }}\"}"
	}
	return w.Workflow
}

// readObject reads properties with the parser of the manifest, after adaptOplink.
func (r *reader) readObject(n *yamltree.Node, what string) *param.Object {
	if n == nil {
		return &param.Object{}
	}
	if n.Kind != yamltree.MappingNode {
		r.Errorf(n.Pos, ruleWrongKind, "%s must be a mapping, not %s", what, n.Kind)
		return &param.Object{}
	}
	in, diags := paramspec.Read(r.doc, n)
	r.diags = append(r.diags, diags...)
	if in == nil {
		return &param.Object{}
	}
	r.adaptOplink(in)
	o, diags := paramspec.Resolve(param.GoName(what), in)
	r.diags = append(r.diags, diags...)
	return o
}

// adaptOplink rewrites properties that only Oplink's grammar allows.
func (r *reader) adaptOplink(o *paramspec.Object) {
	for i := range o.Properties {
		s := o.Properties[i].Schema
		if s.Type.Value == "enum" {
			s.Type.Value = string(param.String)
		}
		if s.Required.Value && s.Default.Set() {
			r.diags.Warnf(s.Required.Pos, ruleOplink, "property %q has a default, so it is optional despite required",
				o.Properties[i].Name.Value)
			s.Required.Value = false
		}
		if s.Type.Value == string(param.Array) && s.Items == nil &&
			!slices.ContainsFunc(s.Keys, func(k yamltree.Text) bool { return k.Value == "items" }) {
			s.Items = &paramspec.Schema{Pos: s.Pos, Type: yamltree.Text{Value: string(param.String), Pos: s.Pos}}
			s.Items.Keys = []yamltree.Text{s.Items.Type}
			s.Items.Keys[0].Value = "type"
		}
		for p := s; p != nil; p = p.Items {
			if p.Properties != nil {
				r.adaptOplink(p.Properties)
			}
		}
	}
}

func (r *reader) summarize(dst **Summarize) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		s := &Summarize{Pos: key.Pos, Mode: ModeAuto, MaxTokens: 1000}
		*dst = s
		switch n.Kind {
		case yamltree.StringLiteral:
			s.Prompt = r.parseTemplate(n.Text)
		case yamltree.BoolLiteral:
			if !n.Bool {
				*dst = nil
			}
		default:
			r.Fields(n, "summarize", map[string]yamltree.NodeField{
				"prompt": r.template(&s.Prompt), "include": r.list(&s.Include), "maxTokens": r.Count(&s.MaxTokens),
				"mode": r.oneOf(&s.Mode, ModeAuto, ModeModel, ModeSampling, ModeRules, ModeNone),
			})
		}
	}
}

// onlyPosition notes where the first key of several stands, whatever its value.
func onlyPosition(dst *diag.Pos) yamltree.NodeField {
	return func(key yamltree.Text, _ *yamltree.Node) {
		if dst.IsZero() {
			*dst = key.Pos
		}
	}
}
