package yamltree

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

// maxExpanded bounds how many aliases are read as the values they stand for: aliases of aliases grow
// without end.
const maxExpanded = 100

// Plain takes off what no grammar allows around a value — anchors, aliases, tags — and
// reports it. What an alias stands for is read in its place, so that it is not reported as missing;
// nothing is left of an alias without an anchor and of a text that looks like a tag.
func (r *Reader) Plain(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.AnchorNode:
		r.Errorf(r.Pos(n), RuleFeature, "anchors are not part of %s; write the value out", r.grammar.What).Cause = "anchors of " + r.File
		if r.anchors == nil {
			r.anchors = make(map[string]ast.Node)
		}
		if n.Name != nil && !namesItself(n) {
			r.anchors[n.Name.GetToken().Value] = n.Value
		}
		return r.Plain(n.Value)
	case *ast.AliasNode:
		return r.alias(n)
	case *ast.TagNode:
		if at, text := r.quotable(n); text != "" {
			d := r.Errorf(at, RuleFeature, "a text that begins with %q needs quotes", text[:1])
			d.Hint, d.Fix = "write "+strconv.Quote(text), diag.FixBy("quote it", diag.Replace(at, `"`+text+`"`))
			return nil
		}
		r.Errorf(r.Pos(n), RuleFeature, "tags are not part of %s", r.grammar.What)
		return r.Plain(n.Value)
	}
	return n
}

// namesItself reports whether the value of an anchor holds an alias of it.
func namesItself(n *ast.AnchorNode) bool {
	return n.Value != nil && slices.ContainsFunc(ast.Filter(ast.AliasType, n.Value), func(a ast.Node) bool {
		alias, ok := a.(*ast.AliasNode)
		return ok && alias.Value != nil && alias.Value.GetToken().Value == n.Name.GetToken().Value
	})
}

// alias reports an alias and reads the value that it stands for.
func (r *Reader) alias(n *ast.AliasNode) ast.Node {
	name := ""
	if n.Value != nil {
		name = n.Value.GetToken().Value
	}
	value, ok := r.anchors[name]
	if !ok {
		d := r.Errorf(r.Pos(n), RuleFeature, "aliases are not part of %s; write the value out", r.grammar.What)
		d.Hint = `a text that begins with "*" needs quotes`
		return nil
	}
	r.Errorf(r.Pos(n), RuleFeature, "aliases are not part of %s; write the value out", r.grammar.What).Cause = "anchors of " + r.File
	if r.expanded++; r.expanded > maxExpanded {
		return nil
	}
	return r.Plain(value)
}

// merged lists the members of the mapping that a merge key names, without a report of its own.
func (r *Reader) merged(n ast.Node) []*ast.MappingValueNode {
	alias, ok := n.(*ast.AliasNode)
	if r.expanded++; !ok || alias.Value == nil || r.expanded > maxExpanded {
		return nil
	}
	switch n := r.anchors[alias.Value.GetToken().Value].(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// quotable is the text of one line that begins like a tag, such as the predicate !connected, with
// its place; "" for a tag of YAML. In a flow collection the text ends before a comma or a bracket.
func (r *Reader) quotable(n *ast.TagNode) (diag.Pos, string) {
	at := r.Pos(n)
	at.Len = len(r.lines[at.Line-1])
	text := r.source(at)
	before := r.lines[at.Line-1][:len(r.lines[at.Line-1])-len(text)]
	if strings.HasPrefix(text, "!!") || len(text) < 2 || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz(", rune(text[1])) {
		return at, ""
	}
	if strings.ContainsAny(before, "[{") {
		if end := strings.IndexAny(text, ",]}"); end >= 0 {
			text = text[:end]
		}
	}
	text, _, _ = strings.Cut(text, " #")
	text = strings.TrimSpace(text)
	at.Len = len([]rune(text))
	if strings.ContainsAny(text, `"\`) {
		return at, ""
	}
	return at, text
}
