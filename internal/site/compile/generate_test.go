package compile_test

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/site/compile"
)

// TestGenerate writes the Go of a site, which has a file for each way to use the tools. A main.go that is
// there stays.
func TestGenerate(t *testing.T) {
	dir := write(t, shop())
	out, diags, err := compile.Generate(dir, compile.Options{Builtin: builtin()}, "module", "example.com/shop")
	if err != nil || diags.HasErrors() || out.Module != "example.com/shop" {
		t.Fatal(out, err, printed(t, diags))
	}
	for name, want := range map[string]string{
		"go.mod":                                         "module example.com/shop",
		"main.go":                                        `Verbs: cli.Verbs()`,
		"generated/registry/registry.go":                 "func Compose(",
		"generated/toolset/shopapi/shopapi.go":           "type FillCartParams struct",
		"generated/cli/cli.go":                           `"fill-cart"`,
		"generated/docs/TOOLS.md":                        "fill_cart",
		"generated/docs/VISIBILITY.md":                   "page.logged_in_disappears",
		"generated/metadata/claude/skills/shop/SKILL.md": "shop fill-cart",
	} {
		text, err := os.ReadFile(filepath.Join("module", filepath.FromSlash(name)))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: no %q, %v", name, want, err)
		}
	}
	if text, err := os.ReadFile("module/main.go"); err != nil {
		t.Error(err)
	} else if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
		t.Errorf("main.go is not formatted: %v", err)
	}
	if err := os.WriteFile("module/main.go", []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, err = compile.Generate(dir, compile.Options{Builtin: builtin()}, "module", ""); err != nil || out.Files != 0 {
		t.Errorf("the second time %d files are written: %v", out.Files, err)
	}
}
