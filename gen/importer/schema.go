package importer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/upstream"
)

// unfit is why a schema has no form in the manifest's grammar.
type unfit struct{ path, why string }

func (u unfit) Error() string { return u.path + ": " + u.why }

// converter writes one schema in the manifest's grammar.
type converter struct {
	closed  []string // pointers to objects that say nothing of further members
	dropped []string // pointers to annotations that the grammar does not have
	held    []string // pointers to formats
}

// input is the lines of the input, or "" where the schema stays in the record.
func (m *importer) input(t upstream.Tool) string {
	c := &converter{}
	text, err := c.parameters(t.InputSchema)
	if err == nil {
		err = compiles(text)
	}
	if err != nil {
		path, why := "", err.Error()
		if u, ok := errors.AsType[unfit](err); ok {
			path, why = u.path, u.why
		}
		m.decide(t.Name, "/inputSchema"+path, Kept, reason{"the schema of arguments is held and sent as the server sends it", why, "nothing, or write input for a part of it"})
		return ""
	}
	for _, path := range c.closed {
		m.decide(t.Name, "/inputSchema"+path, Changed, reason{"members that the schema does not name are refused",
			"the server does not say whether it takes any, and objects of a manifest are closed", "delete input to have the server's schema"})
	}
	for _, path := range c.dropped {
		m.decide(t.Name, "/inputSchema"+path, Dropped, reason{"the annotation is not sent", "a manifest has no place for it", "nothing, or say it in a description"})
	}
	for _, path := range c.held {
		m.decide(t.Name, "/inputSchema"+path, Changed, reason{"each call is held to the format", "formats of a manifest are checked; a server may only mention them",
			"delete format if the server takes other texts"})
	}
	return text
}

// compiles holds an input against the compiler itself.
func compiles(input string) error {
	files := []spec.File{{Name: rootFile, Data: []byte("version: 1\ncapabilities: {core: {title: C, description: c}}\n" +
		"scopes: {default: {status: open, since: \"1\"}}\nupstream: {command: [x]}\ntools:\n  - name: t\n    title: T\n    description: d\n    forward: t\n    capability: core\n" +
		"    scope: default\n    effects: {read_only: true, destructive: false, idempotent: true, open_world: true}\n    visible: always\n" + input)}}
	tree, diags := spec.Parse(rootFile, files)
	if tree != nil {
		_, more := model.Resolve("m", tree)
		diags = append(diags, more...)
	}
	for _, d := range diags {
		return fmt.Errorf("the compiler refuses it: %s", d.Message)
	}
	return nil
}

// parameters writes the key input of an entry.
func (c *converter) parameters(schema []byte) (string, error) {
	n, err := readNode(schema)
	if err != nil {
		return "", err
	}
	n = n.without("$schema", "$id")
	if n.kind != '{' || !n.get("type").is('"', "object") {
		return "", unfit{"", "the arguments are not described as an object"}
	}
	if d := n.get("description"); d != nil {
		c.dropped = append(c.dropped, "/description")
		n = n.without("description")
	}
	names, required, err := c.members(n, "", true)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "    input: {}\n", nil
	}
	var b strings.Builder
	b.WriteString("    input:\n")
	for _, m := range names {
		text, err := c.property(m.value, "/properties/"+pointer(m.name), slices.Contains(required, m.name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "      %s: %s\n", key(m.name), text)
	}
	return b.String(), nil
}

// key writes a name of a property, which YAML may take for something else.
func key(name string) string { return scalar(name) }

// members reads the keywords of an object with properties.
func (c *converter) members(n *node, path string, parameters bool) ([]member, []string, error) {
	if err := only(n, path, "type", "description", "title", "properties", "required", "additionalProperties"); err != nil {
		return nil, nil, err
	}
	c.annotations(n, path)
	var required []string
	if r := n.get("required"); r != nil {
		var ok bool
		if required, ok = r.texts(); !ok {
			return nil, nil, unfit{path + "/required", "it is no list of names"}
		}
	}
	properties := n.get("properties")
	if properties == nil {
		properties = &node{kind: '{'}
	}
	for _, name := range required {
		if properties.get(name) == nil {
			return nil, nil, unfit{path + "/required", fmt.Sprintf("it demands %q, which is no property", name)}
		}
	}
	switch additional := n.get("additionalProperties"); {
	case additional == nil:
		c.closed = append(c.closed, path)
	case !additional.is('t', "false"):
		if parameters || len(properties.members) > 0 {
			return nil, nil, unfit{path + "/additionalProperties", "the object takes members beside its properties"}
		}
	}
	return properties.members, required, nil
}

