package skill_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// exportVariable is the variable that asks for the exports of all ten flows; see make
// verify-export.
const exportVariable = "CALLSHEET_EXPORT"

// TestExportedTests writes recorded flows as Go and TypeScript tests, and runs those against the
// same site.
func TestExportedTests(t *testing.T) {
	c, site := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeFlows(t)
	modules, err := filepath.Abs("../../examples/replay/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	goDir, tsDir := t.TempDir(), t.TempDir()
	for _, f := range append(replayFlows(), travelFlow()) {
		if os.Getenv(exportVariable) == "" && f.name != "login" && f.name != "travel" {
			continue
		}
		_, id := f.record(t, c, site)
		if err := os.Mkdir(filepath.Join(goDir, f.name), 0o755); err != nil {
			t.Fatal(err)
		}
		for format, path := range map[string]string{
			"go": filepath.Join(goDir, f.name, "recorded_test.go"), "playwright": filepath.Join(tsDir, f.name+".spec.ts"),
		} {
			links := tooltest.Links(c.Do("oc_recording_export", tooltest.Args{"recordingId": id, "format": format}))
			if len(links) != 1 {
				t.Fatalf("the export of %s has %d files", f.name, len(links))
			}
			text := c.ReadArtifact(links[0].URI)
			if strings.Contains(text, "correct horse") {
				t.Errorf("the %s test of %s holds the password", format, f.name)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Run("go", func(t *testing.T) { runGoTests(t, goDir) })
	t.Run("playwright", func(t *testing.T) { runPlaywright(t, tsDir, modules) })
}

// travelFlow goes to an address without a scheme, through the history and on by keys.
func travelFlow() replayFlow {
	return replayFlow{name: "travel", do: func(f *flowRun) {
		f.Call("navigate", tooltest.Args{"url": strings.TrimPrefix(f.site.URL, "http://") + "/login.html"})
		f.open("list.html")
		f.Call("navigate", tooltest.Args{"url": "back"})
		f.Call("page_reload", nil)
		f.Call("form_input", tooltest.Args{"ref": f.ref(`textbox "Email"`, nil), "value": "nobody"})
		f.Call("computer", tooltest.Args{"action": "key", "text": "ctrl+a delete"})
		f.Call("computer", tooltest.Args{"action": "type", "text": "ada@example.com"})
		f.Call("computer", tooltest.Args{"action": "key", "text": "Tab"})
		f.Call("computer", tooltest.Args{"action": "type", "text": "correct horse"})
		f.Call("computer", tooltest.Args{"action": "key", "text": "return"})
		f.see("Welcome, Ada")
	}}
}

// moduleEnvironment has the go command take modules from the cache alone.
var moduleEnvironment = []string{"GOPROXY=off", "GOFLAGS=", "GOWORK=off"}

// runGoTests runs the tests of a directory in a module of their own.
func runGoTests(t *testing.T, dir string) {
	t.Helper()
	prepareModule(t, dir)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-mod=mod", "-count=1", "-p=1", "-timeout=10m", "./...")
	runTests(t, cmd, dir, moduleEnvironment...)
}

// prepareModule makes a directory a module with the versions that this one has.
func prepareModule(t *testing.T, dir string) {
	t.Helper()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module recorded"))
	mod = regexp.MustCompile(`(?ms)^tool .*?$|^tool \(.*?^\)$`).ReplaceAll(mod, nil)
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func runPlaywright(t *testing.T, dir, modules string) {
	if _, err := os.Stat(modules); err != nil {
		t.Skip("Playwright is not installed: npm ci --prefix examples/replay --ignore-scripts")
	}
	chromium := chromiumPath(t)
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`import { defineConfig } from '@playwright/test';
export default defineConfig({ timeout: 120000, expect: { timeout: 20000 }, workers: 1, reporter: 'list',
  use: { launchOptions: { executablePath: %q, args: ['--no-sandbox'] } } });
`, chromium)
	if err := os.WriteFile(filepath.Join(dir, "playwright.config.ts"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	runTests(t, exec.CommandContext(t.Context(), "node", filepath.Join(modules, "@playwright/test/cli.js"), "test"), dir)
}

// chromiumPath is the browser that the tests of this module use.
func chromiumPath(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROME_PATH"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && name != "" {
			return path
		}
	}
	t.Skip("no Chromium on the path")
	return ""
}

func runTests(t *testing.T, cmd *exec.Cmd, dir string, env ...string) {
	t.Helper()
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PASSWORD=correct horse", "STEP10_TEXT=correct horse"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, bytes.TrimSpace(out))
	}
	t.Logf("%s", bytes.TrimSpace(out))
}
