package schema

import (
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
)

// Definition is the exact bytes of the tool's entry in tools/list: compact, no HTML escaping, no
// newline.
func Definition(t *model.Tool) []byte {
	return paramschema.Compact(define(t, t.FullDescription(), listed(t)))
}

// StaticDefinition is the entry in a list that does not follow the session's state: it says which state the
// tool needs, because the list cannot.
func StaticDefinition(t *model.Tool) []byte {
	if t.Visible.Always() {
		return Definition(t)
	}
	return paramschema.Compact(define(t, t.FullDescription()+" (needs "+t.Visible.InWords()+")", listed(t)))
}

// FullDefinition is the entry with the parameters that lists leave out; nil when there is none.
func FullDefinition(t *model.Tool) []byte {
	if !t.HasUnlisted() {
		return nil
	}
	return paramschema.Compact(define(t, t.FullDescription(), inList(t, Input(t))))
}

func define(t *model.Tool, description string, input *paramschema.Schema) paramschema.Entry {
	d := paramschema.Entry{
		Name:        t.Name,
		Title:       paramschema.Title(t.List.Titles, t.Name, t.Title),
		Description: description,
		InputSchema: input,
		Annotations: paramschema.Hints(t.List.Annotations, t.ListedEffects()),
	}
	if !t.OutputUnlisted {
		if output := Output(t).ForList(); output != nil {
			d.OutputSchema = output
		}
	}
	if t.Forward != nil {
		forward(&d, t.Forward)
	}
	return d
}

// forward puts the schemas of the upstream in their places, as the upstream sends them.
func forward(d *paramschema.Entry, f *model.Forward) {
	if f.Verbatim {
		d.InputSchema = f.Input
	}
	if f.Output != nil {
		d.OutputSchema = f.Output
	}
}

// SlimDefinition is the tool's entry in the list that --slim serves: the short description, the few
// parameters without their descriptions and defaults, and of the hints only the one that spares a
// person a question. It is nil when the tool is not in that list.
func SlimDefinition(t *model.Tool) []byte {
	if t.Slim == nil {
		return nil
	}
	d := paramschema.Entry{
		Name:        t.Name,
		Description: t.Slim.Description,
		InputSchema: paramschema.Bare(t.Slim.Properties).ForList(),
	}
	if t.ListedEffects().ReadOnly && t.List.Annotations != model.NoEntry {
		d.Annotations = &paramschema.Annotations{ReadOnlyHint: new(true)}
	}
	return paramschema.Compact(d)
}

// Contract is the tool's input schema as one line of JSON: everything that its reader holds
// arguments against, but the conditional requirements.
// A forwarded tool without an input of its own has the upstream's schema.
func Contract(t *model.Tool) []byte {
	if t.Forward != nil && t.Forward.Verbatim {
		return paramschema.Compact(t.Forward.Input)
	}
	return paramschema.Compact(Input(t))
}

// OutputContract is the schema of the structured content of a tool that declares an output, as one line of JSON.
func OutputContract(t *model.Tool) []byte { return paramschema.Compact(Output(t)) }

// ListedOutput is OutputContract as lists have it. It is open, because clients may hold results of a later release, which has
// further members, against it.
func ListedOutput(t *model.Tool) []byte { return paramschema.Compact(Output(t).ForList()) }

// listed is the schema of the parameters that lists show.
func listed(t *model.Tool) *paramschema.Schema {
	return inList(t, paramschema.Object(model.Listed(t.Input.Properties)))
}

// inList is a schema of a tool's input as lists have it.
func inList(t *model.Tool, input *paramschema.Schema) *paramschema.Schema {
	if t.List.FullSchemas {
		return input
	}
	return input.ForList()
}

// PaidBytes counts what a model's context pays for the tool in every session: the bytes of its
// name, description and compact input schema. Titles, output schemas and hints are for clients and
// usually never reach the model.
func PaidBytes(t *model.Tool) int {
	size := len(t.Name) + len(t.FullDescription())
	if t.Forward != nil && t.Forward.Verbatim {
		return size + len(paramschema.Compact(t.Forward.Input))
	}
	return size + len(paramschema.Compact(listed(t)))
}
