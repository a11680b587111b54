package typescript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/model"
)

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// member is the name of a property, in quotes where it is no identifier.
func member(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// typeOf is the type of a value.
func typeOf(t *model.Type) string {
	if t.Nullable {
		return certain(t) + " | null"
	}
	return certain(t)
}

// certain is the type of values that are not null.
func certain(t *model.Type) string {
	switch {
	case t.Shared != nil:
		return t.Shared.GoName
	case t.EnumGoName != "":
		return t.EnumGoName
	case len(t.Enum) > 0:
		return literals(t)
	case t.Object != nil:
		return t.Object.GoName
	case t.Union != nil:
		return t.Union.GoName
	case t.Items != nil:
		return "Array<" + typeOf(t.Items) + ">"
	case t.Values != nil:
		return "Record<string, " + typeOf(t.Values) + ">"
	case t.Open():
		return "Record<string, unknown>"
	}
	return map[model.Kind]string{model.String: "string", model.Integer: "number", model.Number: "number", model.Boolean: "boolean", model.Free: "unknown"}[t.Kind]
}

// literals is the union of the values of an enum.
func literals(t *model.Type) string {
	var out []string
	for _, v := range t.Enum {
		out = append(out, strconv.Quote(v))
	}
	for _, n := range t.Numbers {
		out = append(out, strconv.Itoa(n.Value))
	}
	return strings.Join(out, " | ")
}

// declarations renders the types of parameters and results.
func (e emitter) declarations() string {
	var b strings.Builder
	e.named(&b, client.Shared(e.set))
	for _, t := range e.set.Tools {
		e.named(&b, []client.Named{{Name: t.Input.GoName, What: "the parameters of " + t.Name, Object: t.Input}})
		e.named(&b, client.Nested(t.Input, t.Name))
		if t.Output != nil {
			e.named(&b, []client.Named{{Name: t.Output.GoName, What: "what " + t.Name + " returns", Object: t.Output}})
			e.named(&b, client.Nested(t.Output, "the result of "+t.Name))
		}
	}
	return b.String()
}

func (e emitter) named(b *strings.Builder, types []client.Named) {
	for _, n := range types {
		comment(b, "", n.Name+" is "+n.What+".")
		switch {
		case n.Object != nil:
			fmt.Fprintf(b, "export interface %s {\n", n.Name)
			for _, p := range n.Object.Properties {
				comment(b, "  ", client.Comment(p))
				mark := "?"
				if p.Required {
					mark = ""
				}
				fmt.Fprintf(b, "  %s%s: %s;\n", member(p.Name), mark, typeOf(p.Type))
			}
			b.WriteString("}\n\n")
		case n.Type.EnumGoName != "":
			fmt.Fprintf(b, "export type %s = %s;\n\n", n.Name, literals(n.Type))
			if n.Type.Numbers != nil {
				fmt.Fprintf(b, "/** The values of %s by name. */\nexport declare const %s: {\n", n.Name, n.Name)
				for _, v := range n.Type.Numbers {
					fmt.Fprintf(b, "  readonly %s: %d;\n", member(v.Name), v.Value)
				}
				b.WriteString("};\n\n")
			}
		case n.Type.Union != nil:
			var variants []string
			for _, v := range n.Type.Union.Variants {
				variants = append(variants, v.Object.GoName)
			}
			fmt.Fprintf(b, "export type %s = %s;\n\n", n.Name, strings.Join(variants, " | "))
		default:
			fmt.Fprintf(b, "export type %s = %s;\n\n", n.Name, certain(n.Type))
		}
	}
}

// values renders for index.js the values of enums of integers by name.
func (e emitter) values() string {
	var b strings.Builder
	for _, n := range client.Declared(e.set) {
		if n.Type == nil || n.Type.Numbers == nil {
			continue
		}
		fmt.Fprintf(&b, "export const %s = Object.freeze({", n.Name)
		for i, v := range n.Type.Numbers {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, " %s: %d", member(v.Name), v.Value)
		}
		b.WriteString(" });\n")
	}
	return b.String()
}
