package lsp

import (
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/lsp/wire"
	"github.com/callsheet/callsheet/gen/spec"
)

// toolNamePattern is what a tool may be called.
var toolNamePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// prepareRename says that the name of a tool can be renamed, and nothing else.
func (d *document) prepareRename(p wire.PositionParams) (*wire.PrepareRename, error) {
	at, ok := d.toolName(p.Position)
	if !ok {
		return nil, nil
	}
	return &wire.PrepareRename{Range: d.wordRange(p.Position.Line, at), Placeholder: at.Word}, nil
}

// rename gives a tool another name and keeps the old one under was, so that clients of the old list are
// still served.
func (d *document) rename(p wire.PositionParams) (*wire.WorkspaceEdit, error) {
	at, ok := d.toolName(p.Position)
	if !ok {
		return nil, wire.Errorf(wire.RequestFailed, "only the name of a tool can be renamed")
	}
	tree, _, _ := d.module.names()
	tool := toolAt(tree, d.name, p.Position.Line+1)
	if tool == nil || tool.Name.Value != at.Word || tool.Name.Pos.Line != p.Position.Line+1 {
		return nil, wire.Errorf(wire.RequestFailed, "the file has errors that hide the tool %q; mend them first", at.Word)
	}
	if !toolNamePattern.MatchString(p.NewName) {
		return nil, wire.Errorf(wire.RequestFailed, "%q is no name for a tool: lower case letters, digits and underscores, at most 64", p.NewName)
	}
	if owner := nameOwner(tree, p.NewName); owner != "" {
		return nil, wire.Errorf(wire.RequestFailed, "%q is a name of the tool %q, or was one", p.NewName, owner)
	}
	edits := []wire.TextEdit{{Range: d.wordRange(p.Position.Line, at), NewText: p.NewName}}
	if tool.Deferred == nil { // a deferred tool serves no client
		edits = append(edits, d.keepName(tool))
	}
	return &wire.WorkspaceEdit{Changes: map[string][]wire.TextEdit{d.uri: edits}}, nil
}

// nameOwner returns the tool that has a name, or had it; "" when the name is free.
func nameOwner(tree *spec.Tree, name string) string {
	for _, a := range tree.Areas {
		for _, t := range a.Tools {
			if t.Name.Value == name || slices.ContainsFunc(t.Was, func(old spec.Text) bool { return old.Value == name }) {
				return t.Name.Value
			}
		}
	}
	return ""
}

// keepName is the edit that adds the tool's present name to its older ones.
func (d *document) keepName(t *spec.Tool) wire.TextEdit {
	if len(t.Was) == 0 {
		return d.newWas(t)
	}
	last := t.Was[len(t.Was)-1].Pos
	at := rangeOf(d.lines, last)
	line := d.lines[last.Line-1]
	before := strings.TrimRight(line[:runes(line, last.Col-1)], " ")
	switch {
	case strings.HasSuffix(before, "[") || strings.HasSuffix(before, ","):
		return wire.TextEdit{Range: wire.Range{Start: at.End, End: at.End}, NewText: ", " + t.Name.Value}
	case strings.HasSuffix(before, "-"):
		end := endOfLine(line, at.End.Line)
		return wire.TextEdit{Range: wire.Range{Start: end, End: end}, NewText: "\n" + strings.TrimSuffix(before, "-") + "- " + t.Name.Value}
	}
	written := line[runes(line, last.Col-1):runes(line, last.Col-1+last.Len)]
	return wire.TextEdit{Range: at, NewText: "[" + written + ", " + t.Name.Value + "]"}
}

// newWas is the edit that writes the key was beside the name.
func (d *document) newWas(t *spec.Tool) wire.TextEdit {
	pos := t.Name.Pos
	line := d.lines[pos.Line-1]
	before := line[:runes(line, pos.Col-1)]
	key := strings.LastIndex(before, "name")
	if strings.ContainsAny(before[:max(key, 0)], "{,") {
		end := rangeOf(d.lines, pos).End
		return wire.TextEdit{Range: wire.Range{Start: end, End: end}, NewText: ", was: " + t.Name.Value}
	}
	end := endOfLine(line, pos.Line-1)
	return wire.TextEdit{Range: wire.Range{Start: end, End: end}, NewText: "\n" + strings.Repeat(" ", max(key, 0)) + "was: " + t.Name.Value}
}

func endOfLine(line string, number int) wire.Position {
	line = strings.TrimSuffix(line, "\r")
	return wire.Position{Line: number, Character: unitsAt(line, len(line))}
}

// actions lists the fixes of the problems in a range.
func (d *document) actions(p wire.CodeActionParams) []wire.CodeAction {
	out := []wire.CodeAction{}
	for _, found := range d.module.found(d.name) {
		at := rangeOf(d.lines, found.Pos)
		if found.Fix == nil || at.End.Line < p.Range.Start.Line || at.Start.Line > p.Range.End.Line {
			continue
		}
		out = append(out, wire.CodeAction{
			Title: found.Fix.Title, Kind: "quickfix", IsPreferred: true,
			Diagnostics: d.module.problems(d.name, diag.List{found}),
			Edit:        d.module.workspaceEdit(found.Fix),
		})
	}
	return out
}

// problems is convert for callers that do not hold mu.
func (m *module) problems(name string, list diag.List) []wire.Diagnostic {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.convert(name, list)
}

// workspaceEdit converts the edits of a fix.
func (m *module) workspaceEdit(fix *diag.Fix) wire.WorkspaceEdit {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := wire.WorkspaceEdit{Changes: map[string][]wire.TextEdit{}}
	for _, e := range fix.Edits {
		lines, uri := m.linesLocked(e.File), m.uri(e.File)
		out.Changes[uri] = append(out.Changes[uri], wire.TextEdit{NewText: e.Text, Range: wire.Range{
			Start: positionOf(lines, e.Line, e.Col),
			End:   positionOf(lines, e.EndLine, e.EndCol),
		}})
	}
	return out
}

// positionOf converts a line and a column of the compiler, which count from 1. An end may lie on the line
// after the last.
func positionOf(lines []string, line, col int) wire.Position {
	if line < 1 || line > len(lines) {
		return wire.Position{Line: len(lines)}
	}
	text := lines[line-1]
	return wire.Position{Line: line - 1, Character: unitsAt(text, runes(text, col-1))}
}
