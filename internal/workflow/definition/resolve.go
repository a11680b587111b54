package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// Diagnostic rules about names.
const (
	ruleUnknownName = "unknown-name"
	ruleUnusedParam = "unused-parameter"
	ruleAbsent      = "may-be-absent"
)

// StaticType is the type of a value before the run. Nil Types means any type.
type StaticType struct {
	Types       []string
	Enum        []string // the only strings it can be; nil for any
	MayBeAbsent bool     // the value may be absent at run time

	IsParameter bool // the type is declared by a parameter, so the caller may send any value of it
}

// scope holds the names that a step can use.
type scope struct {
	params  *model.Object
	steps   map[string]bool // ID → the step may not have run
	vars    map[string]StaticType
	local   map[string]StaticType // item, index, result
	used    map[string]bool       // parameters that were referenced
	present map[string]bool       // paths that a surrounding condition checks for presence
}

// withPresent returns the scope inside of a condition on these paths.
func (s scope) withPresent(paths ...string) scope {
	if len(paths) == 0 {
		return s
	}
	s.present = maps.Clone(s.present)
	if s.present == nil {
		s.present = map[string]bool{}
	}
	for _, p := range paths {
		s.present[p] = true
	}
	return s
}

// guardedPaths lists the paths that requires and if of a step test. A parameter in the condition
// may be absent.
func guardedPaths(step *Step, params *model.Object) []string {
	var out []string
	for _, e := range step.Requires {
		out = append(out, e.Path.String())
	}
	if step.If != nil {
		for _, p := range params.Properties {
			if strings.Contains(step.If.Text.Value, p.Name) {
				out = append(out, p.Name, "params."+p.Name)
			}
		}
	}
	return out
}

func (s scope) clone() scope {
	s.steps, s.vars, s.local = maps.Clone(s.steps), maps.Clone(s.vars), maps.Clone(s.local)
	return s
}

// compileResultConditions compiles the conditions of a step over the result of its call.
func (r *reader) compileResultConditions(step *Step, s scope) {
	with := s.clone()
	with.local["result"] = StaticType{Types: []string{"object"}}
	if step.Expect != nil {
		r.compileCondition(step.Expect, with)
	}
	if step.Until != nil {
		r.compileCondition(step.Until.If, with)
	}
}

// resolveNames resolves every reference of a workflow, in the order in which steps run.
func (r *reader) resolveNames(w *Workflow) {
	s := scope{params: w.Params, steps: map[string]bool{}, vars: map[string]StaticType{},
		local: map[string]StaticType{}, used: map[string]bool{}}
	ids := make(map[string]diag.Pos)
	r.resolveSteps(w.Steps, s, ids, false)
	after := s.clone()
	for id := range after.steps {
		after.steps[id] = true
	}
	for name, v := range after.vars {
		v.MayBeAbsent = true
		after.vars[name] = v
	}
	r.resolveSteps(w.Finally, after, ids, true)
	for i := range w.Return {
		r.resolveValue(w.Return[i].Value, s)
	}
	if w.Summarize != nil {
		r.resolveTemplate(w.Summarize.Prompt, s)
		r.checkNames(&w.Summarize.Include, slices.Sorted(maps.Keys(ids)), "include names %q, but no step has that id")
	}
	r.checkNames(&w.Show, slices.Sorted(maps.Keys(ids)), "show names %q, but no step has that id")
	r.checkNames(&w.Shared, w.Aliases(), "shared names %q, but no step calls that server")
	r.reportUnusedParams(w, s)
}

// checkNames reports the names of a list that are not valid.
func (r *reader) checkNames(list *[]string, valid []string, problem string) {
	for _, name := range r.lists[list] {
		if !slices.Contains(valid, name.Value) {
			r.errorf(name.Pos, ruleUnknownName, problem, name.Value).Hint = diag.DidYouMean(name.Value, valid)
		}
	}
}

func (r *reader) reportUnusedParams(w *Workflow, s scope) {
	for _, p := range w.Params.Properties {
		if !s.used[p.Name] {
			r.diags.Warnf(p.Pos, ruleUnusedParam, "parameter %q is never used", p.Name)
		}
	}
}

// resolveSteps resolves steps in order; each sees the ones before it.
func (r *reader) resolveSteps(steps []*Step, s scope, ids map[string]diag.Pos, loose bool) {
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
				r.resolveSteps([]*Step{branch}, s.clone(), ids, loose)
			}
			for _, branch := range step.Parallel {
				declareBranch(branch, s, maybe || branch.If != nil || branch.Requires != nil ||
					branch.OnError == Continue)
			}
		}
		r.resolveSteps(step.Body, inner.clone(), ids, loose)
		r.declareID(step, ids, s)
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

