package spec

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/callsheet/callsheet/gen/diag"
)

// The kinds of a document's values beside those of literals.
const (
	MappingNode LiteralKind = "a mapping"
	ListNode    LiteralKind = "a list"
)

// Document is a YAML file whose grammar is not the manifest's but someone else's, such as a file of
// workflows. Its tree is as positioned as that of a manifest, and property mappings in it are read
// by the same parser.
type Document struct {
	Root *Node

	w     *walker
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

// maxDepth bounds how deeply a document may be nested, and maxRestored how many bare templates one
// may have.
const (
	maxDepth    = 64
	maxRestored = 512
)

// ReadDocument reads a file into a generic tree. A value that is written {{ … }} without quotes,
// which YAML takes for a mapping inside a mapping and refuses, is read as that text. The document
// is nil when nothing can be read.
func ReadDocument(f File) (*Document, diag.List) {
	d := &Document{}
	data, bare := quoteBare(f.Data)
	w, body := open(File{f.Name, data}, &d.diags)
	if body == nil {
		return nil, d.diags
	}
	w.what, w.bare = "a workflow file", bare
	w.lines = strings.Split(string(f.Data), "\n")
	d.w = w
	d.Root = d.node(body, 0)
	return d, unfixed(d.diags)
}

// Object reads the property mapping that a node of this document holds: the grammar of a tool's
// input.
func (d *Document) Object(n *Node) (*Object, diag.List) {
	d.diags = nil
	o := schemaWalker{d.w}.object(n.n, "the parameters")
	return o, unfixed(d.diags)
}

// unfixed takes the fixes away: "toolgen fix" edits manifests alone.
func unfixed(diags diag.List) diag.List {
	for i := range diags {
		diags[i].Fix = nil
	}
	return diags
}

func (d *Document) node(in ast.Node, depth int) *Node {
	n := d.w.plain(in)
	if n == nil {
		return nil
	}
	if depth > maxDepth {
		d.w.errorf(d.w.pos(n), ruleYAMLFeature, "more than %d levels of nesting", maxDepth)
		return nil
	}
	out := &Node{Pos: d.w.pos(n), n: n}
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		out.Kind = MappingNode
		members, _ := d.w.members(n, "the mapping")
		for _, m := range members {
			if v := d.node(m.value, depth+1); v != nil {
				out.Members = append(out.Members, Member{m.key, v})
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
		out.Literal = d.w.literal(n)
		if out.Kind == OtherLiteral {
			d.w.errorf(out.Pos, ruleWrongKind, "this value is nothing JSON knows")
		}
	}
	return out
}

// place is where a bare template stands: line and column, both from 1.
type place struct{ line, col int }

// maybeBare matches where a bare template could stand. What it misses is only reported as the YAML
// mistake it is.
var maybeBare = regexp.MustCompile(`[:,\[{-][ \t]*\{\{`)

// quoteBare makes a text of every bare template, without moving anything: the outer braces become
// quotes, and the reader puts them back. It is led by the parser's own complaints, so that only
// what YAML refuses is touched.
func quoteBare(data []byte) ([]byte, map[place]string) {
	var bare map[place]string
	if !maybeBare.Match(data) {
		return data, nil
	}
	for range maxRestored {
		_, err := parse(data)
		var at interface{ GetToken() *token.Token }
		if err == nil || !errors.As(err, &at) || at.GetToken() == nil {
			break
		}
		line, col := at.GetToken().Position.Line, at.GetToken().Position.Column-1 // the parser points at the inner brace
		from, to := bareTemplate(data, line, col)
		if from < 0 {
			break
		}
		text := string(data[from:to])
		quote := byte('"')
		if strings.ContainsAny(text, `"\`) {
			quote = '\''
		}
		if quote == '\'' && strings.Contains(text, "'") {
			break
		}
		if bare == nil {
			bare, data = make(map[place]string), append([]byte(nil), data...)
		}
		data[from], data[to-1] = quote, quote
		bare[place{line, col}] = text
	}
	return data, bare
}

// bareTemplate finds the bytes of a {{ … }} that begins at a place; from is -1 when there is none.
func bareTemplate(data []byte, line, col int) (from, to int) {
	rest := string(data)
	for range line - 1 {
		_, after, ok := strings.Cut(rest, "\n")
		if !ok {
			return -1, 0
		}
		rest = after
	}
	from = len(data) - len(rest)
	text, _, _ := strings.Cut(rest, "\n")
	for i := range text {
		if col--; col == 0 {
			end := strings.Index(text[i:], "}}")
			if !strings.HasPrefix(text[i:], "{{") || end < 0 {
				return -1, 0
			}
			return from + i, from + i + end + 2
		}
	}
	return -1, 0
}

// Part says which keys of the manifest's grammar a place of someone else's document has.
type Part struct {
	Keys     []string // keys of the manifest that are valid there
	Required []string // those of them that must be written; the manifest's own rule does not count
	Own      []string // keys of the caller, which are valid there and left unread
}

// NewDocument is ReadDocument for a file that messages call what, such as "a site".
func NewDocument(f File, what string) (*Document, diag.List) {
	d, diags := ReadDocument(f)
	if d != nil {
		d.w.what = what
	}
	return d, diags
}

// Manifest reads keys of the root file of a manifest that a mapping of this document holds. The tree has
// no tools: the caller adds areas.
func (d *Document) Manifest(n *Node, what string, part Part) (*Tree, diag.List) {
	d.diags = nil
	t := &Tree{Root: d.w.file}
	var version Scalar[int]
	var include []Text
	var own Area
	d.w.fields(n.n, what, n.Pos, part.of(rootWalker{d.w}.rootFields(t, &version, &include, &own))...)
	if version.Set() {
		d.w.knownVersion(version)
	}
	return t, unfixed(d.diags)
}

// Tool reads the entry of a tool that a mapping of this document holds. It is nil without a name, which is
// reported.
func (d *Document) Tool(n *Node, part Part) (*Tool, diag.List) {
	d.diags = nil
	t := &Tool{Pos: n.Pos}
	what, at := d.w.title(n.n, "tool")
	d.w.fields(n.n, what, at, part.of(toolWalker{d.w}.liveFields(t))...)
	if !t.Name.Set() {
		return nil, unfixed(d.diags)
	}
	return t, unfixed(d.diags)
}

// of narrows the fields of the manifest to those of the part.
func (p Part) of(all []field) []field {
	var out []field
	for _, f := range all {
		if slices.Contains(p.Keys, f.name) {
			f.required = slices.Contains(p.Required, f.name)
			out = append(out, f)
		}
	}
	for _, name := range p.Own {
		out = append(out, field{name, slices.Contains(p.Required, name), func(member) {}})
	}
	return out
}

// IsNull reports whether a key has no value, or null.
func (n *Node) IsNull() bool {
	_, ok := n.n.(*ast.NullNode)
	return ok
}
