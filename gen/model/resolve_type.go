package model

import (
	"math"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// ResolveObject resolves a property mapping outside a tool, such as a workflow's parameters. GoName
// names the object, should Go code ever be made of it. Types are those that the readers of workflows know.
func ResolveObject(goName string, in *spec.Object) (*Object, diag.List) {
	r := &typeResolver{resolver: &resolver{set: &Toolset{}, idents: make(map[string]claim)}, plain: true}
	o := r.object(in, goName, goName, "the parameters")
	for i := range r.diags {
		r.diags[i].Fix = nil // "toolgen fix" edits manifests alone
	}
	return o, r.diags
}

// typeResolver resolves types: the properties of inputs and outputs, and the types that have names.
type typeResolver struct {
	*resolver
	named      table[sharedType]
	sharing    []spec.Text // the shared types that are being resolved, outer ones first
	plain      bool        // of a workflow: types have no constructs beside those of its readers
	output     bool        // inside an output, whose members have no roles
	parameters bool        // the next object holds the parameters of a tool
}

// object resolves a property mapping. Types nested in it are named prefix + property; what names it
// in messages.
func (r *typeResolver) object(in *spec.Object, goName, prefix, what string) *Object {
	o := &Object{GoName: goName, Unread: in == nil}
	parameters := r.parameters
	r.parameters = false // objects inside hold none
	if in == nil {
		return o
	}
	r.ident(goName, what, in.Pos)
	if len(in.Properties) > maxProperties {
		r.errorf(in.Properties[maxProperties].Name.Pos, ruleTooManyProperties, "an object has %d properties at most; this has %d",
			maxProperties, len(in.Properties))
	}
	fields := make(map[string]spec.Text, len(in.Properties))
	for _, p := range in.Properties {
		if !isProperty(p.Name.Value) {
			r.errorf(p.Name.Pos, ruleBadName, "%q is no name for a property", p.Name.Value).Hint =
				"a property is a letter, then letters, digits and underscores, 64 characters at most"
		}
		field := r.goName(p.Name.Value)
		if first, ok := fields[field]; ok {
			d := r.errorf(p.Name.Pos, ruleGoNameClash, "property %q would be called %s in Go, as is %q", p.Name.Value, field, first.Value)
			d.Hint = "give one of the two another name"
			d.Related = &diag.Related{Pos: first.Pos, Message: "first used here"}
		} else {
			fields[field] = p.Name
		}
		item := &Property{
			Name: p.Name.Value, GoName: field, Description: p.Schema.Description.Value,
			Required: p.Schema.Required.Value, Pos: p.Name.Pos,
		}
		if !parameters {
			r.onlyParameters(p)
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
	return []string{string(String), string(Integer), string(Number), string(Boolean), string(Array), string(Nested), string(Free)}
}

// subject names in messages what a schema is written about, and says where.
func subject(s *spec.Schema, name spec.Text, item bool) (string, diag.Pos) {
	if item {
		return "the items of \"" + name.Value + "\"", s.Pos
	}
	return "property \"" + name.Value + "\"", name.Pos
}

// typeOf resolves what is written about a value: of the property name, or of the items of its
// array.
func (r *typeResolver) typeOf(s *spec.Schema, name spec.Text, goName string, item bool) *Type {
	what, at := subject(s, name, item)
	if shared := r.sharedType(s, what, item); shared != nil {
		return shared
	}
	t := &Type{Kind: Kind(s.Type.Value), Nullable: s.Nullable.Value}
	if !r.kind(s, what, at) {
		return t
	}
	r.keysOf(s, t.Kind, what, item)
	switch t.Kind {
	case String:
		r.text(t, s, goName, what)
	case Integer, Number:
		r.bounds(t, s)
		r.numbers(t, s, goName, what)
	case Array:
		t.MinItems, t.MaxItems = r.lengths(s.MinItems, s.MaxItems, "Items")
		if s.Items == nil {
			if !hasKey(s.Keys, "items") {
				r.errorf(at, ruleMissingItems, "no items are given for %s, which is an array", what).Hint = "add items: {type: string}"
			}
			t.Items = &Type{Kind: String}
			break
		}
		t.Items = r.typeOf(s.Items, name, goName+"Item", true)
	case Nested:
		r.nested(t, s, name, goName, item)
	}
	return t
}

// nested resolves an object: with named properties, with any members, a map or a union.
func (r *typeResolver) nested(t *Type, s *spec.Schema, name spec.Text, goName string, item bool) {
	what, at := subject(s, name, item)
	forms := 0
	for _, is := range []bool{hasKey(s.Keys, "properties"), s.AdditionalProperties.Value || s.Values != nil, s.Union != nil} {
		if is {
			forms++
		}
	}
	if forms > 1 {
		r.errorf(at, ruleKeyMisplaced, "%s has more than one of properties, additionalProperties and union", what).Hint =
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
		if s.Properties == nil && !hasKey(s.Keys, "properties") {
			r.errorf(at, ruleMissingProperties, "no properties are given for %s, which is an object", what).Hint =
				"add properties: {name: {type: string}}, or additionalProperties: true for any"
		}
		t.Object = r.object(s.Properties, goName, goName, what)
		taken := make(map[string]diag.Pos)
		for _, p := range t.Object.Properties {
			taken[p.Name] = p.Pos
		}
		t.Object.Refused = r.refusedNames(s.Not, taken)
		return
	}
	if len(s.Not) > 0 {
		r.errorf(s.Not[0].Name.Pos, ruleKeyMisplaced, "%s takes any members, so it refuses none", what)
	}
}

// kind reports a missing or unknown type.
func (r *typeResolver) kind(s *spec.Schema, what string, at diag.Pos) bool {
	if !s.Type.Set() {
		if !hasKey(s.Keys, "type") {
			d := r.errorf(at, ruleUntypedProperty, "no type is given for %s", what)
			d.Hint = "type is one of " + strings.Join(append(Kinds(), r.named.names...), ", ")
			if s.Enum != nil {
				d.Hint = "add type: string"
			}
		}
		return false
	}
	if slices.Contains(Kinds(), s.Type.Value) {
		return true
	}
	other := map[string]Kind{"int": Integer, "float": Number, "double": Number, "bool": Boolean, "str": String, "text": String,
		"list": Array, "map": Nested, "dict": Nested}
	if kind, ok := other[s.Type.Value]; ok {
		d := r.errorf(s.Type.Pos, ruleUnknownType, "unknown type %q", s.Type.Value)
		d.Hint = "did you mean \"" + string(kind) + "\"?"
		d.Fix = diag.FixBy("write "+string(kind), diag.Replace(s.Type.Pos, string(kind)))
		return false
	}
	r.unknown(s.Type, ruleUnknownType, "type", append(Kinds(), r.named.names...))
	return false
}

// keysFor lists the keys that say something about a kind, beside those that any property may have.
func keysFor(kind Kind, s *spec.Schema) []string {
	switch {
	case kind == String && s.Enum != nil:
		return []string{"enum"}
	case kind == String && s.Format.Set():
		return []string{"format"}
	case kind == String:
		return []string{"enum", "format", "pattern", "minLength", "maxLength"}
	case kind == Integer && s.Enum != nil && s.Enum.Names != nil:
		return []string{"enum"}
	case kind == Integer, kind == Number:
		return []string{"minimum", "maximum"}
	case kind == Array:
		return []string{"minItems", "maxItems", "items"}
	case kind == Nested && s.Values != nil:
		return []string{"properties", "additionalProperties", "union", "propertyNames", "minProperties", "maxProperties", "not"}
	case kind == Nested:
		return []string{"properties", "additionalProperties", "union", "not"}
	}
	return nil
}

// keysOf reports keys that mean nothing for the kind. Items have no name of their own, so nothing
// can require, default or describe them.
func (r *typeResolver) keysOf(s *spec.Schema, kind Kind, what string, item bool) {
	valid := keysFor(kind, s)
	for _, k := range s.Keys {
		switch k.Value {
		case "type":
			continue
		case "nullable":
			if kind != Free {
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
		d := r.errorf(k.Pos, ruleKeyMisplaced, "%s does not apply to %s", k.Value, what)
		switch {
		case s.Enum != nil && kind == String:
			d.Hint = "the enum already says which texts there are"
		case s.Format.Set() && kind == String:
			d.Hint = "the format already says which texts there are"
		case k.Value == "enum" && kind == Integer && s.Enum.Names == nil:
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
func (r *typeResolver) lengths(low, high spec.Scalar[int], unit string) (*int, *int) {
	for _, s := range []spec.Scalar[int]{low, high} {
		if s.Set() && s.Value < 0 {
			r.errorf(s.Pos, ruleBadBounds, "a length cannot be negative")
		}
	}
	if high.Set() && high.Value == 0 {
		r.errorf(high.Pos, ruleBadBounds, "max%s is 0, so nothing but an empty value fits", unit).Hint = "leave the property out, or write an upper limit of 1 or more"
	}
	if low.Set() && high.Set() && low.Value > high.Value {
		r.crossed(low.Pos, high.Pos, "min"+unit, "max"+unit)
	}
	return optional(low), optional(high)
}

func (r *typeResolver) bounds(t *Type, s *spec.Schema) {
	t.Minimum, t.Maximum = optional(s.Minimum), optional(s.Maximum)
	for _, b := range []spec.Scalar[float64]{s.Minimum, s.Maximum} {
		if t.Kind == Integer && b.Value != math.Trunc(b.Value) {
			r.errorf(b.Pos, ruleBadBounds, "a bound of an integer must be whole")
		}
	}
	if s.Minimum.Set() && s.Maximum.Set() && s.Minimum.Value > s.Maximum.Value {
		r.crossed(s.Minimum.Pos, s.Maximum.Pos, "minimum", "maximum")
	}
}

func (r *typeResolver) crossed(low, high diag.Pos, lowName, highName string) {
	d := r.errorf(low, ruleBadBounds, "%s is above %s, so no value fits", lowName, highName)
	d.Hint, d.Related = "exchange the two, or leave one out", &diag.Related{Pos: high, Message: highName + " is here"}
}

func optional[T any](s spec.Scalar[T]) *T {
	if !s.Set() {
		return nil
	}
	return &s.Value
}
