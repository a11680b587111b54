package skill_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// replaySkill is the status and the kind of drift of a replay.
func replaySkill(c tooltest.Client, skill string, in tooltest.Args) (status, drift, text string) {
	c.T.Helper()
	in["skill"] = skill
	res := c.Do("oc_skill_replay", in)
	envelope, _ := res.StructuredContent.(map[string]any)
	status, _ = envelope["status"].(string)
	if d, ok := envelope["drift"].(map[string]any); ok {
		drift, _ = d["kind"].(string)
	}
	data, _ := json.Marshal(envelope)
	return status, drift, tooltest.Text(res) + "\n" + string(data)
}

// TestReplayUsesItsOwnTabs plays calls that name tabs in lists and in calls of their own: they are
// the replay's, and no others.
func TestReplayUsesItsOwnTabs(t *testing.T) {
	t.Parallel()
	c, home := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeSite(t)
	recorded := func(name string, do func()) string {
		c.Call("oc_recording_start", tooltest.Args{"screenshots": false})
		do()
		id := tooltest.RecordingID(t, c.Call("oc_recording_stop", nil))
		return strings.Fields(c.Call("oc_skill_record", tooltest.Args{"name": name, "recording": id}))[1]
	}
	open := func(page string) string {
		c.Call("tabs_create", tooltest.Args{"url": home + "/" + page})
		return currentTab(c)
	}
	others := recorded("others", func() {
		first, second := open("second.html"), open("hits.html")
		open("form.html")
		c.Call("tabs_close", tooltest.Args{"tabIds": []string{first, second}})
		c.Expect("oc_assert", tooltest.Args{"contract": `{"url":"/form.html"}`}, `"verdict":"pass"`)
	})
	if status, _, text := replaySkill(c, others, tooltest.Args{}); status != "completed" {
		t.Errorf("closing the others: %s", text)
	}

	batch := recorded("batch", func() {
		first := open("second.html")
		open("form.html")
		c.Call("batch_execute", tooltest.Args{"tasks": []tooltest.Args{{"tabId": first, "script": "document.body.append('in the first')"}}})
		c.Expect("oc_assert", tooltest.Args{"tabId": first, "contract": `{"dom_text":"in the first"}`, "timeout_ms": 0}, `"verdict":"pass"`)
	})
	if status, _, text := replaySkill(c, batch, tooltest.Args{}); status != "completed" || strings.Contains(text, "NO_TAB") {
		t.Errorf("a script in the first tab: %s", text)
	}

	before := open("second.html")
	strange := recorded("strange", func() {
		open("form.html")
		c.Call("tabs_close", tooltest.Args{"tabIds": []string{before}})
	})
	if status, drift, text := replaySkill(c, strange, tooltest.Args{"waitForMs": 300}); status != "drifted" || drift != "tab" {
		t.Errorf("a tab that no step has opened: %s", text)
	}
}

// TestReplayRepeatsNoCompletedStep plays a call of several steps of which the second is impossible
// now: the first is made once.
func TestReplayRepeatsNoCompletedStep(t *testing.T) {
	t.Parallel()
	c, home := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeSite(t)
	id := strings.Fields(c.Call("oc_skill_record", tooltest.Args{"name": "toggle", "domain": "x.example", "steps": []tooltest.Args{
		{"tool": "navigate", "args": `{"url":"` + home + `/acting.html"}`},
		{"tool": "javascript_tool", "args": `{"code":"let n = 0; document.querySelector('#toggle').addEventListener('click', () => document.title = 'clicked ' + ++n)"}`},
		{"tool": "act", "args": `{"steps":[{"action":"click","query":"Toggle button"},{"action":"click","query":"Nowhere to be found"}]}`},
	}}))[1]
	if status, _, text := replaySkill(c, id, tooltest.Args{"waitForMs": 5000}); status != "failed" || !strings.Contains(text, "NOT_FOUND") {
		t.Errorf("the replay: %s", text)
	}
	c.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "clicked 1")
}

