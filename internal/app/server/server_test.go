package server_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app/server"
)

// registry has a tool per thing that instructions may speak of.
func registry() *toolkit.Registry {
	reg := &toolkit.Registry{Scopes: []string{"default"}}
	for _, name := range []string{"core", "storage", "profile", "crawl", "recording", "workflow", "totp", "pilot", "connection", "debugger", "browser"} {
		reg.Capabilities = append(reg.Capabilities, toolkit.Capability{Name: name})
	}
	add := func(name, capability string, tier int) {
		reg.Tools = append(reg.Tools, toolkit.Tool{
			Name: name, Capability: capability, Tier: tier, Scopes: reg.Scopes, Definition: "{}", Traits: toolset.TraitsOf(name),
		})
	}
	add("act", "core", 1)
	add("crawl", "crawl", 2)
	add("expand_tools", "core", 1)
	for i, c := range reg.Capabilities {
		add("t"+string(rune('a'+i)), c.Name, 1)
	}
	return reg.Index()
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		gates       toolkit.Options
		has, hasNot []string
	}{
		"everything":     {toolkit.Options{}, []string{"tabId", "refs", "expand_tools", "core, storage", "debugger"}, nil},
		"no expansion":   {toolkit.Options{ExcludeTools: []string{"expand_tools"}}, []string{"tabId"}, []string{"expand_tools"}},
		"nothing hidden": {toolkit.Options{AllTools: true}, nil, []string{"expand_tools"}},
		"one capability": {toolkit.Options{ToolsOnly: []string{"crawl"}}, []string{"Capabilities: crawl."}, []string{"tabId", "refs", "core", "expand_tools"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			surface, err := toolkit.NewSurface(registry(), test.gates)
			if err != nil {
				t.Fatal(err)
			}
			got := server.Instructions(surface)
			if len(got) > 600 {
				t.Errorf("%d bytes", len(got))
			}
			for _, want := range test.has {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %q", want, got)
				}
			}
			for _, not := range test.hasNot {
				if strings.Contains(got, not) {
					t.Errorf("%q in %q", not, got)
				}
			}
		})
	}
}
