package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestAKilledServerIsReportedOn records with the real program and a real browser, kills it at a
// random call, and reports: every call before the last answer of a durable tool is there. Another
// process goes on with the recording.
func TestAKilledServerIsReportedOn(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>Page</title><h1>%s</h1>", r.URL.Path)
	}))
	t.Cleanup(site.Close)
	dir := filepath.Join(t.TempDir(), "state")
	connect := func() (*mcp.ClientSession, func()) {
		t.Helper()
		cmd := command(t, "--state-dir", dir)
		return tooltest.Dial(t, &mcp.CommandTransport{Command: cmd}, "").ClientSession, func() { _ = cmd.Process.Kill() }
	}
	call := func(session *mcp.ClientSession, tool string, args map[string]any) (string, error) {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return "", err
		}
		text := ""
		for _, c := range res.Content {
			if part, ok := c.(*mcp.TextContent); ok {
				text += part.Text
			}
		}
		if res.IsError {
			t.Errorf("%s %v: %s", tool, args, text)
		}
		return text, nil
	}

	session, kill := connect()
	text, err := call(session, "oc_recording_start", map[string]any{"label": "killed"})
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`rec-\S+`).FindString(text)
	made, durable := 0, 1+rand.IntN(6) // navigations, and those before the checkpoint
	for ; ; made++ {
		if made == durable {
			if _, err := call(session, "oc_checkpoint", map[string]any{"action": "save", "taskDescription": "go on"}); err != nil {
				t.Fatal(err)
			}
			go kill() // while the next call is under way
		}
		if _, err := call(session, "navigate", map[string]any{"url": fmt.Sprintf("%s/page-%d-of-the-recording", site.URL, made)}); err != nil {
			break
		}
	}
	_ = session.Close() // it was killed
	report := replayed(t, exit.OK, "report", id, "--state-dir", dir, "--out", "-")
	for i := range durable {
		if !strings.Contains(report, fmt.Sprintf("page-%d-of-the-recording", i)) {
			t.Errorf("call %d of %d came before the checkpoint and is not in the report", i, durable)
		}
	}
	if n := strings.Count(report, "data:image/jpeg;base64,"); n < durable {
		t.Errorf("%d pictures of %d calls", n, durable)
	}

	session, _ = connect()
	if text, err := call(session, "oc_recording_start", map[string]any{"resume": id}); err != nil || !strings.Contains(text, id+" again") {
		t.Fatal(text, err)
	}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"navigate", map[string]any{"url": site.URL + "/after"}},
		{"oc_recording_stop", nil},
		{"oc_recording_export", map[string]any{"recordingId": id, "path": "it.json"}},
	} {
		if _, err := call(session, c.tool, c.args); err != nil {
			t.Fatal(err)
		}
	}
	_ = session.Close()
	file := savedFile(t, dir, "it.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	source, err := export.Read(data)
	if err != nil || len(source.Steps) < durable+2 || len(source.Steps) > made+3 || source.Recording.StoppedAt == nil {
		t.Fatalf("%d steps of %d calls, %d before the checkpoint, %v", len(source.Steps), made+1, durable, err)
	}
	for i, s := range source.Steps {
		if s.Seq != i+1 || s.Tool != "navigate" && i != durable {
			t.Errorf("step %d is number %d, %s", i+1, s.Seq, s.Tool)
		}
	}
	out := filepath.Join(t.TempDir(), "report.html")
	says(t, replayed(t, exit.OK, "report", file, "--state-dir", dir, "--out", out), fmt.Sprintf("%s: %d steps", out, len(source.Steps)))
	if page, err := os.ReadFile(out); err != nil || !strings.Contains(string(page), "/after") {
		t.Errorf("the report of the file: %v", err)
	}
	says(t, replayed(t, exit.Usage, "report", "rec-none", "--state-dir", dir), "no recording rec-none", id, "killed")
	says(t, replayed(t, exit.Usage, "report", out, "--state-dir", dir), "format json of an export is one")
	says(t, replayed(t, exit.Usage, "report", "--state-dir", dir), "one exported file or the id")
	empty := filepath.Join(t.TempDir(), "none")
	says(t, replayed(t, exit.Usage, "report", id, "--state-dir", empty), "nothing is recorded")
	if _, err := os.Stat(empty); err == nil {
		t.Error("asking has made a state directory")
	}
}

// replayed runs callsheet replay and returns what it says.
func replayed(t *testing.T, code int, args ...string) string {
	t.Helper()
	cmd := command(t, append([]string{"replay"}, args...)...)
	out, _ := cmd.CombinedOutput() // the exit code says it
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("replay %v: exit %d, want %d: %.500s", args, got, code, out)
	}
	return string(out)
}
