package definition

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/toolschema"
)

// Diagnostic rules about calls.
const (
	ruleUnknownAlias    = "unknown-server"
	ruleUnknownTool     = "unknown-tool"
	ruleArgument        = "bad-argument"
	ruleUnnamedArgument = "unnamed-argument"
	ruleRetry           = "unsafe-retry"
)

// BoundTool is the tool that a step calls, with its parsed input schema.
type BoundTool struct {
	Tool   external.Tool
	Schema *toolschema.Schema
}

// IsRepeatable reports whether the tool is read-only or idempotent, by its annotations.
func (t *BoundTool) IsRepeatable() bool {
	return isTrue(t.Tool.Annotations.ReadOnly) || isTrue(t.Tool.Annotations.Idempotent)
}

func isTrue(hint *bool) bool { return hint != nil && *hint }

// Catalogs provides the known tools of servers.
type Catalogs interface {
	Aliases() []string                              // every configured alias
	Catalog(alias string) (*external.Catalog, bool) // nil if the server's tools are unknown; false if the alias is not configured
}

// BoundWorkflow is a workflow with the tools of its calls. Pending lists the servers whose tools
// are unknown; their steps are unchecked.
type BoundWorkflow struct {
	*Workflow
	Tools        map[*Step]*BoundTool
	Pending      []string
	ReturnSchema *toolschema.Schema // checks return; nil without a declared output
}

// Bind looks up every tool that a workflow calls and checks the arguments against its schema.
func Bind(w *Workflow, catalogs Catalogs, schemas *SchemaCache) (*BoundWorkflow, diag.List) {
	b := &binder{bound: &BoundWorkflow{Workflow: w, Tools: make(map[*Step]*BoundTool)}, schemas: schemas}
	w.VisitCalls(func(s *Step) { b.bindStep(s, catalogs) })
	if w.Output != nil {
		var err error
		if b.bound.ReturnSchema, err = schemas.parse(paramschema.Compact(paramschema.Object(w.Output.Properties))); err != nil { // compiled by this program
			b.diags.Errorf(w.Pos, ruleArgument, "the output cannot be read: %v", err)
		}
	}
	return b.bound, b.diags
}

type binder struct {
	bound   *BoundWorkflow
	diags   diag.List
	schemas *SchemaCache
}

// SchemaCache caches parsed schemas for workflows that call the same tools. The zero value is ready
// to use.
type SchemaCache struct{ byText sync.Map }

func (s *SchemaCache) parse(raw json.RawMessage) (*toolschema.Schema, error) {
	if v, ok := s.byText.Load(string(raw)); ok {
		return v.(*toolschema.Schema), nil
	}
	schema, err := toolschema.Parse(raw)
	if err == nil {
		s.byText.Store(string(raw), schema)
	}
	return schema, err
}

func (b *binder) bindStep(s *Step, catalogs Catalogs) {
	catalog, known := catalogs.Catalog(s.Alias)
	if !known {
		names := slices.Sorted(slices.Values(catalogs.Aliases()))
		d := b.diags.Errorf(s.CallPos, ruleUnknownAlias, "step %s calls %s, but no server %q is configured", s.Path,
			s.Action(), s.Alias)
		d.Hint = didYouMeanOr(s.Alias, names, "servers: "+strings.Join(names, ", "))
		return
	}
	if catalog == nil {
		if !slices.Contains(b.bound.Pending, s.Alias) {
			b.bound.Pending = append(b.bound.Pending, s.Alias)
		}
		return
	}
	tool, ok := catalog.Tool(s.Tool)
	if !ok {
		d := b.diags.Errorf(s.CallPos, ruleUnknownTool, "step %s calls %s, but server %q has no tool %q", s.Path,
			s.Action(), s.Alias, s.Tool)
		names := catalog.Names()
		slices.Sort(names)
		other := "tools: " + strings.Join(names[:min(len(names), 20)], ", ")
		if len(names) > 20 {
			other += ", …"
		}
		d.Hint = didYouMeanOr(s.Tool, names, other)
		return
	}
	schema, err := b.schemas.parse(tool.InputSchema)
	if err != nil {
		b.diags.Warnf(s.CallPos, ruleArgument, "the schema of %s cannot be read, so arguments are not checked: %v",
			s.Action(), err)
		schema, _ = toolschema.Parse(nil)
	}
	target := &BoundTool{Tool: tool, Schema: schema}
	b.bound.Tools[s] = target
	b.checkArgs(s, schema)
	if s.Retry != nil && s.Retry.Attempts > 1 && !s.Retry.Unsafe && !target.IsRepeatable() {
		b.diags.Errorf(s.Retry.Pos, ruleRetry,
			"%s is neither idempotent nor read-only, so retry may repeat its effects", s.Action()).Hint =
			"add unsafe: true to retry it anyway"
	}
}

