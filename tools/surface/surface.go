// Package surface implements the tools of area surface: the tool list itself.
//
// It knows the session's view of the registry and nothing of browsers.
package surface

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// Tools are the handlers of the area.
type Tools struct{}

var _ toolset.SurfaceHandlers = Tools{}

// ExpandTools reveals tools to the session and answers with their definitions, so that clients that ignore list
// changes can use them at once.
func (Tools) ExpandTools(_ context.Context, call *toolkit.Call, in toolset.ExpandToolsParams) (toolkit.Result, error) {
	x, err := call.Session.Expand(toolkit.Selection{
		Name: in.Name.Value, Query: in.Query.Value, Capability: in.Capability.Value, Tier: tier(in.Tier),
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(report(x)), nil
}

// tier turns the parameter into a number; 0 when it is absent. It is a string because some providers refuse numeric
// enums.
func tier(t toolkit.Opt[toolset.ExpandToolsTier]) int {
	switch t.Value {
	case toolset.ExpandToolsTier2:
		return 2
	case toolset.ExpandToolsTier3:
		return 3
	}
	return 0
}

// report says what was revealed, what waits for another state, and what the command line withholds.
func report(x toolkit.Expansion) string {
	var b strings.Builder
	switch {
	case len(x.Tools) == 0 && len(x.Withheld) == 0:
		return "no tool matches"
	case len(x.Shown) == 0:
		fmt.Fprintf(&b, "already listed: %s", toolNames(x.Tools))
	default:
		fmt.Fprintf(&b, "now callable: %s\n%s", toolNames(x.Shown), x.Definition)
	}
	for _, t := range x.Waiting {
		fmt.Fprintf(&b, "\n%s will be listed when %s", t.Name, t.Requires)
	}
	if len(x.Withheld) > 0 {
		fmt.Fprintf(&b, "\nwithheld by this server's flags: %s", toolNames(x.Withheld))
	}
	return b.String()
}

func toolNames(tools []*toolkit.Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}
