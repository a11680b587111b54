package python

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/model"
)

// typeOf is the type of a value, as annotations have it.
func typeOf(t *model.Type) string {
	if t.Nullable {
		return certain(t) + " | None"
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
		return "list[" + typeOf(t.Items) + "]"
	case t.Values != nil:
		return "Mapping[str, " + typeOf(t.Values) + "]"
	case t.Open():
		return "Mapping[str, Any]"
	}
	return map[model.Kind]string{model.String: "str", model.Integer: "int", model.Number: "float", model.Boolean: "bool", model.Free: "Any"}[t.Kind]
}

// literals is the type of the values of an enum.
func literals(t *model.Type) string {
	var out []string
	for _, v := range t.Enum {
		out = append(out, strconv.Quote(v))
	}
	for _, n := range t.Numbers {
		out = append(out, strconv.Itoa(n.Value))
	}
	return "Literal[" + strings.Join(out, ", ") + "]"
}

// declarations renders the types of parameters and results.
func (e emitter) declarations() string {
	var b strings.Builder
	named(&b, client.Shared(e.set))
	for _, t := range e.set.Tools {
		named(&b, client.Nested(t.Input, t.Name))
		if t.Output != nil {
			named(&b, []client.Named{{Name: t.Output.GoName, What: "what " + t.Name + " returns", Object: t.Output}})
			named(&b, client.Nested(t.Output, "the result of "+t.Name))
		}
	}
	return b.String()
}

func named(b *strings.Builder, types []client.Named) {
	for _, n := range types {
		what := n.Name + " is " + n.What + "."
		if n.Object != nil {
			var keys []key
			for _, p := range n.Object.Properties {
				keys = append(keys, key{p.Name, typeOf(p.Type), client.Comment(p), p.Required})
			}
			typedDict(b, n.Name, what, keys)
			continue
		}
		comment(b, "", what)
		switch {
		case n.Type.EnumGoName != "":
			for _, v := range n.Type.Numbers {
				comment(b, "", fmt.Sprintf("%d: %s.", v.Value, v.Name))
			}
			fmt.Fprintf(b, "%s = %s\n\n", n.Name, literals(n.Type))
		case n.Type.Union != nil:
			var variants []string
			for _, v := range n.Type.Union.Variants {
				variants = append(variants, strconv.Quote(v.Object.GoName))
			}
			fmt.Fprintf(b, "%s = Union[%s]\n\n", n.Name, strings.Join(variants, ", "))
		default:
			fmt.Fprintf(b, "%s: TypeAlias = %s\n\n", n.Name, strconv.Quote(certain(n.Type)))
		}
	}
}

// key is a key of a typed dictionary.
type key struct {
	name, annotation, comment string
	required                  bool
}

// typedDict renders a dictionary with known keys: as a class, or as a call where a key is a keyword.
func typedDict(b *strings.Builder, name, what string, keys []key) {
	call := slices.ContainsFunc(keys, func(k key) bool {
		return client.PythonName(k.name) != k.name && slices.Contains(model.PythonKeywords(), k.name)
	})
	annotation := func(k key) string {
		if k.required {
			return k.annotation
		}
		return "NotRequired[" + k.annotation + "]"
	}
	if !call {
		fmt.Fprintf(b, "class %s(TypedDict):\n", name)
		docstring(b, "    ", what)
		for _, k := range keys {
			b.WriteString("\n")
			comment(b, "    ", k.comment)
			fmt.Fprintf(b, "    %s: %s\n", k.name, annotation(k))
		}
		b.WriteString("\n\n")
		return
	}
	comment(b, "", what)
	fmt.Fprintf(b, "%s = TypedDict(\n    %q,\n    {\n", name, name)
	for _, k := range keys {
		comment(b, "        ", k.comment)
		fmt.Fprintf(b, "        %q: %q,\n", k.name, annotation(k))
	}
	b.WriteString("    },\n)\n\n\n")
}
