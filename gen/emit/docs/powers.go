package docs

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
)

// powersData is the data of the template of POWERS.md.
type powersData struct {
	Powers []*model.Power
	Tools  []powerRow
	None   []string // tools without a power
	Asks   bool     // a person is asked about some power

	set *model.Toolset
}

// Flag is the flag that takes the powers of a policy surface away, or "".
func (p powersData) Flag(surface string) string { return p.set.Flag(surface) }

// powerRow is a tool with one cell for each power.
type powerRow struct {
	Tool  *model.Tool
	Cells []string
}

func powersPage(ts *model.Toolset) powersData {
	page := powersData{Powers: ts.Powers, Asks: slices.ContainsFunc(ts.Powers, func(p *model.Power) bool { return p.Asks }), set: ts}
	for _, t := range ts.Tools {
		if len(t.Powers) == 0 {
			page.None = append(page.None, t.Name)
			continue
		}
		row := powerRow{Tool: t}
		for _, p := range ts.Powers {
			row.Cells = append(row.Cells, powerCell(t, p))
		}
		page.Tools = append(page.Tools, row)
	}
	return page
}

// powerCell says when a tool uses a power.
func powerCell(t *model.Tool, p *model.Power) string {
	var conditions []string
	for _, use := range t.Powers {
		switch {
		case use.Power != p:
		case use.When == nil:
			return "●"
		default:
			conditions = append(conditions, code(use.Condition()))
		}
	}
	return strings.Join(conditions, ", ")
}
