package spec

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec/yamlslip"
)

// walker turns the nodes of one file into the tree and reports mistakes on the way. The walkers of
// single sections, such as toolWalker, embed it.
type walker struct {
	file  string
	what  string // what kind of file it is, for messages
	lines []string
	diags *diag.List
	bare  map[place]string // templates that were written without quotes

	anchors  map[string]ast.Node // values by their anchors
	expanded int                 // aliases that were read as the value they stand for
}

// open parses a file and returns its one document's body; nil when there is none to read. Duplicate
// keys are let through here, so that the walker reports them beside everything else instead of the
// parser stopping at the first.
func open(f File, diags *diag.List) (*walker, ast.Node) {
	w := &walker{file: f.Name, what: "the manifest", lines: strings.Split(string(f.Data), "\n"), diags: diags}
	tree, err := parse(f.Data)
	if err != nil {
		w.syntax(err)
		return w, nil
	}
	docs := tree.Docs
	for len(docs) > 0 {
		directive, ok := docs[0].Body.(*ast.DirectiveNode)
		if !ok {
			break
		}
		w.errorf(w.pos(directive), ruleYAMLFeature, "YAML directives are not part of %s", w.what)
		docs = docs[1:]
	}
	if len(docs) > 1 {
		at := diag.Pos{File: w.file}
		if docs[1].Start != nil {
			at = w.at(docs[1].Start)
		}
		w.errorf(at, ruleYAMLFeature, "a second document is not part of %s; one file holds one document", w.what)
	}
	if len(docs) == 0 || docs[0].Body == nil {
		w.errorf(diag.Pos{File: w.file}, RuleSyntax, "the file is empty")
		return w, nil
	}
	return w, docs[0].Body
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
func (w *walker) syntax(err error) {
	var positioned interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &positioned) || positioned.GetToken() == nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		w.errorf(diag.Pos{File: w.file}, RuleSyntax, "%s", message)
		return
	}
	at, message := w.at(positioned.GetToken()), positioned.GetMessage()
	slip := w.slips().Find(at, message)
	if slip == nil {
		w.errorf(at, RuleSyntax, "%s", message)
		return
	}
	d := w.errorf(slip.At, RuleSyntax, "%s", slip.Message)
	d.Hint, d.Fix = slip.Hint, slip.Fix
}

// slips looks for slips in the lines of the file.
func (w *walker) slips() *yamlslip.Text {
	read := func(data []byte) error {
		_, err := parse(data)
		return err
	}
	return &yamlslip.Text{File: w.file, Lines: w.lines, Parse: read, IsKey: isKey}
}

func (w *walker) errorf(at diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return w.diags.Errorf(at, rule, format, args...)
}

// at is a token's place, held inside the file: the scanner counts a block scalar's column from
// nothing and an absent value's from one past the end.
func (w *walker) at(t *token.Token) diag.Pos {
	line := min(max(t.Position.Line, 1), len(w.lines))
	width := utf8.RuneCountInString(w.lines[line-1])
	col := min(max(t.Position.Column, 1), width+1)
	raw, _, _ := strings.Cut(strings.TrimSpace(t.Origin), "\n")
	length := utf8.RuneCountInString(strings.TrimSpace(raw))
	return diag.Pos{File: w.file, Line: line, Col: col, Len: max(1, min(length, width+1-col))}
}

// pos is a node's place: that of its first character, where the library would point at a mapping's
// first colon.
func (w *walker) pos(n ast.Node) diag.Pos {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return w.pos(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return w.pos(n.Key)
	case *ast.LiteralNode:
		return w.at(n.Start)
	}
	if t := n.GetToken(); t != nil {
		return w.at(t)
	}
	return diag.Pos{File: w.file}
}

// text is a scalar node's text with its place.
func (w *walker) text(n ast.Node) Text {
	out := Text{Pos: w.pos(n)}
	switch n := n.(type) {
	case *ast.StringNode:
		out.Value = n.Value
		if text, ok := w.bare[place{out.Pos.Line, out.Pos.Col}]; ok {
			out.Value, out.raw = text, text
			out.Pos.Len = utf8.RuneCountInString(text)
			return out
		}
		out.raw = scalarSource(w.lines[out.Pos.Line-1], out.Pos.Col, n.Value)
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

// kindOf names a node's kind as an author would.
func kindOf(n ast.Node) string {
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
