package prove

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/model"
)

// listBudget reports the largest list, at its largest tool: that is where a cut helps most.
func (p *proof) listBudget(id string) {
	if p.opt.Sizes == nil || p.opt.ListBytes <= 0 {
		return
	}
	var worst State
	most, over := 0, 0
	sizes := make([]int, len(p.set.Tools))
	for i, t := range p.set.Tools {
		sizes[i] = p.opt.Sizes(t)
	}
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
	d := p.list.Errorf(tool.Pos, id, "tools/list takes %d bytes in %s, %d more than allowed%s; states over the budget: %d",
		most, p.place(worst), most-p.opt.ListBytes, p.after(worst), over)
	d.Hint = fmt.Sprintf("the largest entry is %q with %d bytes", tool.Name, sizes[largest])
}

// listBytes is the length of the JSON array of the visible entries: brackets, and commas between them.
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
