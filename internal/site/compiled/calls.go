package compiled

import (
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// PowerNetwork is the power of a tool that sends a request.
const PowerNetwork = "network"

// Call is one step as the server sees it. Tool is "" for a request.
type Call struct {
	Tool string
	Args json.RawMessage
}

// Calls lists the steps of the tool.
func (t *Tool) Calls() []Call {
	return slicesx.List(t.Steps, func(s Step) Call { return Call{s.Tool, s.Args} })
}

// ToolsOf lists the tools of the server that calls use. Loading an address is one of them, since start and the first
// tab do that.
func ToolsOf(calls []Call, builtin *toolkit.Registry) []*toolkit.Tool {
	var out []*toolkit.Tool
	for _, c := range append([]Call{{Tool: toolset.ToolNavigate}}, calls...) {
		if i, ok := builtin.Lookup(c.Tool); ok {
			out = append(out, &builtin.Tools[i])
		}
	}
	return out
}

// PowersOf lists the powers that calls use, sorted.
func PowersOf(calls []Call, builtin *toolkit.Registry) []string {
	out := []string{"navigation", "window"} // of start, and of the first tab
	for _, c := range calls {
		if c.Tool == "" {
			out = append(out, PowerNetwork)
		} else if i, ok := builtin.Lookup(c.Tool); ok {
			out = append(out, builtin.Tools[i].PowersOf(c.Args)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