func (b *binder) checkArgs(s *Step, schema *toolschema.Schema) {
	args := s.Args
	if args == nil {
		args = &Value{Kind: yamltree.MappingNode, Pos: s.CallPos}
	}
	instance := b.checkValue(args, schema, s)
	for _, p := range schema.Check(schema.Convert(instance)) {
		at := args.partPos(p.Path)
		text := p.Message
		if len(p.Path) > 0 {
			text = strconv.Quote(strings.Join(p.Path, ".")) + ": " + text
		}
		b.diags.Errorf(at, ruleArgument, "the arguments do not match the schema of %s: %s", s.Action(),
			text).Hint = p.Hint
	}
	if m, ok := instance.(map[string]any); ok {
		for _, p := range schema.UnnamedKeys(m) {
			b.diags.Warnf(args.partPos(p.Path), ruleUnnamedArgument, "%s: %s", s.Action(), p.Message).Hint = p.Hint
		}
	}
}

// partPos returns the position of a part of the value.
func (v *Value) partPos(path []string) diag.Pos {
	at := v.Pos
	for _, key := range path {
		var next *Value
		for _, m := range v.Map {
			if m.Name.Value == key {
				next, at = m.Value, m.Name.Pos
			}
		}
		if i, err := strconv.Atoi(key); err == nil && i < len(v.List) {
			next = v.List[i]
		}
		if next == nil {
			return at
		}
		if v = next; v.Kind != yamltree.MappingNode && v.Kind != yamltree.ListNode && v.Kind != yamltree.NullLiteral {
			at = v.Pos
		}
	}
	return at
}

// checkValue returns the value as far as it is known before the run. Templates are unresolved;
// their types are checked here.
func (b *binder) checkValue(v *Value, schema *toolschema.Schema, s *Step) any {
	switch v.Kind {
	case yamltree.MappingNode:
		out := make(map[string]any, len(v.Map))
		for _, m := range v.Map {
			p, _ := schema.Property(m.Name.Value)
			out[m.Name.Value] = b.checkValue(m.Value, p, s)
			if m.Value.Static.MayBeAbsent && m.Value.Static.IsParameter && m.Value.Template != nil &&
				slices.Contains(schema.Required(), m.Name.Value) {
				b.diags.Errorf(m.Value.Pos, ruleAbsent, "%s requires %q, and %s may be absent", s.Action(),
					m.Name.Value,
					strings.TrimSpace(m.Value.Text.Value)).Hint = "give it a default, make the parameter required, or skip the step with requires"
			}
		}
		return out
	case yamltree.ListNode:
		return slicesx.List(v.List, func(item *Value) any { return b.checkValue(item, schema.Items(), s) })
	case yamltree.StringLiteral:
		if v.Template != nil && v.Template.IsLiteral() {
			if text := v.Text.Value; schema.Accepts("string") && schema.Types() != nil && looksLikeLiteral(text) {
				b.diags.Warnf(v.Pos, ruleOplink,
					"Oplink sends %s here without quotes; Callsheet keeps it a string, as the schema declares", text)
			}
			return v.Text.Value
		}
		b.checkTemplateType(v, schema, s)
		return toolschema.Unresolved{}
	case yamltree.BoolLiteral, yamltree.NumberLiteral, yamltree.NullLiteral, yamltree.OtherLiteral:
	}
	return v.Literal
}

