package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

const importedArchive = `{"log":{"version":"1.2","entries":[
{"_resourceType":"fetch","request":{"method":"GET","url":"https://shop.example/api/items?q=lamp"},"response":{"status":200,"content":{"mimeType":"application/json","text":"{\"total\":1}"}}},
{"_resourceType":"fetch","request":{"method":"POST","url":"https://shop.example/api/login","postData":{"mimeType":"application/json","text":"{\"password\":\"pw\"}"}},"response":{"status":200,"content":{"mimeType":"application/json","text":"{}"}}},
{"_resourceType":"script","request":{"method":"GET","url":"https://shop.example/a.js"},"response":{"status":200,"content":{"mimeType":"text/javascript"}}}]}}`

// TestSiteImport imports a HAR into a new site, which compiles, and says what it left out; a second time
// nothing is overwritten.
func TestSiteImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from := filepath.Join(dir, "shop.har")
	for name, text := range map[string]string{from: importedArchive, filepath.Join(dir, "site.yaml"): "version: 1\nname: shop\ndescription: What the shop offers.\norigins: [https://shop.example]\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := command(t, "import", dir, "--from", from).CombinedOutput()
	for _, want := range []string{"get_items.yaml: GET /api/items; parameters: 1, values of output: 1; not confirmed yet", "left out script: it is a part of a page",
		"added to site.yaml: secrets: [UNNAMED_PASSWORD]", "2 tools, 1 left out"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("no %q (%v) in:\n%s", want, err, out)
		}
	}
	if out, err := command(t, "compile", dir).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	again := command(t, "import", dir, "--from", from)
	out, _ = again.CombinedOutput()
	if again.ProcessState.ExitCode() != exit.Tool || strings.Count(string(out), "exists; --replace replaces it") != 2 {
		t.Errorf("exit code %d\n%s", again.ProcessState.ExitCode(), out)
	}
	for _, args := range [][]string{{"import", dir}, {"import", dir, "--from", from, "--kind", "pictures"}, {"import", dir, "--from", from, "--name", "No"}} {
		cmd := command(t, args...)
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exit.Usage {
			t.Errorf("%v: exit code %d\n%s", args, cmd.ProcessState.ExitCode(), out)
		}
	}
}
