// Package openapi reads OpenAPI documents of version 3, and describes their operations as tools of an
// upstream. Package overlay below it applies overlays.
//
// It is pure: it neither fetches a document nor calls a server. It must not know how a manifest is
// written; everything that it leaves out or says otherwise is a decision for the report.
package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel"
)

// document is a document as a tree whose places have JSON pointers.
type document struct {
	root   *yaml.Node
	is30   bool // version 3.0, whose schemas are not those of JSON Schema
	places map[string]value
}

// errNotOpenAPI says what is read.
var errNotOpenAPI = errors.New("no OpenAPI document of version 3: write its member openapi, such as 3.1.0")

// parse reads a document, after an overlay has changed it. It returns what the overlay did not do.
func parse(data []byte, overlay Overlay) (*document, []string, error) {
	doc, err := parseDocument(data)
	if err != nil || overlay == nil {
		return doc, nil, err
	}
	changed, warnings, err := overlay(data)
	if err != nil {
		return nil, nil, err
	}
	doc, err = parseDocument(changed)
	return doc, warnings, err
}

func parseDocument(data []byte) (*document, error) {
	info, err := datamodel.ExtractSpecInfo(data)
	if err != nil && strings.Contains(err.Error(), "spec type not supported") { // the library has no value for it
		return nil, errNotOpenAPI
	}
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	switch {
	case strings.HasPrefix(info.Version, "2."):
		return nil, errors.New("the document is Swagger 2.0; convert it to OpenAPI 3 first")
	case !strings.HasPrefix(info.Version, "3."):
		return nil, errNotOpenAPI
	}
	root := info.RootNode
	if root != nil && root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil, errNotOpenAPI
	}
	if count := 0; !aliasesFit(root, false, &count) {
		return nil, fmt.Errorf("the aliases of the document stand for more than %d values, or for themselves; write the values out", maxAliased)
	}
	return &document{root: root, is30: strings.HasPrefix(info.Version, "3.0"), places: map[string]value{}}, nil
}

// maxAliased bounds the values that the aliases of a document stand for: aliases of aliases grow fast.
const maxAliased = 100_000

// aliasesFit reports whether the aliases below a node stand for at most maxAliased values. within says that the node is
// one of them; count is how many were met.
func aliasesFit(node *yaml.Node, within bool, count *int) bool {
	if within {
		if *count++; *count > maxAliased {
			return false
		}
	}
	if node.Kind == yaml.AliasNode {
		return node.Alias == nil || aliasesFit(node.Alias, true, count)
	}
	for _, child := range node.Content {
		if !aliasesFit(child, within, count) {
			return false
		}
	}
	return true
}

// value is a place in a document. The zero value is an absent one.
type value struct {
	doc  *document
	node *yaml.Node
	at   string // JSON pointer
}

func (d *document) top() value { return value{d, d.root, ""} }

func (v value) exists() bool { return v.node != nil }

// child is the value below v, with aliases of YAML followed.
func (v value) child(node *yaml.Node, name string) value {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return value{v.doc, node, v.at + "/" + escapePointer(name)}
}

func escapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// get returns a member; one that is null is as if it were absent.
func (v value) get(name string) value {
	if v.node == nil || v.node.Kind != yaml.MappingNode {
		return value{}
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if v.node.Content[i].Value == name {
			out := v.child(v.node.Content[i+1], name)
			if out.node.Kind == yaml.ScalarNode && out.node.Tag == "!!null" {
				return value{}
			}
			return out
		}
	}
	return value{}
}

// named is a member of an object.
type named struct {
	name string
	value
}

// members lists the members of an object in their order.
func (v value) members() []named {
	if v.node == nil || v.node.Kind != yaml.MappingNode {
		return nil
	}
	out := make([]named, 0, len(v.node.Content)/2)
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		name := v.node.Content[i].Value
		out = append(out, named{name, v.child(v.node.Content[i+1], name)})
	}
	return out
}

// items lists the items of a list.
func (v value) items() []value {
	if v.node == nil || v.node.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]value, len(v.node.Content))
	for i, node := range v.node.Content {
		out[i] = v.child(node, strconv.Itoa(i))
	}
	return out
}

// text is the text of a scalar; "" of anything else.
func (v value) text() string {
	if v.node == nil || v.node.Kind != yaml.ScalarNode {
		return ""
	}
	return v.node.Value
}

func (v value) texts() []string {
	var out []string
	for _, item := range v.items() {
		out = append(out, item.text())
	}
	return out
}

func (v value) isTrue() bool  { return v.isBool("true") }
func (v value) isFalse() bool { return v.isBool("false") }

func (v value) isBool(word string) bool {
	return v.node != nil && v.node.Tag == "!!bool" && strings.EqualFold(v.node.Value, word)
}

// problem is why an operation, or a part of it, cannot be said.
type problem struct{ at, why string }

func (p *problem) Error() string { return p.at + ": " + p.why }

// resolve follows references until a value is none.
func (v value) resolve() (value, error) {
	seen := []string{}
	for {
		ref := v.get("$ref").text()
		if ref == "" {
			return v, nil
		}
		if slices.Contains(seen, ref) {
			return value{}, &problem{v.at, fmt.Sprintf("the reference %q leads to itself", ref)}
		}
		seen = append(seen, ref)
		var err error
		if v, err = v.follow(ref); err != nil {
			return value{}, err
		}
	}
}

// follow returns what a reference within the document names.
func (v value) follow(ref string) (value, error) {
	if out, ok := v.doc.places[ref]; ok {
		return out, nil
	}
	if !strings.HasPrefix(ref, "#") {
		return value{}, &problem{v.at, fmt.Sprintf("%q is in another file; bundle the document into one", ref)}
	}
	out := v.doc.top()
	pointer, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil || pointer != "" && pointer[0] != '/' {
		return value{}, &problem{v.at, fmt.Sprintf("the reference %q is no JSON pointer", ref)}
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		next := out.get(name)
		if i, err := strconv.Atoi(name); err == nil && out.node.Kind == yaml.SequenceNode && i >= 0 && i < len(out.node.Content) {
			next = out.child(out.node.Content[i], name)
		}
		if out = next; !out.exists() {
			return value{}, &problem{v.at, fmt.Sprintf("the document has no %q", ref)}
		}
	}
	v.doc.places[ref] = out
	return out, nil
}
