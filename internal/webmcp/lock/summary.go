package lock

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// maxSummary bounds a summary, in characters.
const maxSummary = 200

// Summary describes in one line what a tool takes: its parameters with their types, those that may be left
// out with a question mark. It is page content of at most 200 characters.
func Summary(t Tool) string {
	if len(t.InputSchema) == 0 {
		return "no parameters"
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(t.InputSchema, &s) != nil {
		return "parameters of another shape"
	}
	names := slices.SortedFunc(maps.Keys(s.Properties), func(a, b string) int {
		if given := slices.Contains(s.Required, a); given != slices.Contains(s.Required, b) {
			if given {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	if len(names) == 0 {
		return "no declared parameters"
	}
	var out []string
	for _, name := range names {
		mark := "?"
		if slices.Contains(s.Required, name) {
			mark = ""
		}
		out = append(out, name+mark+typeOf(s.Properties[name]))
	}
	return text.ClipRunes(fence.Line(strings.Join(out, ", ")), maxSummary)
}

// typeOf is the type of a parameter after a colon and a space, or "" where the schema names no single one.
func typeOf(schema json.RawMessage) string {
	var p struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(schema, &p) != nil || p.Type == "" {
		return ""
	}
	return ": " + p.Type
}
