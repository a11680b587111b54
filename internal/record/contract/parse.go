package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/text"
)

// Problems are everything that is wrong with a contract: each with a JSON pointer into it, and
// where there is one the nearest valid name.
type Problems = toolkit.Violations

// Bounds of a contract. They keep a look cheap, and a report readable.
const (
	maxBytes  = 64 << 10
	maxDepth  = 16
	maxLeaves = 100
)

// The inner nodes.
const (
	kindAnd = "and"
	kindOr  = "or"
	kindNot = "not"
)

// Kinds lists all kinds of assertion, the inner ones last.
func Kinds() []string {
	return append(slices.Sorted(maps.Keys(leafKinds())), kindAnd, kindOr, kindNot)
}

// Parse parses a contract: a JSON object whose members must all hold. The name of a member is a
// kind, its value the parameters of the kind. With problems the contract is nil, and Parse returns
// all of them.
func Parse(raw []byte) (*Contract, Problems) {
	if len(raw) > maxBytes {
		return nil, Problems{{Problem: fmt.Sprintf("the contract has %d bytes and may have %d", len(raw), maxBytes)}}
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, Problems{syntaxProblem(err)}
	}
	p := &parser{kinds: leafKinds(), selectorIndexes: map[string]int{}}
	c := &Contract{raw: string(raw), root: p.node("", tree, 0)}
	if len(p.problems) == 0 && p.leafCount > maxLeaves {
		p.problem("", "the contract has %d assertions and may have %d", p.leafCount, maxLeaves)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	c.selectors = p.selectors
	return c, nil
}

// syntaxProblem describes where the JSON is malformed.
func syntaxProblem(err error) toolkit.Violation {
	v := toolkit.Violation{Problem: "not valid JSON: " + err.Error(), Hint: `such as {"url": "/done", "dom_text": "Thank you"}`}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		v.Path = string(syntax.JSONPointer)
		v.Problem = fmt.Sprintf("not valid JSON at byte %d: %v", syntax.ByteOffset, syntax.Err)
	}
	return v
}

// parser collects what is found on the way through the tree.
type parser struct {
	kinds           map[string]leafKind
	problems        Problems
	selectors       []string
	selectorIndexes map[string]int
	leafCount       int
}

func (p *parser) problem(path, format string, a ...any) {
	p.problems = append(p.problems, toolkit.Violation{Path: path, Problem: fmt.Sprintf(format, a...)})
}

// unknown reports a name that is none of the known ones.
func (p *parser) unknown(path, what, name string, known []string) {
	v := toolkit.Violation{Path: path, Problem: fmt.Sprintf("unknown %s %q", what, text.ClipRunes(name, 60)), Hint: "there are " + strings.Join(known, ", ")}
	if near := toolkit.Nearest(name, known); near != "" {
		v.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	p.problems = append(p.problems, v)
}

// memberPointer is the pointer of a member (RFC 6901).
func memberPointer(path, name string) string {
	return path + "/" + argument.Escape(name)
}

// node reads an object of assertions. Several are a conjunction, in the order of their names: JSON
// objects have none.
func (p *parser) node(path string, v any, depth int) *node {
	members, ok := v.(map[string]any)
	switch {
	case !ok:
		p.problem(path, "expected an object such as {\"url\": \"/done\"}, got %s", typeOf(v))
		return nil
	case len(members) == 0:
		p.problem(path, "says nothing; name what must hold: %s", strings.Join(Kinds(), ", "))
		return nil
	case depth > maxDepth:
		p.problem(path, "more than %d levels", maxDepth)
		return nil
	}
	all := &node{path: path, kind: kindAnd}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if child := p.member(memberPointer(path, name), name, members[name], depth); child != nil {
			all.addChild(child)
		}
	}
	if len(all.children) == 1 {
		return all.children[0]
	}
	return all
}

func (n *node) addChild(child *node) {
	n.children = append(n.children, child)
	n.isCostly = n.isCostly || child.isCostly
}

func (p *parser) member(path, name string, v any, depth int) *node {
	switch name {
	case kindAnd, kindOr:
		return p.list(path, name, v, depth)
	case kindNot:
		child := p.node(path, v, depth+1)
		if child == nil {
			return nil
		}
		n := &node{path: path, kind: kindNot}
		n.addChild(child)
		return n
	}
	k, ok := p.kinds[name]
	if !ok {
		p.unknown(path, "kind", name, Kinds())
		return nil
	}
	before := len(p.problems)
	l := k.read(&memberReader{parser: p, path: path, value: v, shortMember: k.shortMember})
	if len(p.problems) > before {
		return nil
	}
	n := &node{path: path, kind: name, leaf: l, index: p.leafCount, isCostly: k.isCostly}
	p.leafCount++
	return n
}

func (p *parser) list(path, name string, v any, depth int) *node {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		p.problem(path, "expected a list of one or more objects, got %s", typeOf(v))
		return nil
	}
	n := &node{path: path, kind: name}
	for i, item := range list {
		if child := p.node(path+"/"+strconv.Itoa(i), item, depth+1); child != nil {
			n.addChild(child)
		}
	}
	return n
}

// typeOf names a JSON value for a problem.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return strconv.Quote(text.ClipRunes(v, 40))
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	}
	return "an object"
}
