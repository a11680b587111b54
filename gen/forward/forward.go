// Package forward joins forwarded tools to the record of their upstream, and holds the rules about
// the two.
//
// It sees resolved models and a record. It must not know how an upstream is reached.
package forward

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/upstream"
)

// RecordName is the file, beside the root file, in which a manifest keeps what its upstream offers.
const RecordName = "upstream.json"

// Input is the input of the rules.
type Input struct {
	Set    *model.Toolset
	File   *spec.File // the record; nil when there is none
	Record upstream.List
	Err    error // why the record cannot be read
}

// Attach gives each forwarded tool the schemas of its record, and reports what does not fit. A set
// without forwarded tools needs no record.
func Attach(set *model.Toolset, file *spec.File) diag.List {
	in := Input{Set: set, File: file}
	if file != nil {
		in.Record, in.Err = upstream.ReadRecord(file.Data)
	}
	for _, t := range set.Tools {
		if t.Forward == nil {
			continue
		}
		recorded := in.Record.Find(t.Forward.Name)
		if recorded == nil {
			recorded = &upstream.Tool{InputSchema: json.RawMessage(`{"type":"object"}`)} // reported
		}
		t.Forward.Input, t.Forward.Output = recorded.InputSchema, recorded.OutputSchema
		if t.Forward.Kept {
			t.Description = recorded.Description
		}
	}
	return diag.Check(Rules(), in)
}

// Rules is the table of what this package reports.
func Rules() []diag.Rule[Input] {
	return []diag.Rule[Input]{
		{ID: "upstream-record", Severity: diag.Error, Doc: "Tools are forwarded, and " + RecordName + " is missing or cannot be read. The record says what the " +
			"upstream offered when it was imported: schemas that calls are held against, and what the proxy compares the upstream with when it starts. " +
			`"toolgen import --update" writes it.`, Check: checkRecord},
		{ID: "unknown-forward", Severity: diag.Error, Doc: "A tool is forwarded to one that the record of the upstream does not have. Calls of it could only fail.",
			Check: checkKnown},
		{ID: "forward-input", Severity: diag.Error, Doc: "The input of a forwarded tool cannot be what the upstream takes: it has a parameter that the upstream refuses, " +
			"or lacks one that the upstream requires. Without input the tool has the upstream's schema.", Check: checkInput},
	}
}

func forwarded(set *model.Toolset) []*model.Tool {
	return slices.DeleteFunc(slices.Clone(set.Tools), func(t *model.Tool) bool { return t.Forward == nil })
}

func checkRecord(in Input, report diag.Report) {
	tools := forwarded(in.Set)
	switch {
	case in.Err != nil:
		report(diag.Pos{File: in.File.Name}, "the record of the upstream cannot be read: %v", in.Err).Hint = "run: toolgen import --update"
	case in.File == nil && len(tools) > 0:
		report(tools[0].Forward.Pos, "tool %q is forwarded, and there is no %s", tools[0].Name, RecordName).Hint = "run: toolgen import --update"
	}
}

func checkKnown(in Input, report diag.Report) {
	if in.File == nil || in.Err != nil {
		return
	}
	names := slicesx.Map(in.Record.Tools, func(t upstream.Tool) string { return t.Name })
	for _, t := range forwarded(in.Set) {
		if in.Record.Find(t.Forward.Name) != nil {
			continue
		}
		d := report(t.Forward.Pos, "the upstream has no tool %q", t.Forward.Name)
		if !d.Misspelt(t.Forward.Pos, t.Forward.Name, names) {
			d.Hint = `forward to a tool of the record, or delete the entry; "toolgen import --update" asks the upstream again`
		}
	}
}

// objectSchema is the keywords of a schema that decide which members an object has.
type objectSchema struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Additional json.RawMessage            `json:"additionalProperties"`
	Patterns   json.RawMessage            `json:"patternProperties"`
	Ref        string                     `json:"$ref"`
	AllOf      json.RawMessage            `json:"allOf"`
	AnyOf      json.RawMessage            `json:"anyOf"`
	OneOf      json.RawMessage            `json:"oneOf"`
}

// isPlain reports whether properties are all the members that the schema knows.
func (s *objectSchema) isPlain() bool {
	return s.Ref == "" && s.AllOf == nil && s.AnyOf == nil && s.OneOf == nil && s.Patterns == nil &&
		(s.Additional == nil || string(s.Additional) == "false")
}

func checkInput(in Input, report diag.Report) {
	for _, t := range forwarded(in.Set) {
		var s objectSchema
		if t.Forward.Verbatim || in.Record.Find(t.Forward.Name) == nil || json.Unmarshal(t.Forward.Input, &s) != nil || !s.isPlain() {
			continue
		}
		for _, p := range t.Input.Properties {
			if _, ok := s.Properties[p.Name]; ok {
				continue
			}
			d := report(p.Pos, "the upstream's tool %q takes no %q", t.Forward.Name, p.Name)
			d.Misspelt(p.Pos, p.Name, slices.Sorted(maps.Keys(s.Properties)))
		}
		for _, name := range s.Required {
			if !slices.ContainsFunc(t.Input.Properties, func(p *model.Property) bool { return p.Name == name }) {
				report(t.Forward.Pos, "the upstream's tool %q requires %q, which the input lacks", t.Forward.Name, name).Hint =
					"add it to input, or delete input to have the upstream's schema"
			}
		}
	}
}
