package lsp

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/lsp/place"
	"github.com/callsheet/callsheet/gen/lsp/wire"
)

// complete lists what can stand at a position: keys that the mapping does not have yet, names, values.
func (d *document) complete(p wire.PositionParams) ([]wire.CompletionItem, error) {
	at := d.at(p.Position)
	tree, _, _ := d.module.names()
	tool := toolAt(tree, d.name, p.Position.Line+1)
	out := []wire.CompletionItem{}
	add := func(kind int, suffix string, names []named) {
		for _, n := range names {
			if at.Role == place.Key && slices.Contains(at.Keys, n.name) && n.name != at.Word {
				continue
			}
			label, _, _ := strings.Cut(n.doc, "\n")
			out = append(out, wire.CompletionItem{
				Label: n.name, Kind: kind, Detail: label,
				TextEdit: &wire.TextEdit{Range: d.wordRange(p.Position.Line, at), NewText: n.name + suffix},
			})
		}
	}
	if at.Role == place.Key || at.Role == place.Either {
		suffix := ": "
		if at.IsKey {
			suffix = ""
		}
		add(wire.CompletionProperty, suffix, keysAt(at.Path))
		add(wire.CompletionReference, suffix, namesAt(tree, tool, at.Path, true))
		if matches([]string{"resources", "#", "variables"}, at.Path) {
			add(wire.CompletionReference, suffix, variableNames(tree, d.name, p.Position.Line+1))
		}
	}
	if at.Role == place.Value || at.Role == place.Either {
		add(wire.CompletionEnum, "", valuesAt(at.Path))
		add(wire.CompletionReference, "", namesAt(tree, tool, at.Path, false))
	}
	return out, nil
}

// named finds what the name at a place stands for; false where it is no known name.
func (d *document) named(line int, at place.Place) (named, bool) {
	tree, _, _ := d.module.names()
	tool := toolAt(tree, d.name, line+1)
	for _, n := range namesAt(tree, tool, at.Path, at.Role == place.Key) {
		if n.name == at.Word {
			return n, true
		}
	}
	return named{}, false
}
