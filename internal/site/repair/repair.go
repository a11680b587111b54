// Package repair applies the repairs that a run or a check proposed to the file of a tool, where a person
// or an agent has accepted them.
//
// It changes the text of single values and leaves everything else as it is written. It must not know
// pages, nor decide what a repair is.
package repair

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/site/run"
)

// Apply returns the file of a tool with the changes of a repair. The error says which change does not fit
// the file; nothing is changed then.
func Apply(file []byte, r *run.Repair) ([]byte, error) {
	for _, c := range r.Changes {
		out, err := apply(file, r.Pos, c)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.Op, c.Path, err)
		}
		file = out
	}
	return file, nil
}

// document is one file, parsed and as lines.
type document struct {
	root  *ast.MappingNode
	lines []string
	step  int // the line of the step that a repair is about, from 1; 0 is unknown
}

func apply(file []byte, pos string, c run.Change) ([]byte, error) {
	parsed, err := parser.ParseBytes(file, 0)
	if err != nil {
		return nil, err
	}
	if len(parsed.Docs) == 0 {
		return nil, fault.New(codes.Failed, "the file is empty")
	}
	root, ok := parsed.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return nil, fault.New(codes.Failed, "the file is no mapping")
	}
	d := &document{root: root, lines: strings.Split(string(file), "\n")}
	if at := strings.LastIndexByte(pos, ':'); at >= 0 {
		d.step, _ = strconv.Atoi(pos[at+1:]) // 0 where a place has no line
	}
	tokens := argument.Tokens(c.Path)
	switch {
	case c.Op == "replace":
		err = d.replace(tokens, c)
	case c.Op == "add" && tokens[0] == "steps" && len(tokens) == 2:
		err = d.addStep(tokens[1], c.New)
	case c.Op == "add" && tokens[0] == "input" && len(tokens) == 2:
		err = d.addInput(tokens[1], c.New)
	default:
		err = fault.New(codes.Failed, "such a change is made by hand")
	}
	return []byte(strings.Join(d.lines, "\n")), err
}

// replace replaces the text of a value that is as it was when the repair was proposed.
func (d *document) replace(tokens []string, c run.Change) error {
	n, err := d.find(tokens)
	if err != nil {
		return err
	}
	text, ok := n.(*ast.StringNode)
	if !ok || text.Value != fmt.Sprint(c.Old) {
		return fault.New(codes.Failed, fmt.Sprintf("the file has %s there, not %v", n.String(), c.Old))
	}
	token := text.GetToken()
	line, column := token.Position.Line-1, token.Position.Column-1
	if line < 0 || line >= len(d.lines) {
		return fault.New(codes.Failed, "the value has no place")
	}
	runes := []rune(d.lines[line])
	if column < 0 || column > len(runes) {
		return fault.New(codes.Failed, "the value has no place")
	}
	written := strings.TrimSpace(token.Origin)
	rest := string(runes[column:])
	if !strings.HasPrefix(rest, written) {
		return fault.New(codes.Failed, "the value stands on several lines")
	}
	d.lines[line] = string(runes[:column]) + quote(c.New) + strings.TrimPrefix(rest, written)
	return nil
}

// find returns the node at a path. A step is found by its line, because orders become several steps; its
// one target stands under target.
func (d *document) find(tokens []string) (ast.Node, error) {
	var at ast.Node = d.root
	for i := 0; i < len(tokens); i++ {
		token := tokens[i]
		switch n := at.(type) {
		case *ast.SequenceNode:
			item := d.item(n, token)
			if item == nil {
				return nil, fault.New(codes.Failed, "the file has no such step")
			}
			at = item
		case *ast.MappingNode:
			value := member(n, token)
			if value == nil && token == "targets" && i+1 < len(tokens) && tokens[i+1] == "/ref" {
				value = member(n, "target")
				i++
			}
			if value == nil {
				value = member(n, strings.TrimPrefix(token, "/"))
			}
			if value == nil {
				return nil, fault.New(codes.Failed, fmt.Sprintf("the file has no %q there", token))
			}
			at = value
		case *ast.MappingValueNode:
			if n.Key.String() != token {
				return nil, fault.New(codes.Failed, fmt.Sprintf("the file has no %q there", token))
			}
			at = n.Value
		default:
			return nil, fault.New(codes.Failed, fmt.Sprintf("the file has no %q there", token))
		}
	}
	return at, nil
}

// item returns the item of a list that begins in the line of the step, or that of the index.
func (d *document) item(n *ast.SequenceNode, index string) ast.Node {
	for _, v := range n.Values {
		if d.step > 0 && firstLine(v) == d.step {
			return v
		}
	}
	i, err := strconv.Atoi(index)
	if err != nil || d.step > 0 || i < 0 || i >= len(n.Values) {
		return nil
	}
	return n.Values[i]
}

func firstLine(n ast.Node) int {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return m.Values[0].Key.GetToken().Position.Line
	}
	return n.GetToken().Position.Line
}

func member(n *ast.MappingNode, key string) ast.Node {
	for _, v := range n.Values {
		if name, ok := v.Key.(*ast.StringNode); ok && name.Value == key {
			return v.Value
		}
	}
	return nil
}

// addStep writes a step before the one that the repair is about.
func (d *document) addStep(index string, step any) error {
	n, ok := member(d.root, "steps").(*ast.SequenceNode)
	if !ok {
		return fault.New(codes.Failed, "the file has no list of steps")
	}
	before := d.item(n, index)
	if before == nil {
		return fault.New(codes.Failed, "the file has no such step")
	}
	line := firstLine(before) - 1
	dash := strings.Index(d.lines[line], "- ")
	if dash < 0 || strings.TrimSpace(d.lines[line][:dash]) != "" {
		return fault.New(codes.Failed, "the steps stand on one line")
	}
	d.lines = slices.Insert(d.lines, line, d.lines[line][:dash]+"- "+quote(step))
	if d.step > 0 {
		d.step++
	}
	return nil
}

// addInput writes a parameter.
func (d *document) addInput(name string, property any) error {
	text := name + ": " + quote(property)
	switch n := member(d.root, "input").(type) {
	case nil:
		for i, line := range d.lines {
			if strings.HasPrefix(line, "steps:") {
				d.lines = slices.Insert(d.lines, i, "input:", "  "+text)
				return nil
			}
		}
	case *ast.MappingNode:
		if member(n, name) != nil {
			return fault.New(codes.Failed, fmt.Sprintf("there is a parameter %q already", name))
		}
		if !n.IsFlowStyle && len(n.Values) > 0 {
			at := n.Values[0].Key.GetToken().Position
			d.lines = slices.Insert(d.lines, at.Line-1, strings.Repeat(" ", at.Column-1)+text)
			return nil
		}
	}
	return fault.New(codes.Failed, "the input stands on one line")
}

// quote writes a value as JSON, which is YAML too.
func quote(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
