// Package builtin has handlers that a manifest asks for by name (builtin: expand), so that no server
// writes them anew: they are about the list of tools itself.
//
// It knows the session's view of the registry. It must not know any tool.
package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
)

// Expansion says which tools to reveal: those up to a tier, or those of a name, a query or a capability.
// "" means that it is not given. Tier is a text because some providers refuse numeric enums.
type Expansion struct{ Name, Query, Capability, Tier string }

// maxDefinitions bounds the definitions in an answer, in bytes: with the names it stays below 1,000.
const maxDefinitions = 700

// ExpandTools reveals tools to the session and answers with their definitions, so that clients that
// ignore list changes can use them at once. For a tier it counts the tools, because the definitions
// of a tier are larger than most answers.
func ExpandTools(call *toolkit.Call, in Expansion) (toolkit.Result, error) {
	if in.Tier != "" {
		most, err := strconv.Atoi(in.Tier)
		if err != nil {
			return toolkit.Result{}, fmt.Errorf("read the tier: %w", err)
		}
		x, err := call.Session.Expand(toolkit.Selection{Tier: most, Bytes: maxDefinitions})
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Text(overview(x)), nil
	}
	if refusal := call.Session.Surface().Registry().RefuseDeferred(in.Name); refusal != nil {
		return toolkit.Result{}, refusal
	}
	x, err := call.Session.Expand(toolkit.Selection{Name: in.Name, Query: in.Query, Capability: in.Capability, Bytes: maxDefinitions})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(report(x)), nil
}

// overview counts the tools that a tier revealed, by capability.
func overview(x toolkit.Expansion) string {
	if len(x.Shown)+len(x.Waiting) == 0 {
		return "no tool is hidden"
	}
	now := count(x.Shown)
	if now == "" {
		now = "none"
	}
	lines := []string{"now callable, by capability: " + now}
	if len(x.Waiting) > 0 {
		lines = append(lines, "revealed, and listed in another state: "+count(x.Waiting))
	}
	return strings.Join(append(lines, `{"capability": …} names the tools of one, {"name": …} shows the definition of one`), "\n")
}

// count counts tools by capability, as "core 3, storage 2".
func count(tools []*toolkit.Tool) string {
	number := map[string]int{}
	for _, t := range tools {
		number[t.Capability]++
	}
	var parts []string
	for _, capability := range slices.Sorted(maps.Keys(number)) {
		parts = append(parts, fmt.Sprintf("%s %d", capability, number[capability]))
	}
	return strings.Join(parts, ", ")
}

// report lists the tools that were revealed, those that wait for another state, and those that the command line withholds.
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
	names := slicesx.List(tools, func(t *toolkit.Tool) string { return t.Name })
	return strings.Join(names, ", ")
}
