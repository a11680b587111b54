package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// TestSiteCompileSaysWhatIsWrong prints the place, the line and the way to mend it, and exits as refused.
func TestSiteCompileSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	if out, err := command(t, "new", dir).CombinedOutput(); err != nil {
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
	cmd := command(t, "compile", dir)
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exit.Tool {
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
	out, err := command(t, "compile", "../../examples/sites/wiki", "--script", file).CombinedOutput()
	script, _ := os.ReadFile(file)
	if err != nil || !strings.Contains(string(out), "with 10 of 11 tools") || !strings.Contains(string(out), "[webmcp-step]") || !strings.Contains(string(script), "read_note") {
		t.Errorf("%v\n%s", err, out)
	}
	none := filepath.Join(t.TempDir(), "none.js")
	cmd := command(t, "compile", "../../examples/sites/admin", "--script", none)
	out, _ = cmd.CombinedOutput()
	if _, err := os.Stat(none); err == nil || cmd.ProcessState.ExitCode() != exit.Tool || !strings.Contains(string(out), "can run none of the tools") {
		t.Errorf("exit code %d, %v\n%s", cmd.ProcessState.ExitCode(), err, out)
	}
}
