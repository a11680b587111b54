package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// A call by an older name of a parameter answers what one by the new name does, wherever calls are made.
func TestOlderNamesOfParameters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, site := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true}), tooltest.ServeSite(t)
	tab := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": site + "/"}))
	started := c.Call("oc_recording_start", nil)
	want := c.Call("javascript_tool", tooltest.Args{"code": "6 * 7"})
	if got := c.Call("javascript_tool", tooltest.Args{"text": "6 * 7"}); got != want || !strings.Contains(got, "42") {
		t.Errorf("by the older name: %s, by the new one: %s", got, want)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "javascript_tool", tooltest.Args{"text": "1", "code": "2"}, `older name of \"code\"`, "give one")
	old := tooltest.Args{"tool": "javascript_tool", "args": tooltest.Args{"text": "6 * 7"}}
	c.Expect("batch_execute", tooltest.Args{"tasks": []any{old}}, "42")
	c.Call("oc_recording_stop", nil)
	exported := c.Do("oc_recording_export", tooltest.Args{"recordingId": tooltest.RecordingID(t, started)})
	recording := tooltest.Text(exported)
	for _, link := range tooltest.Links(exported) {
		recording += c.ReadArtifact(link.URI)
	}
	if !strings.Contains(recording, "6 * 7") || strings.Contains(recording, `"text": "6 * 7"`) || strings.Contains(recording, `"text":"6 * 7"`) {
		t.Errorf("a recording has the older name: %s", recording)
	}

	tooltest.SavePlan(t, dir, "old", replay.Script{
		Steps:      []recorder.Step{tooltest.PlanStep(1, "javascript_tool", tooltest.Args{"text": "{param:sum}"})},
		Parameters: []replay.Parameter{{Name: "sum"}},
		Handling:   map[int]replay.Handling{1: {As: "product"}},
	})
	res := c.Do("execute_plan", tooltest.Args{"planId": "old", "tabId": tab, "params": tooltest.Args{"sum": "6 * 7"}})
	out, _ := json.Marshal(res.StructuredContent)
	if !strings.Contains(string(out), "42") {
		t.Errorf("a plan with the older name: %s", out)
	}
	c.Call("oc_skill_record", tooltest.Args{"name": "old", "domain": "example.com", "steps": []any{
		tooltest.Args{"tool": "javascript_tool", "args": `{"text":"6 * 7"}`},
	}})
	tool, args, err := command.Parse(cli.Verbs(), []string{"eval", "--text", "6 * 7"})
	if err != nil || tool != "javascript_tool" || string(args) != `{"code":"6 * 7"}` {
		t.Errorf("the flag of the older name: %s %s %v", tool, args, err)
	}
	if _, _, err := command.Parse(cli.Verbs(), []string{"eval", "1", "--text", "2"}); err == nil || !strings.Contains(err.Error(), "both give code") {
		t.Errorf("two names on the command line: %v", err)
	}
}

// A refused parameter is answered with its reason, and so is one that no tool takes.
func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.ExpectRefusal("INVALID_ARGUMENTS", "navigate", tooltest.Args{"url": "about:blank", "stealth": true}, `"/stealth"`, "not taken here", "chrome_connect")
	c.ExpectRefusal("INVALID_ARGUMENTS", "tabs_context", tooltest.Args{"sessionId": "a", "workerId": "b"}, `"/sessionId"`, "one session", `"/workerId"`, "chrome_switch_connection")
}

// An unlisted parameter works, is validated, and is not in tools/list; expand_tools shows it by the name
// of its tool. An object is taken where the schema says another type.
func TestUnlistedParameters(t *testing.T) {
	t.Parallel()
	c, site := tooltest.ConnectAs(t, toolkit.Options{AllTools: true}, tooltest.SessionRevision, nil), tooltest.ServeSite(t)
	c.Call("navigate", tooltest.Args{"url": site + "/"})
	c.Expect("page_pdf", tooltest.Args{"marginTop": "2cm", "headerTemplate": "<b>head</b>"}, "printed")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_pdf", tooltest.Args{"marginTop": "wide"}, "/marginTop")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_pdf", tooltest.Args{"headerTemplate": 1}, "expected a string")
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		if schema, _ := json.Marshal(tool.InputSchema); tool.Name == "page_pdf" && strings.Contains(string(schema), "marginTop") {
			t.Errorf("the list shows %s", schema)
		}
	}
	c.Expect("expand_tools", tooltest.Args{"name": "page_pdf"}, "already listed: page_pdf", `"marginTop":{"type":"string"}`)

	picture := c.Do("page_screenshot", tooltest.Args{"clip": tooltest.Args{"x": 0, "y": 0, "width": 40, "height": 30}})
	if size := tooltest.Picture(t, picture, "image/png").Bounds().Size(); size.X != 40 || size.Y != 30 {
		t.Errorf("a clip as an object is %v", size)
	}
	c.Expect("extract_data", tooltest.Args{"schema": tooltest.Args{"title": "string"}}, "title")
}
