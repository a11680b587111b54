// Package proxy serves the forwarded tools of a manifest behind its gates: scopes, capabilities,
// visibility by facts, powers and deferrals. It reads the manifest when it starts, and no Go is
// generated or written.
//
// It must not know how a manifest is written or checked, nor how a client is served.
package proxy

import (
	"github.com/callsheet/callsheet/gen/interpret"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit"
)

// registry makes the registry of a set of forwarded tools. Each tool runs what invoke returns for it, and
// clients of the upstream may call it by the upstream's name.
func registry(set *model.Toolset, invoke func(*model.Tool) (runner, error)) (*toolkit.Registry, error) {
	taken := takenNames(set)
	return interpret.Registry(set, func(t *model.Tool) (interpret.Runner, error) {
		run, err := invoke(t)
		out := interpret.Runner{Invoke: run.invoke, Check: run.check}
		if err == nil && !taken[t.Forward.Name] {
			taken[t.Forward.Name] = true
			out.Was = []string{t.Forward.Name}
		}
		return out, err
	})
}

// takenNames are the names that calls mean something else by than the upstream's name of a tool.
func takenNames(set *model.Toolset) map[string]bool {
	out := map[string]bool{}
	for _, t := range set.Tools {
		out[t.Name] = true
		for _, old := range t.Was {
			out[old] = true
		}
	}
	for _, d := range set.Deferrals {
		out[d.Name] = true
	}
	return out
}
