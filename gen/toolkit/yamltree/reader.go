// Package yamltree reads YAML files into values with their places, and reports each mistake at its place with a
// hint and, where it is certain, a fix.
//
// A Reader reads the keys of a known grammar; a Document is a file as a tree of values. The package knows no
// grammar: whoever reads a kind of file describes it in a Grammar.
package yamltree

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree/yamlslip"
)

// Reader reads the values of one file and adds each mistake to a list of diagnostics. Readers of a
// grammar embed it.
type Reader struct {
	File  string
	Diags *diag.List

	grammar *Grammar
	lines   []string
	bare    map[place]string // templates that were written without quotes

	anchors  map[string]ast.Node // values by their anchors
	expanded int                 // aliases that were read as the value they stand for
}

// Open parses a file and returns the body of its one document; nil when there is none to read. Duplicate
// keys are let through here, so that the reader reports them beside everything else instead of the
// parser stopping at the first.
func Open(f File, grammar *Grammar, diags *diag.List) (*Reader, ast.Node) {
	r := &Reader{File: f.Name, Diags: diags, grammar: grammar, lines: strings.Split(string(f.Data), "\n")}
	if grammar.Visible {
		f.Data = r.checkLines(f.Data)
	}
	tree, err := parse(f.Data)
	if err != nil {
		r.syntax(err)
		return r, nil
	}
	docs := tree.Docs
	for len(docs) > 0 {
		directive, ok := docs[0].Body.(*ast.DirectiveNode)
		if !ok {
			break
		}
		r.Errorf(r.Pos(directive), RuleFeature, "YAML directives are not part of %s", r.grammar.What)
		docs = docs[1:]
	}
	if len(docs) > 1 {
		at := diag.Pos{File: r.File}
		if docs[1].Start != nil {
			at = r.at(docs[1].Start)
		}
		r.Errorf(at, RuleFeature, "a second document is not part of %s; one file holds one document", r.grammar.What)
	}
	if len(docs) == 0 || docs[0].Body == nil {
		r.Errorf(diag.Pos{File: r.File}, RuleSyntax, "the file is empty")
		return r, nil
	}
	if grammar.Visible {
		r.checkEscapes(docs[0].Body)
	}
	return r, docs[0].Body
}

// parse calls the YAML parser and turns a panic of it into an error: its history has some on
// malformed input, and the author needs the file's name then, not a stack.
func parse(data []byte) (f *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the YAML parser gave up: %v", p)
		}
	}()
	return parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
}

// syntax reports why a file cannot be read: as the slip of the pen that it is where the lines show
// one, and else as the YAML parser says it.
func (r *Reader) syntax(err error) {
	var positioned interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &positioned) || positioned.GetToken() == nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		r.Errorf(diag.Pos{File: r.File}, RuleSyntax, "%s", message)
		return
	}
	at, message := r.at(positioned.GetToken()), positioned.GetMessage()
	slip := r.slips().Find(at, message)
	if slip == nil {
		r.Errorf(at, RuleSyntax, "%s", message)
		return
	}
	d := r.Errorf(slip.At, RuleSyntax, "%s", slip.Message)
	d.Hint, d.Fix = slip.Hint, slip.Fix
}

// slips looks for slips in the lines of the file.
func (r *Reader) slips() *yamlslip.Text {
	read := func(data []byte) error {
		_, err := parse(data)
		return err
	}
	return &yamlslip.Text{File: r.File, Lines: r.lines, Parse: read, IsKey: r.grammar.isKey}
}

// Errorf adds an error to the diagnostics.
func (r *Reader) Errorf(at diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return r.Diags.Errorf(at, rule, format, args...)
}

// at is a token's place, held inside the file: the scanner counts a block scalar's column from
// nothing and an absent value's from one past the end.
func (r *Reader) at(t *token.Token) diag.Pos {
	line := min(max(t.Position.Line, 1), len(r.lines))
	width := utf8.RuneCountInString(r.lines[line-1])
	col := min(max(t.Position.Column, 1), width+1)
	raw, _, _ := strings.Cut(strings.TrimSpace(t.Origin), "\n")
	length := utf8.RuneCountInString(strings.TrimSpace(raw))
	return diag.Pos{File: r.File, Line: line, Col: col, Len: max(1, min(length, width+1-col))}
}

// Pos is a node's place: that of its first character, where the library would point at a mapping's
// first colon.
func (r *Reader) Pos(n ast.Node) diag.Pos {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return r.Pos(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return r.Pos(n.Key)
	case *ast.LiteralNode:
		return r.at(n.Start)
	}
	if t := n.GetToken(); t != nil {
		return r.at(t)
	}
	return diag.Pos{File: r.File}
}

// text is a scalar node's text with its place.
func (r *Reader) text(n ast.Node) Text {
	out := Text{Pos: r.Pos(n)}
	switch n := n.(type) {
	case *ast.StringNode:
		out.Value = n.Value
		if text, ok := r.bare[place{out.Pos.Line, out.Pos.Col}]; ok {
			out.Value, out.raw = text, text
			out.Pos.Len = utf8.RuneCountInString(text)
			return out
		}
		out.raw = scalarSource(r.lines[out.Pos.Line-1], out.Pos.Col, n.Value)
	case *ast.LiteralNode:
		if n.Value != nil {
			out.Value = n.Value.Value
		}
	default:
		if t := n.GetToken(); t != nil {
			out.Value = t.Value
		}
	}
	return out
}

// KindOf names a node's kind as an author would.
func KindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "a boolean"
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	}
	return "something else"
}
