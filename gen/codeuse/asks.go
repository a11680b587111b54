package codeuse

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
)

// entry is a tool, a prompt or a resource with a handler.
type entry struct {
	name, method string
	asks         []model.Ask
	pos          diag.Pos
}

func entries(set *model.Toolset) []entry {
	var out []entry
	for _, t := range set.Tools {
		if t.Builtin == "" && t.Forward == nil {
			out = append(out, entry{t.Name, t.GoName, t.Asks, t.Pos})
		}
	}
	for _, p := range set.Prompts {
		out = append(out, entry{p.Name, p.Method(), p.Asks, p.Pos})
	}
	for _, r := range set.Resources {
		out = append(out, entry{r.Name, r.Method(), r.Asks, r.Pos})
	}
	return out
}

// each visits the entries whose handler is found.
func (in Input) each(visit func(entry, evidence.Handler)) {
	for _, e := range in.Entries {
		if i := slices.IndexFunc(in.Facts.Handlers, func(h evidence.Handler) bool { return h.Method == e.method }); i >= 0 {
			visit(e, in.Facts.Handlers[i])
		}
	}
}

func checkAsked(in Input, report diag.Report) {
	in.each(func(e entry, h evidence.Handler) {
		declared := model.AskNames(e.asks)
		missing := slices.DeleteFunc(slices.Clone(h.Asks.Kinds), func(kind string) bool { return slices.Contains(declared, kind) })
		if len(missing) == 0 {
			return
		}
		d := report(e.pos, "the handler of %q asks the client for %s, and the entry does not declare it", e.name, strings.Join(missing, ", "))
		d.Hint = "write asks: [" + strings.Join(append(declared, missing...), ", ") + "]"
		d.Related = &diag.Related{Pos: h.Pos, Message: "the handler"}
	})
}

func checkUnasked(in Input, report diag.Report) {
	in.each(func(e entry, h evidence.Handler) {
		for _, a := range e.asks {
			if !a.Implied && !h.Asks.Open && !slices.Contains(h.Asks.Maybe, string(a.Kind)) {
				d := report(a.Pos, "the handler of %q never asks the client for %s", e.name, a.Kind)
				d.Hint = "delete it, or ask for it with Call.Ask"
				d.Related = &diag.Related{Pos: h.Pos, Message: "the handler"}
			}
		}
	})
}
