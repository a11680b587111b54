package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// Diagnostic rules about names.
const (
	ruleUnknownName = "unknown-name"
	ruleUnusedParam = "unused-parameter"
	ruleAbsent      = "may-be-absent"
)

// resolver resolves the references of a workflow that was read, in the order in which steps run.
type resolver struct {
	sources
	diags *diag.List
	ids   map[string]diag.Pos // position of the step with this id
}

// resolve resolves every reference of a workflow and checks its names.
func (r *resolver) resolve(w *Workflow) {
	if w.Output != nil && len(w.Return) > 0 {
		r.checkReturn(w)
	}
	s := scope{params: w.Params, steps: map[string]bool{}, vars: map[string]StaticType{},
		local: map[string]StaticType{}, used: map[string]bool{}}
	r.resolveSteps(w.Steps, s, false)
	after := s.clone()
	for id := range after.steps {
		after.steps[id] = true
	}
	for name, v := range after.vars {
		v.MayBeAbsent = true
		after.vars[name] = v
	}
	r.resolveSteps(w.Finally, after, true)
	for i := range w.Return {
		r.resolveValue(w.Return[i].Value, s)
	}
	if w.Summarize != nil {
		r.resolveTemplate(w.Summarize.Prompt, s)
		r.checkNames(&w.Summarize.Include, slices.Sorted(maps.Keys(r.ids)), "include names %q, but no step has that id")
	}
	r.checkNames(&w.Show, slices.Sorted(maps.Keys(r.ids)), "show names %q, but no step has that id")
	r.checkNames(&w.Shared, w.Aliases(), "shared names %q, but no step calls that server")
	r.reportUnusedParams(w, s)
}

// checkReturn checks return against output: every name is declared, and every required one has a
// value.
func (r *resolver) checkReturn(w *Workflow) {
	declared := propertyNames(w.Output)
	for _, b := range w.Return {
		if !slices.Contains(declared, b.Name.Value) {
			r.reportUnknown(b.Name.Pos, "property of the output", b.Name.Value, slices.Clone(declared))
		}
	}
	for _, p := range w.Output.Properties {
		if p.Required && !slices.ContainsFunc(w.Return, func(b Binding) bool { return b.Name.Value == p.Name }) {
			r.diags.Errorf(p.Pos, ruleMissing, "output requires %q, but return does not set it", p.Name)
		}
	}
}

// checkNames reports the names of a list that are not valid.
func (r *resolver) checkNames(list *[]string, valid []string, problem string) {
	for _, name := range r.lists[list] {
		if !slices.Contains(valid, name.Value) {
			r.diags.Errorf(name.Pos, ruleUnknownName, problem, name.Value).Hint = diag.DidYouMean(name.Value, valid)
		}
	}
}

func (r *resolver) reportUnusedParams(w *Workflow, s scope) {
	for _, p := range w.Params.Properties {
		if !s.used[p.Name] {
			r.diags.Warnf(p.Pos, ruleUnusedParam, "parameter %q is never used", p.Name)
		}
	}
}

// resolveSteps resolves steps in order; each sees the ones before it.
func (r *resolver) resolveSteps(steps []*Step, s scope, loose bool) {
	for _, step := range steps {
		maybe := loose || step.If != nil || step.Requires != nil || step.OnError == Continue
		r.resolveGuards(step, s)
		outer := s
		s := s.withPresent(guardedPaths(step, s.params)...)
		inner := s
		if step.ForEach != nil {
			r.resolveValue(step.ForEach, s)
			inner = s.clone()
			inner.local["item"], inner.local["index"] = StaticType{}, StaticType{Types: []string{"integer"}}
		}
		r.resolveValue(step.Args, inner)
		r.resolveValue(step.SaveTo, inner)
		if step.Confirm != nil {
			r.resolveValue(step.Confirm.Message, inner)
		}
		if step.Parallel != nil {
			for _, branch := range step.Parallel {
				r.resolveSteps([]*Step{branch}, s.clone(), loose)
			}
			for _, branch := range step.Parallel {
				declareBranch(branch, s, maybe || branch.If != nil || branch.Requires != nil ||
					branch.OnError == Continue)
			}
		}
		r.resolveSteps(step.Body, inner.clone(), loose)
		r.declareID(step, s)
		declareResult(step, s, maybe)
		if step.Expect != nil || step.Until != nil {
			r.compileResultConditions(step, inner)
		}
		for _, b := range step.Set {
			own := r.resolveValue(b.Value, s)
			own.MayBeAbsent = own.MayBeAbsent || maybe
			outer.vars[b.Name.Value] = own
		}
	}
}

// declareBranch declares the names of a parallel branch for later steps.
func declareBranch(step *Step, s scope, maybe bool) {
	declareResult(step, s, maybe)
	for _, b := range step.Set {
		s.vars[b.Name.Value] = StaticType{MayBeAbsent: maybe}
	}
}

// declareResult declares the result of a step under its names. A repeated step has a list of
// results.
func declareResult(step *Step, s scope, maybe bool) {
	for _, id := range []string{step.ID, step.SaveAs} {
		switch {
		case id == "":
		case step.ForEach != nil:
			s.vars[id] = StaticType{Types: []string{"array"}, MayBeAbsent: maybe}
		default:
			s.steps[id] = maybe
		}
	}
}

