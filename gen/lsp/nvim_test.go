package lsp_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNeovimSession has Neovim edit a manifest of a thousand tools with the program: it types mistakes, mends one
// by a code action, completes, hovers, goes to a handler and renames a tool.
func TestNeovimSession(t *testing.T) {
	t.Parallel()
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no nvim; Debian has it in the package neovim")
		}
		t.Skip("there is no nvim")
	}
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	toolgen, out, dir := filepath.Join(temp, "toolgen"), filepath.Join(temp, "seen.json"), filepath.Join(temp, "module")
	if text, err := exec.Command("go", "build", "-o", toolgen, "../cmd/toolgen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n")
	write(t, filepath.Join(dir, "tools", "area3", "area3.go"), "package area3\n\ntype Handlers struct{}\n\nfunc (Handlers) Tool96() {}\n")
	for name, text := range manifestOf(1000) {
		write(t, filepath.Join(dir, name), string(text))
	}

	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", "testdata/session.lua")
	cmd.Env = append(os.Environ(), "SESSION_DIR="+dir, "SESSION_TOOLGEN="+toolgen, "SESSION_OUT="+out, "XDG_STATE_HOME="+temp, "XDG_CACHE_HOME="+temp)
	text, err := cmd.CombinedOutput()
	data, readErr := os.ReadFile(out)
	if err != nil || readErr != nil {
		t.Fatalf("%v, %v\n%s", err, readErr, text)
	}
	checkSession(t, data)
}

func checkSession(t *testing.T, data []byte) {
	t.Helper()
	var seen struct {
		Error        string
		Milliseconds []float64
		Problems     []struct {
			Code, Message string
			Line          int
		}
		Action, Hover, Handler string
		Completion, Renamed    []string
		Exit                   *int
	}
	if err := json.Unmarshal(data, &seen); err != nil || seen.Error != "" {
		t.Fatalf("%v, %s", err, data)
	}
	slices.Sort(seen.Milliseconds)
	t.Logf("a problem of 1000 tools shows after %.0f ms (median of %d), at most %.0f ms", seen.Milliseconds[len(seen.Milliseconds)/2], len(seen.Milliseconds), seen.Milliseconds[len(seen.Milliseconds)-1])
	if len(seen.Problems) != 1 || seen.Problems[0].Code != "unknown-capability" || seen.Problems[0].Line != 4 {
		t.Errorf("problems: %+v", seen.Problems)
	}
	if seen.Action != "write visible" {
		t.Errorf("code action: %q", seen.Action)
	}
	if !slices.Contains(seen.Completion, "core") || !slices.Contains(seen.Completion, "writing") {
		t.Errorf("completion: %q", seen.Completion)
	}
	if !strings.Contains(seen.Hover, "bytes in `tools/list`") || !strings.Contains(seen.Hover, "tool_96") {
		t.Errorf("hover: %q", seen.Hover)
	}
	if seen.Handler != "func (Handlers) Tool96() {}" {
		t.Errorf("handler: %q", seen.Handler)
	}
	if !slices.Equal(seen.Renamed, []string{"  - name: fetch_note", "    was: tool_96", "    title: Read a note"}) {
		t.Errorf("rename: %q", seen.Renamed)
	}
	if seen.Exit == nil || *seen.Exit != 0 {
		t.Errorf("the server's exit code: %v", seen.Exit)
	}
}
