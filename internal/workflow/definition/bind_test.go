package definition_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/definition"
)

// The schemas of other servers may lead back to themselves: a list of such lists is nothing that a
// number could become.
func TestRecursiveSchemas(t *testing.T) {
	loaded := definition.Load([]yamltree.File{{Name: "w.yaml", Data: []byte(`
w:
  parameters: { n: { type: integer, required: true } }
  steps: [{ call: "a:t", args: { tree: "{{ n }}" } }]
`)}})
	if len(loaded.Workflows) != 1 {
		t.Fatal(loaded.Diags)
	}
	var catalogs testCatalogs
	err := json.Unmarshal([]byte(`{"a": [{"Name": "t", "InputSchema": {"type": "object", "properties": {"tree": {"$ref": "#/$defs/list"}},
		"$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/list"}}}}}]}`), &catalogs)
	if err != nil {
		t.Fatal(err)
	}
	_, diags := definition.Bind(loaded.Workflows[0], catalogs, new(definition.SchemaCache))
	var rules []string
	for _, d := range diags {
		rules = append(rules, d.Rule)
	}
	if !slices.Equal(rules, []string{"bad-argument"}) {
		t.Errorf("%v", diags)
	}
}
