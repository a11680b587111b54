package tooltest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// ModuleEnvironment has the go command take modules from the cache alone.
func ModuleEnvironment() []string { return []string{"GOPROXY=off", "GOFLAGS=", "GOWORK=off"} }

// repository is the root of this module, from the directory of a test two levels below it.
const repository = "../../"

// RunGoTests runs the exported tests of a directory in a module of their own, with these variables of the
// environment.
func RunGoTests(t *testing.T, dir string, env ...string) {
	t.Helper()
	PrepareModule(t, dir)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-mod=mod", "-count=1", "-p=1", "-timeout=10m", "./...")
	runExported(t, cmd, dir, append(env, ModuleEnvironment()...)...)
}

// PrepareModule makes a directory a module with the versions that this one has.
func PrepareModule(t *testing.T, dir string) {
	t.Helper()
	mod, err := os.ReadFile(repository + "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module recorded"))
	mod = regexp.MustCompile(`(?ms)^tool .*?$|^tool \(.*?^\)$`).ReplaceAll(mod, nil)
	sum, err := os.ReadFile(repository + "go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// RunPlaywright runs the exported tests of a directory, with the Playwright of examples/replay.
func RunPlaywright(t *testing.T, dir string, env ...string) {
	t.Helper()
	modules, err := filepath.Abs(repository + "examples/replay/node_modules")
	if err != nil {
		t.Fatal(err)
	}
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
	runExported(t, exec.CommandContext(t.Context(), "node", filepath.Join(modules, "@playwright/test/cli.js"), "test"), dir, env...)
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

func runExported(t *testing.T, cmd *exec.Cmd, dir string, env ...string) {
	t.Helper()
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, bytes.TrimSpace(out))
	}
	t.Logf("%s", bytes.TrimSpace(out))
}
