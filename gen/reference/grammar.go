package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// grammar is the data of the page: objects, types, rules and examples.
type grammar struct {
	objects  []*object // the root of each file before the mappings in it
	byName   map[string]*object
	defs     jsonschema.Definitions // of all files
	rules    map[string][]string    // of each key, written OBJECT.KEY
	examples map[string]string      // of each key, written OBJECT.KEY
}

// object is a mapping with known keys.
type object struct {
	name   string // in the table of rules
	title  string // of a file; "" of any other mapping
	doc    string
	places []string // where it stands in its file; none for the root
	oneOf  []string // keys of which a mapping has exactly one
	keys   []key
	schema *jsonschema.Schema
}

// key is one key of an object. required is "" for an optional one.
type key struct{ name, typ, required, byDefault, doc string }

// file is the schema of a file with the objects that its references name.
type file struct {
	name string
	root *jsonschema.Schema
}

const manifestFile = "tools.yaml"

// files lists the files of a module, the manifest first.
func files() []file {
	out := []file{{manifestFile, schema.Manifest()}}
	for _, f := range schema.ModuleFiles() {
		out = append(out, file{f.Name, f.Schema})
	}
	return out
}

func load() (*grammar, error) {
	g := &grammar{byName: map[string]*object{}, defs: jsonschema.Definitions{}}
	for _, f := range files() {
		maps.Copy(g.defs, f.root.Definitions)
		g.add(f, f.root, rootName(f.name), "", nil)
	}
	for _, o := range g.objects {
		slices.SortStableFunc(o.places, func(a, b string) int { return area(a) - area(b) })
	}
	for _, o := range g.objects {
		for p := o.schema.Properties.Oldest(); p != nil; p = p.Next() {
			o.keys = append(o.keys, g.key(o, p.Key, p.Value))
		}
	}
	var err error
	if g.rules, err = readRules(); err != nil {
		return nil, err
	}
	g.examples, err = readExamples()
	return g, err
}

// area orders places: those in a tool say most, for that is where people write.
func area(place string) int {
	if strings.HasPrefix(place, "tools[]") {
		return 0
	}
	return 1
}

// rootName returns the name of a file's root in the table of rules.
func rootName(file string) string {
	switch file {
	case manifestFile:
		return "manifest"
	case "toolgen.yaml":
		return "settings"
	}
	return strings.TrimSuffix(file, ".yaml")
}

// add notes the objects of a schema and of all that it holds. Within is the objects around it.
func (g *grammar) add(f file, s *jsonschema.Schema, name, place string, within []string) {
	if ref, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s, name = f.root.Definitions[ref], ref
	}
	for _, form := range s.AnyOf {
		g.add(f, form, form.Title, place, within)
	}
	if s.Items != nil {
		g.add(f, s.Items, s.Items.Title, place+"[]", within)
	}
	if values := s.AdditionalProperties; values != nil && values.Not == nil {
		g.add(f, values, values.Title, place+".NAME", within)
	}
	if s.Properties == nil || slices.Contains(within, name) {
		return
	}
	o := g.byName[name]
	if o == nil {
		o = &object{name: name, schema: s}
		if len(within) == 0 {
			o.title, o.doc = s.Title+": "+f.name, s.Description
		}
		for _, form := range s.OneOf {
			o.oneOf = append(o.oneOf, form.Required...)
		}
		g.byName[name] = o
		g.objects = append(g.objects, o)
	}
	if len(within) > 0 && !slices.Contains(o.places, place) {
		o.places = append(o.places, place)
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		g.add(f, p.Value, p.Value.Title, strings.TrimPrefix(place+"."+p.Key, "."), append(slices.Clone(within), name))
	}
}

func (g *grammar) key(o *object, name string, s *jsonschema.Schema) key {
	k := key{name: name, typ: g.typ(s), doc: s.Description}
	if s.Default != nil {
		k.byDefault = fmt.Sprint(s.Default)
	}
	switch {
	case slices.Contains(o.schema.Required, name) || o.name == "manifest" && slices.Contains([]string{"version", "capabilities", "scopes"}, name):
		k.required = "required"
	case slices.Contains(o.oneOf, name):
		k.required = "one of several"
	default:
		k.required = unless(o.schema.AnyOf, name)
	}
	return k
}

// unless says in whose absence a key is required; "" for an optional one.
func unless(forms []*jsonschema.Schema, name string) string {
	var with, others []string
	for _, f := range forms {
		if slices.Contains(f.Required, name) {
			with = append(with, f.Required...)
		} else {
			others = append(others, f.Required...)
		}
	}
	others = slices.DeleteFunc(others, func(k string) bool { return slices.Contains(with, k) })
	if len(with) == 0 || len(others) > 2 {
		return ""
	}
	return "required without " + codes(others)
}

// typ describes the values of a schema.
func (g *grammar) typ(s *jsonschema.Schema) string {
	if len(s.AnyOf) > 0 && s.Properties == nil {
		forms := slicesx.List(s.AnyOf, g.typ)
		return strings.Join(forms, ", or ")
	}
	name, _ := strings.CutPrefix(s.Ref, "#/$defs/")
	if o := g.byName[name]; o != nil {
		return "[mapping](#" + anchor(o.heading()) + ")"
	}
	if d := g.defs[name]; d != nil {
		return g.typ(d)
	}
	if s.Properties != nil {
		return "[mapping](#" + anchor(g.byName[s.Title].heading()) + ")"
	}
	switch s.Type {
	case "array":
		return "list of " + plural(g.typ(s.Items))
	case "object":
		if s.AdditionalProperties == nil || s.AdditionalProperties.Type == "" && s.AdditionalProperties.Ref == "" && s.AdditionalProperties.AnyOf == nil {
			return "mapping from names to any values"
		}
		return "mapping from names to " + plural(g.typ(s.AdditionalProperties))
	case "":
		return "any value"
	}
	return map[string]string{"string": "text", "integer": "whole number", "number": "number", "boolean": "`true` or `false`"}[s.Type] + limits(s)
}

// plural is a type as the one of many values.
func plural(typ string) string {
	for _, word := range []string{"text", "whole number", "number", "list"} {
		if rest, ok := strings.CutPrefix(typ, word); ok {
			return word + "s" + rest
		}
	}
	return strings.Replace(typ, "[mapping]", "[mappings]", 1)
}

// limits says which values of a type are allowed.
func limits(s *jsonschema.Schema) string {
	var out []string
	if s.Pattern != "" {
		out = append(out, "that matches `"+s.Pattern+"`")
	}
	if s.MaxLength != nil {
		out = append(out, fmt.Sprintf("of at most %d characters", *s.MaxLength))
	}
	if s.Minimum != "" && s.Maximum != "" {
		out = append(out, fmt.Sprintf("from %s to %s", s.Minimum, s.Maximum))
	} else if s.Minimum != "" {
		out = append(out, "from "+s.Minimum.String()+" on")
	}
	if len(s.Enum) > 0 {
		values := slicesx.List(s.Enum, func(v any) string { return fmt.Sprint(v) })
		return ": " + codes(values)
	}
	if len(out) == 0 {
		return ""
	}
	return " " + strings.Join(out, ", ")
}
