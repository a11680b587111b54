package yamltree

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
)

// NodeField reads the value of one key.
type NodeField = func(key Text, n *Node)

// NodeReader reads the nodes of a document into values, and reports what is wrong under the rules of its format.
type NodeReader struct {
	Diags                 *diag.List
	UnknownKey, WrongKind string // rules
}

// Errorf reports an error.
func (r *NodeReader) Errorf(at diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return r.Diags.Errorf(at, rule, format, args...)
}

// Fields passes each member of a mapping to the reader of its key, and reports unknown keys. It returns whether the
// node is a mapping.
func (r *NodeReader) Fields(n *Node, what string, known map[string]NodeField) bool {
	if n.Kind != MappingNode {
		r.Errorf(n.Pos, r.WrongKind, "%s must be a mapping, not %s", what, n.Kind)
		return false
	}
	for _, m := range n.Members {
		if read, ok := known[m.Key.Value]; ok {
			read(m.Key, m.Value)
			continue
		}
		d := r.Errorf(m.Key.Pos, r.UnknownKey, "unknown key %q in %s", m.Key.Value, what)
		names := slices.Sorted(maps.Keys(known))
		if d.Hint = diag.DidYouMean(m.Key.Value, names); d.Hint == "" {
			d.Hint = "valid here: " + strings.Join(names, ", ")
		}
	}
	return true
}

// Wrong reports a value of another kind than is wanted.
func (r *NodeReader) Wrong(key Text, n *Node, want string) *diag.Diagnostic {
	at := n.Pos
	if n.IsNull() {
		at = key.Pos
	}
	return r.Errorf(at, r.WrongKind, "%s must be %s, not %s", key.Value, want, n.Kind)
}

// Bool reads true or false.
func (r *NodeReader) Bool(dst *bool) NodeField {
	return func(key Text, n *Node) {
		if n.Kind != BoolLiteral {
			r.Wrong(key, n, "true or false")
			return
		}
		*dst = n.Bool
	}
}

// Count reads a whole number from one to a million.
func (r *NodeReader) Count(dst *int) NodeField {
	return func(key Text, n *Node) {
		if n.Kind != NumberLiteral || n.Number != math.Trunc(n.Number) || n.Number < 1 || n.Number > 1e6 {
			r.Wrong(key, n, "a whole number above zero")
			return
		}
		*dst = int(n.Number)
	}
}
