package model

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	root      = "manifest/tools.yaml"
	plainRoot = `version: 1
include: [tools/page.yaml]
capabilities: {core: {title: Core, description: d}, storage: {title: Storage, description: d}}
facts: {connected: c, paused: p}
scenarios: {cold: [], warm: [connected]}
scopes: {default: {status: frozen, since: "1"}}
surfaces: {clipboard: {description: The clipboard.}, download: {description: Downloads.}, evaluate: {description: Script.}, file: {description: Files.}, navigation: {description: Addresses.}}
`
)

// Each archive holds manifest files (a plain root unless it brings its own) and, as want.txt, every
// diagnostic.
func TestDiagnostics(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, want := sources(archive)
			_, diags := resolve(files)
			var got bytes.Buffer
			for part := range slices.Chunk(diags, 20) { // the printer stops at twenty
				if err := part.Fprint(&got, diag.Text, line(files)); err != nil {
					t.Fatal(err)
				}
			}
			if !*update {
				if diff := cmp.Diff(string(*want), got.String()); diff != "" {
					t.Errorf("want -, got +\n%s", diff)
				}
				return
			}
			*want = got.Bytes()
			if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func resolve(files []spec.File) (*Toolset, diag.List) {
	tree, diags := spec.Parse(root, files)
	if tree == nil {
		return nil, diags.Sorted()
	}
	set, more := Resolve("example.com/m", tree)
	return set, append(diags, more...).Sorted()
}

func sources(archive *txtar.Archive) (files []spec.File, want *[]byte) {
	files = []spec.File{{Name: root, Data: []byte(plainRoot)}}
	for i, f := range archive.Files {
		switch f.Name {
		case "want.txt":
			want = &archive.Files[i].Data
		case root:
			files[0].Data = f.Data
		default:
			files = append(files, spec.File{Name: f.Name, Data: f.Data})
		}
	}
	return files, want
}

func line(files []spec.File) diag.Source {
	return func(file string, line int) (string, bool) {
		for _, f := range files {
			if lines := strings.Split(string(f.Data), "\n"); f.Name == file && line <= len(lines) {
				return lines[line-1], true
			}
		}
		return "", false
	}
}

const goodTools = `tools:
  - name: write_page
    title: Write
    description: Write.
    scope: default
    effects: {read_only: false, destructive: true, idempotent: false, open_world: true}
    visible: (paused) || ((connected && !paused))
    surfaces: [navigation, file]
    input:
      tabId: {type: string, required: true}
      action: {type: string, enum: [left_click, open_url, +], default: open_url}
      clips: {type: array, items: {type: object, properties: {x: {type: number}}}, minItems: 1}
      flag: {type: boolean, default: true}
    output: {action: {type: string, enum: [done]}}
    require_when: [{when: {action: left_click}, all: [clips]}, {one: [clips, flag]}, {when: {action: open_url}, only: [flag]}]
    slim: {description: S., input: [tabId, flag]}
    was: [writer]
    budget: {timeout_ms: 5}
  - {name: read_page, title: Read, description: R., capability: storage, scope: default, tier: 2, visible: always, input: {},
     effects: {read_only: true, destructive: false, idempotent: true, open_world: false}}
`

func TestResolve(t *testing.T) {
	set, diags := resolve([]spec.File{{Name: root, Data: []byte(plainRoot)}, {Name: "manifest/tools/page.yaml", Data: []byte(goodTools)}})
	if len(diags) != 1 || diags[0].Rule != RuleUntaggedTool || diags.HasErrors() {
		t.Fatalf("diagnostics: %v", diags)
	}
	if len(set.Tools) != 2 || set.Tools[0].Name != "read_page" || set.Areas[0].Tools[1] != set.Tools[1] || set.Module != "example.com/m" {
		t.Fatalf("tools: %+v", set.Tools)
	}
	w := set.Tools[1]
	props := w.Input.Properties
	got := []any{
		w.GoName, w.Tagged, w.Capability.Name, w.Tier, w.ResultBytes, w.TimeoutMS, w.Visible.Text, w.Surfaces, w.Was,
		w.Input.GoName, w.Output.GoName, props[0].GoName, props[1].Type.EnumGoName, props[1].Type.EnumConst("open_url"),
		props[1].Type.EnumConst("+"), props[1].Default.String, props[2].Type.Items.Object.GoName, *props[2].Type.MinItems,
		props[3].Default.Bool, w.Output.Properties[0].Type.EnumGoName, w.Requirements[0].When == props[1],
		w.Requirements[1].Mode, w.Requirements[1].Names[1] == props[3], w.Slim.Properties[1] == props[3],
		w.Requirements[2].Mode, w.Requirements[2].Values,
		w.Pos.String(), w.CapabilityPos.String(), set.Tools[0].CapabilityPos.String(), set.Scenarios[1].Facts[0].GoName,
	}
	want := []any{
		"WritePage", false, "core", 1, 25000, 5, "paused || connected && !paused", []string{"file", "navigation"}, []string{"writer"},
		"WritePageParams", "WritePageResult", "TabID", "WritePageAction", "WritePageActionOpenURL",
		"WritePageActionU002B", "open_url", "WritePageClipsItem", 1,
		true, "WritePageResultAction", true,
		One, true, true,
		None, []string{"left_click", "+"},
		"manifest/tools/page.yaml:2:11", "manifest/tools/page.yaml:2:11", "manifest/tools/page.yaml:19:65", "FactConnected",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestGoName(t *testing.T) {
	for name, want := range map[string]string{
		"read_page": "ReadPage", "tabId": "TabID", "tabIds": "TabIDs", "ref_id": "RefID", "xpath": "Xpath", "query_sql": "QuerySQL", "selectStatements": "SelectSTATEMENTS",
		"httpOnly": "HTTPOnly", "innerHTML": "InnerHTML", "HTMLText": "HTMLText", "url_match": "URLMatch", "oc_profile_status": "OcProfileStatus",
		"javascript_tool": "JavascriptTool", "2": "2", "x2y": "X2y", "Control+a": "ControlA", "über": "Über", "": "", "--": "",
	} {
		if got := GoName(name, "SQL", "STATEMENTS"); got != want {
			t.Errorf("GoName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestTooMany(t *testing.T) {
	var facts, props strings.Builder
	for i := range 66 {
		name := "n" + strings.Repeat("x", i)
		facts.WriteString("  " + name + ": d\n")
		props.WriteString("      " + name + ": {type: string}\n")
	}
	head := strings.Replace(plainRoot, "facts: {connected: c, paused: p}\n", "facts:\n  connected: c\n"+facts.String(), 1)
	tools := "tools:\n  - name: t\n    title: T\n    scope: default\n    visible: always\n    capability: core\n" +
		"    effects: {read_only: true, destructive: false, idempotent: true, open_world: true}\n    input:\n" + props.String()
	_, diags := resolve([]spec.File{{Name: root, Data: []byte(head)}, {Name: "manifest/tools/page.yaml", Data: []byte(tools)}})
	var got []string
	for _, d := range diags {
		got = append(got, d.Rule+" "+d.Pos.String())
	}
	want := []string{"too-many-facts manifest/tools.yaml:25:3", "bad-name manifest/tools.yaml:70:3", "bad-name manifest/tools.yaml:71:3",
		"too-many-properties manifest/tools/page.yaml:73:7", "bad-name manifest/tools/page.yaml:73:7", "bad-name manifest/tools/page.yaml:74:7"}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
