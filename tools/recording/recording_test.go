package recording_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// exportRecording reads a recording back.
func exportRecording(c tooltest.Client, id string) export.Source {
	c.T.Helper()
	res := c.Do("oc_recording_export", tooltest.Args{"recordingId": id})
	links := tooltest.Links(res)
	if res.IsError || len(links) != 1 {
		c.T.Fatalf("export %s: %s", id, tooltest.Text(res))
	}
	source, err := export.Read([]byte(c.ReadArtifact(links[0].URI)))
	if err != nil {
		c.T.Fatal(err)
	}
	for i := range source.Steps { // the file is indented
		var b bytes.Buffer
		if err := json.Compact(&b, source.Steps[i].Args); err != nil {
			c.T.Fatal(err)
		}
		source.Steps[i].Args = b.Bytes()
	}
	return source
}

// TestRecordingSteps records a flow and looks at every part of its steps.
func TestRecordingSteps(t *testing.T) {
	t.Parallel()
	c, home := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeSite(t)
	id := tooltest.RecordingID(t, c.Call("oc_recording_start", tooltest.Args{"label": "a flow"}))
	c.Call("navigate", tooltest.Args{"url": home + "/form.html"})
	reading := c.Call("read_page", nil)
	c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, `"Name"`), "value": "Ann"})
	c.Call("javascript_tool", tooltest.Args{"code": "console.log('said', 42); fetch('/missing?token=abc').then(r => r.text()).then(() => 1)"})
	c.Call("tabs_create", tooltest.Args{"url": home + "/second.html"})
	first := regexp.MustCompile(`"tabId":"(t\d+)`).FindStringSubmatch(c.Call("tabs_context", nil))[1]
	c.ExpectRefusal("NO_TAB", "tabs_close", tooltest.Args{"tabId": "t999999"})
	c.Call("fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "Name", "value": "Ben"}}, "tabId": first})
	c.Expect("oc_recording_list", nil, id, `"a flow"`, "8 steps, goes on")
	c.Expect("oc_recording_stop", nil, id, "8 steps in")
	c.Call("page_reload", nil) // not recorded any more
	got := exportRecording(c, id)
	if r := got.Recording; r.ID != id || r.Label != "a flow" || r.StoppedAt == nil || r.StepCount != 8 || len(got.Steps) != 8 {
		t.Fatalf("the export is of %+v, %d steps", r, len(got.Steps))
	}
	at := time.Time{}
	for i, s := range got.Steps {
		if s.Seq != i+1 || s.StartedAt.Before(at) || s.Duration <= 0 {
			t.Errorf("step %d is number %d, at %v for %v", i+1, s.Seq, s.StartedAt, s.Duration)
		}
		at = s.StartedAt
	}
	visit, typed, script, opened, refused, filled := got.Steps[0], got.Steps[2], got.Steps[3], got.Steps[4], got.Steps[6], got.Steps[7]
	if visit.Tool != "navigate" || visit.Tab != "t1" || !slices.Equal(visit.OpenedTabs, []string{"t1"}) || visit.URL != home+"/form.html" || visit.Outcome != "ok" {
		t.Errorf("the visit is %+v", visit)
	}
	if q := visit.Requests; len(q) == 0 || q[0].URL != home+"/form.html" || q[0].Status != 200 || q[0].Kind != "document" || q[0].Milliseconds <= 0 {
		t.Errorf("the first requests of a tab are %+v", q)
	}
	if got := typed.Targets["/ref"]; got.Role != "textbox" || got.Name != "Name" || string(typed.Args) != `{"ref":"`+got.Ref+`","value":"Ann"}` {
		t.Errorf("typed into %+v: %s", got, typed.Args)
	}
	if q := script.Requests; len(q) != 1 || q[0].Status != 404 || strings.Contains(q[0].URL, "abc") {
		t.Errorf("the script asked for %+v", q)
	}
	if m := script.Console; len(m) != 2 || m[0].Text != "said 42" || m[0].Level != "log" || m[1].Level != "error" {
		t.Errorf("the page said %+v", m)
	}
	if opened.Tab != "t2" || !slices.Equal(opened.OpenedTabs, []string{"t2"}) || !strings.HasSuffix(opened.URL, "/second.html") {
		t.Errorf("the new tab is %+v", opened)
	}
	if refused.Outcome != "NO_TAB" || refused.Tab != "" || !strings.Contains(refused.Summary, "unknown tab") {
		t.Errorf("the refusal is %+v", refused)
	}
	if filled.Tab != "t1" || !strings.Contains(string(filled.Args), `"tabId":"t1"`) || filled.Targets["/fields/0/query"].Name != "Name" {
		t.Errorf("the form is %+v", filled)
	}
	for i, pictured := range []bool{true, false, true, true, true, false, false, true} {
		if (got.Steps[i].Screenshot != "") != pictured {
			t.Errorf("step %d has the picture %q", i+1, got.Steps[i].Screenshot)
		}
	}
	if img := tooltest.Picture(t, c.Do("page_screenshot", nil), "image/png"); img.Bounds().Empty() {
		t.Error("the page has no picture")
	}
}

