package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/runner"

	"github.com/callsheet/callsheet/examples/tracker/internal/server"
)

// asTracker makes the test's own executable be the tracker.
const asTracker = "TRACKER_TEST_RUNS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asTracker) != "" {
		main()
	}
	os.Exit(m.Run())
}

// run runs one command line and returns what it prints and its exit code.
func run(t *testing.T, line string, more ...string) (stdout, stderr string, code int) {
	t.Helper()
	program, root := newCommand()
	var out, errs bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errs)
	code = program.Execute(t.Context(), root, append(strings.Fields(line), more...))
	return out.String(), errs.String(), code
}

// TestCommands uses the tracker as a person does at a terminal.
func TestCommands(t *testing.T) {
	database := filepath.Join(t.TempDir(), "tracker.db")
	for _, c := range []struct {
		line, stdout, stderr string
		code                 int
	}{
		{line: "project-create web"},
		{line: "project-create web", stderr: "tracker: CONFLICT", code: runner.ExitTool},
		{line: "issue-create Broken --priority high --project web --json", stdout: `{"number":1}`},
		{line: "issue-list --project web", stdout: `"title":"Broken","priority":"high"`},
		{line: "issue-list", stderr: "TOOL_NOT_VISIBLE", code: runner.ExitTool},
		{line: "issue-list --json", stdout: `"code":"TOOL_NOT_VISIBLE"`, code: runner.ExitTool},
		{line: "issue-create Broken --priority urgent --project web", stderr: "urgent", code: runner.ExitUsage},
		{line: "issue-create", stderr: "needs <title>", code: runner.ExitUsage},
		{line: "issue-close 1 --project web"},
		{line: "issue-close 1 --project web", stderr: "CONFLICT", code: runner.ExitTool},
		{line: "issue-lst", stderr: `did you mean "issue-list"?`, code: runner.ExitUsage},
		{line: "issue-list --projct web", stderr: `did you mean "--project"?`, code: runner.ExitUsage},
		{line: "issue-list --server /nowhere/tracker", stderr: "connect to /nowhere/tracker", code: runner.ExitTransport},
		{line: "tools --scenario project", stdout: "issue_list "},
		{line: "tools --tools-only core --json", stdout: `"why":"excluded by --tools-only"`},
		{line: "tools --tools-only coments", stderr: `did you mean "comments"?`, code: runner.ExitUsage},
		{line: "project-delete web"},
		{line: "issue-list --project web", stderr: "NOT_FOUND", code: runner.ExitTool},
	} {
		stdout, stderr, code := run(t, c.line, "--database", database)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("tracker %s: exit code %d, want %d; it prints %q and %q, want %q and %q", c.line, code, c.code, stdout, stderr, c.stdout, c.stderr)
		}
	}
}

// TestCommandsOnServers runs the same commands in this process, on a server that they start and on one
// over HTTP.
func TestCommandsOnServers(t *testing.T) {
	database := filepath.Join(t.TempDir(), "tracker.db")
	s, err := server.New(t.Context(), database, toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	token, err := s.CreateToken(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	http := httptest.NewServer(s.HTTPHandler())
	defer http.Close()
	t.Setenv(asTracker, "1")
	t.Setenv("TRACKER_TOKEN", token)
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, where := range map[string][]string{
		"process": {"--database", database},
		"stdio":   {"--server", executable + " serve --database " + filepath.Join(t.TempDir(), "other.db")},
		"http":    {"--server", http.URL},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				line, want string
				code       int
			}{
				{"project-create web --json", "web", runner.ExitOK},
				{"project-create web --json", `"code":"CONFLICT"`, runner.ExitTool},
				{"issue-create Broken --project web --json", `"number":1`, runner.ExitOK},
				{"issue-list --project web", `"title":"Broken"`, runner.ExitOK},
			} {
				stdout, stderr, code := run(t, c.line, where...)
				if code != c.code || !strings.Contains(stdout, c.want) {
					t.Errorf("tracker %s: exit code %d, want %d; it prints %q and %q, want %q", c.line, code, c.code, stdout, stderr, c.want)
				}
			}
		})
	}
}
