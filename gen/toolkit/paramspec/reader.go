package paramspec

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Reader reads types of values: objects, their properties and the types that have names.
type Reader struct{ *yamltree.Reader }

// Read reads the property mapping that a value of a document holds. The object is nil when it cannot be read.
func Read(d *yamltree.Document, n *yamltree.Node) (*Object, diag.List) {
	var o *Object
	diags := d.Read(n, func(r *yamltree.Reader, n ast.Node) { o = Reader{r}.object(n, "the parameters") })
	return o, diags
}

// IntoObject returns the reader of a property mapping.
func (r Reader) IntoObject(dst **Object) func(yamltree.Entry) {
	return func(m yamltree.Entry) {
		if n, ok := m.Value.(*ast.NullNode); ok {
			r.WrongKind(m, n, "a mapping of properties; {} is an empty one")
			return
		}
		*dst = r.object(m.Value, m.Key.Value)
	}
}

// object reads a mapping of property names to schemas.
func (r Reader) object(n ast.Node, what string) *Object {
	members, ok := r.Members(n, what)
	if !ok {
		return nil
	}
	o := &Object{Pos: r.Pos(n), Properties: make([]Property, 0, len(members))}
	for i := 0; i < len(members); i++ {
		m := members[i]
		outside := r.ChildrenBeside(members[i:], func(m yamltree.Entry) bool {
			return yamltree.KindOf(m.Value) != "a mapping" && slices.ContainsFunc(r.schemaFields(&Schema{}), func(f yamltree.Field) bool { return f.Name == m.Key.Value })
		})
		if i += outside; outside > 0 {
			o.Properties = append(o.Properties, Property{m.Key, r.unread(m)})
		} else if s := r.schema(m, "property \""+m.Key.Value+"\""); s != nil {
			o.Properties = append(o.Properties, Property{m.Key, s})
		}
	}
	return o
}

// schema reads what is written about one value.
func (r Reader) schema(m yamltree.Entry, what string) *Schema {
	n := r.Plain(m.Value)
	switch n.(type) {
	case nil:
		return nil
	case *ast.NullNode:
		return &Schema{Pos: m.Key.Pos} // "tabId:" alone: the resolver says that it has no type
	}
	s := &Schema{Pos: r.Pos(n)}
	s.Keys = r.Fields(n, what, m.Key.Pos, r.schemaFields(s)...)
	if s.Keys == nil {
		d := &(*r.Diags)[len(*r.Diags)-1] // not a mapping, and reported
		if name, ok := n.(*ast.StringNode); ok {
			write := "{type: " + name.Value + "}"
			d.Hint = "write " + write
			if slices.Contains([]string{"string", "integer", "number", "boolean", "any"}, name.Value) {
				d.Fix = diag.FixBy(d.Hint, diag.Replace(r.Pos(n), write))
			}
		} else if m.Key.Value == "required" {
			d.Hint = requiredHint
		}
		return r.unread(m)
	}
	return s
}

// schemaFields are the keys of a value's type.
func (r Reader) schemaFields(s *Schema) []yamltree.Field {
	return []yamltree.Field{
		yamltree.Optional("type", r.IntoText(&s.Type)),
		yamltree.Optional("description", r.IntoText(&s.Description)),
		yamltree.Optional("go_type", r.IntoText(&s.GoType)),
		yamltree.Optional("role", r.IntoText(&s.Role)),
		yamltree.Optional("secret", r.IntoText(&s.Secret)),
		yamltree.Optional("required", r.IntoBool(&s.Required)),
		yamltree.Optional("enum", r.intoEnum(&s.Enum)),
		yamltree.Optional("default", r.IntoLiteral(&s.Default)),
		yamltree.Optional("minimum", r.IntoNumber(&s.Minimum)),
		yamltree.Optional("maximum", r.IntoNumber(&s.Maximum)),
		yamltree.Optional("minLength", r.IntoInt(&s.MinLength)),
		yamltree.Optional("maxLength", r.IntoInt(&s.MaxLength)),
		yamltree.Optional("minItems", r.IntoInt(&s.MinItems)),
		yamltree.Optional("maxItems", r.IntoInt(&s.MaxItems)),
		yamltree.Optional("pattern", r.IntoText(&s.Pattern)),
		yamltree.Optional("format", r.IntoText(&s.Format)),
		yamltree.Optional("nullable", r.IntoBool(&s.Nullable)),
		yamltree.Optional("items", func(m yamltree.Entry) { s.Items = r.schema(m, "items") }),
		yamltree.Optional("properties", r.IntoObject(&s.Properties)),
		yamltree.Optional("additionalProperties", r.additional(s)),
		yamltree.Optional("propertyNames", r.propertyNames(&s.PropertyNames)),
		yamltree.Optional("minProperties", r.IntoInt(&s.MinProperties)),
		yamltree.Optional("maxProperties", r.IntoInt(&s.MaxProperties)),
		yamltree.Optional("union", r.union(&s.Union)),
		yamltree.Optional("was", r.IntoTextOrTexts(&s.Was)),
		yamltree.Optional("listed", r.IntoBool(&s.Listed)),
		yamltree.Optional("from_object", r.IntoTextOrTexts(&s.FromObject)),
		yamltree.Optional("not", r.IntoRefused(&s.Not)),
	}
}

