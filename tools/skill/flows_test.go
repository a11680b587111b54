package skill_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// replayFlow is something a person does on a site, with what a semantic change of the site must be
// told as.
type replayFlow struct {
	name string
	do   func(f *flowRun)
	// drift is the kind, and step and reason what the report says: the tool's name and a part of
	// the reason.
	drift, tool, reason string
	params              []string
}

// flowRun makes the calls of a flow.
type flowRun struct {
	tooltest.Client

	site *tooltest.FlowSite
}

// ref reads the tab's page and finds an element by its line.
func (f *flowRun) ref(line string, in tooltest.Args) string {
	f.T.Helper()
	for end := time.Now().Add(time.Minute); ; {
		reading := f.Call("read_page", in)
		if strings.Contains(reading, line) || time.Now().After(end) {
			return tooltest.Ref(f.T, reading, line)
		}
	}
}

func (f *flowRun) open(page string) {
	f.Call("navigate", tooltest.Args{"url": f.site.URL + "/" + page})
}

func (f *flowRun) click(line string) string {
	f.T.Helper()
	return f.Call("interact", tooltest.Args{"ref": f.ref(line, nil)})
}

// see proves that the flow came out: it waits for a text and asserts it, which becomes the contract
// of the skill.
func (f *flowRun) see(text string) {
	f.T.Helper()
	f.Call("wait_for", tooltest.Args{"type": "text", "value": text, "timeout": 10000})
	f.record(tooltest.Args{"contract": fmt.Sprintf(`{"dom_text":%q}`, text), "timeout_ms": 10000})
}

func (f *flowRun) record(in tooltest.Args) {
	f.T.Helper()
	var report struct {
		Verdict string `json:"verdict"`
	}
	if text := f.Call("oc_assert", in); json.Unmarshal([]byte(text), &report) != nil || report.Verdict != "pass" {
		f.T.Fatalf("%v: %s", in, text)
	}
}

func replayFlows() []replayFlow {
	return []replayFlow{
		{name: "login", drift: "gone", tool: "interact", reason: `no button is called "Sign in"`, params: []string{"password=correct horse"}, do: func(f *flowRun) {
			f.open("login.html")
			f.Call("form_input", tooltest.Args{"ref": f.ref(`textbox "Email"`, nil), "value": "ada@example.com"})
			f.Call("form_input", tooltest.Args{"ref": f.ref(`textbox "Password"`, nil), "value": "correct horse"})
			f.click(`button "Sign in"`)
			f.see("Welcome, Ada")
		}},
		{name: "list", drift: "label", tool: "interact", reason: `none is beside "Widget 23"`, do: func(f *flowRun) {
			f.open("list.html")
			f.click(`link "Next page"`)
			reading := f.Call("read_page", nil)
			_, after, _ := strings.Cut(reading, "Widget 23")
			f.Call("interact", tooltest.Args{"ref": tooltest.Ref(f.T, after, `button "Open"`)})
			f.see("Opened Widget 23")
		}},
		{name: "tabs", drift: "tab", tool: "interact", reason: "opens none now", do: func(f *flowRun) {
			f.open("tabs.html")
			first := currentTab(f.Client)
			_, opened, ok := strings.Cut(f.click(`link "Terms"`), "opened tab ")
			if !ok {
				f.T.Fatal("no tab opened")
			}
			second := strings.Fields(opened)[0]
			f.Call("interact", tooltest.Args{"ref": f.ref(`button "Accept terms"`, tooltest.Args{"tabId": second}), "tabId": second})
			f.Call("tabs_close", tooltest.Args{"tabId": second})
			f.Call("interact", tooltest.Args{"ref": f.ref(`button "Continue"`, tooltest.Args{"tabId": first}), "tabId": first})
			f.record(tooltest.Args{"contract": `{"dom_text":"You may continue"}`, "tabId": first, "timeout_ms": 10000})
		}},
		{name: "frame", drift: "gone", tool: "form_input", reason: `no textbox is called "Card holder"`, do: func(f *flowRun) {
			f.open("frame.html")
			f.Call("form_input", tooltest.Args{"ref": f.ref(`textbox "Card holder"`, nil), "value": "Ada"})
			f.click(`button "Pay"`)
			f.Call("wait_for", tooltest.Args{"type": "text", "value": "Paid by Ada", "timeout": 10000})
			f.record(tooltest.Args{"contract": `{"url":"/frame"}`})
		}},
		{name: "upload", drift: "role", tool: "file_upload", reason: `what is called "Photo" is a textbox now`, do: func(f *flowRun) {
			path := filepath.Join(f.Output, "cat.txt")
			if err := os.WriteFile(path, []byte("meow"), 0o600); err != nil {
				f.T.Fatal(err)
			}
			f.open("upload.html")
			f.Call("file_upload", tooltest.Args{"ref": f.ref(`button "Photo"`, nil), "filePaths": []string{path}})
			f.click(`button "Upload"`)
			f.see("Uploaded cat.txt, 4 bytes")
		}},
		{name: "download", drift: "gone", tool: "interact", reason: `no link is called "Annual report"`, do: func(f *flowRun) {
			f.open("download.html")
			text, wait := f.click(`link "Annual report"`), tooltest.Args{"action": "wait"}
			if _, id, ok := strings.Cut(text, "download d"); ok { // a slow one begins after the answer
				wait["id"] = "d" + strings.Fields(id)[0]
			}
			tooltest.Eventually(f.T, "the download of report.csv", func() bool { return strings.Contains(f.Call("downloads", wait), "report.csv") })
			f.record(tooltest.Args{"contract": `{"download":"report.csv"}`})
		}},
		{name: "dialog", drift: "dialog", tool: "dialog", reason: "does not now", do: func(f *flowRun) {
			f.open("dialog.html")
			f.click(`button "Delete account"`)
			f.Call("dialog", tooltest.Args{"accept": true})
			f.see("Account deleted")
		}},
		{name: "spa", drift: "address", tool: "interact", reason: "to none now", do: func(f *flowRun) {
			f.open("spa.html")
			f.click(`link "Settings"`)
			f.Call("form_input", tooltest.Args{"ref": f.ref(`checkbox "Notifications"`, nil), "value": "true"})
			f.click(`button "Save"`)
			f.see("Saved: on")
		}},
		{name: "drag", drift: "gone", tool: "drag_drop", reason: `no region is called "Done"`, do: func(f *flowRun) {
			f.open("drag.html")
			card := f.ref(`"Write tests"`, nil)
			found := f.Call("query_dom", tooltest.Args{"method": "css", "selector": `[aria-label="Done"]`})
			f.Call("drag_drop", tooltest.Args{"ref": card, "target_ref": tooltest.Ref(f.T, found, "Done")})
			f.see("Write tests moved to Done")
		}},
		{name: "search", drift: "ambiguous", tool: "interact", reason: "2 elements fit where there was one", do: func(f *flowRun) {
			f.open("search.html")
			f.Call("interact", tooltest.Args{"ref": f.ref(`searchbox "Search products"`, nil)})
			f.Call("computer", tooltest.Args{"action": "type", "text": "blue"})
			f.click(`link "Blue lamp"`)
			f.see("Chose Blue lamp")
		}},
	}
}

