package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/model"
)

// goType is the type of a value that is there.
func (e emitter) goType(t *model.Type) string {
	if t.Nullable {
		return "Null[" + certain(t, e.goType) + "]"
	}
	return certain(t, e.goType)
}

// certain is the type of values that are not null; inner is what renders the types in it.
func certain(t *model.Type, inner func(*model.Type) string) string {
	switch {
	case t.Shared != nil:
		return t.Shared.GoName
	case t.EnumGoName != "":
		return t.EnumGoName
	case t.Object != nil:
		return t.Object.GoName
	case t.Union != nil:
		return t.Union.GoName
	case t.Items != nil:
		return "[]" + inner(t.Items)
	case t.Values != nil:
		return "map[string]" + inner(t.Values)
	case t.Open():
		return "map[string]any"
	case t.IsTime():
		return "time.Time"
	}
	return map[model.Kind]string{model.String: "string", model.Integer: "int", model.Number: "float64", model.Boolean: "bool", model.Free: "any"}[t.Kind]
}

// optional is the type of a value that may be left out: its zero value says so.
func (e emitter) optional(t *model.Type) string {
	plain := !t.Nullable && (t.EnumGoName != "" || t.Items != nil || t.Values != nil || t.Open() || t.Kind == model.Free)
	if plain {
		return e.goType(t)
	}
	return "*" + e.goType(t)
}

// fields renders the fields of a struct.
func (e emitter) fields(b *strings.Builder, properties []*model.Property) {
	for _, p := range properties {
		comment(b, "\t", client.Comment(p))
		if p.Required {
			fmt.Fprintf(b, "\t%s %s `json:%q`\n", p.GoName, e.goType(p.Type), p.Name)
		} else {
			fmt.Fprintf(b, "\t%s %s `json:%q`\n", p.GoName, e.optional(p.Type), p.Name+",omitzero")
		}
	}
}

// declarations renders types.
func (e emitter) declarations(types []client.Named) string {
	var b strings.Builder
	for _, n := range types {
		comment(&b, "", n.Name+" is "+n.What+".")
		switch {
		case n.Object != nil:
			e.object(&b, n)
		case n.Type.EnumGoName != "":
			e.enum(&b, n)
		case n.Type.Union != nil:
			e.union(&b, n)
		case n.Type.IsTime():
			fmt.Fprintf(&b, "type %s = time.Time\n\n", n.Name) // an alias has the methods
		default:
			fmt.Fprintf(&b, "type %s %s\n\n", n.Name, certain(n.Type, e.goType))
		}
	}
	return b.String()
}

func (e emitter) object(b *strings.Builder, n client.Named) {
	properties := n.Object.Properties
	if n.Tag != "" {
		properties = properties[1:] // the union writes the tag
	}
	fmt.Fprintf(b, "type %s struct {\n", n.Name)
	e.fields(b, properties)
	b.WriteString("}\n\n")
}

// enum renders a type whose constants count from 1, so that neither a text nor a number that is no
// value compiles where the type stands, and 0 is left out.
func (e emitter) enum(b *strings.Builder, n client.Named) {
	t, of := n.Type, "string"
	type value struct{ constant, literal string }
	var values []value
	for _, v := range t.Enum {
		values = append(values, value{t.EnumConst(v), strconv.Quote(v)})
	}
	for _, v := range t.Numbers {
		of, values = "int", append(values, value{t.EnumConst(v.Name), strconv.Itoa(v.Value)})
	}
	fmt.Fprintf(b, "type %s int\n\n// The values of %s.\nconst (\n", n.Name, n.Name)
	for i, v := range values {
		if i == 0 {
			fmt.Fprintf(b, "\t%s %s = iota + 1 // %s\n", v.constant, n.Name, v.literal)
		} else {
			fmt.Fprintf(b, "\t%s // %s\n", v.constant, v.literal)
		}
	}
	b.WriteString(")\n\n")
	fmt.Fprintf(b, "func (%s) values() []%s {\n\treturn []%s{\n", n.Name, of, of)
	for _, v := range values {
		b.WriteString("\t\t" + v.literal + ",\n")
	}
	b.WriteString("\t}\n}\n\n")
	fmt.Fprintf(b, "// String is what the server is sent.\nfunc (v %s) String() string { return textOf(v) }\n\n", n.Name)
	fmt.Fprintf(b, "// MarshalJSON writes the value; 0 is an error.\nfunc (v %s) MarshalJSON() ([]byte, error) { return marshalEnum(v) }\n\n", n.Name)
	fmt.Fprintf(b, "// UnmarshalJSON reads a value.\nfunc (v *%s) UnmarshalJSON(data []byte) error { return unmarshalEnum(v, data) }\n\n", n.Name)
}

// union renders a struct with a pointer for each variant, which writes the tag.
func (e emitter) union(b *strings.Builder, n client.Named) {
	u := n.Type.Union
	b.WriteString("// Exactly one variant is set.\n")
	fmt.Fprintf(b, "type %s struct {\n", n.Name)
	for _, v := range u.Variants {
		fmt.Fprintf(b, "\t%s *%s // %s %q\n", v.GoName, v.Object.GoName, u.Tag, v.Name)
	}
	fmt.Fprintf(b, "}\n\n// MarshalJSON writes the variant that is set, with its tag.\nfunc (u %s) MarshalJSON() ([]byte, error) {\n\tswitch {\n", n.Name)
	for _, v := range u.Variants {
		fmt.Fprintf(b, "\tcase u.%s != nil:\n\t\treturn json.Marshal(struct {\n\t\t\tTag_ string `json:%q`\n\t\t\t*%s\n\t\t}{%q, u.%s})\n",
			v.GoName, u.Tag, v.Object.GoName, v.Name, v.GoName)
	}
	fmt.Fprintf(b, "\t}\n\treturn nil, errors.New(\"no variant of %s is set\")\n}\n\n", n.Name)
	fmt.Fprintf(b, "// UnmarshalJSON reads the variant that the tag names.\nfunc (u *%s) UnmarshalJSON(data []byte) error {\n", n.Name)
	fmt.Fprintf(b, "\tvar tag struct {\n\t\tValue string `json:%q`\n\t}\n\tif err := json.Unmarshal(data, &tag); err != nil {\n\t\treturn err\n\t}\n", u.Tag)
	fmt.Fprintf(b, "\t*u = %s{}\n\tswitch tag.Value {\n", n.Name)
	for _, v := range u.Variants {
		fmt.Fprintf(b, "\tcase %q:\n\t\treturn json.Unmarshal(data, &u.%s)\n", v.Name, v.GoName)
	}
	fmt.Fprintf(b, "\t}\n\treturn fmt.Errorf(\"%%q is no variant of %s\", tag.Value)\n}\n\n", n.Name)
}
