package model

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// always is the one constant of predicates.
const always = "always"

const predicateHint = "facts are booleans; combine them with !, &&, || and parentheses"

// PredicateError says what is wrong with a predicate, and where in its text: Length bytes from
// Offset.
type PredicateError struct {
	Offset, Length int
	Rule           string
	Message, Hint  string
	Replacement    string // what to write in place of it; "" when that is not certain
}

// Error is the message with its hint.
func (e *PredicateError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// ParsePredicate reads a boolean expression over facts: fact names, !, &&, ||, parentheses, or
// "always" alone. Go's own expression parser does the reading, for its grammar contains ours;
// everything else it reads is refused. Errors are *PredicateError.
func ParsePredicate(text string, facts []*Fact) (Predicate, error) {
	// A folded text ends in a line break, at which Go's scanner would insert a semicolon.
	line := strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	if strings.TrimSpace(line) == always {
		return Predicate{}, nil
	}
	if i := strings.Index(line, "/"); i >= 0 { // before Go's parser takes a comment for nothing
		return Predicate{}, notPredicate(text, i, 1)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseExprFrom(fset, "", line, parser.SkipObjectResolution)
	if err != nil {
		return Predicate{}, syntaxError(text, err)
	}
	p := predicateParser{text: text, facts: facts, base: fset.Position(tree.Pos()).Offset - int(tree.Pos())}
	expr, err := p.expr(tree)
	if err != nil {
		return Predicate{}, err
	}
	return Predicate{Text: canonical(expr, 0), Expr: expr}, nil
}

// syntaxError turns the first of Go's errors into ours, and knows the words people write for the
// operators.
func syntaxError(text string, err error) *PredicateError {
	offset := 0
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		offset = min(max(list[0].Pos.Offset, 0), len(text))
	}
	length := len(text) - offset
	if i := strings.IndexAny(text[offset:], " \t\n()!&|"); i >= 0 {
		length = max(i, 1)
	}
	e := notPredicate(text, offset, length)
	if found := text[offset : offset+length]; strings.TrimSpace(found) == "" {
		e.Message = "the predicate is not finished"
		if strings.Count(text, "(") > strings.Count(text, ")") {
			e.Message, e.Hint = "a parenthesis of the predicate is not closed", `write ")"`
		}
	}
	for _, w := range [...]struct{ word, op string }{{"and", "&&"}, {"or", "||"}, {"not", "!"}} {
		if i := strings.Index(" "+text+" ", " "+w.word+" "); i >= 0 {
			e.Offset, e.Length = i, len(w.word)
			e.Message, e.Hint = fmt.Sprintf("%q is not part of a predicate", w.word), fmt.Sprintf("write %q", w.op)
			if w.op == "!" {
				e.Length += len(" ")
			}
			if w.op != "!" || i > 0 { // a plain text cannot begin with it
				e.Replacement = w.op
			}
			break
		}
	}
	return e
}

func notPredicate(text string, offset, length int) *PredicateError {
	return &PredicateError{Offset: offset, Length: length, Rule: rulePredicate,
		Message: fmt.Sprintf("%q is not part of a predicate", text[offset:offset+length]), Hint: predicateHint}
}

type predicateParser struct {
	text  string
	facts []*Fact
	base  int // offset in text = position + base
}

func (p *predicateParser) expr(n ast.Expr) (Expr, error) {
	switch n := n.(type) {
	case *ast.ParenExpr:
		return p.expr(n.X)
	case *ast.Ident:
		return p.fact(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			x, err := p.expr(n.X)
			return NotExpr{x}, err
		}
		return nil, p.unexpected(n.OpPos, len(n.Op.String()))
	case *ast.BinaryExpr:
		return p.binary(n)
	}
	return nil, p.unexpected(n.Pos(), int(n.End()-n.Pos()))
}

func (p *predicateParser) binary(n *ast.BinaryExpr) (Expr, error) {
	switch n.Op {
	case token.LAND, token.LOR:
		x, err := p.expr(n.X)
		if err != nil {
			return nil, err
		}
		y, err := p.expr(n.Y)
		if n.Op == token.LAND {
			return AndExpr{x, y}, err
		}
		return OrExpr{x, y}, err
	case token.AND, token.OR:
		e := p.unexpected(n.OpPos, 1)
		e.Replacement = n.Op.String() + n.Op.String()
		e.Hint = fmt.Sprintf("did you mean %q?", e.Replacement)
		return nil, e
	}
	return nil, p.unexpected(n.OpPos, len(n.Op.String()))
}

func (p *predicateParser) fact(n *ast.Ident) (Expr, error) {
	for _, f := range p.facts {
		if f.Name == n.Name {
			return FactExpr{f}, nil
		}
	}
	e := p.unexpected(n.Pos(), len(n.Name))
	switch n.Name {
	case always:
		e.Hint = "always stands alone"
		return nil, e
	case "true":
		e.Hint = "write always alone"
		return nil, e
	}
	e.Rule, e.Message = ruleUnknownFact, fmt.Sprintf("unknown fact %q", n.Name)
	switch e.Hint = diag.DidYouMean(n.Name, factNames(p.facts)); {
	case e.Hint != "":
	case len(p.facts) == 0:
		e.Hint = "the manifest declares no facts"
	default:
		e.Hint = "declare it under facts; there are " + strings.Join(factNames(p.facts), ", ")
	}
	return nil, e
}

func (p *predicateParser) unexpected(at token.Pos, length int) *PredicateError {
	offset := min(max(int(at)+p.base, 0), len(p.text))
	return notPredicate(p.text, offset, min(length, len(p.text)-offset))
}

func factNames(facts []*Fact) []string {
	return slicesx.List(facts, func(f *Fact) string { return f.Name })
}

// canonical writes an expression with the fewest parentheses: those of an || under an && and of
// anything under a !.
func canonical(e Expr, within int) string {
	var text string
	var level int
	switch e := e.(type) {
	case FactExpr:
		return e.Fact.Name
	case NotExpr:
		return "!" + canonical(e.X, 3)
	case AndExpr:
		text, level = canonical(e.X, 2)+" && "+canonical(e.Y, 2), 2
	case OrExpr:
		text, level = canonical(e.X, 1)+" || "+canonical(e.Y, 1), 1
	}
	if level < within {
		return "(" + text + ")"
	}
	return text
}
