package source

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// reader reads the nodes of one document.
type reader struct {
	yamltree.NodeReader
	doc *yamltree.Document
}

func newReader(doc *yamltree.Document, diags *diag.List) *reader {
	return &reader{yamltree.NodeReader{Diags: diags, UnknownKey: ruleKey, WrongKind: ruleKind}, doc}
}

// key reads the value of one key.
type key = yamltree.NodeField

// text reads a text. A {name} without quotes is a mapping in YAML, which is reported as that.
func (r *reader) text(dst *spec.Text) key {
	return func(key spec.Text, n *yamltree.Node) {
		switch {
		case n.Kind == spec.StringLiteral:
			*dst = n.Text
		case r.unquoted(n):
		default:
			r.Wrong(key, n, "text")
		}
	}
}

// unquoted reports a {name} that YAML has read as a mapping.
func (r *reader) unquoted(n *yamltree.Node) bool {
	if n.Kind != yamltree.MappingNode || len(n.Members) != 1 || !n.Members[0].Value.IsNull() {
		return false
	}
	name := n.Members[0].Key.Value
	if !isName(strings.TrimPrefix(name, "secret:")) {
		return false
	}
	r.Errorf(n.Pos, ruleUnquoted, "{%s} without quotes is a mapping in YAML, not a placeholder", name).Hint = `write "{` + name + `}"`
	return true
}

func (r *reader) string(dst *string) key {
	return func(key spec.Text, n *yamltree.Node) {
		var t spec.Text
		if r.text(&t)(key, n); t.Set() {
			*dst = t.Value
		}
	}
}

func (r *reader) duration(dst *time.Duration) key {
	return func(key spec.Text, n *yamltree.Node) {
		d, err := time.ParseDuration(n.Text.Value)
		if err != nil || d <= 0 || d > time.Hour {
			r.Wrong(key, n, "a time such as 500ms, 20s or 2m").Hint = "at most 1h"
			return
		}
		*dst = d
	}
}

// texts reads one text or a list of them.
func (r *reader) texts(dst *[]spec.Text) key {
	return func(key spec.Text, n *yamltree.Node) {
		items := n.Items
		if n.Kind != yamltree.ListNode {
			items = []*yamltree.Node{n}
		}
		for _, item := range items {
			var t spec.Text
			if r.text(&t)(key, item); t.Set() {
				*dst = append(*dst, t)
			}
		}
	}
}

// examples reads a list of arguments.
func (r *reader) examples(dst *[]json.RawMessage) key {
	return func(k spec.Text, n *yamltree.Node) {
		if n.Kind != yamltree.ListNode {
			r.Wrong(k, n, "a list of arguments")
			return
		}
		for _, item := range n.Items {
			if item.Kind != yamltree.MappingNode {
				r.Wrong(k, item, "a mapping of arguments")
				continue
			}
			if raw := r.json(item); raw != nil {
				*dst = append(*dst, raw)
			}
		}
	}
}

// json returns the JSON value of a node.
func (r *reader) json(n *yamltree.Node) json.RawMessage {
	raw, err := json.Marshal(r.value(n))
	if err != nil { // a tree of what JSON knows
		r.Errorf(n.Pos, ruleKind, "this value is nothing JSON knows")
		return nil
	}
	return raw
}

func (r *reader) value(n *yamltree.Node) any {
	switch n.Kind {
	case spec.StringLiteral:
		return n.Text.Value
	case spec.NumberLiteral:
		if text := n.Text.Value; strings.Trim(text, "-0123456789") == "" && json.Valid([]byte(text)) {
			return json.Number(text) // an id may have more digits than a float64
		}
		return n.Number
	case spec.BoolLiteral:
		return n.Bool
	case yamltree.ListNode:
		return slicesx.List(n.Items, r.value)
	case yamltree.MappingNode:
		if r.unquoted(n) {
			return ""
		}
		out := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			out[m.Key.Value] = r.value(m.Value)
		}
		return out
	case spec.NullLiteral, spec.OtherLiteral:
	}
	return nil
}

// nodeAt returns the node of a JSON pointer, or the nearest one above it.
func nodeAt(n *yamltree.Node, pointer string) *yamltree.Node {
	for _, token := range argument.Tokens(pointer) {
		next := n.Member(token)
		if i, err := strconv.Atoi(token); err == nil && n.Kind == yamltree.ListNode && i >= 0 && i < len(n.Items) {
			next = n.Items[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}
