package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestStarterOfASiteIsServed writes the first files of a site, checks them, and serves them to a client on
// standard input and output.
func TestStarterOfASiteIsServed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	for _, args := range [][]string{{"site", "new", dir}, {"site", "compile", dir}} {
		if out, err := command(t, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "--site", dir, "--state-dir", t.TempDir())
	cmd.Env = append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0")
	var logged strings.Builder
	cmd.Stderr = &logged
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c, err := tooltest.CheckOutputs(t, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)).
		Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatalf("%v\n%s", err, &logged)
	}
	defer func() { _ = c.Close() }()
	if got := toolNames(t, c); !slices.Equal(got, []string{"search", "sign_in"}) { // rename_account needs a login
		t.Errorf("the list is %v", got)
	}
}

// TestSiteCompileSaysWhatIsWrong prints the place, the line and the way to mend it, and exits as refused.
func TestSiteCompileSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	if out, err := command(t, "site", "new", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tool := filepath.Join(dir, "tools", "search.yaml")
	text, err := os.ReadFile(tool)
	if err == nil {
		err = os.WriteFile(tool, []byte(strings.Replace(string(text), "q={words}", "q={word}", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "site", "compile", dir)
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exitTool {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"search.yaml:8:18: {word} is no parameter of tool \"search\"", `did you mean "words"?`, "start: /search?q={word}"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// TestSiteScript writes the script of a site in one page, and refuses one of which no tool stays in its page.
func TestSiteScript(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "webmcp.js")
	out, err := command(t, "site", "compile", "../../examples/sites/wiki", "--script", file).CombinedOutput()
	script, _ := os.ReadFile(file)
	if err != nil || !strings.Contains(string(out), "with 10 of 11 tools") || !strings.Contains(string(out), "[webmcp-step]") || !strings.Contains(string(script), "read_note") {
		t.Errorf("%v\n%s", err, out)
	}
	none := filepath.Join(t.TempDir(), "none.js")
	cmd := command(t, "site", "compile", "../../examples/sites/admin", "--script", none)
	out, _ = cmd.CombinedOutput()
	if _, err := os.Stat(none); err == nil || cmd.ProcessState.ExitCode() != exitTool || !strings.Contains(string(out), "can run none of the tools") {
		t.Errorf("exit code %d, %v\n%s", cmd.ProcessState.ExitCode(), err, out)
	}
}
