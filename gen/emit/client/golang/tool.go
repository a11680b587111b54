package golang

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/model"
)

// maxSignature is how long the line of a method may be, in columns.
const maxSignature = 130

// optionsName is the struct of the parameters that a call of a tool may leave out.
func optionsName(t *model.Tool) string { return t.GoName + "Options" }

// shadowed are names that a method's own code uses.
var shadowed = []string{"c", "ctx", "opts", "context", "json", "time", "string", "int", "float64", "bool", "any"}

// argument is the name of a required parameter in a method.
func argument(p *model.Property) string {
	name := model.Unexported(p.GoName)
	if token.IsKeyword(name) || slices.Contains(shadowed, name) {
		return name + "_"
	}
	return name
}

// tool renders the method of a tool, its options, and the types that its parameters and results have.
func (e emitter) tool(b *strings.Builder, t *model.Tool) {
	e.method(b, t)
	for _, old := range t.Was {
		e.deprecated(b, t, old)
	}
	comment(b, "", optionsName(t)+" holds the parameters that a call of "+t.Name+" may leave out.")
	fmt.Fprintf(b, "type %s struct {\n", optionsName(t))
	e.fields(b, slices.DeleteFunc(slices.Clone(t.Input.Properties), func(p *model.Property) bool { return p.Required }))
	b.WriteString("}\n\n")
	b.WriteString(e.declarations(client.Nested(t.Input, t.Name)))
	if t.Output != nil {
		result := client.Named{Name: t.Output.GoName, What: "what " + t.Name + " returns", Object: t.Output}
		b.WriteString(e.declarations(append([]client.Named{result}, client.Nested(t.Output, "the result of "+t.Name)...)))
	}
}

// required lists the parameters that a call must have.
func required(t *model.Tool) []*model.Property {
	return slices.DeleteFunc(slices.Clone(t.Input.Properties), func(p *model.Property) bool { return !p.Required })
}

// signature is the name of a method with its parameters and results.
func (e emitter) signature(t *model.Tool, name string) string {
	params := []string{"ctx context.Context"}
	for _, p := range required(t) {
		params = append(params, argument(p)+" "+e.goType(p.Type))
	}
	params = append(params, "opts *"+optionsName(t))
	result := "*Result"
	if t.Output != nil {
		result = "*ResultOf[" + t.Output.GoName + "]"
	}
	line := fmt.Sprintf("func (c *Client) %s(%s) (%s, error) {", name, strings.Join(params, ", "), result)
	if utf8.RuneCountInString(line) > maxSignature {
		return fmt.Sprintf("func (c *Client) %s(\n\t%s,\n) (%s, error) {", name, strings.Join(params, ",\n\t"), result)
	}
	return line
}

// method renders the method that calls a tool.
func (e emitter) method(b *strings.Builder, t *model.Tool) {
	comment(b, "", t.GoName+" calls "+t.Name+": "+t.FullDescription())
	b.WriteString("//\n")
	comment(b, "", client.Gates(t))
	for _, p := range required(t) {
		if text := client.Comment(p); text != "" {
			b.WriteString("//\n")
			comment(b, "", argument(p)+": "+text)
		}
	}
	fmt.Fprintf(b, "%s\n", e.signature(t, t.GoName))
	var body strings.Builder
	for _, p := range required(t) {
		fmt.Fprintf(&body, "\t\t%s %s `json:%q`\n", p.GoName, e.goType(p.Type), p.Name)
	}
	values := make([]string, 0, len(required(t))+1)
	for _, p := range required(t) {
		values = append(values, argument(p))
	}
	arguments := "opts"
	if len(values) > 0 {
		arguments = fmt.Sprintf("struct {\n%s\t\t*%s\n\t}{%s}", body.String(), optionsName(t), strings.Join(append(values, "opts"), ", "))
	} else {
		b.WriteString("\tif opts == nil {\n\t\topts = new(" + optionsName(t) + ")\n\t}\n")
	}
	if t.Output != nil {
		fmt.Fprintf(b, "\treturn callOf[%s](ctx, c, %q, %s)\n}\n\n", t.Output.GoName, t.Name, arguments)
	} else {
		fmt.Fprintf(b, "\treturn c.call(ctx, %q, %s)\n}\n\n", t.Name, arguments)
	}
}

// deprecated renders the method of an older name of a tool.
func (e emitter) deprecated(b *strings.Builder, t *model.Tool, old string) {
	name := client.OldName(e.set, old)
	comment(b, "", name+" is an older name of "+t.GoName+".")
	b.WriteString("//\n")
	comment(b, "", "Deprecated: use [Client."+t.GoName+"].")
	values := []string{"ctx"}
	for _, p := range required(t) {
		values = append(values, argument(p))
	}
	fmt.Fprintf(b, "%s\n\treturn c.%s(%s)\n}\n\n", e.signature(t, name), t.GoName, strings.Join(append(values, "opts"), ", "))
}