func looksLikeLiteral(text string) bool {
	t := strings.TrimSpace(text)
	return t == "true" || t == "false" || t == "null" || t != "" && strings.Trim(t, "0123456789.-") == ""
}

// checkTemplateType checks the type of a template against the schema.
func (b *binder) checkTemplateType(v *Value, schema *toolschema.Schema, s *Step) {
	known := v.Static
	if known.Types == nil {
		return
	}
	for _, kind := range known.Types {
		if isConvertible(kind, schema, known.IsParameter && isUnfiltered(v), 0) {
			if bad := missingFromEnum(known.Enum, schema); bad != nil {
				b.diags.Errorf(v.Pos, ruleArgument, "%s does not accept %s, a possible value of %s", s.Action(),
					strings.Join(bad, ", "),
					strings.TrimSpace(v.Text.Value)).Hint = "it accepts " + strings.Join(schema.Enum(), ", ")
			}
			return
		}
	}
	b.diags.Errorf(v.Pos, ruleArgument, "%s expects %s here, but %s is %s", s.Action(),
		strings.Join(schema.Types(), " or "),
		strings.TrimSpace(v.Text.Value), strings.Join(slices.Compact(known.Types), " or "))
}

// maxNestedLists bounds the lists that a value may be wrapped in: a schema may refer to itself as
// its items.
const maxNestedLists = 8

// isConvertible reports whether a value of a type can be converted to match the schema. A string
// may become a number or boolean unless a parameter declares it as string.
func isConvertible(kind string, schema *toolschema.Schema, declared bool, depth int) bool {
	if depth > maxNestedLists {
		return false
	}
	if schema.Accepts(kind) {
		return true
	}
	switch kind {
	case "string":
		if !declared && (schema.Accepts("number") || schema.Accepts("boolean")) {
			return true
		}
	case "integer", "number", "boolean":
		if schema.Accepts("string") {
			return true
		}
	case "null", "array", "object":
		return false
	}
	return schema.Accepts("array") && isConvertible(kind, schema.Items(), declared, depth+1)
}

// missingFromEnum lists the strings that the enum of the schema does not have.
func missingFromEnum(texts []string, schema *toolschema.Schema) []string {
	valid := schema.Enum()
	if texts == nil || valid == nil {
		return nil
	}
	var out []string
	for _, t := range texts {
		if !slices.Contains(valid, t) {
			out = append(out, fmt.Sprintf("%q", t))
		}
	}
	return out
}

// Effects combines the annotations of all tools of the workflow. A tool that is unknown or has no
// annotations may have any effect.
func (b *BoundWorkflow) Effects() paramschema.Effects {
	e := paramschema.Effects{ReadOnly: true, Idempotent: true}
	b.VisitCalls(func(s *Step) {
		t := b.Tools[s]
		if t == nil {
			e = paramschema.Effects{Destructive: true, OpenWorld: true}
			return
		}
		reads := isTrue(t.Tool.Annotations.ReadOnly)
		e.ReadOnly = e.ReadOnly && reads
		e.Idempotent = e.Idempotent && (reads || isTrue(t.Tool.Annotations.Idempotent))
		e.Destructive = e.Destructive || !reads &&
			(t.Tool.Annotations.Destructive == nil || *t.Tool.Annotations.Destructive)
		e.OpenWorld = e.OpenWorld || t.Tool.Annotations.OpenWorld == nil || *t.Tool.Annotations.OpenWorld
	})
	if e.Destructive {
		e.ReadOnly = false
	}
	return e
}

// isUnfiltered reports whether a value is one placeholder without filters.
func isUnfiltered(v *Value) bool {
	e := v.Template.Single()
	return e != nil && len(e.Filters) == 0
}
