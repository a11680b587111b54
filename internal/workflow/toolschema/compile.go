package toolschema

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaAddress stands for the address of a tool's schema, which has none.
const schemaAddress = "tool:schema"

// compile compiles a schema with the library; nil if it cannot be. Values are not held to formats,
// which servers often declare without checking them, and no schema is loaded from elsewhere.
func compile(raw json.RawMessage) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	for name := range strings.FieldsSeq(formats) {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if c.AddResource(schemaAddress, doc) != nil {
		return nil
	}
	s, err := c.Compile(schemaAddress)
	if err != nil {
		return nil // this package's own checks still apply
	}
	return s
}

// formats are the formats that the library checks in drafts before 2019-09.
const formats = "json-pointer relative-json-pointer uuid duration period ipv4 ipv6 hostname email date time date-time uri iri uri-reference iri-reference uri-template semver"

// leaves lists the innermost errors of a validation, each with its keyword as the hint.
func leaves(e *jsonschema.ValidationError) []Violation {
	if len(e.Causes) == 0 {
		return []Violation{{Path: e.InstanceLocation, Message: e.BasicOutput().Error.String(), Hint: strings.Join(e.ErrorKind.KeywordPath(), "/")}}
	}
	var out []Violation
	for _, cause := range e.Causes {
		out = append(out, leaves(cause)...)
	}
	return out
}
