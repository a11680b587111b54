package spec

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

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
	d.w.fields(n.n, what, n.Pos, part.of(d.w.rootFields(t, &version, &include, &own))...)
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
	d.w.fields(n.n, what, at, part.of(d.w.liveFields(t))...)
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
