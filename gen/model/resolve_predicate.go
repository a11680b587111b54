package model

import (
	"errors"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// predicate reads a predicate; base is where it begins in the text that holds it.
func (r *resolver) predicate(whole spec.Text, base int, text string) Predicate {
	p, err := ParsePredicate(text, r.set.Facts)
	var bad *PredicateError
	if errors.As(err, &bad) {
		r.badPredicate(whole.At(base+bad.Offset, bad.Length), bad, text)
	}
	for _, f := range r.set.Facts {
		if p.Expr != nil && mentions(p.Expr, f) {
			r.fact.use(f.Name)
		}
	}
	return p
}

func mentions(e Expr, f *Fact) bool {
	switch e := e.(type) {
	case FactExpr:
		return e.Fact == f
	case NotExpr:
		return mentions(e.X, f)
	case AndExpr:
		return mentions(e.X, f) || mentions(e.Y, f)
	case OrExpr:
		return mentions(e.X, f) || mentions(e.Y, f)
	}
	return false
}

// badPredicate reports a predicate error. A fact that nothing declares is one mistake, however many
// predicates name it.
func (r *resolver) badPredicate(at diag.Pos, bad *PredicateError, text string) {
	found := text[bad.Offset : bad.Offset+bad.Length]
	if bad.Rule == ruleUnknownFact && r.fact.unread {
		return
	}
	d := r.errorf(at, bad.Rule, "%s", bad.Message)
	if bad.Rule == ruleUnknownFact {
		d.Misspelt(at, found, r.fact.names)
		d.Cause = found
		if len(r.set.Facts) == 0 {
			d.Cause = "no facts"
		}
	} else if bad.Replacement != "" && at.Len == bad.Length {
		d.Fix = diag.FixBy("write "+bad.Replacement, diag.Replace(at, bad.Replacement))
	}
	d.Hint = bad.Hint
}
