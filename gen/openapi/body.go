package openapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/importer"
	"github.com/callsheet/callsheet/gen/upstream/httpclient"
)

// maxInput bounds the schema of the arguments, in bytes.
const maxInput = 64 << 10

// body reads the body of requests.
func (c *call) body() error {
	at := c.at.get("requestBody")
	if !at.exists() {
		return nil
	}
	body, err := at.resolve()
	if err != nil {
		return err
	}
	content := body.get("content").members()
	chosen := slices.IndexFunc(content, func(m named) bool { return isJSON(m.name) })
	if chosen < 0 {
		chosen = slices.IndexFunc(content, func(m named) bool { return m.name == httpclient.URLEncoded })
	}
	if chosen < 0 {
		chosen = slices.IndexFunc(content, func(m named) bool { return strings.HasPrefix(m.name, "text/") })
	}
	if chosen < 0 {
		return c.refuseBody(body, content)
	}
	kind := content[chosen]
	if len(content) > 1 {
		c.decide(body.get("content"), importer.Dropped, reason{"the other media types of the body are not used", "calls have " + kind.name, "nothing"})
	}
	required := body.get("required").isTrue()
	if why := c.idle(kind); why != "" && !required {
		c.decide(body, importer.Dropped, reason{"requests have no body", why, "nothing"})
		return nil
	}
	before := *c
	err = c.arguments(body, kind, required)
	if err == nil && c.size() <= maxInput {
		return nil
	}
	if err != nil && !errors.Is(err, errLarge) {
		return err
	}
	*c = before // but for the decisions: the reader has those
	c.decide(kind.value, importer.Changed, reason{"the body is one argument, whose schema is not said", fmt.Sprintf("with all that it refers to it has more than %d bytes", maxInput),
		"make the schema smaller with an overlay, or say in the description what the body has"})
	c.operation.Body = &httpclient.Body{Type: kind.name, Argument: c.argument(kind.value, "body", "content")}
	c.add(c.operation.Body.Argument, described(object{{"type", "object"}}, body.get("description").text()), required)
	return nil
}

// idle is why a body would say nothing; "" when it may say something.
func (c *call) idle(kind named) string {
	schema, err := kind.get("schema").resolve()
	switch {
	case c.operation.Method == "GET" || c.operation.Method == "HEAD":
		return "HTTP gives the body of " + c.operation.Method + " no meaning"
	case err == nil && schema.get("type").text() == "object" && len(schema.get("properties").members()) == 0 && schema.get("properties").exists() && !schema.get("additionalProperties").isTrue():
		return "its object has no properties"
	}
	return ""
}

// size is the size of the arguments so far, in bytes.
func (c *call) size() int {
	raw, err := encode(append(slices.Clone(c.input), field{"$defs", c.defs.list}))
	if err != nil { // the end reports it
		return 0
	}
	return len(raw)
}

// arguments makes arguments of a body.
func (c *call) arguments(body value, kind named, required bool) error {
	c.defs = c.defs.clone()
	c.operation.Body = &httpclient.Body{Type: kind.name}
	schema := kind.get("schema")
	if isJSON(kind.name) || kind.name == httpclient.URLEncoded {
		o, why := c.doc.members(schema, nil)
		if why == "" && !required && len(o.required) > 0 {
			why = "the body may be left out, and its object requires properties"
		}
		if why == "" {
			return c.spread(kind, o, required)
		}
		c.decide(kind.value, importer.Changed, reason{"the body is one argument, and not one for each property", why, "nothing"})
	}
	return c.whole(body, kind, required)
}

// refuseBody reports a body that cannot be written.
func (c *call) refuseBody(body value, content []named) error {
	var kinds []string
	for _, m := range content {
		kinds = append(kinds, m.name)
	}
	why := fmt.Sprintf("bodies of %s cannot be written", strings.Join(kinds, ", "))
	if body.get("required").isTrue() {
		return &problem{body.at, why}
	}
	c.decide(body, importer.Dropped, reason{"requests have no body", why, "nothing"})
	return nil
}

