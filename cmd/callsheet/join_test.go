package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestScopeBrowserBesideVerbs covers the use of scope browser: an agent has two tools, and the command
// line does the rest, in the same tabs. In both eras of the protocol.
func TestScopeBrowserBesideVerbs(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	for session, revision := range map[string]string{"era1": "2025-11-25", "era2": "2026-07-28", defaultSession: "2025-11-25"} {
		flags := []string{"--scope", "browser", "--session", session}
		if session == defaultSession {
			flags = flags[:2] // the commands that deferred tools name have no session either
		}
		cs := tooltest.Dial(t, &mcp.CommandTransport{Command: s.command(flags...)}, revision)
		call := func(tool string, args map[string]any) (string, bool) {
			t.Helper()
			res := cs.Do(t, tool, args)
			return res.Text, res.IsError
		}
		if list := cs.Listed(t); len(list) != 2 {
			t.Fatal(list)
		}
		if text, refused := call("browser_snapshot", nil); !refused || !strings.Contains(text, "NO_TAB") {
			t.Errorf("without a page: %s", text)
		}
		s.does("navigate " + url + " --session " + session)
		text, _ := call("browser_snapshot", nil)
		id := regexp.MustCompile(`snapshotId (\S+)`).FindStringSubmatch(text)
		ref := regexp.MustCompile(`"Go" \[(@e\d+)\]`).FindStringSubmatch(text)
		if id == nil || ref == nil {
			t.Fatalf("the page that a verb opened: %s", text)
		}
		if text, refused := call("browser_click_ref", map[string]any{"snapshotId": id[1], "ref": ref[1]}); refused {
			t.Error(text)
		}
		if got := s.does("eval document.title --session " + session); !strings.Contains(got, "1 click") {
			t.Errorf("clicked: %s", got)
		}
		s.does("navigate " + url + "/two --session " + session)
		if text, refused := call("browser_click_ref", map[string]any{"snapshotId": id[1], "ref": ref[1]}); !refused || !strings.Contains(text, "STALE_REF") {
			t.Errorf("a snapshot of another page: %s", text)
		}
		if err := cs.Close(); err != nil {
			t.Error(err)
		}
		s.does("--session "+session+" tabs", "tabCount: 1") // what the session owns stays
	}
	s.fails(exit.Usage, "--session x --slim", "--slim cannot change it")
}

// TestScriptThroughTheDaemon writes its requests, closes, and reads: nothing may be lost on the
// way.
func TestScriptThroughTheDaemon(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	cmd := s.command("serve", "--session", "script")
	cmd.Stdin = strings.NewReader(initialize + "\n" + ready + "\n" + listOld + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../generated/snapshot/tools_list.core.default.json")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if got := toolsOf(t, lines[len(lines)-1]); got != strings.TrimSpace(string(data)) {
		t.Errorf("the list differs: %s", got)
	}
}
