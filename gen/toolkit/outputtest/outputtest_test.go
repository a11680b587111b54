package outputtest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/outputtest"
)

const schema = `{"type":"object","properties":{"n":{"type":"integer"},"at":{"type":"string","format":"date-time"}},"required":["n"],"additionalProperties":false}`

func TestCheck(t *testing.T) {
	t.Parallel()
	c := outputtest.New()
	for _, tc := range []struct{ schema, structured, want string }{
		{"", "", ""},
		{schema, `{"n":1,"at":"2026-01-31T10:00:00Z"}`, ""},
		{"", `{"n":1}`, "declares no output"},
		{schema, "", "returns no structured content"},
		{schema, `{"n":`, "no JSON"},
		{schema, `{}`, "missing property 'n'"},
		{schema, `{"n":"1"}`, "got string, want integer"},
		{schema, `{"n":1,"m":2}`, "additional properties 'm'"},
		{schema, `{"n":1,"at":"yesterday"}`, "date-time"},
		{`{"type":"text"}`, `{}`, "compile the output schema"},
	} {
		err := c.Check(&toolkit.Tool{Name: "count", OutputSchema: tc.schema}, []byte(tc.structured))
		if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s for %s: %v, want %q", tc.structured, tc.schema, err, tc.want)
		}
	}
}

// The layer reports the call that breaks its tool's output, and no refusal.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	row := func(name string, v any, err error) toolkit.Tool {
		return toolkit.Tool{Name: name, Scopes: []string{"s"}, Tier: 1, Timeout: time.Minute, OutputSchema: schema,
			Invoke: func(_ context.Context, call *toolkit.Call, _ grant.Grant, _ []byte) (toolkit.CallResult, error) {
				return toolkit.Declared(call, v, err)
			}}
	}
	reg := (&toolkit.Registry{Scopes: []string{"s"}, Tools: []toolkit.Tool{
		row("good", map[string]int{"n": 1}, nil), row("refused", nil, toolkit.Refuse(toolkit.Failed, "no")), row("wrong", map[string]int{"m": 1}, nil),
	}}).Index()
	var got []string
	surface, err := toolkit.NewSurface(reg, toolkit.Options{}, outputtest.New().Middleware(func(err error) { got = append(got, err.Error()) }))
	if err != nil {
		t.Fatal(err)
	}
	v := surface.NewSession("one", nil)
	for _, name := range []string{"good", "refused", "wrong"} {
		if _, err := v.Dispatch(t.Context(), toolkit.Request{Tool: name}); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "wrong returns what its output does not declare") {
		t.Errorf("reported: %q", got)
	}
}
