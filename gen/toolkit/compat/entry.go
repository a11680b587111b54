package compat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit/offered"
	"github.com/callsheet/callsheet/gen/toolkit/subschema"
)

// entry is a decoded entry of any list.
type entry struct {
	name string

	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations annotations     `json:"annotations"`
	Execution   struct {
		TaskSupport string `json:"taskSupport"`
	} `json:"execution"`
	Meta struct {
		Was []string `json:"toolgen/was"` // older names that calls may use
	} `json:"_meta"`

	Label     string     `json:"name"` // of a resource or template
	MIME      string     `json:"mimeType"`
	Arguments []argument `json:"arguments"` // of a prompt

	in, out *subschema.Schema // nil before they are asked for
	notes   map[string]note   // of the values of the input schema, by path
}

// annotations are a tool's hints. One that is nil has the protocol's default.
type annotations struct {
	Title       string `json:"title"`
	ReadOnly    *bool  `json:"readOnlyHint"`
	Destructive *bool  `json:"destructiveHint"`
	Idempotent  *bool  `json:"idempotentHint"`
	OpenWorld   *bool  `json:"openWorldHint"`
}

type argument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// note is the parts of a schema that do not restrict its values: title, description, default.
type note struct{ title, description, standard string }

// decode reads the entries of a list. Of two with one name the first counts. A member of another type than
// the protocol's is as good as absent.
func decode(items []offered.Item) []*entry {
	var out []*entry
	seen := map[string]bool{}
	for _, i := range items {
		if seen[i.Name] {
			continue
		}
		seen[i.Name] = true
		e := &entry{}
		_ = json.Unmarshal(i.Raw, e) // it reads what it can
		e.name = i.Name
		out = append(out, e)
	}
	return out
}

// find returns the entry that answers to a name; nil where none does.
func (l *entries) find(name string) *entry { return l.byName[name] }

// entries is a list with its index.
type entries struct {
	order      []*entry
	byName     map[string]*entry   // by the older names too
	byContract map[string][]*entry // nil before a tool is missed
}

// like returns the entries with a contract.
func (l *entries) like(contract string) []*entry {
	if l.byContract == nil {
		l.byContract = map[string][]*entry{}
		for _, e := range l.order {
			l.byContract[e.contract()] = append(l.byContract[e.contract()], e)
		}
	}
	return l.byContract[contract]
}

// index makes entries of a list.
func index(list []*entry) entries {
	l := entries{order: list, byName: map[string]*entry{}}
	for _, e := range list {
		l.byName[e.name] = e
	}
	for _, e := range list {
		for _, older := range e.Meta.Was {
			if l.byName[older] == nil {
				l.byName[older] = e
			}
		}
	}
	return l
}

// input is the decoded input schema.
func (e *entry) input() *subschema.Schema {
	if e.in == nil {
		e.in = subschema.Parse(e.Input)
	}
	return e.in
}

// output is the decoded output schema; one that is absent takes everything.
func (e *entry) output() *subschema.Schema {
	if e.out == nil {
		e.out = subschema.Parse(e.Output)
	}
	return e.out
}

// annotated returns the notes of the input schema, which is walked once.
func (e *entry) annotated() map[string]note {
	if e.notes == nil {
		e.notes = map[string]note{}
		var schema any
		if json.Unmarshal(e.Input, &schema) == nil {
			walk(schema, "", 0, e.notes)
		}
	}
	return e.notes
}

// maxNesting bounds how deep a schema is walked for its notes.
const maxNesting = 16

// walk collects the notes of the properties and items of a schema.
func walk(v any, path string, depth int, into map[string]note) {
	s, ok := v.(map[string]any)
	if !ok || depth > maxNesting {
		return
	}
	if path != "" {
		n := into[path]
		text := func(name string) string { t, _ := s[name].(string); return t }
		n.title, n.description = n.title+text("title"), n.description+text("description")
		if standard, ok := s["default"]; ok {
			encoded, _ := json.Marshal(standard) // it was JSON
			n.standard = string(encoded)
		}
		into[path] = n
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			walk(properties[name], strings.TrimPrefix(path+"."+name, "."), depth+1, into)
		}
	}
	walk(s["items"], path+"[]", depth+1, into)
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		alternatives, _ := s[keyword].([]any)
		for i, a := range alternatives {
			walk(a, fmt.Sprintf("%s(%d)", path, i+1), depth+1, into)
		}
	}
}

// pair holds both lists, for what depends on more than one entry.
type pair struct{ was, now entries }

// subject is the input of the rules: an entry, before and now; nil where one side has none.
type subject struct {
	kind            string
	was, now        *entry
	all             *pair
	inputs, results []subschema.Difference
	compared        bool
}

func (s *subject) name() string {
	if s.was != nil {
		return s.was.name
	}
	return s.now.name
}

// both reports whether the entry is on both sides.
func (s *subject) both() bool { return s.was != nil && s.now != nil }

// schemas compares the schemas of a tool, once.
func (s *subject) schemas() {
	if s.compared || !s.both() {
		return
	}
	s.compared = true
	s.inputs = subschema.Inputs(s.was.input(), s.now.input())
	if s.was.Output != nil && s.now.Output != nil {
		s.results = subschema.Results(s.was.output(), s.now.output())
	}
}

// successor names the new entry that seems to be one that is gone: with the same schemas, or where they say
// too little, with a similar name too. It is "" without one.
func (s *subject) successor() string {
	if s.was == nil || s.now != nil || s.kind != "tool" {
		return ""
	}
	for _, e := range s.all.now.like(s.was.contract()) {
		if s.all.was.find(e.name) == nil && s.was.isLike(e) {
			return e.name
		}
	}
	return ""
}
