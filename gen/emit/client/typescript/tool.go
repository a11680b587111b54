package typescript

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/model"
)

// eachMethod visits the methods: those of tools, and those of older names.
func (e emitter) eachMethod(visit func(name string, t *model.Tool, old bool)) {
	for _, t := range e.set.Tools {
		visit(client.TypeScriptMethod(t.GoName), t, false)
		for _, old := range t.Was {
			visit(client.TypeScriptMethod(client.OldName(e.set, old)), t, true)
		}
	}
}

// calls renders the methods in index.js.
func (e emitter) calls() string {
	var b strings.Builder
	e.eachMethod(func(name string, t *model.Tool, _ bool) {
		function := "call"
		if t.Output != nil {
			function = "callOf"
		}
		fmt.Fprintf(&b, "\n  %s(params, options) {\n    return %s(this.client, %q, params, options);\n  }\n", name, function, t.Name)
	})
	return b.String()
}

// methods renders the types of the methods.
func (e emitter) methods() string {
	var b strings.Builder
	e.eachMethod(func(name string, t *model.Tool, old bool) {
		b.WriteString("\n")
		if old {
			comment(&b, "  ", "@deprecated An older name of "+client.TypeScriptMethod(t.GoName)+".")
		} else {
			comment(&b, "  ", "Calls "+t.Name+": "+t.FullDescription(), client.Gates(t))
		}
		mark := "?"
		for _, p := range t.Input.Properties {
			if p.Required {
				mark = ""
			}
		}
		result := "Result"
		if t.Output != nil {
			result = "ResultOf<" + t.Output.GoName + ">"
		}
		fmt.Fprintf(&b, "  %s(params%s: %s, options?: RequestOptions): Promise<%s>;\n", name, mark, t.Input.GoName, result)
	})
	return b.String()
}

// classes renders the class of each code.
func (e emitter) classes() string {
	var b strings.Builder
	for _, c := range e.set.Codes {
		fmt.Fprintf(&b, "  %s: %q,\n", c.Code, string(c.Class))
	}
	return b.String()
}

// refusals renders the types of refusals.
func (e emitter) refusals() string {
	var b strings.Builder
	field := func(name, kind, description string) {
		types := map[string]string{"string": "string", "number": "number", "boolean": "boolean", "array": "Array<unknown>", "object": "Record<string, unknown>", "any": "unknown"}
		comment(&b, "  ", description)
		fmt.Fprintf(&b, "  %s?: %s;\n", member(name), types[kind])
	}
	comment(&b, "", "Fields that a refusal with any code may have.")
	b.WriteString("export interface CommonFields {\n")
	for _, f := range e.set.CommonFields {
		field(f.Name, f.Type, f.Description)
	}
	b.WriteString("}\n\n")
	names := []string{"UncodedRefusal"}
	for _, c := range e.set.Codes {
		names = append(names, c.GoName+"Refusal")
		comment(&b, "", c.Description)
		var own []string
		for _, f := range c.Fields {
			own = append(own, strconv.Quote(f.Name))
		}
		base := "CommonFields"
		if len(own) > 0 {
			base = "Omit<CommonFields, " + strings.Join(own, " | ") + ">"
		}
		fmt.Fprintf(&b, "export interface %sRefusal extends %s {\n  code: %q;\n  tool: string;\n  message: string;\n", c.GoName, base, string(c.Code))
		for _, f := range c.Fields {
			field(f.Name, f.Type, f.Description)
		}
		b.WriteString("}\n\n")
	}
	comment(&b, "", "Refusal is the structured content of a refused call: the code tells which of these it is. A newer server can send codes that are not among them.")
	b.WriteString("export type Refusal =\n  | " + strings.Join(names, "\n  | ") + ";\n")
	return b.String()
}
