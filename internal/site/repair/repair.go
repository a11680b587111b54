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

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/site/run"
)

// Apply returns the file of a tool with the changes of repairs, whose places are those of the file as it is.
// The error says which change does not fit the file; nothing is changed then.
func Apply(file []byte, repairs ...*run.Repair) ([]byte, error) {
	d := &document{}
	for i, text := range strings.Split(string(file), "\n") {
		d.lines = append(d.lines, line{text, i + 1})
	}
	for _, r := range repairs {
		d.step = 0
		if at := strings.LastIndexByte(r.Pos, ':'); at >= 0 {
			d.step, _ = strconv.Atoi(r.Pos[at+1:]) // 0 where a place has no line
		}
		for _, c := range r.Changes {
			if err := d.apply(c); err != nil {
				return nil, fmt.Errorf("%s %s: %w", c.Op, c.Path, err)
			}
		}
	}
	return []byte(d.text()), nil
}

// document is one file, as lines and parsed.
type document struct {
	root  *ast.MappingNode
	lines []line
	step  int // the line of the step that a repair is about, in the file as it was; 0 is unknown
}

// line is one line of a document.
type line struct {
	text   string
	number int // in the file as it was, from 1; 0 for one that a change added
}

func (d *document) text() string {
	texts := slicesx.List(d.lines, func(l line) string { return l.text })
	return strings.Join(texts, "\n")
}

// insert adds lines before the one at an index.
func (d *document) insert(at int, texts ...string) {
	end := ""
	if strings.HasSuffix(d.lines[at].text, "\r") {
		end = "\r"
	}
	for i, text := range texts {
		d.lines = slices.Insert(d.lines, at+i, line{text: text + end})
	}
}

func (d *document) parse() error {
	parsed, err := parser.ParseBytes([]byte(d.text()), 0)
	if err != nil {
		return err
	}
	if len(parsed.Docs) == 0 {
		return fault.New(codes.Failed, "the file is empty")
	}
	root, ok := parsed.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return fault.New(codes.Failed, "the file is no mapping")
	}
	d.root = root
	return nil
}

func (d *document) apply(c run.Change) error {
	if err := d.parse(); err != nil {
		return err
	}
	tokens := argument.Tokens(c.Path)
	switch {
	case c.Op == "replace" && len(tokens) > 0:
		return d.replace(tokens, c)
	case c.Op == "add" && len(tokens) == 2 && tokens[0] == "steps":
		return d.addStep(tokens[1], c.New)
	case c.Op == "add" && len(tokens) == 2 && tokens[0] == "input":
		return d.addInput(tokens[1], c.New)
	}
	return fault.New(codes.Failed, "such a change is made by hand")
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
	at, column := token.Position.Line-1, token.Position.Column-1
	if at < 0 || at >= len(d.lines) {
		return fault.New(codes.Failed, "the value has no place")
	}
	runes := []rune(d.lines[at].text)
	if column < 0 || column > len(runes) {
		return fault.New(codes.Failed, "the value has no place")
	}
	written := strings.TrimSpace(token.Origin)
	rest := string(runes[column:])
	if !strings.HasPrefix(rest, written) {
		return fault.New(codes.Failed, "the value stands on several lines")
	}
	d.lines[at].text = string(runes[:column]) + quote(c.New) + strings.TrimPrefix(rest, written)
	return d.confirm(tokens, c.New)
}

// confirm reads a changed value again.
func (d *document) confirm(tokens []string, want any) error {
	if err := d.parse(); err != nil {
		return err
	}
	n, err := d.find(tokens)
	if err != nil {
		return err
	}
	if text, ok := n.(*ast.StringNode); !ok || text.Value != fmt.Sprint(want) {
		return fault.New(codes.Failed, "the value is written in a way that is changed by hand")
	}
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
			item, err := d.item(n, token)
			if err != nil {
				return nil, err
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
func (d *document) item(n *ast.SequenceNode, index string) (ast.Node, error) {
	none := fault.New(codes.Failed, "the file has no such step")
	if d.step == 0 {
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= len(n.Values) {
			return nil, none
		}
		return n.Values[i], nil
	}
	var found []ast.Node
	for _, v := range n.Values {
		if at := firstLine(v); at >= 1 && at <= len(d.lines) && d.lines[at-1].number == d.step {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 0:
		return nil, none
	case 1:
		return found[0], nil
	}
	return nil, fault.New(codes.Failed, "several steps stand on the line")
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
	before, err := d.item(n, index)
	if err != nil {
		return err
	}
	at := firstLine(before) - 1
	text := d.lines[at].text
	dash := strings.Index(text, "- ")
	if dash < 0 || strings.TrimSpace(text[:dash]) != "" {
		return fault.New(codes.Failed, "the steps stand on one line")
	}
	d.insert(at, text[:dash]+"- "+quote(step))
	return nil
}

// addInput writes a parameter.
func (d *document) addInput(name string, property any) error {
	text := name + ": " + quote(property)
	switch n := member(d.root, "input").(type) {
	case nil:
		for i, l := range d.lines {
			if strings.HasPrefix(l.text, "steps:") {
				d.insert(i, "input:", "  "+text)
				return nil
			}
		}
	case *ast.MappingNode:
		if member(n, name) != nil {
			return fault.New(codes.Failed, fmt.Sprintf("there is a parameter %q already", name))
		}
		if !n.IsFlowStyle && len(n.Values) > 0 {
			at := n.Values[0].Key.GetToken().Position
			d.insert(at.Line-1, strings.Repeat(" ", at.Column-1)+text)
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
