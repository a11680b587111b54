package breaking_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/compat"
)

// The lists of a record have no difference from themselves, and lose what the record loses.
func TestOffered(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		frozen := []*model.Scope{{Name: "default", Frozen: true}}
		tool := emittest.Tool().Draw(rt, "tool")
		tool.Scopes = frozen
		record := breaking.Record(&model.Toolset{Scopes: frozen, Tools: []*model.Tool{tool}}, "1")
		was, err := record.Offered()
		if err != nil {
			rt.Fatal(err)
		}
		if d := compat.Compare(was, was); len(d) > 0 {
			rt.Fatalf("%+v", d)
		}
		if len(record.Tools) == 0 || len(record.Tools[0].Input) == 0 {
			return
		}
		record.Tools[0].Input = record.Tools[0].Input[1:]
		now, err := record.Offered()
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.ContainsFunc(compat.Compare(was, now), func(f compat.Finding) bool { return f.Rule == "PARAM_NO_DELETE" && f.Severity == diag.Error }) {
			rt.Fatalf("%s\n%s", was.Tools[0].Raw, now.Tools[0].Raw)
		}
	})
}
