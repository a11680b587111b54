package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/importer"
	"github.com/callsheet/callsheet/gen/upstream"
	"github.com/callsheet/callsheet/gen/upstream/httpclient"
)

// methods are the members of a path item that are operations, with what HTTP says of their effects;
// nil where it says nothing.
func methods() map[string]upstream.Annotations {
	yes, no := true, false
	safe := upstream.Annotations{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &yes}
	replaces := upstream.Annotations{ReadOnly: &no, Destructive: &yes, Idempotent: &yes, OpenWorld: &yes}
	return map[string]upstream.Annotations{
		"get": safe, "head": safe, "options": safe, "trace": safe, "put": replaces, "delete": replaces,
		"post":  {ReadOnly: &no, Idempotent: &no, OpenWorld: &yes},
		"patch": {ReadOnly: &no, Destructive: &yes, Idempotent: &no, OpenWorld: &yes},
	}
}

// path reads the operations of a path.
func (r *reader) path(item named) {
	resolved, err := item.resolve()
	if err != nil {
		r.refuse(item.value, err)
		return
	}
	known := methods()
	for _, m := range resolved.members() {
		if _, ok := known[m.name]; !ok {
			continue
		}
		at, err := m.resolve()
		if err != nil {
			r.refuse(m.value, err)
			continue
		}
		r.operation(item.name, resolved, named{m.name, at})
	}
}

// refuse reports an operation that becomes no tool.
func (r *reader) refuse(v value, err error) {
	var p *problem
	why := err.Error()
	if errors.As(err, &p) {
		why = p.why + " (" + p.at + ")"
	}
	r.decide(v, importer.Dropped, reason{"the operation is not in the manifest", why, "call the interface itself where you need it, or change the document with an overlay"})
}

// call is an operation on its way to a tool.
type call struct {
	*reader
	at        value
	operation httpclient.Operation
	input     object   // properties by argument
	required  []string // arguments
	defs      *definitions
	lost      losses
}

func (r *reader) operation(path string, item value, m named) {
	r.tool = r.name(path, m)
	defer func() { r.tool = "" }()
	c := &call{reader: r, at: m.value, operation: httpclient.Operation{Method: strings.ToUpper(m.name), Path: path}, defs: newDefinitions()}
	t := upstream.Tool{Name: r.tool, Title: strings.TrimRight(oneLine(m.get("summary").text()), "."), Description: strings.TrimSpace(m.get("description").text())}
	if t.Description == "" {
		t.Description = strings.TrimSpace(m.get("summary").text())
	}
	if tags := m.get("tags").texts(); len(tags) > 0 {
		t.Group = tags[0]
		if len(tags) > 1 {
			r.decide(m.get("tags"), importer.Dropped, reason{"the further tags say nothing: " + strings.Join(tags[1:], ", "), "a tool has one capability, that of the first tag", "nothing"})
		}
	}
	err := c.parameters(item)
	if err == nil {
		err = c.body()
	}
	if err == nil {
		t.OutputSchema, err = c.output()
	}
	if err == nil {
		err = c.finish(item, &t, methods()[m.name])
	}
	if err != nil {
		r.refuse(m.value, err)
		return
	}
	r.result.List.Tools = append(r.result.List.Tools, t)
}

// name is the operationId, or the method and the path, and unique.
func (r *reader) name(path string, m named) string {
	base := m.get("operationId").text()
	if base == "" {
		base = m.name + strings.NewReplacer("{", "by-", "}", "", "/", "-").Replace(path)
		r.tool = base
		r.decide(m.value, importer.Added, reason{fmt.Sprintf("the operation is called %q", base), "the document has no operationId for it", "write operationId with an overlay"})
	}
	name := base
	for n := 2; r.tools[name] != ""; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	if name != base {
		r.tool = name
		r.decide(m.value, importer.Changed, reason{fmt.Sprintf("the operation is called %q", name), fmt.Sprintf("%s is called %q too", r.tools[base], base), "write another operationId with an overlay"})
	}
	r.tools[name] = m.at
	return name
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// finish puts together what was gathered.
func (c *call) finish(item value, t *upstream.Tool, effects upstream.Annotations) error {
	c.operation.Security = c.security
	if own := c.at.get("security"); own.exists() {
		c.operation.Security = c.requirements(own)
	}
	for _, from := range []value{c.at, item} {
		if servers := from.get("servers").items(); len(servers) > 0 && c.operation.Server == "" {
			c.operation.Server = absolute(c.address(servers[0]), c.result.Server)
			c.decide(servers[0], importer.Changed, reason{"calls, with their credentials, go to " + c.operation.Server, "the operation has a server of its own", "delete the tool if that server is not trusted"})
		}
	}
	for _, word := range []string{"callbacks", "deprecated"} {
		if v := c.at.get(word); v.exists() && !v.isFalse() {
			c.decide(v, importer.Dropped, reason{word + " is not said", "a tool has no place for it", "say it in the description, or leave the tool out"})
		}
	}
	for _, name := range c.lost.names {
		if strings.HasPrefix(name, "x-") || slices.Contains([]string{"example", "examples", "externalDocs", "readOnly", "writeOnly"}, name) {
			continue // said once of the whole document, or of the property
		}
		at := c.lost.first[name]
		more := ""
		if n := c.lost.count[name]; n > 1 {
			more = fmt.Sprintf(", at %d places of which this is the first", n)
		}
		c.decide(value{at: at}, importer.Dropped, reason{name + " is not in the schema" + more, whyLost(name), "nothing"})
	}
	input := object{{"type", "object"}, {"properties", c.input}}
	if len(c.required) > 0 {
		input = append(input, field{"required", c.required})
	}
	input = append(input, field{"additionalProperties", false})
	if len(c.defs.list) > 0 {
		input = append(input, field{"$defs", c.defs.list})
	}
	var err error
	if t.InputSchema, err = encode(input); err != nil {
		return err
	}
	if t.Annotations, err = encode(effects); err != nil {
		return err
	}
	t.Operation, err = json.Marshal(c.operation)
	return err
}

func whyLost(keyword string) string {
	switch keyword {
	case hiddenProperty(true):
		return "requests do not have the property"
	case hiddenProperty(false):
		return "responses do not have the property"
	case "format":
		return "it is no format that is checked"
	case "pattern that is not of RE2":
		return "it has look-ahead or another form that takes exponential time"
	}
	return "JSON Schema has no such keyword, or it changes no value"
}

// argument finds a name for a value of the call: letters, digits and underscores, and unique.
func (c *call) argument(v value, name, in string) string {
	base := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, name), "_")
	if base == "" || base[0] >= '0' && base[0] <= '9' {
		base = strings.TrimRight("p_"+base, "_")
	}
	out := base
	for n := 1; c.input.get(out) != nil; n++ {
		if out = base + "_" + in; n > 1 {
			out = fmt.Sprintf("%s_%d", out, n)
		}
	}
	if out != name {
		c.decide(v, importer.Changed, reason{fmt.Sprintf("the argument for %q is called %q", name, out), "arguments have letters, digits and underscores, and one name each", "nothing"})
	}
	return out
}

// add adds an argument with its schema.
func (c *call) add(name string, schema any, required bool) {
	if o, ok := schema.(object); ok && required {
		schema, _ = o.without("default") // a default of what is always given says nothing
	}
	c.input = append(c.input, field{name, schema})
	if required && !slices.Contains(c.required, name) {
		c.required = append(c.required, name)
	}
}
