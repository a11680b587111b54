package prove

import (
	"cmp"
	"fmt"
	"slices"

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
	listed := p.space.Visible(worst)
	slices.SortStableFunc(listed, func(a, b *model.Tool) int { return cmp.Compare(p.opt.Sizes(b), p.opt.Sizes(a)) })
	d := p.list.Errorf(listed[0].Pos, id, "tools/list takes %d bytes in %s, %d more than allowed%s; states over the budget: %d",
		most, p.place(worst), most-p.opt.ListBytes, p.after(worst), over)
	d.Hint = fmt.Sprintf("the largest entry is %q with %d bytes", listed[0].Name, p.opt.Sizes(listed[0]))
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
