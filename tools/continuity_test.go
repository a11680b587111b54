package tools_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/database"
)

func TestTheJournalTellsWhatWasDone(t *testing.T) {
	c, home := connect(t, toolkit.Options{}), site(t)
	c.says("oc_journal", nil, "no calls")
	c.call("navigate", args{"url": home + "/form.html?token=hunter2"})
	ref := refOf(t, c.call("read_page", nil), "textbox")
	c.call("form_input", args{"ref": ref, "value": "hunter2"})
	c.refused("NOT_FOUND", "interact", args{"query": "no such thing", "waitForMs": 0})
	c.says("oc_journal", nil, "calls from", "1 refused", "navigate 1", "interact NOT_FOUND 1")
	recent := c.says("oc_journal", args{"action": "recent", "count": 100}, "/form.html", `"ref":"`+ref+`"`, "NOT_FOUND")
	if strings.Contains(recent, "hunter2") {
		t.Errorf("the journal keeps values:\n%s", recent)
	}
	if got := c.call("oc_journal", args{"action": "recent", "tool": "navigate", "count": 1}); strings.Count(got, "\n") != 0 || !strings.Contains(got, "navigate") {
		t.Errorf("one navigate was asked for: %s", got)
	}
	c.says("oc_journal", args{"since": "2h"}, "navigate 1")
	c.says("oc_journal", args{"since": "2999-01-01T00:00:00Z"}, "no calls")
	c.refused("INVALID_ARGUMENTS", "oc_journal", args{"since": "yesterday"}, "30m, 2h, 1d")
}

func TestNotesOutliveTheServer(t *testing.T) {
	dir := t.TempDir()
	c := connectIn(t, dir, toolkit.Options{}, "", nil)
	id := regexp.MustCompile(`\d+`).FindString(c.says("memory", args{"action": "record", "domain": "example.com", "key": "tip:search", "value": "press /"}, "0.5"))
	other := connectIn(t, dir, toolkit.Options{}, "", nil)
	other.says("memory", args{"action": "query", "domain": "EXAMPLE.com", "key": "tip:"}, id+" tip:search = press / (0.5)")
	other.says("memory", args{"action": "query", "domain": "example.org"}, "no notes")
	for range 2 {
		other.call("memory", args{"action": "validate", "id": 1, "success": false})
	}
	other.refused("NOT_FOUND", "memory", args{"action": "validate", "id": 1, "success": true})
	other.refused("INVALID_ARGUMENTS", "memory", args{"action": "record", "domain": "x"}, `\"key\" is required`, `\"value\" is required`)
	other.refused("INVALID_ARGUMENTS", "memory", args{"action": "validate"}, `\"id\" is required`, `\"success\" is required`)
}

func TestACheckpointIsReadAfterwards(t *testing.T) {
	dir, home := t.TempDir(), site(t)
	c := connectIn(t, dir, toolkit.Options{}, "", nil)
	c.refused("NOT_FOUND", "oc_checkpoint", args{"action": "load"}, "no checkpoint")
	c.call("navigate", args{"url": home + "/second.html"})
	c.says("oc_checkpoint", args{
		"action": "save", "taskDescription": "buy milk", "completedSteps": []string{"log in"},
		"pendingSteps": []string{"search", "pay"}, "extractedData": `{"price": 3}`,
	}, "tabs 1")
	again := connectIn(t, dir, toolkit.Options{}, "", nil) // as after a restart
	again.says("oc_checkpoint", args{"action": "load"}, "task: buy milk", "done: log in", "next: search; pay", `notes: {"price": 3}`, "/second.html")
	again.says("oc_checkpoint", args{"action": "delete"}, "deleted 1")
	again.refused("NOT_FOUND", "oc_checkpoint", args{"action": "load"})
	again.refused("NOT_FOUND", "oc_checkpoint", args{"action": "load", "id": "../../etc/passwd"})
	again.refused("INVALID_ARGUMENTS", "oc_checkpoint", args{"action": "save"}, `\"taskDescription\" is required`)
}

// TestResumeReopensWhatItSays closes one of two tabs, resumes, and finds it open again, and the right one current.
func TestResumeReopensWhatItSays(t *testing.T) {
	c, home := connect(t, toolkit.Options{}), site(t)
	first, _, _ := strings.Cut(c.call("navigate", args{"url": home + "/index.html"}), " ")
	second, _, _ := strings.Cut(c.call("tabs_create", args{"url": home + "/second.html"}), " ")
	text := c.says("oc_session_snapshot", args{
		"objective": "compare two pages", "currentStep": "reading", "nextActions": []string{"decide"}, "label": "half way",
	}, "tabs 2")
	id := strings.TrimSuffix(strings.Fields(text)[1], ",")
	c.call("tabs_close", args{"tabId": second})
	resumed := c.says("oc_session_resume", nil, "task: compare two pages", "label: half way", "tab "+first+" is open: ", "tab "+second+" was opened again as ")
	_, rest, _ := strings.Cut(resumed, "opened again as ")
	third, address, _ := strings.Cut(rest, ": ")
	if !strings.HasPrefix(address, home+"/second.html") {
		t.Errorf("opened again: %q", address)
	}
	c.says("tabs_context", nil, `"current":"`+third+`"`, `"tabCount":2`)
	c.says("read_page", nil, "Second")
	c.says("oc_session_resume", args{"snapshotId": id}, "tab "+second+" is open as "+third)
	c.says("tabs_context", nil, `"tabCount":2`)
	c.refused("NOT_FOUND", "oc_session_resume", args{"snapshotId": "nope"})
}

func TestHealthNeverStartsABrowser(t *testing.T) {
	c, home := connect(t, toolkit.Options{}), site(t)
	c.says("oc_connection_health", nil, "default: ")
	c.call("navigate", args{"url": home + "/index.html"})
	c.says("oc_connection_health", nil, "answers in", "tabs 1")
}

// TestADamagedStoreIsLeftAlone: calls go on, the tools of continuity say what to do, and the file stays as it was.
func TestADamagedStoreIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	damaged := []byte(strings.Repeat("this was a database once ", 50))
	if err := os.WriteFile(filepath.Join(dir, database.FileName), damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	c := connectIn(t, dir, toolkit.Options{}, "", nil)
	c.call("tabs_context", nil)
	c.refused("FAILED", "memory", args{"action": "query", "domain": "x.org"}, "damaged", "move it away")
	if now, err := os.ReadFile(filepath.Join(dir, database.FileName)); err != nil || string(now) != string(damaged) {
		t.Errorf("the file was changed: %v", err)
	}
}