func (r *reader) declareID(step *Step, ids map[string]diag.Pos, s scope) {
	for _, id := range slices.Compact([]string{step.ID, step.SaveAs}) {
		if id == "" {
			continue
		}
		if first, ok := ids[id]; ok {
			d := r.errorf(step.Pos, ruleDuplicate, "two steps have the id %q", id)
			d.Related = &diag.Related{Pos: first, Message: "first here"}
		}
		if isReservedName(id) {
			r.errorf(step.Pos, ruleName, "the id %q is reserved", id)
		}
		if propertyByName(s.params, id) != nil {
			r.diags.Warnf(step.Pos, ruleDuplicate,
				"step %q hides the parameter of that name; params.%s is the parameter", id, id)
		}
		ids[id] = step.Pos
	}
}

func isReservedName(name string) bool {
	return slices.Contains([]string{"params", "inputs", "steps", "vars", "item", "index", "result", "true", "false",
		"nil"}, name)
}

// resolveGuards resolves requires and if of a step.
func (r *reader) resolveGuards(step *Step, s scope) {
	for _, e := range step.Requires {
		text := r.required[e]
		r.resolvePath(e.Path, s, func(seg template.Segment) diag.Pos { return text.At(seg.At, len(seg.Key)) })
	}
	r.compileCondition(step.If, s)
}

func (r *reader) compileCondition(c *Condition, s scope) {
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
		d := r.errorf(c.Text.At(at, 1), ruleTemplate, "%s", problem)
		if name, ok := strings.CutPrefix(problem, "unknown name "); ok {
			d.Hint = diag.DidYouMean(name, s.allNames())
		}
	}
}

// conditionTypes returns the types of names in conditions. A value that may be absent has any type,
// since it may be nil.
func (s scope) conditionTypes() types.Map {
	result := types.Map{"text": types.String, "isError": types.Bool, "ok": types.Bool, "skipped": types.Bool,
		"json": types.Any, "structuredContent": types.Any, "files": types.Any, "saved": types.Any}
	params, steps, vars := types.Map{}, types.Map{}, types.Map{}
	for _, p := range s.params.Properties {
		params[p.Name] = types.Any
		if p.Required || p.Default != nil {
			params[p.Name] = exprType(p.Type)
		}
	}
	for id := range s.steps {
		steps[id] = result
	}
	for name := range s.vars {
		vars[name] = types.Any
	}
	env := types.Map{"params": params, "inputs": params, "steps": steps, "vars": vars}
	for _, m := range []types.Map{params, steps, vars} {
		maps.Copy(env, m)
	}
	for name := range s.local {
		env[name] = types.Any
	}
	if _, ok := s.local["result"]; ok {
		env["result"] = result
	}
	return env
}

func exprType(t *model.Type) types.Type {
	switch t.Kind {
	case model.String:
		return types.String
	case model.Boolean:
		return types.Bool
	case model.Integer:
		return types.TypeOf(int64(0))
	case model.Number:
		return types.TypeOf(float64(0))
	case model.Array, model.Nested:
	}
	return types.Any
}

// allNames lists every unqualified name.
func (s scope) allNames() []string {
	var out []string
	for _, p := range s.params.Properties {
		out = append(out, p.Name)
	}
	return append(slices.AppendSeq(slices.AppendSeq(out, maps.Keys(s.steps)), maps.Keys(s.vars)),
		slices.Collect(maps.Keys(s.local))...)
}

// resolveValue resolves the templates of a value and stores the type of each.
func (r *reader) resolveValue(v *Value, s scope) StaticType {
	if v == nil {
		return StaticType{}
	}
	switch v.Kind {
	case spec.MappingNode:
		for _, b := range v.Map {
			r.resolveValue(b.Value, s)
		}
		v.Static = StaticType{Types: []string{"object"}}
	case spec.ListNode:
		for _, item := range v.List {
			r.resolveValue(item, s)
		}
		v.Static = StaticType{Types: []string{"array"}}
	case spec.StringLiteral:
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
	case spec.BoolLiteral, spec.NumberLiteral, spec.NullLiteral, spec.OtherLiteral:
	}
	return v.Static
}

func (r *reader) reportAbsent(at diag.Pos, e *template.Expr) {
	r.errorf(at, ruleAbsent, "{{ %s }} may be absent here", e.Path).Hint =
		fmt.Sprintf(`give it a default: {{ %s | "" }}, or write {{#if %s}}…{{/if}} around it`, e.Path, e.Path)
}

// resolveTemplate resolves a template whose value is always a string.
func (r *reader) resolveTemplate(t *template.Template, s scope) {
	if t == nil {
		return
	}
	for _, e := range t.Exprs() {
		r.resolveExpr(e, s, r.templates[t])
	}
}

func (r *reader) resolveExpr(e *template.Expr, s scope, text spec.Text) StaticType {
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
