package compile_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/tools"
)

func builtin() *toolkit.Registry { return tools.Registry(tools.Needs{}) }

// shop is a site that compiles. Tests change its files.
func shop() map[string]string {
	return map[string]string{
		"site.yaml": `version: 1
name: shop
description: A shop.
origins: [https://shop.example]
secrets: [USER, PASS]
facts:
  logged_in: {observe: {element: {role: link, name: Sign out}}, event: clears}
  cart_filled: {observe: {not: {element: {css: ".count", text: "0"}}}}
invariants: [cart_filled -> logged_in]
`,
		"tools/log_in.yaml": `name: log_in
description: Log in as the operator.
visible: "!logged_in"
changes: {sets: [logged_in]}
start: /login
steps:
  - type "{secret:USER}" in User
  - type "{secret:PASS}" in Password
  - click "Log in"
postcondition: {url: /account}
`,
		"tools/fill_cart.yaml": `name: fill_cart
description: Put a product into the cart.
visible: logged_in
changes: {sets: [cart_filled]}
input:
  product: {type: string, required: true}
  count: {type: integer, default: 1, minimum: 1, maximum: 9}
output:
  total: {type: number, required: true}
start: /product/{product}
steps:
  - tool: form_input
    args: {value: "{count}"}
    target: {role: spinbutton, name: Count}
  - tool: interact
    target: {role: button, name: Add to cart}
postcondition: {dom_text: {selector: .cart, contains: "{product}"}}
extract:
  total: {element: {role: status, name: Total}}
`,
		"tools/empty_cart.yaml": `name: empty_cart
description: Take everything out of the cart.
visible: cart_filled
changes: {clears: [cart_filled]}
start: /cart
steps: [click "Empty cart"]
`,
	}
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	t.Chdir(t.TempDir()) // so that diagnostics name the site alone
	for name, text := range files {
		path := filepath.Join("shop", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "shop"
}

func check(t *testing.T, dir string) (*compile.Compiled, diag.List) {
	t.Helper()
	c, diags, err := compile.Compile(dir, compile.Options{Builtin: builtin()})
	if err != nil {
		t.Fatal(err)
	}
	return c, diags
}

// forRunner returns the site as the runner of a server has it.
func forRunner(c *compile.Compiled, origin string, values map[string]string) (*run.Site, error) {
	loaded, err := c.Load()
	if err != nil {
		return nil, err
	}
	return loaded.ForRunner(origin, values)
}

// printed returns the errors as a person sees them.
func printed(t *testing.T, diags diag.List) string {
	t.Helper()
	var b strings.Builder
	for _, d := range diags {
		b.WriteString(d.Pos.String() + ": " + string(d.Severity) + ": " + d.Message + " [" + d.Rule + "]\n")
		if d.Hint != "" {
			b.WriteString("  " + d.Hint + "\n")
		}
	}
	return b.String()
}

func TestCompilesASite(t *testing.T) {
	c, diags := check(t, write(t, shop()))
	if c == nil || diags.HasErrors() {
		t.Fatal(printed(t, diags))
	}
	if len(c.Set.Tools) != 3 || len(c.Set.Facts) != 2 {
		t.Errorf("%d tools and %d facts", len(c.Set.Tools), len(c.Set.Facts))
	}
	site, err := forRunner(c, "http://127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := site.Origins[0]; got != "http://127.0.0.1:1" {
		t.Errorf("the origin is %s", got)
	}
	way, ok := site.Path(nil, "empty_cart")
	if !ok || !slices.Equal(way, []string{"log_in", "fill_cart"}) {
		t.Errorf("the way to empty_cart is %v", way)
	}
	for _, tool := range site.Tools {
		if tool.Name == "fill_cart" && (tool.Outputs[0].Read != "number" || string(tool.Parameters[0].Default)+string(tool.Parameters[1].Default) != "1") {
			t.Errorf("fill_cart is %+v", tool)
		}
	}
}

// TestRefusesWhatCannotBeReached edits the site as an author would, and wants the rule with the way that
// shows it.
func TestRefusesWhatCannotBeReached(t *testing.T) {
	for name, c := range map[string]struct {
		file, old, new string
		want           []string
	}{
		"a hidden unlocker": { // a person who has logged out cannot log in again
			"tools/log_in.yaml", `"!logged_in"`, "logged_in",
			[]string{"[unreachable-tool]", `"log_in"`, "tools/log_in.yaml:1:7"},
		},
		"a lock that opens once": {
			"tools/fill_cart.yaml", "visible: logged_in\nchanges: {sets: [cart_filled]}", "visible: logged_in && !cart_filled\nchanges: {sets: [cart_filled], clears: [logged_in]}",
			[]string{"[invariant-broken]", "log_in"},
		},
		"a fact that nothing sets": {
			"tools/fill_cart.yaml", "changes: {sets: [cart_filled]}\n", "",
			[]string{"site.yaml:8:3", "[unset-fact]", `no tool and no event sets fact "cart_filled"`},
		},
		"a tool that no state shows": {
			"tools/empty_cart.yaml", "visible: cart_filled", "visible: cart_filled && !logged_in",
			[]string{"[never-true]", `"empty_cart"`, "tools/empty_cart.yaml:1:7"},
		},
		"a state without a way back": {
			"site.yaml", ", event: clears}", "}",
			[]string{"[trap-state]", "log_in"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := shop()
			files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
			if files[c.file] == shop()[c.file] {
				t.Fatal("the edit changes nothing")
			}
			compiled, diags := check(t, write(t, files))
			got := printed(t, diags)
			if compiled != nil {
				t.Error("the site compiles")
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
		})
	}
}

// TestHiddenUnlocker has a fact that a page can take away where the one tool that sets it is hidden.
func TestHiddenUnlocker(t *testing.T) {
	files := shop()
	files["site.yaml"] = strings.Replace(files["site.yaml"], "facts:\n", "facts:\n  welcomed: {observe: {element: {css: .welcome}}}\n", 1)
	files["tools/log_in.yaml"] = strings.Replace(files["tools/log_in.yaml"], `"!logged_in"`, `"!logged_in && !welcomed"`, 1)
	files["tools/log_in.yaml"] = strings.Replace(files["tools/log_in.yaml"], "sets: [logged_in]", "sets: [logged_in, welcomed]", 1)
	compiled, diags := check(t, write(t, files))
	got := printed(t, diags)
	if compiled != nil || !strings.Contains(got, "[hidden-unlocker]") || !strings.Contains(got, "log_in") || !strings.Contains(got, "logged_in_disappears") {
		t.Errorf("compiled: %t\n%s", compiled != nil, got)
	}
}

func TestFreezeAndBreaking(t *testing.T) {
	dir := write(t, shop())
	o := compile.Options{Builtin: builtin()}
	entry := scope.Entry{Who: "ann", Why: "the first tools", When: time.Unix(0, 0)}
	if diags, err := compile.Freeze(dir, o, entry); err != nil || diags.HasErrors() {
		t.Fatal(err, printed(t, diags))
	}
	if diags, err := compile.Release(dir, "1.0.0", o, entry); err != nil || diags.HasErrors() {
		t.Fatal(err, printed(t, diags))
	}
	if c, diags := check(t, dir); c == nil {
		t.Fatal(printed(t, diags))
	}
	tool := filepath.Join(dir, "tools", "fill_cart.yaml")
	text := strings.Replace(shop()["tools/fill_cart.yaml"], "maximum: 9", "maximum: 3", 1)
	if err := os.WriteFile(tool, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, diags := check(t, dir)
	got := printed(t, diags)
	for _, want := range []string{"shop/tools/fill_cart.yaml:1:7", "[PARAM_BOUNDS_NO_NARROW]", "allow it in shop/allowances.yaml"} {
		if c != nil || !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestStarterCompiles(t *testing.T) {
	t.Chdir(t.TempDir())
	names, err := compile.New("my-shop")
	if err != nil || len(names) < 4 {
		t.Fatal(names, err)
	}
	c, diags := check(t, "my-shop")
	if c == nil || len(diags) > 0 {
		t.Fatal(printed(t, diags))
	}
	if _, err := compile.New("my-shop"); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a second start: %v", err)
	}
}

// TestSecretsHaveTheirOwnPlaceholder: {PASS} would be typed as it stands.
func TestSecretsHaveTheirOwnPlaceholder(t *testing.T) {
	files := shop()
	files["tools/log_in.yaml"] = strings.Replace(files["tools/log_in.yaml"], "{secret:USER}", "{USER}", 1)
	compiled, diags := check(t, write(t, files))
	if got := printed(t, diags); compiled != nil || !strings.Contains(got, "a secret is written {secret:USER}") {
		t.Errorf("compiled: %t\n%s", compiled != nil, got)
	}
}

// TestRules has for each rule of a site an edit of the shop that breaks it; the shop itself breaks none.
func TestRules(t *testing.T) {
	type edit struct{ file, old, new, want string }
	cases := map[string]edit{
		"site-file":            {"tools/log_in.yaml", "name: log_in", "name: login", "tools/log_in.yaml:1:7: error: tool \"login\" is in file log_in.yaml"},
		"site-name":            {"site.yaml", "name: shop", "name: My Shop", `site.yaml:2:7: error: "My Shop" is no name for a site`},
		"site-origin":          {"tools/log_in.yaml", "start: /login", "start: https://evil.example/login", "tools/log_in.yaml:5:8: error: start"},
		"site-fact":            {"site.yaml", "event: clears", "event: clear", `site.yaml:7:72: error: event cannot be "clear"`},
		"site-element":         {"tools/fill_cart.yaml", "target: {role: button, name: Add to cart}", "target: {nth: 2}", "tools/fill_cart.yaml:16:13: error: the element is not described"},
		"site-target":          {"tools/fill_cart.yaml", "name: Add to cart}", "name: Add to cart, within: {css: form}}", "tools/fill_cart.yaml:16:47: error: step 2 of tool \"fill_cart\" looks for its target by within"},
		"site-step":            {"tools/log_in.yaml", `- click "Log in"`, `- {note: nothing}`, "tools/log_in.yaml:9:5: error: a step has either do, tool or request"},
		"site-order":           {"tools/log_in.yaml", `- click "Log in"`, `- log me in`, "tools/log_in.yaml:9:5: error: \"log me in\" is not understood"},
		"unknown-step-tool":    {"tools/fill_cart.yaml", "tool: interact", "tool: interakt", "did you mean \"interact\"?"},
		"site-argument":        {"tools/fill_cart.yaml", `args: {value: "{count}"}`, `args: {val: "{count}"}`, "tools/fill_cart.yaml:13:12: error: step 1 of tool \"fill_cart\" does not fit form_input"},
		"unknown-placeholder":  {"tools/fill_cart.yaml", "/product/{product}", "/product/{produkt}", "tools/fill_cart.yaml:10:17: error: {produkt} is no parameter"},
		"unquoted-placeholder": {"tools/fill_cart.yaml", `"{count}"`, `{count}`, `write "{count}"`},
		"unused-parameter":     {"tools/fill_cart.yaml", `"{count}"`, `"1"`, "tools/fill_cart.yaml:7:3: error: no step of tool \"fill_cart\" uses parameter \"count\""},
		"absent-parameter":     {"tools/fill_cart.yaml", "product: {type: string, required: true}", "product: {type: string}", "parameter \"product\" may be absent here"},
		"site-secret":          {"tools/log_in.yaml", `"{secret:PASS}"`, `"hunter2"`, "tools/log_in.yaml:8:5: error: step 2 of tool \"log_in\" has a password in the source"},
		"site-contract":        {"tools/log_in.yaml", "{url: /account}", "{urll: /account}", "tools/log_in.yaml:10:17: error: /urll: unknown kind"},
		"site-extract":         {"tools/fill_cart.yaml", "  total: {element", "  sum: {element", "tools/fill_cart.yaml:19:3: error: the output of tool \"fill_cart\" has no property \"sum\""},
		"site-effects":         {"tools/fill_cart.yaml", "visible: logged_in", "visible: logged_in\neffects: {read_only: true}", "tools/fill_cart.yaml:4:22: error: tool \"fill_cart\" is read_only"},
		"site-powers":          {"tools/fill_cart.yaml", "visible: logged_in", "visible: logged_in\npowers: [skript]", "no step of tool \"fill_cart\" uses power \"skript\""},
		"site-request":         {"tools/log_in.yaml", `- click "Log in"`, `- request: {path: /api}`, "has a request beside other steps"},
		"site-answer":          {"tools/fill_cart.yaml", "total: {element: {role: status, name: Total}}", "total: {json: /total}", "is taken from an answer, and tool \"fill_cart\" sends no request"},
		"unknown-key":          {"tools/fill_cart.yaml", "steps:", "stepz:", `unknown key "stepz"`},
		"wrong-kind":           {"tools/log_in.yaml", "start: /login", "start: 3", "start must be text, not a number"},
		"site-tool-taken":      {"tools/log_in.yaml", "name: log_in", "name: navigate", "[site-tool-taken]"},
		"site-fact-taken":      {"site.yaml", "  cart_filled:", "  paused:", "[site-fact-taken]"},
	}
	for _, r := range source.Rules() {
		if _, ok := cases[r.ID]; !ok {
			t.Errorf("no edit breaks %s", r.ID)
		}
	}
	for _, r := range compile.Rules() {
		if _, ok := cases[r.ID]; !ok {
			t.Errorf("no edit breaks %s", r.ID)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(cases)) {
		t.Run(rule, func(t *testing.T) {
			c, files := cases[rule], shop()
			files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
			if files[c.file] == shop()[c.file] {
				t.Fatal("the edit changes nothing")
			}
			compiled, diags := check(t, write(t, files))
			got := printed(t, diags)
			if compiled != nil || !strings.Contains(got, "["+rule+"]") || !strings.Contains(got, c.want) {
				t.Errorf("want %s, got:\n%s", c.want, got)
			}
		})
	}
}
