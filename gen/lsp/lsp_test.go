package lsp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/lsp"
	"github.com/callsheet/callsheet/gen/lsp/wire"
)

const (
	root = "manifest/tools.yaml"
	area = "manifest/tools/notes.yaml"
)

func TestLifecycle(t *testing.T) {
	t.Parallel()
	e := rawEditor(t)
	if m := e.call("textDocument/hover", map[string]any{}); m.Error == nil || m.Error.Code != wire.ServerNotInitialized {
		t.Errorf("a request before initialize: %+v", m)
	}
	e.request("initialize", map[string]any{}, nil)
	if m := e.call("textDocument/foldingRange", map[string]any{}); m.Error == nil || m.Error.Code != wire.MethodNotFound {
		t.Errorf("an unknown method: %+v", m)
	}
	if m := e.call("textDocument/hover", []int{1}); m.Error == nil || m.Error.Code != wire.InvalidParams {
		t.Errorf("wrong parameters: %+v", m)
	}
	e.request("shutdown", nil, nil)
	if m := e.call("textDocument/hover", map[string]any{}); m.Error == nil || m.Error.Code != wire.InvalidRequest {
		t.Errorf("a request after shutdown: %+v", m)
	}
	e.notify("exit", nil)
	if err := <-e.served; err != nil {
		t.Errorf("exit after shutdown: %v", err)
	}
}

func TestEndWithoutShutdown(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.notify("exit", nil)
	if err := <-e.served; !errors.Is(err, lsp.ErrNoShutdown) {
		t.Errorf("exit: %v", err)
	}
	e = newEditor(t)
	e.close()
	if err := <-e.served; !errors.Is(err, lsp.ErrNoShutdown) {
		t.Errorf("closed stream: %v", err)
	}
}

func TestDiagnosticsAsYouType(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, areaText)
	e.diagnostics(area, none)
	e.set(area, strings.Replace(areaText, "capability: core", "capability: cor", 1))
	got := e.diagnostics(area, rule("unknown-capability"))
	want := wire.Range{Start: wire.Position{Line: 4, Character: 16}, End: wire.Position{Line: 4, Character: 19}}
	if len(got) != 1 || got[0].Range != want || got[0].Severity != wire.SeverityError || !strings.Contains(got[0].Message, `"core"`) {
		t.Errorf("%+v", got)
	}
	e.set(area, areaText)
	e.diagnostics(area, none)
	e.set(area, areaText+"  - {\n")
	e.diagnostics(area, rule("yaml-syntax"))
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri(area)}})
	e.diagnostics(area, none)
}

// TestPositionsAreOfUTF16 has characters before a mistake that are one unit, two units and two bytes long.
func TestPositionsAreOfUTF16(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, areaText)
	e.diagnostics(area, none)
	e.set(area, strings.Replace(areaText, "effects: {", "effects: {\"é𝄞\": true, ", 1))
	got := e.diagnostics(area, rule("unknown-key"))
	want := wire.Range{Start: wire.Position{Line: 7, Character: 14}, End: wire.Position{Line: 7, Character: 19}}
	if got[0].Range != want {
		t.Errorf("%+v, want %+v", got[0].Range, want)
	}
	// An incremental change that is counted in the same units removes the mistake.
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.uri(area), "version": 3},
		"contentChanges": []any{map[string]any{"text": "", "range": wire.Range{Start: want.Start, End: wire.Position{Line: 7, Character: 27}}}}})
	e.diagnostics(area, none)
}

func TestOneFileMendsAnother(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, strings.Replace(areaText, "capability: core", "capability: admin", 1))
	e.diagnostics(area, rule("unknown-capability"))
	e.open(root, strings.Replace(rootText, "facts:", "  admin: {title: Admin, description: Administration.}\nfacts:", 1))
	e.diagnostics(area, func(list []wire.Diagnostic) bool { return !rule("unknown-capability")(list) })
}

// TestTheWholeModuleIsChecked has a document speak of a command that is none: a mistake which only the check of the
// whole module finds.
func TestTheWholeModuleIsChecked(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, areaText)
	write(t, filepath.Join(e.dir, "README.md"), "Call `read_notes`.\n")
	e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": e.uri(area)}})
	e.diagnostics("README.md", func(list []wire.Diagnostic) bool { return len(list) > 0 })
}

func TestForeignFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	outside := "file://" + filepath.ToSlash(filepath.Join(os.TempDir(), "no-module-here.yaml"))
	for _, uri := range []string{outside, e.uri("other.yaml"), e.uri("manifest/notes.txt"), "untitled:1", ":"} {
		e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1, "text": "a: ["}})
		m := e.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": wire.Position{}})
		if m.Error != nil || string(m.Result) != "null" {
			t.Errorf("%s: %s %v", uri, m.Result, m.Error)
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(root, rootText)
	e.open(area, areaText)
	for _, tt := range []struct{ name, file, text, has, not string }{
		{"keys of a tool", area, strings.Replace(areaText, "    tier: 1\n", "    ti¦\n", 1), "tier", "visible"},
		{"keys of effects", area, strings.Replace(areaText, "idempotent: true, ", "¦", 1), "idempotent", "read_only"},
		{"keys of a parameter", area, strings.Replace(areaText, "required: true}", "m¦}", 1), "maxLength", "type"},
		{"capabilities", area, strings.Replace(areaText, "capability: core", "capability: ¦", 1), "writing", "open"},
		{"scopes", area, strings.Replace(areaText, "scope: default", "scope: [d¦]", 1), "default", "core"},
		{"facts", area, strings.Replace(areaText, "!locked", "!lo¦", 1), "locked", "core"},
		{"facts of a scenario", root, strings.Replace(rootText, "warm: [open]", "warm: [¦]", 1), "locked", "core"},
		{"types", area, strings.Replace(areaText, "{type: string, required", "{type: ¦, required", 1), "integer", "html"},
		{"tiers", area, strings.Replace(areaText, "tier: 1", "tier: ¦", 1), "3", "4"},
		{"booleans", area, strings.Replace(areaText, "read_only: true", "read_only: ¦", 1), "false", "1"},
		{"parameters", area, strings.Replace(areaText, "all: [title]", "all: [¦]", 1), "format", "core"},
		{"keys of a prompt", area, areaText + "prompts:\n  - name: write\n    ¦\n", "arguments", "effects"},
		{"keys of a resource", area, areaText + "resources:\n  - name: note\n    ur¦\n", "uriTemplate", "input"},
		{"variables of a template", area, areaText + entryText + "    variables: {¦}\n", "notebook", "open"},
		{"facts of a resource", area, areaText + strings.Replace(entryText, "visible: always", "visible: ¦", 1), "locked", "core"},
		{"completions", area, areaText + entryText + "    variables: {title: {complete: ¦}}\n", "handler", "open"},
		{"keys of the root", root, rootText + "inv¦\n", "invariants", "facts"},
	} {
		var items []wire.CompletionItem
		e.request("textDocument/completion", e.at(tt.file, tt.text), &items)
		has := func(label string) bool {
			return slices.ContainsFunc(items, func(i wire.CompletionItem) bool { return i.Label == label })
		}
		if !has(tt.has) || has(tt.not) {
			t.Errorf("%s: %+v", tt.name, items)
		}
		e.set(tt.file, map[string]string{root: rootText, area: areaText}[tt.file])
	}
	var items []wire.CompletionItem
	text := strings.Replace(areaText, "capability: core", "capability: wr¦", 1)
	e.request("textDocument/completion", e.at(area, text), &items)
	i := slices.IndexFunc(items, func(i wire.CompletionItem) bool { return i.Label == "writing" })
	if got := edited(strings.Replace(text, "¦", "", 1), []wire.TextEdit{*items[i].TextEdit}); !strings.Contains(got, "capability: writing\n") {
		t.Errorf("the edit makes %q", got)
	}
}

