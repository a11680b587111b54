package greeting_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"

	"github.com/callsheet/callsheet/examples/minimal/generated/registry"
	"github.com/callsheet/callsheet/examples/minimal/generated/toolset"
	"github.com/callsheet/callsheet/examples/minimal/tools/greeting"
)

// TestGreet calls the tool as a client does.
func TestGreet(t *testing.T) {
	kit := toolkittest.New(t, registry.New(registry.Compose(new(greeting.Tools))))
	for language, want := range map[string]string{"en": "Hello, Ada!", "fr": "Bonjour, Ada !"} {
		got := kit.Call(t, toolset.ToolGreet, toolkittest.Args{"name": "Ada", "language": language}).Text
		if got != want {
			t.Errorf("%s: got %q, want %q", language, got, want)
		}
	}
}