// annotations notes what has no place in a manifest and changes no value.
func (c *converter) annotations(n *node, path string) {
	if n.get("title") != nil {
		c.dropped = append(c.dropped, path+"/title")
	}
}

// only refuses keywords that are not among the names.
func only(n *node, path string, names ...string) error {
	for _, m := range n.members {
		if !slices.Contains(names, m.name) {
			return unfit{path + "/" + pointer(m.name), m.name + " has no form in a manifest"}
		}
	}
	return nil
}

// property writes the schema of a value as a flow mapping.
func (c *converter) property(n *node, path string, required bool) (string, error) {
	if n.kind != '{' {
		return "", unfit{path, "a schema that is true or false has no form in a manifest"}
	}
	parts, err := c.value(n, path)
	if err != nil {
		return "", err
	}
	if required {
		parts = slices.Insert(parts, 1, "required: true")
	}
	if d := n.get("description"); d != nil {
		parts = append(parts, "description: "+scalar(d.text))
	}
	if d := n.get("default"); d != nil {
		if required {
			return "", unfit{path + "/default", "a required parameter has a default"}
		}
		value, err := literal(d, path+"/default")
		if err != nil {
			return "", err
		}
		parts = append(parts, "default: "+value)
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}

func literal(n *node, path string) (string, error) {
	switch n.kind {
	case '"':
		return scalar(n.text), nil
	case '0', 't':
		return n.text, nil
	}
	return "", unfit{path, "a default is a text, a number, true or false"}
}

// value writes the type of a value and its limits; the type comes first.
func (c *converter) value(n *node, path string) ([]string, error) {
	c.annotations(n, path)
	n = n.without("title")
	if inner, ok := nullable(n); ok {
		parts, err := c.value(inner, path)
		return append(parts, "nullable: true"), err
	}
	n = n.without("description", "default")
	kind := n.get("type")
	if k := n.get("const"); k != nil && k.kind == '"' {
		if err := only(n, path, "type", "const"); err != nil {
			return nil, err
		}
		return []string{"type: string", "enum: [" + scalar(k.text) + "]"}, nil
	}
	if kind == nil && len(n.members) == 0 {
		return []string{"type: any"}, nil
	}
	if kind == nil || kind.kind != '"' {
		if err := only(n, path, "type"); err != nil {
			return nil, err
		}
		return nil, unfit{path + "/type", "a manifest has one type for each value"}
	}
	switch kind.text {
	case "string":
		return c.text(n, path)
	case "integer", "number":
		return number(n, path, kind.text)
	case "boolean":
		return []string{"type: boolean"}, only(n, path, "type")
	case "array":
		return c.array(n, path)
	case "object":
		return c.object(n, path)
	}
	return nil, unfit{path + "/type", fmt.Sprintf("%q is no type of a manifest", kind.text)}
}

// nullable recognises the two ways to say that a value may be null, and returns the schema of the
// other values.
func nullable(n *node) (*node, bool) {
	if t := n.get("type"); t != nil && t.kind == '[' && len(t.items) == 2 {
		for i, item := range t.items {
			if item.is('"', "null") {
				out := n.without("type")
				out.members = append([]member{{"type", t.items[1-i]}}, out.members...)
				return out, true
			}
		}
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		of := n.get(word)
		if of == nil || len(of.items) != 2 || len(n.without(word, "description", "default").members) > 0 {
			continue
		}
		for i, item := range of.items {
			inner := of.items[1-i]
			isNull := item.kind == '{' && len(item.members) == 1 && item.get("type").is('"', "null")
			if isNull && inner.kind == '{' && inner.get("description") == nil && inner.get("default") == nil {
				return inner, true
			}
		}
	}
	return nil, false
}

// limits writes keywords whose values are numbers, under the names that the manifest has too.
func limits(n *node, path string, names ...string) ([]string, error) {
	var out []string
	for _, name := range names {
		v := n.get(name)
		if v == nil {
			continue
		}
		if v.kind != '0' {
			return nil, unfit{path + "/" + name, "it is no number"}
		}
		if v.text == "0" && strings.HasPrefix(name, "max") {
			return nil, unfit{path + "/" + name, "manifests have no upper limit of 0"}
		}
		out = append(out, name+": "+v.text)
	}
	return out, nil
}

func number(n *node, path, kind string) ([]string, error) {
	if err := only(n, path, "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"); err != nil {
		return nil, err
	}
	for _, x := range []struct {
		exclusive, name string
		step            int
	}{{"exclusiveMinimum", "minimum", 1}, {"exclusiveMaximum", "maximum", -1}} {
		v := n.get(x.exclusive)
		if v == nil {
			continue
		}
		whole, err := strconv.Atoi(v.text)
		if kind != "integer" || err != nil || n.get(x.name) != nil {
			return nil, unfit{path + "/" + x.exclusive, "limits of numbers include the limit"}
		}
		n = n.without(x.exclusive)
		n.members = append(n.members, member{x.name, &node{kind: '0', text: strconv.Itoa(whole + x.step)}})
	}
	parts, err := limits(n, path, "minimum", "maximum")
	return append([]string{"type: " + kind}, parts...), err
}

func (c *converter) text(n *node, path string) ([]string, error) {
	if err := only(n, path, "type", "enum", "pattern", "format", "minLength", "maxLength"); err != nil {
		return nil, err
	}
	parts := []string{"type: string"}
	if e := n.get("enum"); e != nil {
		values, ok := e.texts()
		if !ok {
			return nil, unfit{path + "/enum", "values of an enum are texts"}
		}
		for i, v := range values {
			values[i] = scalar(v)
		}
		parts = append(parts, "enum: ["+strings.Join(values, ", ")+"]")
	}
	for _, name := range []string{"pattern", "format"} {
		if v := n.get(name); v != nil {
			parts = append(parts, name+": "+scalar(v.text))
		}
	}
	if n.get("format") != nil {
		c.held = append(c.held, path+"/format")
	}
	more, err := limits(n, path, "minLength", "maxLength")
	return append(parts, more...), err
}

func (c *converter) array(n *node, path string) ([]string, error) {
	if err := only(n, path, "type", "items", "minItems", "maxItems"); err != nil {
		return nil, err
	}
	items := n.get("items")
	if items == nil {
		return nil, unfit{path, "the items have no schema"}
	}
	inner, err := c.property(items, path+"/items", false)
	if err != nil {
		return nil, err
	}
	more, err := limits(n, path, "minItems", "maxItems")
	return append([]string{"type: array", "items: " + inner}, more...), err
}

func (c *converter) object(n *node, path string) ([]string, error) {
	additional := n.get("additionalProperties")
	if p := n.get("properties"); p == nil || len(p.members) == 0 {
		if err := only(n, path, "type", "properties", "additionalProperties", "minProperties", "maxProperties"); err != nil {
			return nil, err
		}
		if additional == nil || additional.is('t', "true") || additional.kind == '{' && len(additional.members) == 0 {
			return []string{"type: object", "additionalProperties: true"}, only(n, path, "type", "properties", "additionalProperties")
		}
		if additional.kind == '{' {
			values, err := c.property(additional, path+"/additionalProperties", false)
			if err != nil {
				return nil, err
			}
			more, err := limits(n, path, "minProperties", "maxProperties")
			return append([]string{"type: object", "additionalProperties: " + values}, more...), err
		}
	}
	names, required, err := c.members(n, path, false)
	if err != nil {
		return nil, err
	}
	var inner []string
	for _, m := range names {
		text, err := c.property(m.value, path+"/properties/"+pointer(m.name), slices.Contains(required, m.name))
		if err != nil {
			return nil, err
		}
		inner = append(inner, key(m.name)+": "+text)
	}
	return []string{"type: object", "properties: {" + strings.Join(inner, ", ") + "}"}, nil
}

// Input writes the schema of a tool's arguments as the key input of an entry, indented as in an area of a
// manifest. The error says which part of the schema has no form in the manifest's grammar.
func Input(schema []byte) (string, error) {
	c := &converter{}
	text, err := c.parameters(schema)
	if err != nil {
		return "", err
	}
	return text, compiles(text)
}
