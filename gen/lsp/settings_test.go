package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/lsp/wire"
)

// Each file is checked as part of its own manifest, where the settings say that it is.
func TestTwoManifests(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	write(t, filepath.Join(e.dir, "toolgen.yaml"), `version: 1
manifests:
  - manifest: manifest/tools.yaml
  - {manifest: api/private/root.yaml, output: api/generated, handlers: api/handlers}
`)
	const other = "api/private/tools/notes.yaml"
	write(t, filepath.Join(e.dir, "api/private/root.yaml"), rootText)
	write(t, filepath.Join(e.dir, other), areaText)
	write(t, filepath.Join(e.dir, "api/handlers/notes/notes.go"), "\n"+handlerText)
	e.open(area, areaText)
	e.diagnostics(area, none)
	broken := strings.Replace(areaText, "capability: core", "capability: cor", 1)
	e.open(other, broken)
	e.diagnostics(other, rule("unknown-capability"))
	e.set(other, areaText)
	e.diagnostics(other, none)
	for name, want := range map[string]wire.Location{
		area:  {URI: e.uri("tools/notes/notes.go"), Range: wire.Range{Start: wire.Position{Line: 5, Character: 16}}},
		other: {URI: e.uri("api/handlers/notes/notes.go"), Range: wire.Range{Start: wire.Position{Line: 6, Character: 16}}},
	} {
		var got []wire.Location
		e.request("textDocument/definition", e.at(name, strings.Replace(areaText, "read_note", "read¦_note", 1)), &got)
		if len(got) != 1 || got[0].URI != want.URI || got[0].Range.Start != want.Range.Start {
			t.Errorf("%s: the handler is at %+v", name, got)
		}
	}
}
