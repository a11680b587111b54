package model

import (
	"slices"
	"strings"
)

// Predicate is a boolean expression over facts. The zero value is "always".
type Predicate struct {
	Text string // canonical: "debugger_enabled && !paused"; "" for always
	Expr Expr   // nil for always
}

// Always reports whether the predicate holds in every state by being written "always".
func (p Predicate) Always() bool { return p.Expr == nil }

// Holds evaluates the predicate; facts are a bit set with bit Fact.Bit for each fact that is true.
func (p Predicate) Holds(facts uint64) bool { return p.Expr == nil || p.Expr.holds(facts) }

// InWords is the text without operators: "debugger_enabled and not paused".
func (p Predicate) InWords() string {
	return strings.NewReplacer("&&", "and", "||", "or", "!", "not ").Replace(p.Text)
}

// Literal is a fact as it stands in a predicate: Want is false under an odd number of negations.
type Literal struct {
	Fact *Fact
	Want bool
}

// Literals lists the facts of the predicate from left to right, each as it stands first.
func (p Predicate) Literals() []Literal {
	var out []Literal
	var walk func(e Expr, want bool)
	walk = func(e Expr, want bool) {
		switch e := e.(type) {
		case FactExpr:
			if !slices.ContainsFunc(out, func(l Literal) bool { return l.Fact == e.Fact }) {
				out = append(out, Literal{e.Fact, want})
			}
		case NotExpr:
			walk(e.X, !want)
		case AndExpr:
			walk(e.X, want)
			walk(e.Y, want)
		case OrExpr:
			walk(e.X, want)
			walk(e.Y, want)
		}
	}
	walk(p.Expr, true)
	return out
}

// Expr is a node of a predicate: FactExpr, NotExpr, AndExpr or OrExpr.
type Expr interface{ holds(facts uint64) bool }

// FactExpr is true when its fact is.
type FactExpr struct{ Fact *Fact }

// NotExpr is true when X is false.
type NotExpr struct{ X Expr }

// AndExpr is true when both sides are.
type AndExpr struct{ X, Y Expr }

// OrExpr is true when either side is.
type OrExpr struct{ X, Y Expr }

func (e FactExpr) holds(f uint64) bool { return f&(1<<e.Fact.Bit) != 0 }
func (e NotExpr) holds(f uint64) bool  { return !e.X.holds(f) }
func (e AndExpr) holds(f uint64) bool  { return e.X.holds(f) && e.Y.holds(f) }
func (e OrExpr) holds(f uint64) bool   { return e.X.holds(f) || e.Y.holds(f) }
