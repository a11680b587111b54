package scope

import (
	"github.com/callsheet/callsheet/gen/diag"
)

// checkList compares how lists are written with the lock, where a scope is frozen.
func checkList(in Input, report diag.Report) {
	style, was := in.Set.List.String(), in.Lock.List.Style
	if len(frozenScopes(in)) == 0 || style == was.Value {
		return
	}
	at := in.Set.ListPos
	if at.IsZero() {
		at = was.Pos
	}
	d := report(at, "lists were frozen with %s, and are written with %s now", usual(was.Value), usual(style))
	d.Hint, d.Cause = hint("write lists with "+usual(style)), "list: annotations"
	if was.Set() && at != was.Pos {
		d.Related = &diag.Related{Pos: was.Pos, Message: "promised here"}
	}
}

// usual is a style in words.
func usual(style string) string {
	if style == "" {
		return "the usual style"
	}
	return style
}