func (r *resolver) declareID(step *Step, s scope) {
	for _, id := range slices.Compact([]string{step.ID, step.SaveAs}) {
		if id == "" {
			continue
		}
		if first, ok := r.ids[id]; ok {
			d := r.diags.Errorf(step.Pos, ruleDuplicate, "two steps have the id %q", id)
			d.Related = &diag.Related{Pos: first, Message: "first here"}
		}
		if isReservedName(id) {
			r.diags.Errorf(step.Pos, ruleName, "the id %q is reserved", id)
		}
		if propertyByName(s.params, id) != nil {
			r.diags.Warnf(step.Pos, ruleDuplicate,
				"step %q hides the parameter of that name; params.%s is the parameter", id, id)
		}
		r.ids[id] = step.Pos
	}
}

func isReservedName(name string) bool {
	return slices.Contains([]string{"params", "inputs", "steps", "vars", "item", "index", "result", "true", "false",
		"nil"}, name)
}

// resolveGuards resolves requires and if of a step.
func (r *resolver) resolveGuards(step *Step, s scope) {
	for _, e := range step.Requires {
		text := r.required[e]
		r.resolvePath(e.Path, s, func(seg template.Segment) diag.Pos { return text.At(seg.At, len(seg.Key)) })
	}
	r.compileCondition(step.If, s)
}

// compileResultConditions compiles the conditions of a step over the result of its call.
func (r *resolver) compileResultConditions(step *Step, s scope) {
	with := s.clone()
	with.local["result"] = StaticType{Types: []string{"object"}}
	if step.Expect != nil {
		r.compileCondition(step.Expect, with)
	}
	if step.Until != nil {
		r.compileCondition(step.Until.If, with)
	}
}

func (r *resolver) compileCondition(c *Condition, s scope) {
	if c == nil {
		return
	}
	for _, p := range s.params.Properties {
		if strings.Contains(c.Text.Value, p.Name) {
			s.used[p.Name] = true
		}
	}
	if err := c.compile(s.conditionTypes()); err != nil {
		at, problem := expressionError(c.Text.Value, err)
		d := r.diags.Errorf(c.Text.At(at, 1), ruleTemplate, "%s", problem)
		if name, ok := strings.CutPrefix(problem, "unknown name "); ok {
			d.Hint = diag.DidYouMean(name, s.allNames())
		}
	}
}

// resolveValue resolves the templates of a value and stores the type of each.
func (r *resolver) resolveValue(v *Value, s scope) StaticType {
	if v == nil {
		return StaticType{}
	}
	switch v.Kind {
	case yamltree.MappingNode:
		for _, b := range v.Map {
			r.resolveValue(b.Value, s)
		}
		v.Static = StaticType{Types: []string{"object"}}
	case yamltree.ListNode:
		for _, item := range v.List {
			r.resolveValue(item, s)
		}
		v.Static = StaticType{Types: []string{"array"}}
	case yamltree.StringLiteral:
		if v.Template == nil {
			return StaticType{}
		}
		v.Static = StaticType{Types: []string{"string"}}
		if e := v.Template.Single(); e != nil {
			v.Static = r.resolveExpr(e, s, v.Text)
			break
		}
		for _, e := range v.Template.Exprs() {
			if e.IsCondition {
				s = s.withPresent(e.Path.String())
			}
			if known := r.resolveExpr(e, s, v.Text); known.MayBeAbsent && known.IsParameter && !e.IsCondition {
				r.reportAbsent(v.Text.At(e.At, e.Len), e)
			}
		}
	case yamltree.BoolLiteral, yamltree.NumberLiteral, yamltree.NullLiteral, yamltree.OtherLiteral:
	}
	return v.Static
}

func (r *resolver) reportAbsent(at diag.Pos, e *template.Expr) {
	r.diags.Errorf(at, ruleAbsent, "{{ %s }} may be absent here", e.Path).Hint =
		fmt.Sprintf(`give it a default: {{ %s | "" }}, or write {{#if %s}}…{{/if}} around it`, e.Path, e.Path)
}

// resolveTemplate resolves a template whose value is always a string.
func (r *resolver) resolveTemplate(t *template.Template, s scope) {
	if t == nil {
		return
	}
	for _, e := range t.Exprs() {
		r.resolveExpr(e, s, r.templates[t])
	}
}

func (r *resolver) resolveExpr(e *template.Expr, s scope, text yamltree.Text) StaticType {
	var out StaticType
	if e.Path == nil {
		out = literalType(e.Literal)
	} else {
		out = r.resolvePath(e.Path, s, func(seg template.Segment) diag.Pos { return text.At(seg.At, len(seg.Key)) })
		out.MayBeAbsent = out.MayBeAbsent && !s.present[e.Path.String()]
	}
	for _, f := range e.Filters {
		switch makes := f.Makes(); {
		case f.Name == "default":
			d := literalType(f.Args[0])
			if out.MayBeAbsent && out.Types != nil {
				out.Types = append(out.Types[:len(out.Types):len(out.Types)], d.Types...)
			}
			if out.Enum != nil {
				out.Enum = append(out.Enum[:len(out.Enum):len(out.Enum)], d.Enum...)
			}
			out.MayBeAbsent = false
		case makes != "":
			out = StaticType{Types: []string{makes}, MayBeAbsent: out.MayBeAbsent || f.Name == "regex",
				IsParameter: out.IsParameter && f.Name != "regex"}
		default: // first, last, parse
			out = StaticType{MayBeAbsent: out.MayBeAbsent || f.Name != "parse"}
		}
	}
	return out
}

func literalType(v any) StaticType {
	switch v := v.(type) {
	case string:
		return StaticType{Types: []string{"string"}, Enum: []string{v}}
	case bool:
		return StaticType{Types: []string{"boolean"}}
	case float64:
		return StaticType{Types: []string{"number"}}
	}
	return StaticType{Types: []string{"null"}}
}