func TestHover(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, areaText)
	e.diagnostics(area, none) // the costs of tools are those of a text without errors
	src, err := gen.Load(e.dir)
	if err != nil {
		t.Fatal(err)
	}
	set, diags := gen.Lint(src)
	if set == nil {
		t.Fatal(diags)
	}
	bytes := fmt.Sprintf("%d bytes in `tools/list`", len(schema.Definition(set.Tools[0])))
	for name, tt := range map[string]struct{ old, new, want string }{
		"cost of a tool":    {"read_note", "read¦_note", bytes},
		"lists of a tool":   {"read_note", "read¦_note", "listed by default in: warm"},
		"key":               {"    tier", "    ti¦er", "listed by default"},
		"first key":         {"- name", "- na¦me", "Name on the wire"},
		"capability":        {"capability: core", "capability: co¦re", "Reading."},
		"fact":              {"!locked", "!loc¦ked", "The notebook is locked."},
		"parameter":         {"all: [title]", "all: [ti¦tle]", "string"},
		"rule that breaks":  {"capability: core", "capability: no¦pe", "**unknown-capability** (error)"},
		"cost while broken": {"read_note", "read¦_note", bytes},
	} {
		text := strings.Replace(areaText, tt.old, tt.new, 1)
		if strings.Contains(name, "broken") {
			text += "  - {\n"
		}
		var h *wire.Hover
		e.request("textDocument/hover", e.at(area, text), &h)
		if h == nil || !strings.Contains(h.Contents.Value, tt.want) {
			t.Errorf("%s: %+v", name, h)
		}
		e.set(area, areaText)
	}
	var h *wire.Hover
	if e.request("textDocument/hover", e.at(area, strings.Replace(areaText, "Returns", "Ret¦urns", 1)), &h); h != nil {
		t.Errorf("prose: %+v", h)
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, areaText)
	e.open(root, rootText)
	for name, tt := range map[string]struct {
		file, text, target string
		line, column       int
	}{
		"handler":    {area, strings.Replace(areaText, "read_note", "read¦_note", 1), "tools/notes/notes.go", 5, 16},
		"capability": {area, strings.Replace(areaText, "y: core", "y: co¦re", 1), root, 3, 2},
		"fact":       {area, strings.Replace(areaText, "!locked", "!¦locked", 1), root, 5, 35},
		"parameter":  {area, strings.Replace(areaText, "all: [title]", "all: [t¦itle]", 1), area, 10, 6},
		"prompt":     {area, areaText + strings.Replace(entryText, "name: write", "name: wr¦ite", 1), "tools/notes/notes.go", 10, 16},
		"include":    {root, strings.Replace(rootText, "tools/notes", "tools/n¦otes", 1), area, 0, 0},
	} {
		var got []wire.Location
		e.request("textDocument/definition", e.at(tt.file, tt.text), &got)
		if len(got) != 1 || got[0].URI != e.uri(tt.target) || got[0].Range.Start != (wire.Position{Line: tt.line, Character: tt.column}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRenameKeepsTheOldName(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, new, want string }{
		"no older name":       {"name: read_note", "name: ¦read_note", "- name: fetch_note\n    was: read_note\n    title"},
		"with a comment":      {"name: read_note", "name: ¦read_note # a tool", "- name: fetch_note # a tool\n    was: read_note\n    title"},
		"one older name":      {"name: read_note", "was: get_note\n    name: ¦read_note", "- was: [get_note, read_note]\n    name: fetch_note\n"},
		"list of older names": {"name: read_note", "name: ¦read_note\n    was: [a_note, get_note]", "name: fetch_note\n    was: [a_note, get_note, read_note]\n"},
		"block of them":       {"name: read_note", "name: ¦read_note\n    was:\n      - get_note", "name: fetch_note\n    was:\n      - get_note\n      - read_note\n"},
		"quoted":              {"name: read_note", "name: \"¦read_note\"", "- name: \"fetch_note\"\n    was: read_note\n"},
	} {
		e := newEditor(t)
		e.open(area, areaText)
		text := strings.Replace(areaText, tt.old, tt.new, 1)
		params := e.at(area, text)
		params["newName"] = "fetch_note"
		var got wire.WorkspaceEdit
		e.request("textDocument/rename", params, &got)
		after := edited(strings.Replace(text, "¦", "", 1), got.Changes[e.uri(area)])
		if !strings.Contains(after, tt.want) {
			t.Errorf("%s: %q", name, after)
		}
		e.set(area, after)
		e.diagnostics(area, none)
	}
}

func TestRenameInFlowStyle(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	text := "tools:\n  - {title: T, name: ¦a, description: d, capability: core, scope: default, tier: 1, visible: always, input: {}, " +
		"effects: {read_only: true, destructive: false, idempotent: true, open_world: false}}\n"
	e.open(area, areaText)
	params := e.at(area, text)
	params["newName"] = "b"
	var got wire.WorkspaceEdit
	e.request("textDocument/rename", params, &got)
	if after := edited(strings.Replace(text, "¦", "", 1), got.Changes[e.uri(area)]); !strings.Contains(after, "name: b, was: a, description") {
		t.Errorf("%q", after)
	}
}

func TestRenameRefuses(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, areaText)
	for name, tt := range map[string]struct{ text, to, want string }{
		"another word":  {strings.Replace(areaText, "y: core", "y: c¦ore", 1), "x", "only the name of a tool"},
		"no name":       {strings.Replace(areaText, "read_note", "read_n¦ote", 1), "Read Note", "no name for a tool"},
		"taken":         {strings.Replace(areaText, "read_note", "read_n¦ote", 1), "read_note", "is a name of the tool"},
		"a broken file": {strings.Replace(areaText, "read_note", "read_n¦ote", 1) + "  - {\n", "x", "has errors"},
	} {
		params := e.at(area, tt.text)
		params["newName"] = tt.to
		if m := e.call("textDocument/rename", params); m.Error == nil || !strings.Contains(m.Error.Message, tt.want) {
			t.Errorf("%s: %s %v", name, m.Result, m.Error)
		}
	}
	var prepared *wire.PrepareRename
	if e.request("textDocument/prepareRename", e.at(area, strings.Replace(areaText, "y: core", "y: c¦ore", 1)), &prepared); prepared != nil {
		t.Errorf("a capability can be renamed: %+v", prepared)
	}
	if e.request("textDocument/prepareRename", e.at(area, strings.Replace(areaText, "read_note", "read_n¦ote", 1)), &prepared); prepared == nil || prepared.Placeholder != "read_note" {
		t.Errorf("a tool: %+v", prepared)
	}
}