// TestReplayContractParameters plays a skill with another value than was recorded: its contract
// asks for that one.
func TestReplayContractParameters(t *testing.T) {
	t.Parallel()
	c, home := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeSite(t)
	id := strings.Fields(c.Call("oc_skill_record", tooltest.Args{
		"name": "greet", "domain": "x.example", "parameters": []string{"who=Ada Lovelace"}, "contract": `{"dom_text":"Hello Ada Lovelace"}`, "steps": []tooltest.Args{
			{"tool": "navigate", "args": `{"url":"` + home + `/second.html"}`},
			{"tool": "javascript_tool", "args": `{"code":"document.body.append('Hello Ada Lovelace')"}`},
			{"tool": "oc_assert", "args": `{"contract":"{\"dom_text\":\"Ada Lovelace\"}"}`},
		}}))[1]
	for _, params := range [][]string{{}, {`who=Grace "Amazing" Hopper`}} {
		if status, _, text := replaySkill(c, id, tooltest.Args{"params": params}); status != "completed" || !strings.Contains(text, `"contract":"pass"`) {
			t.Errorf("%v: %s", params, text)
		}
	}
}

// TestALongPlanIsTold: what was played has an answer, however long it was.
func TestReplayReportsALongScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, home := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true}), tooltest.ServeSite(t)
	script := replay.Script{Steps: []recorder.Step{tooltest.PlanStep(1, "navigate", tooltest.Args{"url": home + "/second.html"})}, Contract: `{"url":"/second.html"}`, Handling: map[int]replay.Handling{}}
	for seq := 2; seq <= 500; seq++ {
		script.Steps = append(script.Steps, tooltest.PlanStep(seq, "javascript_tool", tooltest.Args{"code": "'word '.repeat(900)"}))
		if seq < 12 {
			script.Handling[seq] = replay.Handling{As: fmt.Sprintf("a%d", seq)}
		}
	}
	tooltest.SavePlan(t, dir, "long", script)
	res := c.Do("execute_plan", tooltest.Args{"planId": "long"})
	out, _ := res.StructuredContent.(map[string]any)
	steps, _ := out["steps"].([]any)
	data, _ := out["data"].(map[string]any)
	if out["status"] != "SUCCESS" || out["stepsExecuted"] != 500.0 || len(steps) != 2 || out["stepsLeft"] != 498.0 || len(data) != 10 {
		t.Errorf("%.300s: %v of %v steps, %d data", tooltest.Text(res), len(steps), out["stepsLeft"], len(data))
	}
}

// A replay says which values it needs, does nothing without them, and repeats none of them.
func TestReplayTakesSecrets(t *testing.T) {
	t.Parallel()
	c, site := tooltest.Connect(t, toolkit.Options{AllTools: true}), tooltest.ServeFlows(t)
	id, recording := replayFlows()[0].record(t, c, site)
	if text := c.Call("oc_recording_export", tooltest.Args{"recordingId": recording}); strings.Contains(text, "correct horse") {
		t.Error("the recording holds the password")
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_skill_replay", tooltest.Args{"skill": id}, "password", "{secret:NAME}")
	res := c.Do("oc_skill_replay", tooltest.Args{"skill": id, "params": []string{"password=wrong battery"}, "waitForMs": 500})
	data, _ := json.Marshal(res.StructuredContent)
	if !res.IsError || strings.Contains(string(data)+tooltest.Text(res), "wrong battery") {
		t.Errorf("with another password: %s %s", tooltest.Text(res), data)
	}
}

// A replay can do no more than its client: its calls are held against the filters.
func TestReplayObeysFilters(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), tooltest.ServeFlows(t)
	c := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true})
	id := strings.Fields(c.Call("oc_skill_record", tooltest.Args{"name": "script", "domain": "localhost", "steps": []tooltest.Args{
		{"tool": "navigate", "args": `{"url":"` + site.URL + `/dialog.html"}`}, {"tool": "javascript_tool", "args": `{"code":"1"}`},
	}}))[1]
	c.Expect("oc_skill_replay", tooltest.Args{"skill": id}, "completed: 2 of 2")
	t.Run("filtered", func(t *testing.T) {
		c := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true, DisableSurfaces: []string{toolset.SurfaceEvaluate}})
		c.ExpectRefusal("FAILED", "oc_skill_replay", tooltest.Args{"skill": id}, `"step":2`, "TOOL_DISABLED")
	})
}