// TestRecordingArguments calls each tool with what fits, what just fits and what does not.
func TestRecordingArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true})
	c.Expect("oc_recording_list", nil, "no recordings")
	c.ExpectRefusal("FAILED", "oc_recording_stop", nil, "oc_recording_start")
	c.ExpectRefusal("NOT_FOUND", "oc_recording_export", nil, "oc_recording_start")
	for _, bad := range []string{"", "rec-20261122-021827-2r2ejnecfiaz7", "../../etc/passwd", "' OR 1=1 --"} {
		if bad != "" {
			c.ExpectRefusal("NOT_FOUND", "oc_recording_export", tooltest.Args{"recordingId": bad}, "oc_recording_list")
		}
		c.ExpectRefusal("INVALID_ARGUMENTS", "oc_recording_export", tooltest.Args{"recordingId": bad, "format": "exe"}, "json")
	}
	c.ExpectRefusal("NOT_FOUND", "oc_recording_start", tooltest.Args{"resume": "rec-x"}, "rec-x")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_recording_start", tooltest.Args{"label": strings.Repeat("x", 201)})
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_recording_start", tooltest.Args{"screenshots": "yes"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_recording_list", tooltest.Args{"limit": 0})
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_recording_list", tooltest.Args{"limit": 201})
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_recording_stop", tooltest.Args{"now": true})

	first := tooltest.RecordingID(t, c.Call("oc_recording_start", tooltest.Args{"label": strings.Repeat("x", 200), "screenshots": false}))
	c.ExpectRefusal("FAILED", "oc_recording_start", nil, first, "oc_recording_stop")
	c.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t)})
	c.Expect("oc_recording_stop", nil, "1 step in")
	if s := exportRecording(c, first).Steps[0]; s.Screenshot != "" {
		t.Errorf("no pictures were asked for, and there is %q", s.Screenshot)
	}
	second := tooltest.RecordingID(t, c.Call("oc_recording_start", nil))
	c.Expect("oc_recording_list", tooltest.Args{"limit": 1}, second)
	if got := c.Call("oc_recording_list", tooltest.Args{"limit": 200}); strings.Index(got, second) > strings.Index(got, first) || !strings.Contains(got, first) {
		t.Errorf("the list is %s", got)
	}
	c.Call("oc_recording_stop", nil)
	c.Expect("oc_recording_export", nil, "0 steps of "+second) // the latest
	for _, format := range []string{"json", "html", "har"} {
		text := c.Call("oc_recording_export", tooltest.Args{"recordingId": first, "format": format, "path": "out/file." + format})
		data, err := os.ReadFile(filepath.Join(c.Output, "out", "file."+format))
		if err != nil || !strings.Contains(text, fmt.Sprintf("%d bytes", len(data))) {
			t.Errorf("%s says %q, and the file: %v", format, text, err)
		}
		if format == "har" {
			checkHAR(t, data)
		}
	}
	c.ExpectRefusal("POLICY_DENIED", "oc_recording_export", tooltest.Args{"recordingId": first, "path": "../escaped.json"})

	c.Expect("oc_recording_start", tooltest.Args{"resume": first}, first, "after 1 step")
	c.Call("page_reload", nil)
	c.Expect("oc_recording_stop", nil, "2 steps")
	if s := exportRecording(c, first).Steps; len(s) != 2 || s[1].Seq != 2 || s[1].Tab == "t1" {
		t.Errorf("after going on there are %+v", s)
	}
}

