package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/code"
)

// methods renders a method for each tool and each older name of one.
func (e emitter) methods() string {
	var b strings.Builder
	for _, t := range e.set.Tools {
		method(&b, client.PythonName(t.Name), t, "")
		for _, old := range t.Was {
			method(&b, client.PythonName(old), t, "Deprecated: an older name of "+client.PythonName(t.Name)+".")
		}
	}
	return b.String()
}

// method renders a method. Its parameters are given by name.
func method(b *strings.Builder, name string, t *model.Tool, deprecated string) {
	properties := slices.Clone(t.Input.Properties)
	slices.SortStableFunc(properties, func(p, q *model.Property) int {
		switch {
		case p.Required == q.Required:
			return 0
		case p.Required:
			return -1
		}
		return 1
	})
	fmt.Fprintf(b, "\n    async def %s(\n        self,\n", name)
	if len(properties) > 0 {
		b.WriteString("        *,\n")
	}
	for _, p := range properties {
		fmt.Fprintf(b, "        %s: %s,\n", client.PythonName(p.Name), annotation(p))
	}
	result := "Result"
	if t.Output != nil {
		result = "ResultOf[" + t.Output.GoName + "]"
	}
	fmt.Fprintf(b, "    ) -> %s:\n", result)
	paragraphs := []string{"Calls " + t.Name + ": " + t.FullDescription(), deprecated, client.Gates(t)}
	for _, p := range properties {
		if text := client.Comment(p); text != "" {
			paragraphs = append(paragraphs, client.PythonName(p.Name)+": "+text)
		}
	}
	docstring(b, "        ", paragraphs...)
	arguments := "{}"
	if len(properties) > 0 {
		var a strings.Builder
		for _, p := range properties {
			fmt.Fprintf(&a, "            %q: %s,\n", p.Name, value(p))
		}
		arguments = "{\n" + a.String() + "        }"
	}
	call := fmt.Sprintf("await self._call(%q, %s)", t.Name, arguments)
	if t.Output == nil {
		fmt.Fprintf(b, "        return %s\n", call)
	} else {
		fmt.Fprintf(b, "        return ResultOf[%s](%s)\n", t.Output.GoName, call)
	}
}

// annotation is the type of a parameter with what it is when left out: None, or UNSET where null is a
// value of its own.
func annotation(p *model.Property) string {
	switch {
	case p.Required:
		return typeOf(p.Type)
	case hasNull(p.Type):
		return typeOf(p.Type) + " | Unset = UNSET"
	}
	return typeOf(p.Type) + " | None = None"
}

// value is what is sent of a parameter.
func value(p *model.Property) string {
	name := client.PythonName(p.Name)
	if p.Required || hasNull(p.Type) {
		return name
	}
	return "_given(" + name + ")"
}

func hasNull(t *model.Type) bool { return t.Nullable || t.Kind == model.Free }

// refusals renders an exception for each code.
func (e emitter) refusals() string {
	var b strings.Builder
	keys := func(fields []code.Field) []key {
		types := map[string]string{"string": "str", "number": "float", "boolean": "bool", "array": "list[Any]", "object": "Mapping[str, Any]", "any": "Any"}
		var out []key
		for _, f := range fields {
			out = append(out, key{f.Name, types[f.Type], f.Description, false})
		}
		return out
	}
	typedDict(&b, "CommonFields", "Fields that a refusal with any code may have.", keys(e.set.CommonFields))
	b.WriteString(refusalError)
	for _, c := range e.set.Codes {
		typedDict(&b, c.GoName+"Fields", "Fields of a refusal with the code "+string(c.Code)+".", keys(c.Fields))
		fmt.Fprintf(&b, "class %sError(RefusalError):\n", c.GoName)
		docstring(&b, "    ", fmt.Sprintf("%s: %s", c.Code, c.Description))
		fmt.Fprintf(&b, "\n    refusal_class = %q\n\n    @property\n    def fields(self) -> %sFields:\n        return cast(%sFields, self.envelope)\n\n\n", string(c.Class), c.GoName, c.GoName)
	}
	b.WriteString("_ERRORS: dict[str, type[RefusalError]] = {\n")
	for _, c := range e.set.Codes {
		fmt.Fprintf(&b, "    %q: %sError,\n", string(c.Code), c.GoName)
	}
	b.WriteString("}\n")
	return b.String()
}

const refusalError = `class RefusalError(Exception):
    """A call that the server refused. The class of its code, such as NotFoundError, has its fields."""

    # What kind of reason the code is, such as not_found; "" for a code that this client does not know.
    refusal_class: str = ""

    def __init__(self, tool: str, envelope: Mapping[str, Any], text: str) -> None:
        self.tool = tool
        self.code: str = envelope.get("code", "")  # "" where the server gave none
        self.message: str = envelope.get("message", text)
        self.envelope = envelope
        super().__init__(f"{tool}: {self.code}: {self.message}" if self.code else f"{tool}: {self.message}")

    @property
    def common(self) -> CommonFields:
        return cast(CommonFields, self.envelope)


`
