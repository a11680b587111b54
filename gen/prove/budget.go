package prove

import (
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// listBudget reports the largest list of each scope: a client is shown the tools of one.
func (p *Proof) listBudget(report diag.Report) {
	if p.opt.Sizes == nil {
		return
	}
	budgets := []listing{
		{"tools/list with every tier", p.opt.ListBytes, func(t *model.Tool, s State) bool { return holds(t.Visible, s) }},
		{"the default tools/list", p.opt.DefaultListBytes, func(t *model.Tool, s State) bool {
			return !t.Capability.OptIn && t.ListedIn(uint64(s)) // a client is sent those if the operator asks for them
		}},
	}
	sizes := make(map[*model.Tool]int, len(p.set.Tools)) // measured once, and added up in each state
	for _, t := range p.set.Tools {
		sizes[t] = p.opt.Sizes(t)
	}
	for _, b := range budgets {
		if b.limit <= 0 {
			continue
		}
		if len(p.set.Scopes) == 0 {
			p.scopeBudget(report, b, sizes, p.set.Tools)
		}
		for _, scope := range p.set.Scopes {
			p.scopeBudget(report, b, sizes, slices.DeleteFunc(slices.Clone(p.set.Tools), func(t *model.Tool) bool { return !slices.Contains(t.Scopes, scope) }))
		}
	}
}

// listing is a kind of list with its budget in bytes. lists reports whether it has a tool in a state.
type listing struct {
	name  string
	limit int
	lists func(*model.Tool, State) bool
}

// scopeBudget reports the largest list at its largest tool: that is where a cut helps most.
func (p *Proof) scopeBudget(report diag.Report, b listing, sizes map[*model.Tool]int, tools []*model.Tool) {
	var worst State
	most, over := 0, 0
	for _, s := range p.space.states {
		n := listBytes(b, sizes, tools, s)
		if n > b.limit {
			over++
		}
		if n > most {
			worst, most = s, n
		}
	}
	if over == 0 {
		return
	}
	var largest *model.Tool
	for _, t := range tools {
		if b.lists(t, worst) && (largest == nil || sizes[t] > sizes[largest]) {
			largest = t
		}
	}
	d := report(largest.Pos, "%s takes %d bytes in %s, %d more than allowed%s; states over the budget: %d",
		b.name, most, p.describe(worst), most-b.limit, p.pathTo(worst), over)
	d.Hint = fmt.Sprintf("the largest entry is %q with %d bytes", largest.Name, sizes[largest])
}

// listBytes is the length of the JSON array of a list: brackets, and commas between the entries.
func listBytes(b listing, sizes map[*model.Tool]int, tools []*model.Tool, s State) int {
	n := len("[]")
	listed := 0
	for _, t := range tools {
		if size := sizes[t]; size > 0 && b.lists(t, s) {
			n += size
			listed++
		}
	}
	return n + max(listed-1, 0)
}
