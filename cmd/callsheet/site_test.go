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

	"github.com/callsheet/callsheet/internal/cli/companion"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/tools"
)

// compileSite writes the file that a server loads.
func compileSite(t *testing.T, dir string) {
	t.Helper()
	if err := compile.Update(dir, compile.Options{Builtin: tools.Registry(tools.Needs{})}); err != nil {
		t.Fatal(err)
	}
}

// TestStarterOfASiteIsServed writes the first files of a site, compiles them, and serves them to a client on
// standard input and output.
func TestStarterOfASiteIsServed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	if _, err := compile.New(dir); err != nil {
		t.Fatal(err)
	}
	compileSite(t, dir)
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

// TestSiteCommandsAreRunByTheirProgram runs the program beside this one, or on the PATH, with the arguments, the streams and the
// exit code as they are.
func TestSiteCommandsAreRunByTheirProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := "#!/bin/sh\nread line\necho \"$line:$*\"\necho told >&2\nexit 7\n"
	if err := os.WriteFile(filepath.Join(dir, companion.Site), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"compile", "my shop", "--freeze"}, {"check", "shop", "--site-origin", "http://a.example", "--help"}, {"new"}} {
		cmd := command(t, append([]string{"site"}, args...)...)
		cmd.Env = append(cmd.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		cmd.Stdin = strings.NewReader("a line\n")
		out, _ := cmd.CombinedOutput()
		if want := "a line:" + strings.Join(args, " ") + "\ntold\n"; string(out) != want || cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("%v: exit code %d, %q, want 7, %q", args, cmd.ProcessState.ExitCode(), out, want)
		}
	}
}

// TestMissingSiteProgram says where the program was looked for and how to get it; the help lists its commands all the
// same.
func TestMissingSiteProgram(t *testing.T) {
	t.Parallel()
	run := func(args ...string) (string, int) {
		cmd := command(t, args...)
		cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, code := run("site", "compile", "shop"); code != exit.Transport || !strings.Contains(out, "neither in "+filepath.Dir(exe)) || !strings.Contains(out, "make build") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	out, code := run("site", "--help")
	for _, want := range []string{"new ", "compile ", "record ", "import ", "check ", "serve "} {
		if code != exit.OK || !strings.Contains(out, "\n  "+want) {
			t.Errorf("exit code %d, no %q in:\n%s", code, want, out)
		}
	}
	if out, code := run("help", "site", "import"); code != exit.OK || !strings.Contains(out, "callsheet site import DIR") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestSiteThatIsNotCompiled names the command that compiles it.
func TestSiteThatIsNotCompiled(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	if _, err := compile.New(dir); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "--site", dir, "--state-dir", t.TempDir())
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() == exit.OK || !strings.Contains(string(out), "is not compiled; run: callsheet site compile "+dir) {
		t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), out)
	}
}
