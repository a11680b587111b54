package attacks_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// bearer adds a token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connectTokens starts a server over HTTP for holders of tokens, and returns a function that opens a session of one.
func connectTokens(t *testing.T) func(token string) tooltest.Client {
	server := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}, Passphrase: func() (string, error) { return "sixteen letters and more", nil }})
	protocol := server.Server(server.Surface)
	endpoint := httptest.NewServer(protocol.HTTPHandler(mcpserver.HTTPOptions{Authenticate: func(_ context.Context, token string) (string, error) {
		if token == "" {
			return "", errors.New("no token")
		}
		return "token " + token, nil
	}}))
	t.Cleanup(func() {
		_ = protocol.Close(context.Background())
		endpoint.CloseClientConnections()
		endpoint.Close()
	})
	return func(token string) tooltest.Client {
		t.Helper()
		client := tooltest.CheckOutputs(t, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil))
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint.URL, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return tooltest.Client{ClientSession: session, T: t}
	}
}

// TestIDsAreThePrincipals holds everything that is stored under an id or a name to its principal: for another one the id is
// as unknown as one that was never given out, and in another session of the same one it works.
func TestIDsAreThePrincipals(t *testing.T) {
	t.Parallel()
	session := connectTokens(t)
	ada, again, bob := session("ada"), session("ada"), session("bob")
	site := newSite(t)
	site.page("bank", "/", "<title>victims-page</title><p>victims-text</p>")
	ada.Call("navigate", args{"url": site.url("bank", "/")})
	stored := func(tool string, a args, form string) string {
		t.Helper()
		m := regexp.MustCompile(form).FindStringSubmatch(ada.Call(tool, a))
		if m == nil {
			t.Fatalf("%s says no id", tool)
		}
		return m[1]
	}
	crawl := stored("crawl", args{"url": site.url("bank", "/"), "wait": 0, "delay_ms": 0}, `\b([a-z2-7]{26})\b`)
	checkpoint := stored("oc_checkpoint", args{"action": "save", "taskDescription": "victims-task"}, `saved (\w+)`)
	snapshot := stored("oc_session_snapshot", args{"objective": "victims-task", "currentStep": "s", "nextActions": []string{"n"}}, `saved (\w+)`)
	note := stored("memory", args{"action": "record", "domain": "bank.test", "key": "tip:x", "value": "victims-note"}, `\b(\d+)\b`)
	login := stored("oc_context_export", args{}, `\b([A-Z2-7]{26})\b`)
	recording := stored("oc_recording_start", args{"label": "victims-label"}, `(rec-[\w-]+)`)
	ada.Call("navigate", args{"url": site.url("bank", "/")})
	ada.Call("oc_recording_stop", args{})
	skill := stored("oc_skill_record", args{"name": "victims-skill", "recording": recording}, `kept (\w+)`)
	work := stored("workflow_init", args{"name": "w", "workers": []args{{"name": "one", "url": site.url("bank", "/"), "task": "t"}}}, `"?workflow"?:? ?"?([a-z2-7]{12})\b`)
	baseline := args{"name": "home", "compare": "baseline"}
	ada.Call("page_screenshot", baseline)

	for _, c := range []struct {
		tool, id string
		args     func(id string) args
	}{
		{"crawl", crawl, func(id string) args { return args{"job": id} }},
		{"crawl", crawl, func(id string) args { return args{"job": id, "cancel": true} }},
		{"oc_checkpoint", checkpoint, func(id string) args { return args{"action": "load", "id": id} }},
		{"oc_checkpoint", checkpoint, func(id string) args { return args{"action": "delete", "id": id} }},
		{"oc_session_resume", snapshot, func(id string) args { return args{"snapshotId": id} }},
		{"memory", note, func(id string) args { return args{"action": "validate", "id": number(id), "success": false} }},
		{"oc_context_import", login, func(id string) args { return args{"id": id} }},
		{"oc_recording_export", recording, func(id string) args { return args{"recordingId": id, "format": "json"} }},
		{"oc_recording_start", recording, func(id string) args { return args{"resume": id} }},
		{"oc_skill_record", recording, func(id string) args { return args{"name": "mine", "recording": id} }},
		{"oc_skill_replay", skill, func(id string) args { return args{"skill": id} }},
		{"workflow_status", work, func(id string) args { return args{"workflow": id} }},
		{"workflow_collect", work, func(id string) args { return args{"workflow": id} }},
		{"worker_update", work, func(id string) args { return args{"workflow": id, "workerName": "one", "action": "s"} }},
		{"worker_complete", work, func(id string) args { return args{"workflow": id, "workerName": "one", "status": "failed"} }},
		{"workflow_cleanup", work, func(id string) args { return args{"workflow": id} }},
	} {
		unknown := strings.Map(turn, c.id)
		mine, never := bob.Do(c.tool, c.args(c.id)), bob.Do(c.tool, c.args(unknown))
		got, _, _ := strings.Cut(strings.ReplaceAll(tooltest.Text(mine), c.id, unknown), "hint: ") // hints depend on the calls before
		want, _, _ := strings.Cut(tooltest.Text(never), "hint: ")
		if got != want || mine.IsError != never.IsError {
			t.Errorf("%s %v of another principal says %q, and %q of an unknown id", c.tool, c.args(c.id), got, want)
		}
	}
	bob.Call("memory", args{"action": "record", "domain": "bank.test", "key": "tip:x", "value": "bobs-note"})
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"crawl", args{"job": crawl}, "job " + crawl}, {"oc_checkpoint", args{"action": "load", "id": checkpoint}, "victims-task"},
		{"oc_session_resume", args{"snapshotId": snapshot}, "victims-task"}, {"memory", args{"action": "query", "domain": "bank.test"}, "victims-note"},
		{"oc_recording_export", args{"recordingId": recording, "format": "json"}, recording}, {"oc_skill_recall", args{}, skill},
		{"workflow_status", args{"workflow": work}, "one"}, {"oc_context_import", args{"id": login}, ""},
	} {
		again.Expect(c.tool, c.args, c.want)
		if got := tooltest.Text(bob.Do(c.tool, c.args)); strings.Contains(got, "victims") {
			t.Errorf("%s %v tells another principal %q", c.tool, c.args, got)
		}
	}
	bob.Call("navigate", args{"url": "data:text/html,another page"})
	if got := bob.Call("page_screenshot", baseline); strings.Contains(got, "%") {
		t.Errorf("a picture of one principal is compared with the baseline of another: %s", got)
	}
}

// turn replaces a letter or digit by another one of the same kind.
func turn(r rune) rune {
	switch {
	case r >= '2' && r < '7', r >= 'a' && r < 'z', r >= 'A' && r < 'Z':
		return r + 1
	case r == '7', r == '9':
		return '2'
	}
	return r
}

func number(id string) int {
	var n int
	_, _ = fmt.Sscan(id, &n)
	return n
}
