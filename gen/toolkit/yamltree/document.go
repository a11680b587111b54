package yamltree

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

// The kinds of a document's values beside those of literals.
const (
	MappingNode LiteralKind = "a mapping"
	ListNode    LiteralKind = "a list"
)

// Document is a YAML file as a tree of values of any kind, such as a file of workflows. Read reads a part
// of it by a grammar.
type Document struct {
	Root *Node

	r     *Reader
	diags diag.List
}

// Node is one value of a document. Pos is that of its first character; Members and Items are those
// of mappings and lists.
type Node struct {
	Literal
	Pos     diag.Pos
	Members []Member
	Items   []*Node

	n ast.Node
}

// Member is one key of a mapping with its value.
type Member struct {
	Key   Text
	Value *Node
}

// Member finds a key's value; nil when the mapping has none.
func (n *Node) Member(key string) *Node {
	for _, m := range n.Members {
		if m.Key.Value == key {
			return m.Value
		}
	}
	return nil
}

// maxDepth bounds how deeply a document may be nested.
const maxDepth = 64

// ReadDocument reads a file into a generic tree. A value that is written {{ … }} without quotes,
// which YAML takes for a mapping inside a mapping and refuses, is read as that text. The document
// is nil when nothing can be read. Its diagnostics have no fixes: "toolgen fix" edits manifests alone.
func ReadDocument(f File, grammar *Grammar) (*Document, diag.List) {
	d := &Document{}
	data, bare := quoteBare(f.Data)
	r, body := Open(File{f.Name, data}, grammar, &d.diags)
	if body == nil {
		return nil, d.diags
	}
	r.bare, r.lines = bare, strings.Split(string(f.Data), "\n")
	d.r = r
	d.Root = d.node(body, 0)
	return d, unfixed(d.diags)
}

// Read calls read for a value of this document and returns the mistakes that it reports, without fixes.
func (d *Document) Read(n *Node, read func(*Reader, ast.Node)) diag.List {
	d.diags = nil
	read(d.r, n.n)
	return unfixed(d.diags)
}

// unfixed returns the diagnostics without fixes.
func unfixed(diags diag.List) diag.List {
	for i := range diags {
		diags[i].Fix = nil
	}
	return diags
}

func (d *Document) node(in ast.Node, depth int) *Node {
	n := d.r.Plain(in)
	if n == nil {
		return nil
	}
	if depth > maxDepth {
		d.r.Errorf(d.r.Pos(n), RuleFeature, "more than %d levels of nesting", maxDepth)
		return nil
	}
	out := &Node{Pos: d.r.Pos(n), n: n}
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		out.Kind = MappingNode
		members, _ := d.r.Members(n, "the mapping")
		for _, m := range members {
			if v := d.node(m.Value, depth+1); v != nil {
				out.Members = append(out.Members, Member{m.Key, v})
			}
		}
	case *ast.SequenceNode:
		out.Kind = ListNode
		for _, item := range n.Values {
			if v := d.node(item, depth+1); v != nil {
				out.Items = append(out.Items, v)
			}
		}
	default:
		out.Literal = d.r.Literal(n)
		if out.Kind == OtherLiteral {
			d.r.Errorf(out.Pos, RuleWrongKind, "this value is nothing JSON knows")
		}
	}
	return out
}

// IsNull reports whether a key has no value, or null.
func (n *Node) IsNull() bool {
	_, ok := n.n.(*ast.NullNode)
	return ok
}
