package prove

import (
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// listBudget reports the largest list of each scope: a client is shown the tools of one.
func (p *Proof) listBudget(report diag.Report) {
	if p.opt.Sizes == nil || p.opt.ListBytes <= 0 {
		return
	}
	all := make([]int, len(p.set.Tools))
	for i, t := range p.set.Tools {
		all[i] = p.opt.Sizes(t)
	}
	if len(p.set.Scopes) == 0 {
		p.scopeBudget(report, all)
	}
	for _, scope := range p.set.Scopes {
		sizes := slices.Clone(all)
		for i, t := range p.set.Tools {
			if !slices.Contains(t.Scopes, scope) {
				sizes[i] = 0
			}
		}
		p.scopeBudget(report, sizes)
	}
}

// scopeBudget reports the largest list at its largest tool: that is where a cut helps most.
func (p *Proof) scopeBudget(report diag.Report, sizes []int) {
	var worst State
	most, over := 0, 0
	for _, s := range p.space.states {
		n := listBytes(p.set.Tools, sizes, s)
		if n > p.opt.ListBytes {
			over++
		}
		if n > most {
			worst, most = s, n
		}
	}
	if over == 0 {
		return
	}
	largest := -1
	for i, t := range p.set.Tools {
		if holds(t.Visible, worst) && (largest < 0 || sizes[i] > sizes[largest]) {
			largest = i
		}
	}
	tool := p.set.Tools[largest]
	d := report(tool.Pos, "tools/list takes %d bytes in %s, %d more than allowed%s; states over the budget: %d",
		most, p.describe(worst), most-p.opt.ListBytes, p.pathTo(worst), over)
	d.Hint = fmt.Sprintf("the largest entry is %q with %d bytes", tool.Name, sizes[largest])
}

// listBytes is the length of the JSON array of the visible entries: brackets, and commas between
// them.
func listBytes(tools []*model.Tool, sizes []int, s State) int {
	n := len("[]")
	listed := 0
	for i, t := range tools {
		if sizes[i] > 0 && holds(t.Visible, s) {
			n += sizes[i]
			listed++
		}
	}
	return n + max(listed-1, 0)
}
