package server

import (
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// maxInstructions bounds the instructions in bytes: every model pays for them in every
// conversation.
const maxInstructions = 600

// Instructions tell a model what it cannot see in the list of tools. They never speak of a tool or
// parameter that this surface has not got.
func Instructions(s *toolkit.Surface) string {
	lines := []string{"Callsheet drives a real Chromium browser."}
	listed := s.NewStaticSession("").Visible()
	tabs, refs := false, false
	for _, t := range s.AllowedTools() {
		tabs = tabs || t.Traits.Has(toolset.RoleTab)
		refs = refs || t.Traits.Has(toolset.RoleRef)
	}
	if tabs {
		lines = append(lines, "Tools that take tabId use the current tab without it.")
	}
	if refs {
		lines = append(lines, "Read a page before acting on it: actions take the refs that readings give. "+
			"A ref whose element is gone is refused; read again then.")
	}
	expand, ok := s.Registry().Lookup(toolset.ToolExpandTools)
	if hidden := s.Allowed().Len() - listed.Len(); ok && listed.Has(expand) && hidden > 0 {
		lines = append(lines, "More tools exist than are listed: "+toolset.ToolExpandTools+" finds them by name, capability or words.")
	}
	lines = append(lines, "A refusal is a result with isError, a code, and what to do instead.")
	text := strings.Join(lines, " ")
	if caps := "Capabilities: " + capabilities(s) + "."; len(text)+1+len(caps) <= maxInstructions {
		text += " " + caps
	}
	return text
}

func capabilities(s *toolkit.Surface) string {
	caps := s.Capabilities()
	names := slicesx.List(caps, func(c toolkit.Capability) string { return c.Name })
	return strings.Join(names, ", ")
}
