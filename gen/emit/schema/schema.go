// Package schema plans the JSON Schema of each tool, and writes the entries of lists with
// gen/toolkit/paramschema: those of tools, prompts and resources.
//
// It must not know Go source, markdown, or which tools a server lists.
package schema

import (
	"encoding/json"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
)

// Emit plans schema/<tool>.json (the input) and schema/<tool>.output.json for every tool, indented
// for reviewers, and schema/manifest.schema.json for editors where the layout has references. The error is always nil; the
// signature is that of every emitter.
func Emit(ts *model.Toolset) ([]output.File, error) {
	files := make([]output.File, 0, len(ts.Tools)+1)
	for _, t := range ts.Tools {
		files = append(files, output.File{Path: "schema/" + t.Name + ".json", Data: paramschema.Indented(json.RawMessage(Contract(t)))})
		if t.Output != nil {
			files = append(files, output.File{Path: "schema/" + t.Name + ".output.json", Data: paramschema.Indented(Output(t))})
		}
	}
	if !ts.Layout.WithReferences {
		return files, nil
	}
	return append(files, output.File{Path: "schema/manifest.schema.json", Data: paramschema.Indented(Manifest())}), nil
}

// Input is the schema of a tool's arguments.
func Input(t *model.Tool) *paramschema.Schema { return paramschema.Object(t.Input.Properties) }

// Output is the schema of a tool's structured content, or nil when the tool returns free content.
func Output(t *model.Tool) *paramschema.Schema {
	if t.Output == nil {
		return nil
	}
	return paramschema.Object(t.Output.Properties)
}
