package docs

import (
	"strings"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/emit/snapshot"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// toolsData is the data of the template of TOOLS.md.
type toolsData struct {
	Lists []snapshot.List
	Tools []*toolData
	Areas []areaData
	Total total
}

// total sums the columns of the summary over all tools.
type total struct{ Bytes, PaidBytes, SlimBytes int }

type areaData struct {
	*model.Area
	Tools []*toolData
}

// toolData is a tool with what has to be computed for the page.
type toolData struct {
	*model.Tool
	Bytes      int // of the entry in a list
	PaidBytes  int // of what a model reads
	SlimBytes  int // of the entry in the slim list, 0 when there is none
	Parameters []row
	Results    []row
	Demands    string // the conditional requirements as clients read them
}

func toolsPage(ts *model.Toolset, lists []snapshot.List) toolsData {
	page := toolsData{Lists: lists}
	byTool := make(map[*model.Tool]*toolData, len(ts.Tools))
	for _, t := range ts.Tools {
		d := newToolData(t)
		byTool[t] = d
		page.Tools = append(page.Tools, d)
		page.Total.Bytes += d.Bytes
		page.Total.PaidBytes += d.PaidBytes
		page.Total.SlimBytes += d.SlimBytes
	}
	for _, a := range ts.Areas {
		area := areaData{Area: a}
		for _, t := range a.Tools {
			area.Tools = append(area.Tools, byTool[t])
		}
		page.Areas = append(page.Areas, area)
	}
	return page
}

func newToolData(t *model.Tool) *toolData {
	d := &toolData{
		Tool:  t,
		Bytes: len(schema.Definition(t)), PaidBytes: schema.PaidBytes(t), SlimBytes: len(schema.SlimDefinition(t)),
		Parameters: rows(t.Input),
		Demands:    strings.TrimSpace(strings.TrimPrefix(t.FullDescription(), t.Description)),
	}
	if t.Output != nil {
		d.Results = rows(t.Output)
	}
	return d
}

// EffectWords says the four promises in words.
func (d *toolData) EffectWords() string {
	e := d.Effects
	words := []string{"changes things"}
	switch {
	case e.ReadOnly:
		words[0] = "read-only"
	case e.Destructive:
		words[0] = "may destroy"
	}
	if e.Idempotent {
		words = append(words, "idempotent")
	}
	if e.OpenWorld {
		return strings.Join(append(words, "open world"), ", ")
	}
	return strings.Join(append(words, "closed world"), ", ")
}

// When is the tool's predicate as markdown outside tables.
func (d *toolData) When() string { return when(d.Tool, code) }

// ScopeNames lists the scopes of the tool.
func (d *toolData) ScopeNames() []string {
	return slicesx.List(d.Scopes, func(s *model.Scope) string { return s.Name })
}

// SlimNames lists the parameters that the slim list shows.
func (d *toolData) SlimNames() []string {
	return slicesx.List(d.Slim.Properties, func(p *model.Property) string { return p.Name })
}

// AskWords says what the handler asks the client for, and what a client without that gets.
func (d *toolData) AskWords() string { return askWords(d.Asks) }

func askWords(asks []model.Ask) string {
	words := slicesx.List(asks, func(a model.Ask) string { return a.Kind.InWords() + " (" + code(string(a.Kind)) + ")" })
	return strings.Join(words, ", ") + ". A client that has not declared the capability is refused what needs it"
}

// ListedWhen is the condition on being listed in words; "" when the tier decides.
func (d *toolData) ListedWhen() string {
	if d.Listed == nil {
		return ""
	}
	return code(d.Listed.Text)
}

func when(t *model.Tool, as func(string) string) string {
	if t.Visible.Always() {
		return "always"
	}
	return as(t.Visible.Text)
}