// unread is the schema of a property that could not be read, which is reported: the property is
// there, and its type is not missing.
func (r Reader) unread(m yamltree.Entry) *Schema {
	return &Schema{Pos: m.Key.Pos, Keys: []yamltree.Text{{Value: "type", Pos: m.Key.Pos}}}
}

// intoEnum reads a list of values, or a mapping of names to values.
func (r Reader) intoEnum(dst **Enum) func(yamltree.Entry) {
	return func(m yamltree.Entry) {
		if _, ok := r.Plain(m.Value).(*ast.MappingNode); ok {
			e := &Enum{Key: m.Key.Pos}
			members, _ := r.Members(m.Value, "enum")
			for _, v := range members {
				if n := r.Plain(v.Value); n != nil {
					e.Names, e.Values = append(e.Names, v.Key), append(e.Values, r.Literal(n))
				}
			}
			*dst = e
			return
		}
		if items, ok := r.Items(m, "a list of values, or a mapping of names to whole numbers"); ok {
			*dst = &Enum{Key: m.Key.Pos, Values: r.Literals(items)}
		}
	}
}

// additional reads additionalProperties: true for an open object, or the type of the values of a map.
func (r Reader) additional(s *Schema) func(yamltree.Entry) {
	return func(m yamltree.Entry) {
		if _, ok := r.Plain(m.Value).(*ast.MappingNode); ok {
			s.Values = r.schema(m, "additionalProperties")
			return
		}
		r.IntoBool(&s.AdditionalProperties)(m)
	}
}

func (r Reader) propertyNames(dst *yamltree.Text) func(yamltree.Entry) {
	return func(m yamltree.Entry) {
		r.Fields(m.Value, "propertyNames", m.Key.Pos, yamltree.Required("pattern", r.IntoText(dst)))
	}
}

func (r Reader) union(dst **Union) func(yamltree.Entry) {
	return func(m yamltree.Entry) {
		u := &Union{Key: m.Key.Pos}
		r.Fields(m.Value, "union", m.Key.Pos,
			yamltree.Required("tag", r.IntoText(&u.Tag)),
			yamltree.Required("variants", r.Each(func(v yamltree.Entry) {
				variant := Variant{Name: v.Key}
				r.IntoObject(&variant.Object)(v)
				u.Variants = append(u.Variants, variant)
			})))
		*dst = u
	}
}

// IntoTypes returns the reader of types by name.
func (r Reader) IntoTypes(dst *[]Property) func(yamltree.Entry) {
	return r.Each(func(m yamltree.Entry) {
		if s := r.schema(m, "type \""+m.Key.Value+"\""); s != nil {
			*dst = append(*dst, Property{m.Key, s})
		}
	})
}

// IntoRefused returns the reader of names that are not taken, each with its reason.
func (r Reader) IntoRefused(dst *[]Refused) func(yamltree.Entry) {
	return r.Each(func(m yamltree.Entry) {
		refused := Refused{Name: m.Key}
		r.IntoText(&refused.Reason)(m)
		*dst = append(*dst, refused)
	})
}
