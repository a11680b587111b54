package spec

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

// ParseObject reads the property mapping that stands in a file under the given keys, one inside the
// other; without keys the whole file is the mapping. It is the grammar of a tool's input for
// whoever else takes parameters. The object is nil when there is nothing to read, and so is the
// list when the keys lead nowhere.
func ParseObject(f File, keys ...string) (*Object, diag.List) {
	var diags diag.List
	w, n := open(f, &diags)
	for _, key := range keys {
		if n == nil {
			break
		}
		members, _ := w.members(n, "the file")
		n = nil
		for _, m := range members {
			if m.key.Value == key {
				n = m.value
			}
		}
	}
	if n == nil {
		return nil, diags
	}
	return schemaWalker{w}.object(n, "the parameters"), diags
}

// schemaWalker reads the types of values: objects, their properties and the types that have names.
type schemaWalker struct{ *walker }

func (w schemaWalker) intoObject(dst **Object) func(member) {
	return func(m member) {
		if n, ok := m.value.(*ast.NullNode); ok {
			w.wrongKind(m, n, "a mapping of properties; {} is an empty one")
			return
		}
		*dst = w.object(m.value, m.key.Value)
	}
}

// object reads a mapping of property names to schemas.
func (w schemaWalker) object(n ast.Node, what string) *Object {
	members, ok := w.members(n, what)
	if !ok {
		return nil
	}
	o := &Object{Pos: w.pos(n), Properties: make([]Property, 0, len(members))}
	for i := 0; i < len(members); i++ {
		m := members[i]
		outside := w.childrenBeside(members[i:], func(m member) bool {
			return kindOf(m.value) != "a mapping" && indexOf(w.schemaFields(&Schema{}), m.key.Value) >= 0
		})
		if i += outside; outside > 0 {
			o.Properties = append(o.Properties, Property{m.key, w.unread(m)})
		} else if s := w.schema(m, "property "+quoted(m.key)); s != nil {
			o.Properties = append(o.Properties, Property{m.key, s})
		}
	}
	return o
}

func (w schemaWalker) schema(m member, what string) *Schema {
	n := w.plain(m.value)
	switch n.(type) {
	case nil:
		return nil
	case *ast.NullNode:
		return &Schema{Pos: m.key.Pos} // "tabId:" alone: model says that it has no type
	}
	s := &Schema{Pos: w.pos(n)}
	s.Keys = w.fields(n, what, m.key.Pos, w.schemaFields(s)...)
	if s.Keys == nil {
		d := &(*w.diags)[len(*w.diags)-1] // not a mapping, and reported
		if name, ok := n.(*ast.StringNode); ok {
			write := "{type: " + name.Value + "}"
			d.Hint = "write " + write
			if slices.Contains([]string{"string", "integer", "number", "boolean", "any"}, name.Value) {
				d.Fix = diag.FixBy(d.Hint, diag.Replace(w.pos(n), write))
			}
		} else if m.key.Value == "required" {
			d.Hint = requiredHint
		}
		return w.unread(m)
	}
	return s
}

// schemaFields are the keys of a value's type.
func (w schemaWalker) schemaFields(s *Schema) []field {
	return []field{
		{"type", false, w.intoText(&s.Type)},
		{"description", false, w.intoText(&s.Description)},
		{"role", false, w.intoText(&s.Role)},
		{"secret", false, w.intoText(&s.Secret)},
		{"required", false, w.intoBool(&s.Required)},
		{"enum", false, w.intoEnum(&s.Enum)},
		{"default", false, w.intoLiteral(&s.Default)},
		{"minimum", false, w.intoNumber(&s.Minimum)},
		{"maximum", false, w.intoNumber(&s.Maximum)},
		{"minLength", false, w.intoInt(&s.MinLength)},
		{"maxLength", false, w.intoInt(&s.MaxLength)},
		{"minItems", false, w.intoInt(&s.MinItems)},
		{"maxItems", false, w.intoInt(&s.MaxItems)},
		{"pattern", false, w.intoText(&s.Pattern)},
		{"format", false, w.intoText(&s.Format)},
		{"nullable", false, w.intoBool(&s.Nullable)},
		{"items", false, func(m member) { s.Items = w.schema(m, "items") }},
		{"properties", false, w.intoObject(&s.Properties)},
		{"additionalProperties", false, w.additional(s)},
		{"propertyNames", false, w.propertyNames(&s.PropertyNames)},
		{"minProperties", false, w.intoInt(&s.MinProperties)},
		{"maxProperties", false, w.intoInt(&s.MaxProperties)},
		{"union", false, w.union(&s.Union)},
		{"was", false, w.intoTextOrTexts(&s.Was)},
		{"listed", false, w.intoBool(&s.Listed)},
		{"from_object", false, w.intoTextOrTexts(&s.FromObject)},
		{"not", false, w.refused(&s.Not)},
	}
}

// unread is the schema of a property that could not be read, which is reported: the property is
// there, and its type is not missing.
func (w schemaWalker) unread(m member) *Schema {
	return &Schema{Pos: m.key.Pos, Keys: []Text{{Value: "type", Pos: m.key.Pos}}}
}

// intoEnum reads a list of values, or a mapping of names to values.
func (w schemaWalker) intoEnum(dst **Enum) func(member) {
	return func(m member) {
		if _, ok := w.plain(m.value).(*ast.MappingNode); ok {
			e := &Enum{Key: m.key.Pos}
			members, _ := w.members(m.value, "enum")
			for _, v := range members {
				if n := w.plain(v.value); n != nil {
					e.Names, e.Values = append(e.Names, v.key), append(e.Values, w.literal(n))
				}
			}
			*dst = e
			return
		}
		if items, ok := w.items(m, "a list of values, or a mapping of names to whole numbers"); ok {
			*dst = &Enum{Key: m.key.Pos, Values: w.literals(items)}
		}
	}
}

// additional reads additionalProperties: true for an open object, or the type of the values of a map.
func (w schemaWalker) additional(s *Schema) func(member) {
	return func(m member) {
		if _, ok := w.plain(m.value).(*ast.MappingNode); ok {
			s.Values = w.schema(m, "additionalProperties")
			return
		}
		w.intoBool(&s.AdditionalProperties)(m)
	}
}

func (w schemaWalker) propertyNames(dst *Text) func(member) {
	return func(m member) {
		w.fields(m.value, "propertyNames", m.key.Pos, field{"pattern", true, w.intoText(dst)})
	}
}

func (w schemaWalker) union(dst **Union) func(member) {
	return func(m member) {
		u := &Union{Key: m.key.Pos}
		w.fields(m.value, "union", m.key.Pos,
			field{"tag", true, w.intoText(&u.Tag)},
			field{"variants", true, w.each(func(v member) {
				variant := Variant{Name: v.key}
				w.intoObject(&variant.Object)(v)
				u.Variants = append(u.Variants, variant)
			})})
		*dst = u
	}
}

// types reads the shared types.
func (w schemaWalker) types(dst *[]Property) func(member) {
	return w.each(func(m member) {
		if s := w.schema(m, "type "+quoted(m.key)); s != nil {
			*dst = append(*dst, Property{m.key, s})
		}
	})
}

// refused reads names that are not taken, each with its reason.
func (w schemaWalker) refused(dst *[]Refused) func(member) {
	return w.each(func(m member) {
		r := Refused{Name: m.key}
		w.intoText(&r.Reason)(m)
		*dst = append(*dst, r)
	})
}
