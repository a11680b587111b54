package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/importer"
	"github.com/callsheet/callsheet/gen/upstream/httpclient"
)

// styles are those that a place of a parameter can have; the first is the default.
var styles = map[string][]string{
	"path": {"simple", "label", "matrix"}, "query": {"form", "spaceDelimited", "pipeDelimited", "deepObject"}, "header": {"simple"}, "cookie": {"form"},
}

// ownHeaders are those that the request has for reasons of its own.
var ownHeaders = []string{"accept", "content-type", "authorization", "host", "content-length", "connection", "transfer-encoding", "upgrade", "te", "trailer"}

// parameters reads the parameters of the path and of the operation, which override those.
func (c *call) parameters(item value) error {
	var order []string
	found := map[string]value{}
	for _, v := range append(item.get("parameters").items(), c.at.get("parameters").items()...) {
		p, err := v.resolve()
		if err != nil {
			return err
		}
		key := p.get("in").text() + " " + p.get("name").text()
		if !found[key].exists() {
			order = append(order, key)
		}
		found[key] = p
	}
	for _, key := range order {
		if err := c.parameter(found[key]); err != nil {
			return err
		}
	}
	for _, part := range strings.Split(c.operation.Path, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		if !found["path "+name].exists() {
			return &problem{c.at.at, fmt.Sprintf("the path has {%s}, and no parameter is called so", name)}
		}
	}
	return nil
}

func (c *call) parameter(p value) error {
	name, in := p.get("name").text(), p.get("in").text()
	allowed, ok := styles[in]
	if !ok || name == "" {
		return &problem{p.at, fmt.Sprintf("a parameter called %q in %q cannot be sent", name, in)}
	}
	if in == "header" && slices.Contains(ownHeaders, strings.ToLower(name)) {
		c.decide(p, importer.Dropped, reason{fmt.Sprintf("the header %s is no argument", name), "the request has it for reasons of its own", "write it at upstream.headers if each request needs it"})
		return nil
	}
	required := p.get("required").isTrue() || in == "path"
	out := httpclient.Parameter{Name: name, In: in, Style: p.get("style").text(), AllowReserved: p.get("allowReserved").isTrue()}
	if out.Style == "" {
		out.Style = allowed[0]
	}
	if !slices.Contains(allowed, out.Style) {
		return &problem{p.at + "/style", fmt.Sprintf("a parameter in the %s cannot be written in the style %q", in, out.Style)}
	}
	out.Explode = out.Style == "form" || out.Style == httpclient.DeepObject
	if e := p.get("explode"); e.exists() {
		out.Explode = e.isTrue()
	}
	schema := p.get("schema")
	if content := p.get("content").members(); len(content) > 0 {
		if !isJSON(content[0].name) {
			return &problem{content[0].at, fmt.Sprintf("a parameter of %s cannot be written", content[0].name)}
		}
		out.Style, out.Explode, schema = httpclient.JSONText, false, content[0].get("schema")
	}
	var converted any = object{}
	if schema.exists() {
		var err error
		if converted, err = c.doc.convert(schema, true, c.defs, &c.lost); err != nil {
			return err
		}
	}
	out.Argument = c.argument(p, name, in)
	c.add(out.Argument, described(converted, p.get("description").text()), required)
	c.operation.Parameters = append(c.operation.Parameters, out)
	return nil
}

// described is a schema with a description, if it is an object.
func described(schema any, text string) any {
	o, ok := schema.(object)
	if text = strings.TrimSpace(text); !ok || text == "" {
		return schema
	}
	return slices.Clone(o).with("description", text)
}

func isJSON(kind string) bool {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	kind = strings.TrimSpace(kind)
	return kind == httpclient.JSON || strings.HasSuffix(kind, "+json")
}
