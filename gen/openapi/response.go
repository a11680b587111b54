package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/importer"
	"github.com/callsheet/callsheet/gen/upstream/httpclient"
)

// maxOutput bounds a schema of results, in bytes.
const maxOutput = 32 << 10

// output is the schema of results: that of the one response of 2xx with JSON; nil when there is none, or more.
func (c *call) output() (json.RawMessage, error) {
	var schemas []value
	var kinds []string
	silent := value{} // a response of 2xx without a schema
	for _, m := range c.at.get("responses").members() {
		if !strings.HasPrefix(m.name, "2") {
			continue
		}
		response, err := m.resolve()
		if err != nil {
			return nil, err
		}
		schema := value{}
		for _, content := range response.get("content").members() {
			kinds = append(kinds, content.name)
			if isJSON(content.name) && !schema.exists() {
				schema = content.get("schema")
			}
		}
		if !schema.exists() {
			silent = m.value
			continue
		}
		schemas = append(schemas, schema)
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	if i := slices.IndexFunc(kinds, isJSON); i > 0 { // what the schema describes comes first
		kinds[0], kinds[i] = kinds[i], kinds[0]
	}
	if i := slices.IndexFunc(kinds, isJSON); i >= 0 {
		kinds = kinds[i : i+1]
	}
	c.operation.Accept = strings.Join(kinds, ", ")
	switch {
	case len(schemas) == 0:
		return nil, nil
	case len(schemas) > 1 || silent.exists():
		c.decide(c.at.get("responses"), importer.Dropped, reason{"there is no schema of results", "successes differ in what they have, and a tool has one schema", "nothing"})
		return nil, nil
	}
	return c.results(schemas[0])
}

// results writes the schema of results, which describes an object.
func (c *call) results(schema value) (json.RawMessage, error) {
	defs, lost := newDefinitions(), losses{}
	converted, err := c.doc.convert(schema, false, defs, &lost)
	if errors.Is(err, errLarge) {
		c.tooLarge(schema)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out, plain := converted.(object)
	switch {
	case plain && isObject(schema, map[string]bool{}):
		if out.get("type") == nil { // lists of tools need it
			out = append(object{{"type", "object"}}, out...)
		}
	default:
		out = object{{"type", "object"}, {"properties", object{{"result", converted}}}, {"required", []string{"result"}}}
		c.operation.Wrapped = true
		c.decide(schema, importer.Changed, reason{`structured results are {"result": VALUE}`, "the protocol has objects there, and the document describes another value", "nothing"})
	}
	if len(defs.list) > 0 {
		out = append(out, field{"$defs", defs.list})
	}
	if at, ok := lost.first[hiddenProperty(false)]; ok {
		c.lost.add(hiddenProperty(false), at)
	}
	raw, err := encode(out)
	if len(raw) > maxOutput {
		c.operation.Wrapped = false
		c.tooLarge(schema)
		return nil, nil
	}
	return raw, err
}

// isObject reports whether every value of a schema is an object. Known has the results by place, so that each schema is
// read once: one may have itself as a part, which says nothing.
func isObject(schema value, known map[string]bool) bool {
	v, err := schema.resolve()
	if err != nil {
		return false
	}
	if is, ok := known[v.at]; ok {
		return is
	}
	known[v.at] = false // for its parts
	known[v.at] = v.hasObjects(known)
	return known[v.at]
}

func (v value) hasObjects(known map[string]bool) bool {
	if v.get("nullable").isTrue() {
		return false
	}
	if kind := v.get("type"); kind.exists() {
		return kind.text() == "object"
	}
	for _, part := range v.get("allOf").items() {
		if isObject(part, known) {
			return true
		}
	}
	branches := append(v.get("oneOf").items(), v.get("anyOf").items()...)
	for _, branch := range branches {
		if !isObject(branch, known) {
			return false
		}
	}
	return len(branches) > 0 || v.get("properties").exists()
}

// tooLarge reports a schema of results that is not sent.
func (c *call) tooLarge(schema value) {
	c.decide(schema, importer.Dropped, reason{"there is no schema of results", fmt.Sprintf("it has more than %d bytes with all that it refers to, and every client would get it with the list", maxOutput),
		"make the schema smaller with an overlay, if clients need it"})
}

// requirements reads alternatives of security. One that has a scheme that requests cannot satisfy is left out.
func (r *reader) requirements(v value) [][]httpclient.Scheme {
	var out [][]httpclient.Scheme
	for _, alternative := range v.items() {
		schemes := []httpclient.Scheme{}
		usable := true
		for _, m := range alternative.members() {
			s, why := r.scheme(m.name)
			if why != "" {
				r.decide(m.value, importer.Dropped, reason{"calls have no credentials of " + m.name, why, "write a header at upstream.headers, if that is enough"})
				usable = false
				break
			}
			schemes = append(schemes, s)
		}
		if !usable {
			continue
		}
		for _, s := range schemes {
			r.schemes[s.Name] = true
		}
		out = append(out, schemes)
	}
	return out
}

// scheme reads a security scheme; why says that requests cannot satisfy it.
func (r *reader) scheme(name string) (out httpclient.Scheme, why string) {
	v, err := r.doc.top().get("components").get("securitySchemes").get(name).resolve()
	if err != nil {
		return out, err.Error()
	}
	out.Name = name
	switch kind := v.get("type").text(); kind {
	case "apiKey":
		out.In, out.Field = v.get("in").text(), v.get("name").text()
		if !slices.Contains([]string{"header", "query", "cookie"}, out.In) || out.Field == "" {
			return out, "the scheme does not say where its key goes"
		}
	case "oauth2", "openIdConnect":
		out.In = httpclient.Bearer
	case "http":
		if out.In = strings.ToLower(v.get("scheme").text()); out.In != httpclient.Bearer && out.In != httpclient.Basic {
			return out, "the scheme " + out.In + " of HTTP is not supported"
		}
	case "":
		return out, "the document does not describe the scheme"
	default:
		return out, "schemes of " + kind + " are not supported"
	}
	return out, ""
}
