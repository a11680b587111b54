package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/companion"
)

// asProgram makes the test binary the program itself, so that tests meet a real process.
const asProgram = "CALLSHEET_TEST_AS_SITE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	_ = os.Setenv(options.FileVariable, "") // the file of whoever runs the tests is none of theirs
	os.Exit(m.Run())
}

func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0") // the race detector sleeps a second otherwise
	return cmd
}

// TestCommandsAreThoseThatCallsheetLists holds the tree of commands against the list that callsheet shows, and says how a
// person calls them.
func TestCommandsAreThoseThatCallsheetLists(t *testing.T) {
	t.Parallel()
	root := program{}.command()
	for _, c := range companion.SiteCommands() {
		cmd, _, err := root.Find([]string{c.Name()})
		if err != nil || cmd.Use != c.Use || cmd.Short != c.Short {
			t.Errorf("%s: %v, %v", c.Name(), cmd, err)
		}
	}
	if n := len(root.Commands()); n != len(companion.SiteCommands()) {
		t.Errorf("%d commands, %d are listed", n, len(companion.SiteCommands()))
	}
	out, err := command(t, "compile", "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "callsheet site compile DIR [flags]") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = command(t, "compile", "--frieze").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `did you mean "--freeze"`) || !strings.Contains(string(out), `run "callsheet help site compile"`) {
		t.Errorf("%v\n%s", err, out)
	}
}
