package forward

import (
	"testing"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// A forwarded tool without a description or an input gets those of the record.
func TestAttach(t *testing.T) {
	tool := &model.Tool{Name: "t", Input: new(model.Object), Forward: &model.Forward{Name: "t", Verbatim: true, Kept: true}}
	record := &spec.File{Name: RecordName, Data: []byte(`{"version":1,"server":{},"tools":[{"name":"t","description":"From there.","inputSchema":{"type":"object","oneOf":[]}}]}`)}
	if diags := Attach(&model.Toolset{Tools: []*model.Tool{tool}}, record); len(diags) > 0 {
		t.Fatal(diags)
	}
	if tool.Description != "From there." || string(tool.Forward.Input) != `{"type":"object","oneOf":[]}` {
		t.Errorf("%q %s", tool.Description, tool.Forward.Input)
	}
}
