package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// copyInto copies the files of a directory, at any depth, into another one.
func copyInto(t *testing.T, dir, from string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// runIn runs a program in a directory and returns what it prints.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// mustRun is runIn of a program that must succeed.
func mustRun(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := runIn(t, dir, env, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// asProgram is the environment in which the test's executable is the program.
var asProgram = []string{asServer + "=1", "GORACE=atexit_sleep_ms=0"}

// writeClient writes the client of a changed manifest into a directory.
func writeClient(t *testing.T, src gen.Source, language model.Language, pkg, dir string) {
	t.Helper()
	files, diags, err := gen.Clients(src, language, pkg)
	if err != nil || diags.HasErrors() {
		t.Fatalf("%v, %v", err, diags)
	}
	for _, f := range files {
		full := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// renamed is the real manifest with another name of a parameter of page_reload.
func renamed(t *testing.T) gen.Source {
	t.Helper()
	src, err := gen.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	const file = "manifest/tools/tabs.yaml"
	data, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "ignoreCache:") {
		t.Fatal("page_reload has no ignoreCache")
	}
	return src.Overlay(map[string][]byte{file: []byte(strings.NewReplacer("ignoreCache:", "skipCache:", "--ignore-cache", "--skip-cache").Replace(string(data)))})
}

// constructs is a manifest whose tool has each construct of types.
func constructs(t *testing.T) gen.Source {
	t.Helper()
	data, err := os.ReadFile("../../gen/emit/golang/testdata/types/tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	src := gen.Source{Module: "example.com/x"}
	src.Add(spec.File{Name: "manifest/tools.yaml", Data: data})
	return src
}

// TestTypeScriptClient compiles calls of the generated client in TypeScript, and calls that must not
// compile, and runs the first against the program with the official SDK.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	proctest.Need(t, "npm")
	dir := t.TempDir()
	copyInto(t, dir, "testdata/clients/typescript")
	mustRun(t, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	installed := filepath.Join(dir, "node_modules", "callsheet-client")
	copyInto(t, installed, "../../generated/clients/typescript")
	writeClient(t, constructs(t), model.TypeScript, "constructs-client", filepath.Join(dir, "node_modules", "constructs-client"))
	own, err := os.ReadFile(filepath.Join(installed, "index.d.ts"))
	if err != nil {
		t.Fatal(err)
	}
	// Declarations of packages are not checked, because those of the SDK take a minute; a source is.
	if err := os.WriteFile(filepath.Join(dir, "declarations.ts"), own, 0o600); err != nil {
		t.Fatal(err)
	}
	tsc := filepath.Join("node_modules", "typescript", "bin", "tsc")
	mustRun(t, dir, nil, "node", tsc)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out := mustRun(t, dir, asProgram, "node", "build/calls.js", exe, tooltest.ServeSite(t), t.TempDir()); !strings.Contains(out, "25 tools") {
		t.Errorf("the calls print %s", out)
	}
	writeClient(t, renamed(t), model.TypeScript, "callsheet-client", installed)
	if out, err := runIn(t, dir, nil, "node", tsc, "--noEmit"); err == nil || !strings.Contains(out, "'ignoreCache' does not exist in type 'PageReloadParams'") || strings.Count(out, "error TS") != 1 {
		t.Errorf("a renamed parameter: %v\n%s", err, out)
	}
}

// TestPythonClient parses and type-checks calls of the generated client in Python, against the
// documented interface of the official SDK, and runs them against the program.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	proctest.Need(t, "python3")
	proctest.Need(t, "mypy")
	dir := t.TempDir()
	copyInto(t, dir, "testdata/clients/python")
	installed := filepath.Join(dir, "callsheet_client")
	copyInto(t, installed, "../../generated/clients/python/callsheet_client")
	writeClient(t, constructs(t), model.Python, "constructs_client", filepath.Join(dir, "constructs_client"))
	mustRun(t, dir, nil, "python3", "-m", "py_compile", "callsheet_client/__init__.py", "constructs_client/__init__.py")
	check := []string{"--strict", "--no-error-summary", "calls.py", "wrong.py", "constructs.py"}
	mustRun(t, dir, []string{"MYPYPATH=stubs"}, "mypy", check...)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out := mustRun(t, dir, asProgram, "python3", "calls.py", exe, tooltest.ServeSite(t), t.TempDir()); !strings.Contains(out, "11 tools") {
		t.Errorf("the calls print %s", out)
	}
	writeClient(t, renamed(t), model.Python, "callsheet_client", installed)
	if out, err := runIn(t, dir, []string{"MYPYPATH=stubs"}, "mypy", check...); err == nil || !strings.Contains(out, `Unexpected keyword argument "ignore_cache"`) {
		t.Errorf("a renamed parameter: %v\n%s", err, out)
	}
}
