package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommands uses the tracker as a person does at a terminal.
func TestCommands(t *testing.T) {
	database := filepath.Join(t.TempDir(), "tracker.db")
	run := func(args ...string) (string, error) {
		cmd := newCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(append(args, "--database", database))
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	for _, c := range []struct {
		line, want, fails string
	}{
		{line: "project-create web"},
		{line: "project-create web", fails: "CONFLICT"},
		{line: "issue-create Broken --priority high --project web --json", want: `{"number":1}`},
		{line: "issue-list --project web", want: `"title":"Broken","priority":"high"`},
		{line: "issue-list", fails: "TOOL_NOT_VISIBLE"},
		{line: "issue-create Broken --priority urgent --project web", fails: "urgent"},
		{line: "issue-close 1 --project web"},
		{line: "issue-close 1 --project web", fails: "CONFLICT"},
		{line: "project-delete web"},
		{line: "issue-list --project web", fails: "NOT_FOUND"},
		{line: "issue-lst", fails: "unknown command"},
	} {
		out, err := run(strings.Fields(c.line)...)
		switch {
		case c.fails == "" && err != nil:
			t.Errorf("tracker %s: %v", c.line, err)
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("tracker %s: got %v, want %s", c.line, err, c.fails)
		case !strings.Contains(out, c.want):
			t.Errorf("tracker %s: got %s, want %s", c.line, out, c.want)
		}
	}
}
