package spec

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Part says which keys of the manifest's grammar a place of someone else's document has.
type Part struct {
	Keys     []string // keys of the manifest that are valid there
	Required []string // those of them that must be written; the manifest's own rule does not count
	Own      []string // keys of the caller, which are valid there and left unread
}

// ReadDocument reads a file that has keys of a manifest beside its own, such as one of a site. Messages call
// it what. Its texts may repeat those of other programs, such as names in pages, to the letter: invisible characters
// are no mistake there.
func ReadDocument(f File, what string) (*yamltree.Document, diag.List) {
	g := grammar(what)
	g.Visible = false
	return yamltree.ReadDocument(f, g)
}

// ReadRoot reads keys of the root file of a manifest that a mapping of a document holds. The tree has no
// tools: the caller adds areas.
func ReadRoot(d *yamltree.Document, n *yamltree.Node, what string, part Part) (*Tree, diag.List) {
	t := &Tree{Root: n.Pos.File}
	diags := d.Read(n, func(r *yamltree.Reader, body ast.Node) {
		w := &walker{r}
		var version Scalar[int]
		var include []Text
		var own Area
		w.Fields(body, what, n.Pos, part.of(rootWalker{w}.rootFields(t, &version, &include, &own))...)
		if version.Set() {
			w.knownVersion(version)
		}
	})
	return t, diags
}

// ReadTool reads the entry of a tool that a mapping of a document holds. It is nil without a name, which is
// reported.
func ReadTool(d *yamltree.Document, n *yamltree.Node, part Part) (*Tool, diag.List) {
	t := &Tool{Pos: n.Pos}
	diags := d.Read(n, func(r *yamltree.Reader, body ast.Node) {
		w := &walker{r}
		what, at := w.title(body, "tool")
		w.Fields(body, what, at, part.of(toolWalker{w}.liveFields(t))...)
	})
	if !t.Name.Set() {
		return nil, diags
	}
	return t, diags
}

// of narrows the fields of the manifest to those of the part.
func (p Part) of(all []field) []field {
	var out []field
	for _, f := range all {
		if slices.Contains(p.Keys, f.Name) {
			f.Required = slices.Contains(p.Required, f.Name)
			out = append(out, f)
		}
	}
	for _, name := range p.Own {
		out = append(out, field{Name: name, Required: slices.Contains(p.Required, name), Read: func(member) {}})
	}
	return out
}
