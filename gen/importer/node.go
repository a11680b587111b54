package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// node is a JSON value whose members keep their order.
type node struct {
	kind    byte // one of { [ " 0 t n
	text    string
	members []member
	items   []*node
}

type member struct {
	name  string
	value *node
}

func readNode(data []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := decodeNode(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the value")
	}
	return n, nil
}

func decodeNode(d *json.Decoder) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		n := &node{kind: byte(t)}
		for d.More() {
			var m member
			if t == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				m.name, _ = key.(string)
			}
			if m.value, err = decodeNode(d); err != nil {
				return nil, err
			}
			n.members, n.items = append(n.members, m), append(n.items, m.value)
		}
		if _, err = d.Token(); t == '{' {
			n.items = nil
		} else {
			n.members = nil
		}
		return n, err
	case string:
		return &node{kind: '"', text: t}, nil
	case json.Number:
		return &node{kind: '0', text: t.String()}, nil
	case bool:
		return &node{kind: 't', text: map[bool]string{true: "true", false: "false"}[t]}, nil
	}
	return &node{kind: 'n', text: "null"}, nil
}

// get returns a member's value; nil when there is none.
func (n *node) get(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// without returns the object less some members.
func (n *node) without(names ...string) *node {
	out := *n
	out.members = slices.DeleteFunc(slices.Clone(n.members), func(m member) bool { return slices.Contains(names, m.name) })
	return &out
}

// texts are the items of a list of texts; false when it is none.
func (n *node) texts() ([]string, bool) {
	var out []string
	for _, i := range n.items {
		if i.kind != '"' {
			return nil, false
		}
		out = append(out, i.text)
	}
	return out, n.kind == '['
}

// is reports whether the value is the text, number, boolean or null that JSON writes so.
func (n *node) is(kind byte, text string) bool { return n != nil && n.kind == kind && n.text == text }
