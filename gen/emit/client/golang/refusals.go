package golang

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/code"
)

const refusal = `// Code is why the server refused a call.
type Code string

// Refusal is a call that the server refused. errors.As finds it in the error of a call, and also the
// type of its code.
type Refusal struct {
	Code     Code   // "" where the server gave none
	Class    string // what kind of reason the code is; "" for a code that this client does not know
	Tool     string
	Message  string
	Common   CommonFields
	Envelope json.RawMessage // the structured content, with fields that this client does not know
}

// Error is the code and the message.
func (r *Refusal) Error() string {
	if r.Code == "" {
		return r.Tool + ": " + r.Message
	}
	return r.Tool + ": " + string(r.Code) + ": " + r.Message
}

// refused is the error of a result that is a refusal.
func refused(tool string, result *Result) error {
	r := &Refusal{Tool: tool, Message: result.Text()}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil || result.StructuredContent == nil {
		return r
	}
	r.Envelope = data
	var envelope struct {
		Code    Code
		Message string
	}
	if json.Unmarshal(data, &envelope) != nil {
		return r
	}
	_ = json.Unmarshal(data, &r.Common) // a code can have a field of the same name and another type
	r.Code = envelope.Code
	if envelope.Message != "" {
		r.Message = envelope.Message
	}
	return typed(r)
}

`

// refusals renders the errors of calls: a type for each code.
func (e emitter) refusals() string {
	var b strings.Builder
	b.WriteString(refusal)
	b.WriteString("// CommonFields are fields that a refusal with any code may have. A field that is left out is zero.\ntype CommonFields struct {\n")
	e.refusalFields(&b, e.set.CommonFields)
	b.WriteString("}\n\n// The codes.\nconst (\n")
	for _, c := range e.set.Codes {
		comment(&b, "\t", c.Description)
		fmt.Fprintf(&b, "\tCode%s Code = %q\n", c.GoName, string(c.Code))
	}
	b.WriteString(")\n\n")
	for _, c := range e.set.Codes {
		e.code(&b, c)
	}
	b.WriteString("// typed is the refusal as the type of its code, or itself when its code has none.\nfunc typed(r *Refusal) error {\n\tvar out error\n\tvar fields any\n\tswitch r.Code {\n")
	for _, c := range e.set.Codes {
		fmt.Fprintf(&b, "\tcase Code%s:\n\t\tr.Class = %q\n\t\te := &%sError{Refusal: r}\n\t\tout, fields = e, &e.Fields\n", c.GoName, string(c.Class), c.GoName)
	}
	b.WriteString("\tdefault:\n\t\treturn r\n\t}\n\tif json.Unmarshal(r.Envelope, fields) != nil {\n\t\treturn r\n\t}\n\treturn out\n}\n")
	return b.String()
}

// code renders the error type of one code.
func (e emitter) code(b *strings.Builder, c *model.Code) {
	comment(b, "", fmt.Sprintf("%sError is a refusal with the code %s (%s): %s", c.GoName, c.Code, c.Class, c.Description))
	fmt.Fprintf(b, "type %sError struct {\n\t*Refusal\n\tFields struct {\n", c.GoName)
	e.refusalFields(b, c.Fields)
	fmt.Fprintf(b, "\t}\n}\n\n// Unwrap returns the refusal.\nfunc (e *%sError) Unwrap() error { return e.Refusal }\n\n", c.GoName)
}

// refusalFields renders fields of envelopes.
func (e emitter) refusalFields(b *strings.Builder, fields []code.Field) {
	types := map[string]string{"string": "string", "number": "float64", "boolean": "bool", "array": "[]any", "object": "map[string]any", "any": "any"}
	for _, f := range fields {
		comment(b, "\t", f.Description)
		fmt.Fprintf(b, "\t%s %s `json:%q`\n", model.GoName(f.Name, e.set.Initialisms...), types[f.Type], f.Name+",omitzero")
	}
}
