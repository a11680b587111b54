package paramspec

import (
	"cmp"
	"go/token"
	"math"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Declarations looks up the identifiers and roles of a manifest.
type Declarations interface {
	// Claim claims an identifier of the generated package and reports whether it was free.
	Claim(goName, what string, at diag.Pos) bool
	// Role looks up a role, and reports one that is not declared.
	Role(name yamltree.Text) *param.Role
	// RoleOf returns the role that claims the name of a parameter; nil when none does.
	RoleOf(parameter string) *param.Role
}

// Resolver resolves written types: the properties of inputs and outputs, and the types that have names.
type Resolver struct {
	Diags       *diag.List
	Declared    Declarations // nil in a file that is no manifest: types have no constructs beside those of its readers
	Initialisms []string     // words that Go names write as they stand here
	Types       []*param.SharedType

	claims     Claims // without Declared
	names      []string
	named      map[string]*sharedType
	sharing    []yamltree.Text // the named types that are being resolved, outer ones first
	output     bool            // inside an output, whose members have no roles
	parameters bool            // the next object holds the parameters of a tool
	input      bool            // inside the parameters of a tool
}

// Resolve resolves a property mapping outside a manifest, such as a workflow's parameters. GoName names the
// object, should Go code ever be made of it. Types are those that the readers of workflows know. The
// diagnostics have no fixes: "toolgen fix" edits manifests alone.
func Resolve(goName string, in *Object) (*param.Object, diag.List) {
	var diags diag.List
	r := &Resolver{Diags: &diags, claims: Claims{}}
	o := r.object(in, goName, goName, "the parameters")
	for i := range diags {
		diags[i].Fix = nil
	}
	return o, diags
}

// Parameters resolves the parameters of a tool. Types nested in them are named prefix + property; what names
// the object in messages.
func (r *Resolver) Parameters(in *Object, goName, prefix, what string) *param.Object {
	r.parameters, r.input = true, true
	defer func() { r.input = false }()
	return r.object(in, goName, prefix, what)
}

// Output resolves the result of a tool.
func (r *Resolver) Output(in *Object, goName, what string) *param.Object {
	r.output = true
	defer func() { r.output = false }()
	return r.object(in, goName, goName, what)
}

func (r *Resolver) errorf(at diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return r.Diags.Errorf(at, rule, format, args...)
}

// ident claims an identifier of the generated package and reports whether it was free.
func (r *Resolver) ident(name, what string, at diag.Pos) bool {
	if r.Declared != nil {
		return r.Declared.Claim(name, what, at)
	}
	return r.claims.Claim(r.Diags, name, what, at)
}

// goName returns the exported Go name of a name of the file.
func (r *Resolver) goName(name string) string { return param.GoName(name, r.Initialisms...) }

// object resolves a property mapping. Types nested in it are named prefix + property; what names it
// in messages.
func (r *Resolver) object(in *Object, goName, prefix, what string) *param.Object {
	o := &param.Object{GoName: goName, Unread: in == nil}
	parameters := r.parameters
	r.parameters = false // objects inside hold none
	if in == nil {
		return o
	}
	r.ident(goName, what, in.Pos)
	if len(in.Properties) > MaxProperties {
		r.errorf(in.Properties[MaxProperties].Name.Pos, RuleTooManyProperties, "an object has %d properties at most; this has %d",
			MaxProperties, len(in.Properties))
	}
	fields := make(map[string]yamltree.Text, len(in.Properties))
	for _, p := range in.Properties {
		if !IsProperty(p.Name.Value) {
			r.errorf(p.Name.Pos, RuleBadName, "%q is no name for a property", p.Name.Value).Hint =
				"a property is a letter, then letters, digits and underscores, 64 characters at most"
		}
		field := r.goName(p.Name.Value)
		if first, ok := fields[field]; ok {
			d := r.errorf(p.Name.Pos, RuleGoNameClash, "property %q would be called %s in Go, as is %q", p.Name.Value, field, first.Value)
			d.Hint = "give one of the two another name"
			d.Related = &diag.Related{Pos: first.Pos, Message: "first used here"}
		} else {
			fields[field] = p.Name
		}
		item := &param.Property{
			Name: p.Name.Value, GoName: field, Description: p.Schema.Description.Value,
			Required: p.Schema.Required.Value, Pos: p.Name.Pos,
		}
		if !parameters {
			r.onlyParameters(p)
		}
		if item.Unlisted = p.Schema.Listed.Set() && !p.Schema.Listed.Value; item.Unlisted && item.Required {
			r.errorf(p.Schema.Listed.Pos, RuleUnlistedRequired, "%q is required, so a client must see it in the list", item.Name)
		}
		item.Type = r.typeOf(p.Schema, p.Name, prefix+field, false)
		item.Default = r.defaultOf(p.Schema, item)
		item.Role = r.roleOfProperty(p, item.Type)
		item.Secret = r.secretOfProperty(p, item.Role)
		o.Properties = append(o.Properties, item)
	}
	return o
}

// Kinds lists the JSON types of the grammar.
func Kinds() []string {
	return []string{string(param.String), string(param.Integer), string(param.Number), string(param.Boolean), string(param.Array), string(param.Nested), string(param.Free)}
}

// subject names in messages what a schema is written about, and says where.
func subject(s *Schema, name yamltree.Text, item bool) (string, diag.Pos) {
	if item {
		return "the items of \"" + name.Value + "\"", s.Pos
	}
	return "property \"" + name.Value + "\"", name.Pos
}

// typeOf resolves what is written about a value: of the property name, or of the items of its
// array.
func (r *Resolver) typeOf(s *Schema, name yamltree.Text, goName string, item bool) *param.Type {
	what, at := subject(s, name, item)
	if shared := r.sharedType(s, what, item); shared != nil {
		return shared
	}
	t := &param.Type{Kind: param.Kind(s.Type.Value), Nullable: s.Nullable.Value}
	if !r.kind(s, what, at) {
		return t
	}
	r.keysOf(s, t.Kind, what, item)
	goName = r.goType(s, goName)
	switch t.Kind {
	case param.String:
		r.Text(t, s, goName, what)
	case param.Integer, param.Number:
		r.bounds(t, s)
		r.numbers(t, s, goName, what)
	case param.Array:
		t.MinItems, t.MaxItems = r.lengths(s.MinItems, s.MaxItems, "Items")
		if s.Items == nil {
			if !yamltree.HasKey(s.Keys, "items") {
				r.errorf(at, RuleMissingItems, "no items are given for %s, which is an array", what).Hint = "add items: {type: string}"
			}
			t.Items = &param.Type{Kind: param.String}
			break
		}
		t.Items = r.typeOf(s.Items, name, goName+"Item", true)
	case param.Nested:
		r.nested(t, s, name, goName, item)
	}
	return t
}

// goType returns the name that the author gives the type in Go, or else the one that is made for it.
func (r *Resolver) goType(s *Schema, made string) string {
	if s.GoType.Set() && (!token.IsExported(s.GoType.Value) || !token.IsIdentifier(s.GoType.Value)) {
		r.errorf(s.GoType.Pos, RuleBadName, "%q is no name for a type in Go", s.GoType.Value).Hint = "a capital letter, then letters and digits: Recipe"
	}
	return cmp.Or(s.GoType.Value, made)
}

// nested resolves an object: with named properties, with any members, a map or a union.
func (r *Resolver) nested(t *param.Type, s *Schema, name yamltree.Text, goName string, item bool) {
	what, at := subject(s, name, item)
	forms := 0
	for _, is := range []bool{yamltree.HasKey(s.Keys, "properties"), s.AdditionalProperties.Value || s.Values != nil, s.Union != nil} {
		if is {
			forms++
		}
	}
	if forms > 1 {
		r.errorf(at, RuleKeyMisplaced, "%s has more than one of properties, additionalProperties and union", what).Hint =
			"an object has named properties, or any with additionalProperties: true, or values of one type, or variants"
	}
	switch {
	case s.Union != nil:
		t.Union = r.union(s.Union, goName, what)
		return
	case s.Values != nil:
		t.Values = r.typeOf(s.Values, name, goName+"Value", true)
		t.MinProperties, t.MaxProperties = r.lengths(s.MinProperties, s.MaxProperties, "Properties")
		if s.PropertyNames.Set() {
			t.NamePattern = r.pattern(s.PropertyNames)
		}
	case s.AdditionalProperties.Value:
	default:
		if s.Properties == nil && !yamltree.HasKey(s.Keys, "properties") {
			r.errorf(at, RuleMissingProperties, "no properties are given for %s, which is an object", what).Hint =
				"add properties: {name: {type: string}}, or additionalProperties: true for any"
		}
		t.Object = r.object(s.Properties, goName, goName, what)
		taken := make(map[string]diag.Pos)
		for _, p := range t.Object.Properties {
			taken[p.Name] = p.Pos
		}
		t.Object.Refused = r.Refused(s.Not, taken)
		return
	}
	if len(s.Not) > 0 {
		r.errorf(s.Not[0].Name.Pos, RuleKeyMisplaced, "%s takes any members, so it refuses none", what)
	}
}

// kind reports a missing or unknown type.
func (r *Resolver) kind(s *Schema, what string, at diag.Pos) bool {
	if !s.Type.Set() {
		if !yamltree.HasKey(s.Keys, "type") {
			d := r.errorf(at, RuleUntypedProperty, "no type is given for %s", what)
			d.Hint = "type is one of " + strings.Join(append(Kinds(), r.names...), ", ")
			if s.Enum != nil {
				d.Hint = "add type: string"
			}
		}
		return false
	}
	if slices.Contains(Kinds(), s.Type.Value) {
		return true
	}
	other := map[string]param.Kind{"int": param.Integer, "float": param.Number, "double": param.Number, "bool": param.Boolean, "str": param.String, "text": param.String,
		"list": param.Array, "map": param.Nested, "dict": param.Nested}
	if kind, ok := other[s.Type.Value]; ok {
		d := r.errorf(s.Type.Pos, RuleUnknownType, "unknown type %q", s.Type.Value)
		d.Hint = "did you mean \"" + string(kind) + "\"?"
		d.Fix = diag.FixBy("write "+string(kind), diag.Replace(s.Type.Pos, string(kind)))
		return false
	}
	r.Diags.Unknown(s.Type.Pos, RuleUnknownType, "type", s.Type.Value, append(Kinds(), r.names...))
	return false
}

// keysFor lists the keys that say something about a kind, beside those that any property may have.
func keysFor(kind param.Kind, s *Schema) []string {
	switch {
	case kind == param.String && s.Enum != nil:
		return []string{"enum"}
	case kind == param.String && s.Format.Set():
		return []string{"format"}
	case kind == param.String:
		return []string{"enum", "format", "pattern", "minLength", "maxLength"}
	case kind == param.Integer && s.Enum != nil && s.Enum.Names != nil:
		return []string{"enum"}
	case kind == param.Integer, kind == param.Number:
		return []string{"minimum", "maximum"}
	case kind == param.Array:
		return []string{"minItems", "maxItems", "items"}
	case kind == param.Nested && s.Values != nil:
		return []string{"properties", "additionalProperties", "union", "propertyNames", "minProperties", "maxProperties", "not"}
	case kind == param.Nested:
		return []string{"properties", "additionalProperties", "union", "not"}
	}
	return nil
}

// keysOf reports keys that mean nothing for the kind. Items have no name of their own, so nothing
// can require, default or describe them.
func (r *Resolver) keysOf(s *Schema, kind param.Kind, what string, item bool) {
	valid := keysFor(kind, s)
	for _, k := range s.Keys {
		switch k.Value {
		case "type":
			continue
		case "go_type":
			if s.Enum != nil || kind == param.Nested && s.Values == nil && !s.AdditionalProperties.Value {
				continue
			}
		case "nullable":
			if kind != param.Free {
				continue
			}
		case "description", "required", "default", "role", "was", "listed", "from_object":
			if !item {
				continue
			}
		case "enum", "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "items", "properties",
			"additionalProperties", "propertyNames", "minProperties", "maxProperties", "union", "not":
			if slices.Contains(valid, k.Value) {
				continue
			}
		default:
			continue // an unknown key, and reported as such
		}
		d := r.errorf(k.Pos, RuleKeyMisplaced, "%s does not apply to %s", k.Value, what)
		switch {
		case s.Enum != nil && kind == param.String:
			d.Hint = "the enum already says which texts there are"
		case s.Format.Set() && kind == param.String:
			d.Hint = "the format already says which texts there are"
		case k.Value == "enum" && kind == param.Integer && s.Enum.Names == nil:
			d.Hint = "an enum of integers names them: enum: {low: 1, high: 2}"
		case k.Value == "enum":
			d.Hint = "an enum lists texts, and the type is " + string(kind)
		default:
			d.Hint = "its type is " + string(kind)
		}
	}
	r.onlyManifests(s, what)
}

// lengths resolves minLength and maxLength, or minItems and maxItems.
func (r *Resolver) lengths(low, high yamltree.Scalar[int], unit string) (*int, *int) {
	for _, s := range []yamltree.Scalar[int]{low, high} {
		if s.Set() && s.Value < 0 {
			r.errorf(s.Pos, RuleBadBounds, "a length cannot be negative")
		}
	}
	if high.Set() && high.Value == 0 {
		r.errorf(high.Pos, RuleBadBounds, "max%s is 0, so nothing but an empty value fits", unit).Hint = "leave the property out, or write an upper limit of 1 or more"
	}
	if low.Set() && high.Set() && low.Value > high.Value {
		r.crossed(low.Pos, high.Pos, "min"+unit, "max"+unit)
	}
	return optional(low), optional(high)
}

func (r *Resolver) bounds(t *param.Type, s *Schema) {
	t.Minimum, t.Maximum = optional(s.Minimum), optional(s.Maximum)
	for _, b := range []yamltree.Scalar[float64]{s.Minimum, s.Maximum} {
		if t.Kind == param.Integer && b.Value != math.Trunc(b.Value) {
			r.errorf(b.Pos, RuleBadBounds, "a bound of an integer must be whole")
		}
	}
	if s.Minimum.Set() && s.Maximum.Set() && s.Minimum.Value > s.Maximum.Value {
		r.crossed(s.Minimum.Pos, s.Maximum.Pos, "minimum", "maximum")
	}
}

func (r *Resolver) crossed(low, high diag.Pos, lowName, highName string) {
	d := r.errorf(low, RuleBadBounds, "%s is above %s, so no value fits", lowName, highName)
	d.Hint, d.Related = "exchange the two, or leave one out", &diag.Related{Pos: high, Message: highName + " is here"}
}

func optional[T any](s yamltree.Scalar[T]) *T {
	if !s.Set() {
		return nil
	}
	return &s.Value
}
