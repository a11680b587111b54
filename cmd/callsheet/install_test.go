package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// atHome is a shell whose user has a home directory of the test, and no program on PATH.
func atHome(t *testing.T) (s shell, home string) {
	t.Helper()
	home = t.TempDir()
	return shell{t: t, dir: t.TempDir(), env: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" + t.TempDir(), "CODEX_HOME=", "PATH="}}, home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestInstall(t *testing.T) {
	t.Parallel()
	s, home := atHome(t)
	file := filepath.Join(home, ".cursor", "mcp.json")
	const before = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"other\"}\n  }\n}\n"
	write(t, file, before)
	if list := s.does("install", "claude-code", "zed", file); !strings.Contains(list, "cursor          yes      no") {
		t.Errorf("the list is\n%s", list)
	}
	s.does("install cursor", "--- "+file, `+    "callsheet": {`, `+      "command": "/`, "nothing is written yet")
	if got := read(t, file); got != before {
		t.Errorf("a dry run wrote\n%s", got)
	}
	s.does("install cursor codex --write", "wrote "+file, "what it was is in "+file+".bak", "config.toml")
	if got := read(t, file+".bak"); got != before {
		t.Errorf("the copy has\n%s", got)
	}
	if got := read(t, filepath.Join(home, ".codex", "config.toml")); !strings.HasPrefix(got, "[mcp_servers.callsheet]\ncommand = ") {
		t.Errorf("Codex gets\n%s", got)
	}
	s.does("install cursor --write", "is up to date")
	if list := s.does("install"); !strings.Contains(list, "cursor          yes      yes") {
		t.Errorf("the list is\n%s", list)
	}
	s.does("install cursor --remove --write", "wrote")
	if got := read(t, file); got != before {
		t.Errorf("removing leaves\n%s", got)
	}
}

// TestInstallWithFlags gives the server flags, whose paths become absolute.
func TestInstallWithFlags(t *testing.T) {
	t.Parallel()
	s, home := atHome(t)
	write(t, filepath.Join(s.dir, "policy.yaml"), "version: 1\n")
	s.does("install cursor opencode --write -- --policy policy.yaml --http 9876 --read-only")
	for name, want := range map[string]string{
		".cursor/mcp.json":               `"--policy=` + filepath.Join(s.dir, "policy.yaml") + `",`,
		".config/opencode/opencode.json": `"--read-only=true"`,
	} {
		if got := read(t, filepath.Join(home, name)); !strings.Contains(got, want) || !strings.Contains(got, `"--http=`) {
			t.Errorf("%s has\n%s", name, got)
		}
	}
	if got := read(t, filepath.Join(home, ".config/opencode/opencode.json")); !strings.Contains(got, `"type": "local"`) {
		t.Errorf("opencode gets\n%s", got)
	}
	s.fails(exit.Usage, "install cursor -- --polcy x", "after --, the flags of callsheet serve are expected", "polcy")
	s.fails(exit.Usage, "install cursor -- policy.yaml", `"policy.yaml" is no flag`)
}

func TestInstallIntoProject(t *testing.T) {
	t.Parallel()
	s, home := atHome(t)
	s.does("install claude-code vscode --project --npx --write", ".mcp.json")
	if got := read(t, filepath.Join(s.dir, ".vscode", "mcp.json")); !strings.Contains(got, `"type": "stdio"`) || !strings.Contains(got, `"npx"`) {
		t.Errorf("VS Code gets\n%s", got)
	}
	if got := read(t, filepath.Join(s.dir, ".mcp.json")); !strings.Contains(got, `"alwaysLoad": true`) {
		t.Errorf("Claude Code gets\n%s", got)
	}
	if _, err := os.Stat(filepath.Join(home, ".claude.json")); err == nil {
		t.Error("the user's file is changed too")
	}
	s.fails(exit.Usage, "install windsurf --project", "Windsurf has no configuration of a project")
}

// TestInstallWritesTheRunningVersion has clients start the version that runs, and a build without one the last release.
func TestInstallWritesTheRunningVersion(t *testing.T) { //nolint:paralleltest // sets the version of the program
	built := version
	t.Cleanup(func() { version = built })
	for _, v := range [][2]string{{"9.8.7", "callsheet@9.8.7"}, {"9.8.7-rc.1", "callsheet@9.8.7-rc.1"}, {"dev", "callsheet@0."}, {"v9.8.7-4-gabcdef0-dirty", "callsheet@0."}} {
		version = v[0]
		if entry, err := programEntry(true); err != nil || !strings.HasPrefix(strings.Join(entry.Args, " "), "-y "+v[1]) {
			t.Errorf("%s: %q %v", v[0], entry.Args, err)
		}
	}
}

// TestInstallRefusesAll makes sure that nothing is written when one of several files is malformed.
func TestInstallRefusesAll(t *testing.T) {
	t.Parallel()
	s, home := atHome(t)
	broken := filepath.Join(home, ".gemini", "settings.json")
	write(t, broken, "{\n  \"a\": ]\n}\n")
	s.fails(exit.Usage, "install cursor gemini --write", broken+":2:8: ")
	if _, err := os.Stat(filepath.Join(home, ".cursor")); err == nil {
		t.Error("the other client's file is written")
	}
	s.fails(exit.Usage, "install curser", `unknown client "curser", did you mean "cursor"?`)
}
