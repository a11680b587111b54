// Package surface implements the tools of area surface: the tool list itself.
//
// It knows the session's view of the registry and nothing of browsers.
package surface

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/surfaceapi"
)

// Tools are the handlers of the area.
type Tools struct{}

var _ surfaceapi.Handlers = Tools{}

// maxDefinitions bounds the definitions in an answer, in bytes: with the names it stays below 1,000.
const maxDefinitions = 700

// ExpandTools reveals tools to the session and answers with their definitions, so that clients that
// ignore list changes can use them at once. For a tier it counts the tools, because the definitions
// of a tier are larger than the pages that they are for.
func (Tools) ExpandTools(_ context.Context, call *toolkit.Call, in surfaceapi.ExpandToolsParams) (toolkit.Result, error) {
	if in.Tier.Set {
		return toolkit.Text(overview(call.Session.Surface().AllowedTools(), tier(in.Tier))), nil
	}
	if record, ok := call.Session.Surface().Registry().AnswerDeferred(in.Name.Value); ok {
		return record, nil
	}
	x, err := call.Session.Expand(toolkit.Selection{
		Name: in.Name.Value, Query: in.Query.Value, Capability: in.Capability.Value, Bytes: maxDefinitions,
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(report(x)), nil
}

// tier turns the parameter into a number; 0 when it is absent. It is a string because some
// providers refuse numeric enums.
func tier(t toolkit.Opt[surfaceapi.ExpandToolsTier]) int {
	switch t.Value {
	case surfaceapi.ExpandToolsTier2:
		return 2
	case surfaceapi.ExpandToolsTier3:
		return 3
	}
	return 0
}

// overview counts the tools of the tiers from 2 to the given one, by capability.
func overview(tools []*toolkit.Tool, most int) string {
	count := map[string]int{}
	for _, t := range tools {
		if t.Tier > 1 && t.Tier <= most {
			count[t.Capability]++
		}
	}
	if len(count) == 0 {
		return "no tool is hidden"
	}
	var parts []string
	for _, capability := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%s %d", capability, count[capability]))
	}
	return "tools by capability: " + strings.Join(parts, ", ") +
		`. Nothing is revealed yet: {"query": "geolocation"} reveals the best, {"capability": "debugger"} all of one`
}

// report says what was revealed, what waits for another state, and what the command line withholds.
func report(x toolkit.Expansion) string {
	var parts []string
	if len(x.Shown) > 0 {
		parts = append(parts, "now callable: "+toolNames(x.Shown))
		if x.Definition != nil {
			parts = append(parts, string(x.Definition))
		} else {
			parts = append(parts, `{"name": …} shows the definition of one`)
		}
	}
	if listed := without(x.Tools, x.Shown, x.Waiting); len(listed) > 0 {
		const most = 8
		line := "already listed: " + toolNames(listed[:min(len(listed), most)])
		if n := len(listed) - most; n > 0 {
			line += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, line)
		if len(x.Shown) == 0 && len(x.Definition) > len("[]") { // with parameters that the list leaves out
			parts = append(parts, string(x.Definition))
		}
	}
	parts = append(parts, byState(x.Waiting)...)
	if len(x.More) > 0 {
		parts = append(parts, "more, by name: "+toolNames(x.More))
	}
	if len(x.Withheld) > 0 {
		parts = append(parts, "withheld by this server's flags: "+toolNames(x.Withheld))
	}
	if len(parts) == 0 {
		return "no tool matches"
	}
	return strings.Join(parts, "\n")
}

// byState groups the tools that need another state by the state they need.
func byState(tools []*toolkit.Tool) []string {
	var lines []string
	for rest := tools; len(rest) > 0; {
		need := rest[0].Requires
		same := func(t *toolkit.Tool) bool { return t.Requires == need }
		group := slices.DeleteFunc(slices.Clone(rest), func(t *toolkit.Tool) bool { return !same(t) })
		lines = append(lines, fmt.Sprintf("revealed, and listed when %s: %s", need, toolNames(group)))
		rest = slices.DeleteFunc(slices.Clone(rest), same)
	}
	return lines
}

// without is the tools that are in none of the other lists.
func without(tools []*toolkit.Tool, others ...[]*toolkit.Tool) []*toolkit.Tool {
	gone := slices.Concat(others...)
	return slices.DeleteFunc(slices.Clone(tools), func(t *toolkit.Tool) bool { return slices.Contains(gone, t) })
}

func toolNames(tools []*toolkit.Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}
