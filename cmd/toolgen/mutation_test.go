package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/output"
)

// mutation is one edit of a good tree that breaks a promise, and the rule that names it. A file
// that is edited without a from is written anew.
type mutation struct {
	name     string
	edits    []edit
	rule     string
	promoted bool // on the tree in which browser_reload is promoted
	frozen   bool // even after someone has frozen the edit
}

type edit struct{ file, from, to string }

const (
	browserFile = "manifest/tools/browser.yaml"
	lockFile    = "manifest/scope.lock.yaml"
	pageFile    = "manifest/tools/page.yaml"
	rootFile    = "manifest/tools.yaml"
	modelFile   = "manifest/threat-models/browser_reload.md"
	reloadTests = "tools/reload_test.go"
)

const thirdTool = `tools:
  - name: browser_hover_ref
    title: Hover
    description: Point at an element.
    capability: browser
    scope: browser
    effects: {read_only: true, destructive: false, idempotent: true, open_world: true}
    visible: always
    traits: {keeps: false, shows: none, record: step, replay: call}
    input: {}
    cli: {verb: hover-ref}
`

const secretHandler = `package browser

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// BrowserBack goes back, although nobody has decided that it may.
func (t *Tools) BrowserBack(context.Context, *toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }
`

func mutations() []mutation {
	return []mutation{
		{name: "a third tool in the frozen scope", rule: "scope-added", edits: []edit{{browserFile, "tools:\n", thirdTool}}},
		{name: "a tool taken out of it", rule: "scope-removed", edits: []edit{
			{browserFile, "scope: browser\n    tier: 1", "scope: spare\n    tier: 1"}, {rootFile, "scopes:\n", "scopes:\n  spare: {status: open, since: \"1\"}\n"}}},
		{name: "a frozen schema changed", rule: "scope-changed", edits: []edit{{browserFile, "maximum: 12}", "maximum: 20}"}}},
		{name: "a tool without traits", rule: "missing-trait", edits: []edit{{pageFile, "    traits: {keeps: false, shows: page, record: step, replay: call}\n", ""}}},
		{name: "a tool that shows something unheard of", rule: "unknown-trait", edits: []edit{{pageFile, "shows: page,", "shows: pages,"}}},
		{name: "a password that is no secret", rule: "missing-trait",
			edits: []edit{{"manifest/tools/environment.yaml", "password: {type: string, role: secret", "password: {type: string"}}},
		{name: "a deferred tool given a handler", rule: "deferral-handler", edits: []edit{{"tools/browser/back.go", "", secretHandler}}},
		{name: "a deferred tool given an input", rule: "live-and-deferred",
			edits: []edit{{browserFile, "scope: browser\n    deferred:", "scope: browser\n    visible: always\n    input: {}\n    deferred:"}}},
		{name: "a live tool given deferral data", rule: "live-and-deferred", edits: []edit{{browserFile, "    visible: always\n",
			"    visible: always\n    deferred: {reason: not wanted any more, cli_equivalent: {verb: back}, competitor_ref: {product: playwright-mcp, tool: browser_click}, since: x, surfaces: []}\n"}}},
		{name: "a tool both live and deferred", rule: "live-and-deferred", edits: []edit{{browserFile, "name: browser_back", "name: browser_snapshot"}}},
		{name: "a reason that is none", rule: "deferral-reason",
			edits: []edit{{browserFile, `"planned: reload the active tab via MCP (CLI already covers this)"`, "todo"}}},
		{name: "a command that does not exist", rule: "deferral-cli", edits: []edit{{browserFile, "{verb: back}", "{verb: bakc}"}}},
		{name: "a flag that does not exist", rule: "deferral-cli", edits: []edit{{browserFile, "[--out,", "[--otu,"}}},
		{name: "an argument too few", rule: "deferral-cli", edits: []edit{{browserFile, `{verb: navigate, args: ["<url>"]}`, "{verb: navigate}"}}},
		{name: "a competitor's tool that does not exist", rule: "deferral-competitor",
			edits: []edit{{browserFile, "tool: browser_navigate_back", "tool: browser_navigate_forward"}}},
		{name: "no counterpart, and no reason", rule: "deferral-competitor",
			edits: []edit{{browserFile, "none: its default list goes back in history but not forward", "none: n/a"}}},
		{name: "a deferral deleted", rule: "deferral-dropped", edits: []edit{deleteEntry("browser_back", "browser_forward")}},
		{name: "a deferral renamed", rule: "deferral-unlocked", edits: []edit{{browserFile, "name: browser_back", "name: browser_go_back"}}},
		{name: "the lock edited: a date", rule: "lock-edited", edits: []edit{{lockFile, `date: "2026-`, `date: "2025-`}}},
		{name: "the lock edited: a deferral", rule: "lock-edited", edits: []edit{
			{lockFile, "  - {tool: browser_back, scope: browser, since: \"phase22\"}\n", ""}, deleteEntry("browser_back", "browser_forward")}},
		{name: "a tool renamed", rule: "TOOL_NO_RENAME", frozen: true, edits: []edit{{pageFile, "name: query_dom", "name: query_page"}}},
		{name: "a tool deleted from its scope", rule: "TOOL_NO_DELETE", frozen: true, edits: []edit{{pageFile,
			"name: query_dom\n    title: Query DOM\n    description: Elements by CSS selector or XPath, with refs.\n    capability: core\n    scope: default",
			"name: query_dom\n    title: Query DOM\n    description: Elements by CSS selector or XPath, with refs.\n    capability: core\n    scope: browser"}}},
		{name: "a new required parameter", rule: "PARAM_NO_NEW_REQUIRED", frozen: true,
			edits: []edit{{"manifest/tools/debugger.yaml", "      call_frame_id:", "      token: {type: string, role: secret, required: true}\n      call_frame_id:"}}},
		{name: "a parameter deleted", rule: "PARAM_NO_DELETE", frozen: true,
			edits: []edit{{pageFile, "      depth: {type: integer, minimum: 1, description: levels}\n", ""}}},
		{name: "a parameter of another type", rule: "PARAM_SAME_TYPE", frozen: true,
			edits: []edit{{pageFile, "depth: {type: integer, minimum: 1, description: levels}", "depth: {type: string}"}}},
		{name: "an enum narrowed", rule: "PARAM_ENUM_NO_NARROW", frozen: true,
			edits: []edit{{pageFile, "enum: [compact, interactive, full,", "enum: [compact, interactive,"}}},
		{name: "a limit tightened", rule: "PARAM_BOUNDS_NO_NARROW", frozen: true,
			edits: []edit{{pageFile, "limit: {type: integer, default: 10, maximum: 50}", "limit: {type: integer, default: 10, maximum: 20}"}}},
		{name: "an effect changed", rule: "EFFECT_SAME", frozen: true,
			edits: []edit{{pageFile, "effects: {read_only: true, destructive: false", "effects: {read_only: false, destructive: false"}}},
		{name: "a tool visible in fewer states", rule: "VISIBILITY_NO_NARROW", frozen: true,
			edits: []edit{{pageFile, "visible: always", "visible: \"!paused\""}}},
		{name: "a capability of the release made opt-in", rule: "TOOL_NO_OPT_IN", frozen: true,
			edits: []edit{{rootFile, `description: Cookies and web storage.}`, `description: Cookies and web storage., opt_in: true}`}}},
		{name: "a document that names a tool which does not exist", rule: "doc-unknown-tool",
			edits: []edit{{"README.md", "", "Call `browser_clik_ref`.\n"}}},
		{name: "a request in a document that does", rule: "doc-unknown-tool",
			edits: []edit{{"CONTRIBUTING.md", "", `{"method":"tools/call","params":{"name":"goto"}}` + "\n"}}},
		{name: "a description that does", rule: "doc-unknown-tool",
			edits: []edit{{browserFile, "Click an element of the latest snapshot", "Click an element of browser_snapshots"}}},
		{name: "a command in a document that does not exist", rule: "doc-bad-command",
			edits: []edit{{"README.md", "", "```sh\ncallsheet navigat https://example.com\n```\n"}}},
		{name: "a threat model with a stale schema hash", rule: "threat-model-stale", promoted: true, frozen: true,
			edits: []edit{{browserFile, "hard: {type: boolean}", "hard: {type: boolean, default: true}"}}},
		{name: "a threat model deleted", rule: "threat-model-missing", promoted: true, edits: []edit{{modelFile, "---\n", ""}, {modelFile, "", "\x00"}}},
		{name: "a threat model reviewed by its author", rule: "threat-model-reviewer", promoted: true,
			edits: []edit{{modelFile, "reviewer: bob", "reviewer: ann"}}},
		{name: "a verdict that contradicts the manifest", rule: "threat-model-surface", promoted: true,
			edits: []edit{{modelFile, "navigation: {applies: true", "navigation: {applies: false"}}},
		{name: "a skipped violation test", rule: "promotion-test-skipped", promoted: true,
			edits: []edit{{reloadTests, "func TestReloadForbidden(t *testing.T) {", "func TestReloadForbidden(t *testing.T) {\n\tt.Skip(\"flaky\")"}}},
		{name: "a violation test behind a build constraint", rule: "promotion-test-skipped", promoted: true,
			edits: []edit{{reloadTests, "package tools_test", "//go:build never\n\npackage tools_test"}}},
		{name: "a violation test that expects something else", rule: "violation-test-missing", promoted: true,
			edits: []edit{{reloadTests, "toolkit.PolicyDenied", "toolkit.NotFound"}}},
		{name: "a happy test deleted", rule: "happy-test-missing", promoted: true,
			edits: []edit{{reloadTests, "toolset.ToolBrowserReload, \"reloaded\"", "\"\", \"reloaded\""}}},
	}
}

