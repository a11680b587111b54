package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/upstream"
)

// capability is a row of the root file.
type capability struct{ name, title, description string }

// core is the capability of tools that are in no group.
const core = "core"

// groups makes a capability of each group of the upstream, and one of the tools in none.
func (m *importer) groups(list upstream.List) {
	m.groupNames = map[string]string{"": core}
	if len(list.Groups) == 0 || slices.ContainsFunc(list.Tools, func(t upstream.Tool) bool { return t.Group == "" }) {
		m.capabilities = append(m.capabilities, capability{core, "Core", "Tools of " + cmp.Or(list.Name, "the upstream") + "."})
	}
	for _, g := range list.Groups {
		base := cmp.Or(toName(g.Name), "group")
		name := base
		for n := 2; slices.ContainsFunc(m.capabilities, func(c capability) bool { return c.name == name }); n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		description := strings.Join(strings.Fields(g.Description), " ")
		if description == "" || len(description) > maxDescription {
			description = fmt.Sprintf("Tools of %s.", titleOf(g.Name))
		}
		m.groupNames[g.Name] = name
		m.capabilities = append(m.capabilities, capability{name, titleOf(strings.ReplaceAll(name, "_", " ")), description})
	}
}