// whole makes the body one argument.
func (c *call) whole(body value, kind named, required bool) error {
	var converted any = object{}
	if schema := kind.get("schema"); schema.exists() {
		var err error
		if converted, err = c.doc.convert(schema, true, c.defs, &c.lost); err != nil {
			return err
		}
	}
	if strings.HasPrefix(kind.name, "text/") {
		converted = object{{"type", "string"}}
	}
	name := c.argument(kind.value, "body", "content")
	c.add(name, described(converted, body.get("description").text()), required)
	b := c.operation.Body
	b.Argument = name
	if kind.name == httpclient.URLEncoded {
		for _, e := range kind.get("encoding").members() {
			m := httpclient.Member{Name: e.name}
			m.Style, m.Explode = encoding(kind, e.name)
			b.Styles = append(b.Styles, m)
		}
	}
	return nil
}

// spread makes each property of the body an argument.
func (c *call) spread(kind named, o members, required bool) error {
	b := c.operation.Body
	b.Required = required
	for _, p := range o.properties {
		if (&schemas{request: true}).hides(p.value) {
			c.lost.add(hiddenProperty(true), p.at)
			continue
		}
		converted, err := c.doc.convert(p.value, true, c.defs, &c.lost)
		if err != nil {
			return err
		}
		m := httpclient.Member{Name: p.name, Argument: c.argument(p.value, p.name, "body")}
		if kind.name == httpclient.URLEncoded {
			m.Style, m.Explode = encoding(kind, p.name)
		}
		c.add(m.Argument, converted, slices.Contains(o.required, p.name))
		b.Members = append(b.Members, m)
	}
	return nil
}

// encoding is how a property of a urlencoded body is written.
func encoding(kind named, name string) (style string, explode bool) {
	e := kind.get("encoding").get(name)
	if style = e.get("style").text(); style == "" {
		style = "form"
	}
	explode = style == "form" || style == httpclient.DeepObject
	if x := e.get("explode"); x.exists() {
		explode = x.isTrue()
	}
	return style, explode
}

// members are the properties of an object, and those that it must have.
type members struct {
	properties []named
	required   []string
}

// plainKeywords are those of an object that its properties say everything about.
var plainKeywords = []string{
	"type", "properties", "required", "additionalProperties", "title", "description", "example", "examples", "xml", "externalDocs", "default", "deprecated",
	"allOf", "nullable", "discriminator", "$ref", "$schema",
}

// members reads an object whose members are its properties alone, through references and allOf. Open are the places
// of the schemas that it is a part of. Why says what else a schema is.
func (d *document) members(schema value, open []string) (out members, why string) {
	if !schema.exists() {
		return out, "the body has no schema"
	}
	v, err := schema.resolve()
	if err != nil {
		return out, err.Error()
	}
	if slices.Contains(open, v.at) {
		return out, errRecursive.Error()
	}
	open = append(slices.Clone(open), v.at)
	parts := v.get("allOf").items()
	if why := notPlain(v, len(parts) > 0); why != "" {
		return out, why
	}
	for _, part := range parts {
		inner, why := d.members(part, open)
		if why != "" {
			return out, why
		}
		out.properties = append(out.properties, inner.properties...)
		out.required = append(out.required, inner.required...)
	}
	out.properties = append(out.properties, v.get("properties").members()...)
	out.required = append(out.required, v.get("required").texts()...)
	seen := map[string]bool{}
	for _, p := range out.properties {
		if seen[p.name] {
			return out, fmt.Sprintf("two parts of its allOf have %q", p.name)
		}
		seen[p.name] = true
	}
	for _, name := range out.required {
		if len(parts) == 0 && !seen[name] {
			return out, fmt.Sprintf("it requires %q, which is no property", name)
		}
	}
	if len(out.properties) == 0 {
		return out, "the object has no properties"
	}
	return out, ""
}

// notPlain is what a schema is beside an object with properties; "" when it is nothing else.
func notPlain(v value, composed bool) string {
	for _, m := range v.members() {
		if !slices.Contains(plainKeywords, m.name) && !strings.HasPrefix(m.name, "x-") {
			return fmt.Sprintf("its schema has %s", m.name)
		}
	}
	switch additional := v.get("additionalProperties"); {
	case additional.exists() && !additional.isFalse():
		return "the object takes members beside its properties"
	case additional.isFalse() && composed:
		return "its schema has allOf"
	case v.get("nullable").isTrue():
		return "it may be null"
	case v.get("type").text() != "object" && !v.get("properties").exists() && !composed:
		return "it is no object"
	}
	return ""
}
