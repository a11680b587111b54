package scope

import (
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/code"
)

// anyCode is the row of the fields that each code may have.
const anyCode = "any"

// refusal is a row of the lock: what the manifest says of a code.
type refusal struct {
	code, terms string
	pos         diag.Pos
}

// refusals lists what the manifest declares about codes. A code of the toolkit is in it where the
// manifest adds fields.
func refusals(set *model.Toolset) []refusal {
	var out []refusal
	for _, c := range set.Codes {
		if !c.Pos.IsZero() {
			words := []string{string(c.Class), c.Description}
			out = append(out, refusal{string(c.Code), sum(append(words, fieldWords(c.Fields)...)), c.Pos})
		}
	}
	if len(set.CommonFields) > 0 {
		out = append(out, refusal{anyCode, sum(fieldWords(set.CommonFields)), set.CommonPos})
	}
	return out
}

// fieldWords lists fields for a hash. Their order is documentation.
func fieldWords(fields []code.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Name+"\n"+f.Type+"\n"+f.Description)
	}
	slices.Sort(out)
	return out
}

// refusals writes the rows of the lock about codes.
func (w *writer) refusals(set *model.Toolset) {
	var rows []string
	for _, r := range refusals(set) {
		rows = append(rows, w.signed(fmt.Sprintf("code: %s, terms: %s", r.code, quote(r.terms)), "refusal", r.code, r.terms))
	}
	slices.Sort(rows)
	w.rows("refusals", rows)
}

// checkRefusals compares the codes with the lock, where a scope is frozen.
func checkRefusals(in Input, report diag.Report) {
	if len(frozenScopes(in)) == 0 {
		return
	}
	now := refusals(in.Set)
	for _, r := range now {
		i := slices.IndexFunc(in.Lock.Refusals, func(l spec.LockedRefusal) bool { return l.Code.Value == r.code })
		switch {
		case i < 0:
			d := report(r.pos, "the code %s of refusals is not in the lock", r.code)
			d.Hint, d.Cause = hint("add the code "+r.code), "code: "+r.code
		case in.Lock.Refusals[i].Terms.Value != r.terms:
			d := report(r.pos, "the code %s of refusals has another class, other fields or other words than in the lock", r.code)
			d.Hint, d.Cause = hint("change the code "+r.code), "code: "+r.code
			d.Related = &diag.Related{Pos: in.Lock.Refusals[i].Code.Pos, Message: "promised here"}
		}
	}
	for _, l := range in.Lock.Refusals {
		if !slices.ContainsFunc(now, func(r refusal) bool { return r.code == l.Code.Value }) {
			d := report(l.Code.Pos, "the code %s of refusals is in the lock and not in the manifest", l.Code.Value)
			d.Hint, d.Cause = hint("remove the code "+l.Code.Value), "code: "+l.Code.Value
		}
	}
}