// deleteEntry takes an entry out of the browser scope, up to the next one.
func deleteEntry(name, next string) edit { return edit{browserFile, "\x00" + name, next} }

// TestMutations makes each edit in a copy of this repository's own manifest, handlers and
// documents. Each is refused with the rule that names it, before anything is written.
func TestMutations(t *testing.T) {
	t.Parallel()
	plain := copyOfRepository(t)
	promoted := copyOfRepository(t)
	promoteReload(t, promoted)
	for _, m := range append(mutations(), promiseMutations()...) {
		t.Run(m.name, func(t *testing.T) {
			tree := plain
			if m.promoted {
				tree = promoted
			}
			restore := apply(t, tree, m.edits)
			defer restore()
			if m.frozen {
				runToolgen(t, 0, tree, "freeze", "--who", "somebody", "--why", "because")
			}
			before := digest(t, tree)
			said := runToolgen(t, exitInput, tree, "generate")
			if !strings.Contains(said, "["+m.rule+"]") {
				t.Errorf("it is not refused as %s:\n%s", m.rule, said)
			}
			if digest(t, tree) != before {
				t.Error("something was written")
			}
		})
	}
}

// runToolgen runs toolgen, wants the exit code, and returns what it said.
func runToolgen(t *testing.T, want int, tree string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := run(append([]string{"-C", tree}, args...), &out, &out, func(string) string { return "" }); code != want {
		t.Fatalf("toolgen %q ends with %d, want %d:\n%s", args, code, want, out.String())
	}
	return out.String()
}

