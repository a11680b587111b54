package source

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/record/contract"
)

// entryKeys lists the keys that the file of a tool shares with the entry of a manifest.
func entryKeys() []string {
	return []string{"name", "title", "description", "capability", "scope", "tier", "effects", "visible", "listed", "changes", "surfaces", "input",
		"output", "require_when", "budget", "slim", "cli", "was", "not"}
}

// readTool reads the file of a tool; nil when it has no name.
func readTool(f spec.File, diags *diag.List) *Tool {
	doc, more := spec.ReadDocument(f, "a tool of a site")
	*diags = append(*diags, more...)
	if doc == nil || doc.Root == nil {
		return nil
	}
	r := newReader(doc, diags)
	n := doc.Root
	if n.Kind != yamltree.MappingNode {
		r.Errorf(n.Pos, ruleKind, "a tool must be a mapping, not %s", n.Kind)
		return nil
	}
	t := &Tool{File: f.Name, Pos: n.Pos, Confirmed: true}
	own := map[string]key{
		"start": r.text(&t.Start), "steps": r.steps(&t.Steps), "extract": r.extractions(&t.Extract), "timeout": r.duration(&t.Timeout),
		"powers": r.texts(&t.Powers), "confirmed": r.Bool(&t.Confirmed), "examples": r.examples(&t.Examples),
		"postcondition": func(k spec.Text, n *yamltree.Node) {
			t.Postcondition, t.PostPos = r.contract(k, n), k.Pos
			t.postcondition = n
		},
	}
	part := spec.Part{Keys: entryKeys(), Required: []string{"name", "description"}}
	for name := range own {
		part.Own = append(part.Own, name)
	}
	slices.Sort(part.Own)
	t.Entry, more = spec.ReadTool(doc, n, part)
	*diags = append(*diags, more...)
	for _, m := range n.Members {
		if read := own[m.Key.Value]; read != nil {
			read(m.Key, m.Value)
		}
	}
	if t.Entry == nil {
		return nil
	}
	t.Input = &param.Object{}
	quiet := newReader(doc, &diag.List{}) // the compiler reports what is wrong with the entry
	if in := n.Member("input"); in != nil {
		quiet.object(&t.Input, "input")(spec.Text{}, in)
	}
	if out := n.Member("output"); out != nil {
		quiet.object(&t.Output, "output")(spec.Text{}, out)
	}
	if len(t.Steps) == 0 && !t.Start.Set() && n.Member("steps") == nil {
		r.Errorf(t.Entry.Name.Pos, ruleStep, "tool %q does nothing: it has neither start nor steps", t.Entry.Name.Value).Hint =
			`add start: /path, or steps: [click "…"]`
	}
	return t
}

// contract reads a contract and reports what is wrong with it. A text with a placeholder stands for any
// value.
func (r *reader) contract(_ spec.Text, n *yamltree.Node) json.RawMessage {
	raw := r.json(n)
	if raw == nil {
		return nil
	}
	_, problems := contract.Parse(raw)
	for _, p := range problems {
		at := nodeAt(n, p.Path)
		if at.Kind == spec.StringLiteral && len(Placeholders(at.Text.Value)) > 0 {
			continue
		}
		pos := at.Pos
		if _, last, ok := cutLast(p.Path); ok {
			if owner := nodeAt(n, strings.TrimSuffix(p.Path, "/"+last)); owner.Kind == yamltree.MappingNode {
				for _, m := range owner.Members {
					if m.Key.Value == last && strings.HasPrefix(p.Problem, "unknown") {
						pos = m.Key.Pos
					}
				}
			}
		}
		r.Errorf(pos, ruleContract, "%s: %s", cmp.Or(p.Path, "contract"), p.Problem).Hint = p.Hint
	}
	return raw
}

func cutLast(pointer string) (before, last string, ok bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", "", false
	}
	return pointer[:i], pointer[i+1:], true
}

func (r *reader) extractions(dst *[]Extraction) key {
	return func(k spec.Text, n *yamltree.Node) {
		if n.Kind != yamltree.MappingNode {
			r.Wrong(k, n, "a mapping of the properties of the output")
			return
		}
		for _, m := range n.Members {
			*dst = append(*dst, r.extraction(m))
		}
	}
}

func (r *reader) extraction(m yamltree.Member) Extraction {
	x := Extraction{Property: m.Key}
	var read, attribute, pattern spec.Text
	r.Fields(m.Value, "the extraction of "+quoted(m.Key), map[string]key{
		"element": r.element(&x.Element), "read": r.text(&read), "attribute": r.text(&attribute), "pattern": r.text(&pattern), "json": r.pointer(&x.JSON),
		"list": func(k spec.Text, n *yamltree.Node) {
			switch x.List = true; n.Kind {
			case spec.BoolLiteral:
				x.List = n.Bool
			case yamltree.MappingNode:
				r.extractions(&x.Members)(k, n)
			default:
				r.Wrong(k, n, "true, or a mapping of the members of each object")
			}
		},
	})
	x.Read, x.Attribute, x.Pattern, x.patternPos = Read(read.Value), attribute.Value, pattern.Value, pattern.Pos
	valid := []string{string(ReadText), string(ReadNumber), string(ReadValue), string(ReadAttribute), string(ReadPresent), string(ReadCount), string(ReadURL)}
	switch {
	case read.Set() && !slices.Contains(valid, read.Value):
		d := r.Errorf(read.Pos, ruleExtract, "read cannot be %q", read.Value)
		d.Hint = cmp.Or(diag.DidYouMean(read.Value, valid), "one of "+strings.Join(valid, ", "))
	case !read.Set() && attribute.Set():
		x.Read = ReadAttribute
	case x.Read == ReadAttribute && !attribute.Set():
		r.Errorf(read.Pos, ruleExtract, "read: attribute does not say which").Hint = "add attribute: href, or the like"
	case attribute.Set() && x.Read != ReadAttribute:
		r.Errorf(attribute.Pos, ruleExtract, "attribute is for read: attribute, and this reads %s", x.Read).Hint = "delete one of the two"
	}
	if x.Element == nil && m.Value.Kind == yamltree.MappingNode && m.Value.Member("element") == nil && m.Value.Member("json") == nil && x.Read != ReadURL {
		r.Errorf(m.Key.Pos, ruleExtract, "the extraction of %q names no element", m.Key.Value).Hint = "add element: {role: …, name: …}, read: url, or json: /pointer of an answer"
	}
	r.pattern(pattern)
	return x
}
