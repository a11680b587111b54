package greeting_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/minimal/generated/registry"
	"github.com/callsheet/callsheet/examples/minimal/generated/toolset"
	"github.com/callsheet/callsheet/examples/minimal/tools/greeting"
)

// TestGreet calls the tool as a client does: with arguments that are checked first.
func TestGreet(t *testing.T) {
	surface, err := toolkit.NewSurface(registry.New(registry.Compose(new(greeting.Tools))), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session := surface.NewSession("test", nil)
	for args, want := range map[string]string{
		`{"name":"Ada"}`:                 "Hello, Ada!",
		`{"name":"Ada","language":"fr"}`: "Bonjour, Ada !",
		`{"name":"Ada","language":"it"}`: `INVALID_ARGUMENTS: /language: unknown value "it" (one of "en", "fr" or "de")`,
	} {
		result, err := session.Dispatch(t.Context(), toolkit.Request{Tool: toolset.ToolGreet, Args: []byte(args)})
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if got := result.Content[0].Text; got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}