// checkHAR holds an archive of requests to the format.
func checkHAR(t *testing.T, data []byte) {
	t.Helper()
	var file struct {
		Log struct {
			Version string
			Entries []struct {
				StartedDateTime string
				Time            float64
				Request         struct{ Method, URL string }
				Response        struct{ Status int }
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil || file.Log.Version != "1.2" || len(file.Log.Entries) == 0 {
		t.Fatalf("%v in %.300s", err, data)
	}
	for _, e := range file.Log.Entries {
		if strings.HasSuffix(e.Request.URL, "/favicon.ico") {
			continue // the browser requests it when it likes, perhaps as the recording ends
		}
		if _, err := time.Parse(time.RFC3339, e.StartedDateTime); err != nil || e.Time <= 0 || e.Request.Method != "GET" || e.Response.Status == 0 {
			t.Errorf("an entry is %+v, %v", e, err)
		}
	}
}

// TestRecordingResumedByAnotherServer resumes a recording that another server has not stopped: that
// server reports it, and writes no more.
func TestRecordingResumedByAnotherServer(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), tooltest.ServeSite(t)
	a := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true})
	b := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true})
	id := tooltest.RecordingID(t, a.Call("oc_recording_start", nil))
	a.Call("navigate", tooltest.Args{"url": home})
	a.Expect("oc_recording_list", nil, "1 step") // waits for it
	other := tooltest.RecordingID(t, b.Call("oc_recording_start", tooltest.Args{"label": "at the same time"}))
	b.Call("navigate", tooltest.Args{"url": home})
	b.Call("oc_recording_stop", nil)
	b.Expect("oc_recording_start", tooltest.Args{"resume": id}, "after 1 step")
	b.Call("navigate", tooltest.Args{"url": home + "/form.html"})
	a.Call("navigate", tooltest.Args{"url": home + "/second.html"})
	// Steps are written in the background: the first answer after the refused write says it.
	said := ""
	for deadline := time.Now().Add(time.Minute); !strings.Contains(said, "not recorded") && time.Now().Before(deadline); {
		said = a.Call("navigate", tooltest.Args{"url": home + "/second.html"})
	}
	if !strings.Contains(said, "not recorded") || !strings.Contains(said, id) {
		t.Errorf("no answer says that steps of %s are not recorded: %s", id, said)
	}
	a.ExpectRefusal("FAILED", "oc_recording_stop", nil)
	b.Expect("oc_recording_stop", nil, "2 steps")
	if s := exportRecording(b, id).Steps; len(s) != 2 || !strings.HasSuffix(s[1].URL, "/form.html") {
		t.Errorf("the recording has %+v", s)
	}
	if s := exportRecording(b, other).Steps; len(s) != 1 {
		t.Errorf("the other recording has %+v", s)
	}
}

// TestRecordingOfAStuckPage records calls on a page that answers nothing: they end as they do
// without a recording.
func TestRecordingOfAStuckPage(t *testing.T) {
	t.Parallel()
	c, home := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeSite(t)
	c.Call("oc_recording_start", nil)
	c.Call("navigate", tooltest.Args{"url": home})
	c.Do("javascript_tool", tooltest.Args{"code": "setTimeout(() => alert('stop'), 0); 1"})
	c.Do("wait_for", tooltest.Args{"type": "timeout", "value": "100"})
	c.ExpectRefusal("DIALOG_OPEN", "read_page", nil)
	c.Call("dialog", tooltest.Args{"accept": true})
	c.Do("javascript_tool", tooltest.Args{"code": "setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end); }, 0); 1"})
	c.Call("read_page", nil)
	c.Call("tabs_close", tooltest.Args{"tabId": regexp.MustCompile(`"tabId":"(t\d+)`).FindStringSubmatch(c.Call("tabs_context", nil))[1]})
	c.ExpectRefusal("NO_TAB", "read_page", nil)
	c.Call("oc_recording_stop", nil)
	steps := exportRecording(c, tooltest.RecordingID(t, c.Call("oc_recording_list", nil))).Steps
	var outcomes []string
	for _, s := range steps {
		outcomes = append(outcomes, s.Tool+" "+s.Outcome)
	}
	if want := []string{"read_page DIALOG_OPEN", "dialog ok", "tabs_close ok", "read_page NO_TAB"}; !containsAll(outcomes, want) || len(steps) != 10 {
		t.Errorf("recorded %q", outcomes)
	}
}

func containsAll(all, want []string) bool {
	for _, w := range want {
		if !slices.Contains(all, w) {
			return false
		}
	}
	return true
}