// currentTab is the id of the tab that calls without one are about.
func currentTab(c tooltest.Client) string {
	c.T.Helper()
	var tabs struct {
		Current string `json:"current"`
	}
	if err := json.Unmarshal([]byte(c.Call("tabs_context", nil)), &tabs); err != nil {
		c.T.Fatal(err)
	}
	return tabs.Current
}

// record records a flow over MCP and keeps it as a skill, whose id it returns with the recording's.
func (f replayFlow) record(t *testing.T, c tooltest.Client, site *tooltest.FlowSite) (skill, recording string) {
	t.Helper()
	recording = tooltest.RecordingID(t, c.Call("oc_recording_start", tooltest.Args{"label": f.name, "screenshots": false}))
	f.do(&flowRun{c, site})
	c.Call("oc_recording_stop", nil)
	text := c.Call("oc_skill_record", tooltest.Args{"name": f.name, "recording": recording})
	return strings.Fields(text)[1], recording
}

// flowTimes is how often a flow is to be replayed in a row.
func flowTimes() int {
	if os.Getenv(tooltest.SoakVariable) != "" {
		return 20
	}
	if proctest.IsNightly() {
		return 2
	}
	return 1
}

// TestFlows records ten flows with real Chromium and replays each in a row; then the site is
// redesigned, and then changed. Of four flows whose element is gone then, three wait for the night.
func TestFlows(t *testing.T) {
	var survived atomic.Int32
	flows := replayFlows()
	if !proctest.IsNightly() {
		flows = slices.DeleteFunc(flows, func(f replayFlow) bool { return f.drift == "gone" && f.name != "frame" })
	}
	t.Run("each", func(t *testing.T) {
		for _, f := range flows {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				if f.replayVersions(t) {
					survived.Add(1)
				}
			})
		}
	})
	if n := int(survived.Load()); n < len(flows)*8/10 && !t.Failed() {
		t.Errorf("%d of %d flows survived the redesign, want 8 of 10", n, len(flows))
	}
	t.Logf("%d of %d flows survived the redesign", survived.Load(), len(flows))
}

func (f replayFlow) replayVersions(t *testing.T) (survived bool) {
	c, site := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeFlows(t)
	skill, _ := f.record(t, c, site)
	again := func(waitMs int) (status, text string, envelope map[string]any) {
		res := c.Do("oc_skill_replay", tooltest.Args{"skill": skill, "params": append([]string{}, f.params...), "waitForMs": waitMs})
		envelope, _ = res.StructuredContent.(map[string]any)
		status, _ = envelope["status"].(string)
		return status, tooltest.Text(res), envelope
	}
	for i := range flowTimes() {
		if status, text, envelope := again(10000); status != "completed" || envelope["contract"] != "pass" {
			t.Fatalf("replay %d: %s\n%v", i+1, text, envelope)
		}
	}
	site.Version.Store("cosmetic")
	status, text, _ := again(10000)
	if survived = status == "completed"; !survived {
		t.Logf("after the redesign: %s", text)
	}
	site.Version.Store("semantic")
	status, text, envelope := again(1500)
	drift, _ := envelope["drift"].(map[string]any)
	if status == "completed" || drift["kind"] != f.drift || drift["tool"] != f.tool || !strings.Contains(fmt.Sprint(drift["reason"]), f.reason) {
		t.Errorf("after the change: %s, want drift %s of %s: %s\n%v", text, f.drift, f.tool, f.reason, envelope)
	}
	return survived
}
