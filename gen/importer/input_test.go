package importer_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/importer"
)

// TestInput writes a schema as a manifest has it, and says which part has no form there.
func TestInput(t *testing.T) {
	t.Parallel()
	text, err := importer.Input([]byte(`{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":1}}}`))
	if want := "    input:\n      a: {type: integer, required: true, minimum: 1}\n"; err != nil || text != want {
		t.Errorf("%v\n%s", err, text)
	}
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"oneOf":[]}}}`:        "oneOf has no form in a manifest",
		`{"type":"object","properties":{"a b":{"type":"string"}}}`: `the compiler refuses it: `,
	} {
		if _, err := importer.Input([]byte(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", schema, err, want)
		}
	}
}
