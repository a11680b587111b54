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
	sizes := measure(p.set.Tools, p.opt.Sizes)
	core := listing{name: "the core tools/list", lists: func(t *model.Tool, _ State) bool { return t.IsCore() }}
	if p.opt.CoreSizes != nil {
		core.limit, core.sizes = p.opt.DefaultListBytes, measure(p.set.Tools, p.opt.CoreSizes)
	}
	p.kindBudget(report, listing{"tools/list with every tier", p.opt.ListBytes, sizes, func(t *model.Tool, s State) bool { return holds(t.Visible, s) }})
	if !p.kindBudget(report, core) {
		p.kindBudget(report, listing{"the default tools/list", p.opt.DefaultListBytes, sizes, func(t *model.Tool, s State) bool {
			return !t.Capability.OptIn && t.ListedIn(uint64(s)) // a client is sent those if the operator asks for them
		}})
	}
}

// kindBudget holds a kind of list against its budget in each scope, and reports whether one is over it.
func (p *Proof) kindBudget(report diag.Report, b listing) (over bool) {
	if b.limit <= 0 {
		return false
	}
	if len(p.set.Scopes) == 0 {
		return p.scopeBudget(report, b, p.set.Tools)
	}
	for _, scope := range p.set.Scopes {
		of := slices.DeleteFunc(slices.Clone(p.set.Tools), func(t *model.Tool) bool { return !slices.Contains(t.Scopes, scope) })
		over = p.scopeBudget(report, b, of) || over
	}
	return over
}

// measure returns the bytes of each tool's entry: they are measured once, and added up in each state.
func measure(tools []*model.Tool, size func(*model.Tool) int) map[*model.Tool]int {
	sizes := make(map[*model.Tool]int, len(tools))
	for _, t := range tools {
		sizes[t] = size(t)
	}
	return sizes
}

// listing is a kind of list with its budget in bytes. sizes has the bytes of each tool's entry, lists reports whether
// the list has a tool in a state.
type listing struct {
	name  string
	limit int
	sizes map[*model.Tool]int
	lists func(*model.Tool, State) bool
}

// scopeBudget reports the largest list at its largest tool: that is where a cut helps most.
func (p *Proof) scopeBudget(report diag.Report, b listing, tools []*model.Tool) bool {
	var worst State
	most, over := 0, 0
	for _, s := range p.space.states {
		n := b.bytes(tools, s)
		if n > b.limit {
			over++
		}
		if n > most {
			worst, most = s, n
		}
	}
	if over == 0 {
		return false
	}
	var largest *model.Tool
	for _, t := range tools {
		if b.lists(t, worst) && (largest == nil || b.sizes[t] > b.sizes[largest]) {
			largest = t
		}
	}
	d := report(largest.Pos, "%s takes %d bytes in %s, %d more than allowed%s; states over the budget: %d",
		b.name, most, p.describe(worst), most-b.limit, p.pathTo(worst), over)
	d.Hint = fmt.Sprintf("the largest entry is %q with %d bytes", largest.Name, b.sizes[largest])
	return true
}

// bytes is the length of the JSON array of a list: brackets, and commas between the entries.
func (b listing) bytes(tools []*model.Tool, s State) int {
	n := len("[]")
	listed := 0
	for _, t := range tools {
		if size := b.sizes[t]; size > 0 && b.lists(t, s) {
			n += size
			listed++
		}
	}
	return n + max(listed-1, 0)
}
