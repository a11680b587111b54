package lsp

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/lsp/place"
	"github.com/callsheet/callsheet/gen/lsp/wire"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// definition finds where a name is declared: the handler of a tool, the file of an include, or the entry
// of the manifest that declares a name.
func (d *document) definition(p wire.PositionParams) ([]wire.Location, error) {
	at := d.at(p.Position)
	if suffix, ok := handlerSuffix(at); ok {
		return d.handlers(model.GoName(at.Word) + suffix), nil
	}
	if matches([]string{"include", "#"}, at.Path) {
		return d.included(p.Position.Line), nil
	}
	if n, ok := d.named(p.Position.Line, at); ok && !n.at.IsZero() {
		return []wire.Location{d.module.location(n.at)}, nil
	}
	return nil, nil
}

// handlerSuffix returns what the method that implements an entry is called beside the entry's name; false
// where there is no name of a tool, prompt or resource.
func handlerSuffix(at place.Place) (string, bool) {
	for list, suffix := range map[string]string{"tools": "", "prompts": "Prompt", "resources": "Resource"} {
		if at.Role == place.Value && matches([]string{list, "#", "name"}, at.Path) {
			return suffix, true
		}
	}
	return "", false
}

// handlers finds the methods of a name in the Go files of the document's area.
func (d *document) handlers(method string) []wire.Location {
	tree, _, _ := d.module.names()
	i := slices.IndexFunc(tree.Areas, func(a spec.Area) bool { return a.File == d.name })
	if i < 0 {
		return nil
	}
	area := &tree.Areas[i]
	pattern := regexp.MustCompile(`(?m)^func \([^)]*\) (` + regexp.QuoteMeta(method) + `)\(`)
	dir := filepath.Join(d.module.root, filepath.FromSlash(d.module.handlers()), area.Name.Value)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []wire.Location
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		full := filepath.Join(dir, f.Name())
		text, err := os.ReadFile(full)
		if err != nil {
			continue
		}
		for _, m := range pattern.FindAllSubmatchIndex(text, -1) {
			out = append(out, wire.Location{URI: uriOf(full), Range: span(string(text), m[2], m[3])})
		}
	}
	return out
}

// span is the range between two bytes of a text.
func span(text string, start, end int) wire.Range {
	position := func(at int) wire.Position {
		begin := strings.LastIndexByte(text[:at], '\n') + 1
		return wire.Position{Line: strings.Count(text[:at], "\n"), Character: unitsAt(text[begin:], at-begin)}
	}
	return wire.Range{Start: position(start), End: position(end)}
}

// included finds the file that an include of the line names.
func (d *document) included(line int) []wire.Location {
	tree, _, _ := d.module.names()
	for _, a := range tree.Areas {
		if at := a.Name.Pos; at.File == d.name && at.Line == line+1 && strings.Contains(d.lines[line], strings.TrimPrefix(a.File, path.Dir(d.module.file)+"/")) {
			return []wire.Location{d.module.location(diag.Pos{File: a.File, Line: 1, Col: 1})}
		}
	}
	return nil
}

// symbols lists the document's outline: what the root file declares, or the tools of an area with their
// parameters.
func (d *document) symbols(wire.PositionParams) ([]wire.Symbol, error) {
	tree, _, _ := d.module.names()
	out := []wire.Symbol{}
	group := func(title string, kind int, names []named) {
		var children []wire.Symbol
		for _, n := range names {
			children = append(children, d.symbol(n, kind))
		}
		if len(children) > 0 {
			first := children[0]
			out = append(out, wire.Symbol{Name: title, Kind: wire.SymbolNamespace, Range: first.Range, Selection: first.Selection, Children: children})
		}
	}
	if d.name == tree.Root {
		group("capabilities", wire.SymbolEnum, capabilityNames(tree, nil))
		group("facts", wire.SymbolConstant, factNames(tree, nil))
		group("powers", wire.SymbolConstant, powerNames(tree, nil))
		group("scopes", wire.SymbolEnum, scopeNames(tree, nil))
	}
	for _, a := range tree.Areas {
		if a.File != d.name {
			continue
		}
		for _, t := range a.Tools {
			s := d.symbol(name(t.Name, t.Title.Value), wire.SymbolFunction)
			for _, n := range parameterNames(tree, t) {
				s.Children = append(s.Children, d.symbol(n, wire.SymbolField))
			}
			if n := len(s.Children); n > 0 {
				s.Range.End = s.Children[n-1].Range.End
			}
			out = append(out, s)
		}
		for _, p := range a.Prompts {
			out = append(out, d.symbol(name(p.Name, p.Title.Value), wire.SymbolFunction))
		}
		for _, r := range a.Resources {
			out = append(out, d.symbol(name(r.Name, r.Title.Value), wire.SymbolFunction))
		}
	}
	return out, nil
}

func (d *document) symbol(n named, kind int) wire.Symbol {
	at := rangeOf(d.lines, n.at)
	return wire.Symbol{Name: n.name, Detail: n.doc, Kind: kind, Range: at, Selection: at}
}

// toolName returns the place of a tool's name at a position; false where there is another word.
func (d *document) toolName(p wire.Position) (place.Place, bool) {
	at := d.at(p)
	return at, isToolName(at) && at.Word != ""
}
