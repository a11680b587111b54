package compiled

import (
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/internal/site/run"
)

// Tool is one tool: its row of the registry, what arguments it takes, and how it is run.
type Tool struct {
	Row   Row           `json:"row"`
	Input *param.Object `json:"input"`
	Run   run.Tool      `json:"run"` // without steps
	Steps []Step        `json:"steps,omitempty"`
}

// Step is a step with its place in the source, "tools/add.yaml:12".
type Step struct {
	run.Step

	Pos string `json:"pos"`
}

// Row is the row of a tool in the registry, without what checks and runs it. Masks have the bits of the site's own facts.
type Row struct {
	Name             string            `json:"name"`
	Description      string            `json:"description"`
	Tier             int               `json:"tier"`
	Effects          toolkit.Effects   `json:"effects"`
	Surfaces         []string          `json:"surfaces,omitempty"`
	Was              []string          `json:"was,omitempty"`
	Requires         string            `json:"requires,omitempty"`
	Visible          *run.Predicate    `json:"visible,omitempty"` // nil: always
	Needs            []toolkit.Literal `json:"needs,omitempty"`
	Listing          string            `json:"listing,omitempty"`
	Listed           *run.Predicate    `json:"listed,omitempty"` // nil: the tier decides
	Changes          toolkit.Changes   `json:"changes"`
	Schema           string            `json:"schema"`
	OutputSchema     string            `json:"output_schema,omitempty"`
	Definition       string            `json:"definition"`
	FullDefinition   string            `json:"full_definition,omitempty"`
	SlimDefinition   string            `json:"slim_definition,omitempty"`
	StaticDefinition string            `json:"static_definition,omitempty"`
	ResultBytes      int               `json:"result_bytes"`
	Timeout          time.Duration     `json:"timeout"` // in nanoseconds
}

// tool returns the row of the registry, with masks of the site's own facts. Nothing runs it yet.
func (s *Site) tool(r *Row) toolkit.Tool {
	out := toolkit.Tool{
		Name: r.Name, Description: r.Description, Area: Scope, Capability: s.Capability.Name, Tier: r.Tier, Effects: r.Effects, Surfaces: r.Surfaces, Was: r.Was,
		Requires: r.Requires, Needs: r.Needs, Listing: r.Listing, Changes: r.Changes, Schema: r.Schema, OutputSchema: r.OutputSchema,
		Definition: r.Definition, FullDefinition: r.FullDefinition, SlimDefinition: r.SlimDefinition, StaticDefinition: r.StaticDefinition,
		ResultBytes: r.ResultBytes, Timeout: r.Timeout,
	}
	if r.Visible != nil {
		out.Visible = func(f toolkit.Facts) bool { return r.Visible.Holds(s.names(f)) }
	}
	if r.Listed != nil {
		out.Listed = func(f toolkit.Facts) bool { return r.Listed.Holds(s.names(f)) }
	}
	return out
}

// names returns the facts of a mask by name.
func (s *Site) names(mask toolkit.Facts) run.Facts {
	out := make(run.Facts, len(s.Facts))
	for i, f := range s.Facts {
		out[f.Name] = mask&(1<<i) != 0
	}
	return out
}

// mask returns facts by name as bits of the site's own facts.
func (s *Site) mask(facts run.Facts) toolkit.Facts {
	var out toolkit.Facts
	for i, f := range s.Facts {
		if facts[f.Name] {
			out |= 1 << i
		}
	}
	return out
}
