package toolkittest_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

func TestOutputs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ schema, structured, want string }{
		{"", "", ""},
		{counted, `{"n":1,"at":"2026-01-31T10:00:00Z"}`, ""},
		{"", `{"n":1}`, "declares no output"},
		{counted, "", "returns no structured content"},
		{counted, `{"n":`, "no JSON"},
		{counted, `{}`, "missing property 'n'"},
		{counted, `{"n":"1"}`, "got string, want integer"},
		{counted, `{"n":1,"m":2}`, "additional properties 'm'"},
		{counted, `{"n":1,"at":"yesterday"}`, "date-time"},
		{`{"type":"text"}`, `{}`, "compile the output schema"},
	} {
		reg := (&toolkit.Registry{Tools: []toolkit.Tool{{Name: "count", OutputSchema: tc.schema}}}).Index()
		err := toolkittest.NewOutputs(reg).Check("count", []byte(tc.structured))
		if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s for %s: %v, want %q", tc.structured, tc.schema, err, tc.want)
		}
	}
}

// TestOutputsOfCalls reports the call that breaks its tool's output, on both sides, and no refusal.
func TestOutputsOfCalls(t *testing.T) {
	t.Parallel()
	got := failure(t, func(t testing.TB) {
		k := toolkittest.New(t, sample())
		for _, tool := range []string{"count", "refuse", "wrong"} {
			k.Do(t, tool, nil)
		}
	})
	if strings.Count(got, "wrong returns what its output does not declare") != 2 || strings.Count(got, "\n") == 0 {
		t.Errorf("reported: %q", got)
	}
}