func TestCodeActionsMend(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, areaText)
	e.diagnostics(area, none)
	wrong := strings.Replace(areaText, "visible:", "visble:", 1)
	e.set(area, wrong)
	problem := e.diagnostics(area, rule("unknown-key"))[0]
	var actions []wire.CodeAction
	e.request("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": e.uri(area)}, "range": problem.Range}, &actions)
	if len(actions) != 1 {
		t.Fatalf("%+v", actions)
	}
	if got := edited(wrong, actions[0].Edit.Changes[e.uri(area)]); got != areaText {
		t.Errorf("the action makes %q", got)
	}
	first := wire.Range{}
	if e.request("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": e.uri(area)}, "range": first}, &actions); len(actions) != 0 {
		t.Errorf("another line: %+v", actions)
	}
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	e.open(area, areaText)
	e.open(root, rootText)
	var tools, groups, all []wire.Symbol
	e.request("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": e.uri(area)}}, &tools)
	if len(tools) != 1 || tools[0].Name != "read_note" || len(tools[0].Children) != 3 || tools[0].Children[2].Name != "format" {
		t.Errorf("%+v", tools)
	}
	e.request("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": e.uri(root)}}, &groups)
	var names []string
	for _, g := range groups {
		names = append(names, fmt.Sprint(g.Name, len(g.Children)))
	}
	e.set(area, areaText+entryText)
	e.request("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": e.uri(area)}}, &all)
	if len(all) != 3 || all[1].Name != "write" || all[2].Name != "note" {
		t.Errorf("%+v", all)
	}
	if !slices.Equal(names, []string{"capabilities2", "facts2", "scopes1"}) {
		t.Errorf("%q", names)
	}
}

// BenchmarkDiagnostics measures the time from a key to the diagnostics of a manifest of a thousand tools.
func BenchmarkDiagnostics(b *testing.B) {
	b.Run("1000", func(b *testing.B) { benchmarkDiagnostics(b, 1000) })
}

func benchmarkDiagnostics(b *testing.B, tools int) {
	files := manifestOf(tools)
	name := "manifest/tools/area3.yaml"
	var linter gen.Linter
	src := gen.Source{Module: "example.com/m"}.Overlay(files)
	if out := linter.Lint(src); out.Set == nil {
		b.Fatal(out.Diags)
	}
	var worst time.Duration
	n := 0
	for b.Loop() {
		n++
		text := strings.Replace(string(files[name]), "Does one thing", fmt.Sprint("Does thing ", n), 1)
		begin := time.Now()
		linter.Lint(src.Overlay(map[string][]byte{name: []byte(text)}))
		worst = max(worst, time.Since(begin))
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
}

// manifestOf is a manifest of areas of 32 tools, as many as the largest areas of a real server have.
func manifestOf(tools int) map[string][]byte {
	const perArea = 32
	out := map[string][]byte{}
	var include []string
	for first := 0; first < tools; first += perArea {
		area := fmt.Sprintf("tools/area%d.yaml", first/perArea)
		include = append(include, area)
		var b strings.Builder
		b.WriteString("tools:\n")
		for i := first; i < min(first+perArea, tools); i++ {
			b.WriteString(strings.Replace(strings.Replace(strings.TrimPrefix(areaText, "tools:\n"), "read_note", fmt.Sprint("tool_", i), 1), "Returns the text of a note.", "Does one thing.", 1))
		}
		out["manifest/"+area] = []byte(b.String())
	}
	out[root] = []byte(strings.Replace(rootText, "tools/notes.yaml", strings.Join(include, ", "), 1))
	return out
}
