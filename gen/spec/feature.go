package spec

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

// plain takes off what the manifest does not allow around a value — anchors, aliases, tags — and
// reports it. What an alias stands for is read in its place, so that it is not reported as missing;
// nothing is left of an alias without an anchor and of a text that looks like a tag.
func (w *walker) plain(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.AnchorNode:
		w.errorf(w.pos(n), ruleYAMLFeature, "anchors are not part of %s; write the value out", w.what).Cause = "anchors of " + w.file
		if w.anchors == nil {
			w.anchors = make(map[string]ast.Node)
		}
		if n.Name != nil && !namesItself(n) {
			w.anchors[n.Name.GetToken().Value] = n.Value
		}
		return w.plain(n.Value)
	case *ast.AliasNode:
		return w.alias(n)
	case *ast.TagNode:
		if at, text := w.quotable(n); text != "" {
			d := w.errorf(at, ruleYAMLFeature, "a text that begins with %q needs quotes", text[:1])
			d.Hint, d.Fix = "write "+strconv.Quote(text), diag.FixBy("quote it", diag.Replace(at, `"`+text+`"`))
			return nil
		}
		w.errorf(w.pos(n), ruleYAMLFeature, "tags are not part of %s", w.what)
		return w.plain(n.Value)
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
func (w *walker) alias(n *ast.AliasNode) ast.Node {
	name := ""
	if n.Value != nil {
		name = n.Value.GetToken().Value
	}
	value, ok := w.anchors[name]
	if !ok {
		d := w.errorf(w.pos(n), ruleYAMLFeature, "aliases are not part of %s; write the value out", w.what)
		d.Hint = `a text that begins with "*" needs quotes`
		return nil
	}
	w.errorf(w.pos(n), ruleYAMLFeature, "aliases are not part of %s; write the value out", w.what).Cause = "anchors of " + w.file
	if w.expanded++; w.expanded > maxExpanded {
		return nil
	}
	return w.plain(value)
}

// merged lists the members of the mapping that a merge key names, without a report of its own.
func (w *walker) merged(n ast.Node) []*ast.MappingValueNode {
	alias, ok := n.(*ast.AliasNode)
	if w.expanded++; !ok || alias.Value == nil || w.expanded > maxExpanded {
		return nil
	}
	switch n := w.anchors[alias.Value.GetToken().Value].(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// quotable is the text of one line that begins like a tag, such as the predicate !connected, with
// its place; "" for a tag of YAML. In a flow collection the text ends before a comma or a bracket.
func (w *walker) quotable(n *ast.TagNode) (diag.Pos, string) {
	at := w.pos(n)
	at.Len = len(w.lines[at.Line-1])
	text := w.source(at)
	before := w.lines[at.Line-1][:len(w.lines[at.Line-1])-len(text)]
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