// apply makes the edits and returns what takes them back, a new lock with them.
func apply(t *testing.T, tree string, edits []edit) (restore func()) {
	t.Helper()
	was := map[string][]byte{}
	keep := func(file string) []byte {
		data, err := os.ReadFile(filepath.Join(tree, file))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if _, known := was[file]; !known {
			was[file] = data
		}
		return data
	}
	keep(lockFile)
	for _, e := range edits {
		text := string(keep(e.file))
		switch {
		case strings.HasPrefix(e.from, "\x00"):
			from, to := strings.Index(text, "  - name: "+e.from[1:]+"\n"), strings.Index(text, "  - name: "+e.to+"\n")
			text = text[:from] + text[to:]
		case e.to == "\x00":
			if err := os.Remove(filepath.Join(tree, e.file)); err != nil {
				t.Fatal(err)
			}
			continue
		case e.from == "":
			text = e.to
		case !strings.Contains(text, e.from):
			t.Fatalf("%s has no %q to edit", e.file, e.from)
		default:
			text = strings.Replace(text, e.from, e.to, 1)
		}
		write(t, tree, e.file, text)
	}
	return func() {
		for file, data := range was {
			if data == nil {
				if err := os.Remove(filepath.Join(tree, file)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			write(t, tree, file, string(data))
		}
	}
}

func write(t *testing.T, tree, file, text string) {
	t.Helper()
	if err := output.Replace(filepath.Join(tree, filepath.FromSlash(file)), []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// copyOfRepository copies what a run depends on, and what it writes. The copy is good.
func copyOfRepository(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	for _, part := range []string{"go.mod", "README.md", "CONTRIBUTING.md", "manifest", "tools", "docs", "generated"} {
		err := filepath.WalkDir(filepath.Join("../..", part), func(full string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(full)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel("../..", full)
			if err != nil {
				return err
			}
			return output.Replace(filepath.Join(tree, rel), data)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	runToolgen(t, exitOK, tree, "check")
	return tree
}

// digest sums every file of a tree.
func digest(t *testing.T, tree string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(tree, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(full)
		fmt.Fprintf(sum, "%s %d\n%s", full, len(data), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(sum.Sum(nil))
}

// promoteReload takes browser_reload from its deferral to a place in the frozen scope.
func promoteReload(t *testing.T, tree string) {
	t.Helper()
	live := `  - name: browser_reload
    title: Reload
    description: Load the page again.
    capability: browser
    scope: browser
    effects: {read_only: false, destructive: false, idempotent: false, open_world: true}
    visible: always
    surfaces: [navigation]
    traits: {keeps: false, shows: none, record: step, replay: call}
    input:
      hard: {type: boolean}
    cli: {verb: browser-reload}

`
	apply(t, tree, []edit{deleteEntry("browser_reload", "browser_wait_for"), {browserFile, "  - name: browser_wait_for\n", live + "  - name: browser_wait_for\n"},
		{reloadTests, "", `package tools_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

func TestReload(t *testing.T) { callWorks(t, toolset.ToolBrowserReload, "reloaded") }

func TestReloadForbidden(t *testing.T) {
	callIsRefused(t, toolkit.PolicyDenied, toolset.ToolBrowserReload, "navigation")
}
`}})
	log := filepath.Join(t.TempDir(), "log.json")
	var events string
	for _, test := range []string{"TestReload", "TestReloadForbidden"} {
		events += `{"Action":"pass","Package":"github.com/callsheet/callsheet/tools","Test":"` + test + "\"}\n"
	}
	if err := os.WriteFile(log, []byte(events), 0o600); err != nil {
		t.Fatal(err)
	}
	runToolgen(t, exitInput, tree, "promote", "browser_reload", "--who", "ann")
	text, err := os.ReadFile(filepath.Join(tree, modelFile))
	if err != nil {
		t.Fatal(err)
	}
	filled := strings.NewReplacer(`reviewer: ""`, "reviewer: bob", `why: ""`, "why: considered").Replace(string(text))
	write(t, tree, modelFile, filled)
	runToolgen(t, exitOK, tree, "promote", "browser_reload", "--results", log)
	runToolgen(t, exitOK, tree, "freeze", "--who", "ann", "--why", "promote", "--results", log)
	runToolgen(t, exitOK, tree, "generate")
	runToolgen(t, exitOK, tree, "check")
}
