package webmcpjs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/site/webmcpjs"
)

const head = "version: 1\nname: shop\norigins: [https://shop.example]\nsecrets: [PASS]\nfacts:\n  logged_in: {observe: {element: {role: link, name: Sign out}}}\n"

// site reads a site of one tool, whose keys follow those that every tool has.
func site(t *testing.T, keys string) *source.Site {
	t.Helper()
	tool := "name: try\ntitle: Try\ndescription: Try it.\nvisible: always\neffects: {read_only: false, destructive: false, idempotent: false, open_world: false}\n" + keys
	s, diags := source.Parse("shop", []spec.File{{Name: "shop/site.yaml", Data: []byte(head)}, {Name: "shop/tools/try.yaml", Data: []byte(tool)}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s
}

// TestRules holds a fixture that breaks each rule, and one beside it that does not.
func TestRules(t *testing.T) {
	t.Parallel()
	cases := []struct{ rule, breaks, keeps, says string }{
		{"webmcp-document", "start: /orders\n", "start: /#orders\n", `starts at /orders, which loads another document`},
		{"webmcp-document", "steps:\n  - {tool: navigate, args: {url: /x}}\n", "steps:\n  - {tool: interact, target: {role: tab, name: X}}\n", "step 1 of tool"},
		{"webmcp-document", "steps:\n  - {tool: interact, target: {role: link, name: X}}\npostcondition: {url: /x/}\n", "steps:\n  - {tool: interact, target: {role: link, name: X}}\npostcondition: {dom_text: X}\n", "expects the address /x/ afterwards"},
		{"webmcp-secret", "steps:\n  - {tool: form_input, args: {value: \"{secret:PASS}\"}, target: {role: textbox, name: P}}\n", "steps:\n  - {tool: form_input, args: {value: x}, target: {role: textbox, name: P}}\n", "types a secret"},
		{"webmcp-step", "steps:\n  - {tool: interact, args: {action: right_click}, target: {role: link, name: X}}\n", "steps:\n  - {tool: interact, args: {action: click}, target: {role: link, name: X}}\n", "trusted right_click"},
		{"webmcp-step", "steps:\n  - click \"Save\"\n", "steps:\n  - {tool: interact, target: {role: button, name: Save}}\n", "by a description"},
		{"webmcp-step", "steps:\n  - {tool: dialog, args: {accept: true}}\n", "steps:\n  - {tool: wait_for, args: {type: text, value: X}}\n", "tool of the browser"},
		{"webmcp-contract", "start: /#x\npostcondition: {network: /api}\n", "start: /#x\npostcondition: {not: {element: \"#x\"}}\n", "asserts network"},
	}
	for _, c := range cases {
		script, left, err := webmcpjs.Emit(site(t, c.breaks))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(left, func(d diag.Diagnostic) bool {
			return d.Rule == c.rule && strings.Contains(d.Message, c.says) && d.Pos.Line > 0
		}) {
			t.Errorf("%s\ngives %v, want %s with %q", c.breaks, left, c.rule, c.says)
		}
		if strings.Contains(string(script), `"name":"try"`) {
			t.Errorf("%s\nis in the script", c.breaks)
		}
		script, left, err = webmcpjs.Emit(site(t, c.keeps))
		if err != nil || len(left) > 0 || !strings.Contains(string(script), `"name":"try"`) {
			t.Errorf("%s\nis left out: %v, %v", c.keeps, left, err)
		}
	}
	for _, r := range webmcpjs.Rules() {
		if !slices.ContainsFunc(cases, func(c struct{ rule, breaks, keeps, says string }) bool { return c.rule == r.ID }) {
			t.Errorf("no fixture breaks %s", r.ID)
		}
	}
}

// TestExampleScripts emits the scripts of the examples: the wiki is one document and keeps most of its
// tools, the others load a document at each step and keep none. The scripts parse.
func TestExampleScripts(t *testing.T) {
	t.Parallel()
	proctest.Need(t, "node")
	for name, want := range map[string]int{"wiki": 10, "cgit": 0, "admin": 0} {
		s, diags, err := source.Load("../../../examples/sites/" + name)
		if err != nil || diags.HasErrors() {
			t.Fatal(err, diags)
		}
		script, left, err := webmcpjs.Emit(s)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(script), "visible: (f) =>"); n != want {
			t.Errorf("the script of %s has %d tools, want %d: %v", name, n, want, left)
		}
		file := filepath.Join(t.TempDir(), name+".js")
		if err := os.WriteFile(file, script, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("node", "--check", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}
