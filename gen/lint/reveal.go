package lint

import (
	"cmp"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// checkRevealed reports the tools of higher tiers that no list has and nothing reveals, as one problem:
// where no tool reveals others, or that tool is not in every list itself.
func checkRevealed(in Input, report diag.Report) {
	var hidden []*model.Tool
	var revealer *model.Tool
	for _, t := range in.Set.Tools {
		switch {
		case t.Builtin == model.BuiltinExpand:
			revealer = t
		case t.Tier > 1 && t.Listed == nil && t.Joins == nil:
			hidden = append(hidden, t)
		}
	}
	for _, t := range hidden {
		switch {
		case revealer == nil:
			d := report(t.At.Tier, "%q is in tier %d, and nothing reveals it", t.Name, t.Tier)
			d.Hint = "add a tool with builtin: expand, say when this one is listed, or write tier: 1"
			d.Cause = "no revealer"
		case revealer.Tier > 1 || !revealer.Visible.Always():
			d := report(cmp.Or(revealer.At.Tier, revealer.Pos), "%q reveals other tools, and is not in every list itself", revealer.Name)
			d.Hint, d.Cause = "write tier: 1 and visible: always", revealer.Name
			d.Related = &diag.Related{Pos: t.At.Tier, Message: "a tool that it reveals"}
			return
		}
	}
}
