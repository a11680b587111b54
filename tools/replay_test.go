package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// replaySkill is the status and the kind of drift of a replay.
func replaySkill(c client, skill string, in args) (status, drift, text string) {
	c.T.Helper()
	in["skill"] = skill
	res := c.raw("oc_skill_replay", in)
	envelope, _ := res.StructuredContent.(map[string]any)
	status, _ = envelope["status"].(string)
	if d, ok := envelope["drift"].(map[string]any); ok {
		drift, _ = d["kind"].(string)
	}
	data, _ := json.Marshal(envelope)
	return status, drift, textOf(res) + "\n" + string(data)
}

// TestAReplayNamesItsOwnTabs plays calls that name tabs in lists and in calls of their own: they are the replay's, and no others.
func TestAReplayNamesItsOwnTabs(t *testing.T) {
	t.Parallel()
	c, home := connect(t, toolkit.Options{AllTools: true}), site(t)
	recorded := func(name string, do func()) string {
		c.call("oc_recording_start", args{"screenshots": false})
		do()
		id := recordingID(t, c.call("oc_recording_stop", nil))
		return strings.Fields(c.call("oc_skill_record", args{"name": name, "recording": id}))[1]
	}
	open := func(page string) string {
		c.call("tabs_create", args{"url": home + "/" + page})
		return currentTab(c)
	}
	others := recorded("others", func() {
		first, second := open("second.html"), open("hits.html")
		open("form.html")
		c.call("tabs_close", args{"tabIds": []string{first, second}})
		c.says("oc_assert", args{"contract": `{"url":"/form.html"}`}, `"verdict":"pass"`)
	})
	if status, _, text := replaySkill(c, others, args{}); status != "completed" {
		t.Errorf("closing the others: %s", text)
	}

	batch := recorded("batch", func() {
		first := open("second.html")
		open("form.html")
		c.call("batch_execute", args{"tasks": []args{{"tabId": first, "script": "document.body.append('in the first')"}}})
		c.says("oc_assert", args{"tabId": first, "contract": `{"dom_text":"in the first"}`, "timeout_ms": 0}, `"verdict":"pass"`)
	})
	if status, _, text := replaySkill(c, batch, args{}); status != "completed" || strings.Contains(text, "NO_TAB") {
		t.Errorf("a script in the first tab: %s", text)
	}

	before := open("second.html")
	strange := recorded("strange", func() {
		open("form.html")
		c.call("tabs_close", args{"tabIds": []string{before}})
	})
	if status, drift, text := replaySkill(c, strange, args{"waitForMs": 300}); status != "drifted" || drift != "tab" {
		t.Errorf("a tab that no step has opened: %s", text)
	}
}

// TestAReplayDoesNothingTwice plays a call of several steps of which the second is impossible now: the first is made once.
func TestAReplayDoesNothingTwice(t *testing.T) {
	t.Parallel()
	c, home := connect(t, toolkit.Options{AllTools: true}), site(t)
	id := strings.Fields(c.call("oc_skill_record", args{"name": "toggle", "domain": "x.example", "steps": []args{
		{"tool": "navigate", "args": `{"url":"` + home + `/acting.html"}`},
		{"tool": "javascript_tool", "args": `{"code":"let n = 0; document.querySelector('#toggle').addEventListener('click', () => document.title = 'clicked ' + ++n)"}`},
		{"tool": "act", "args": `{"steps":[{"action":"click","query":"Toggle button"},{"action":"click","query":"Nowhere to be found"}]}`},
	}}))[1]
	if status, _, text := replaySkill(c, id, args{"waitForMs": 5000}); status != "failed" || !strings.Contains(text, "NOT_FOUND") {
		t.Errorf("the replay: %s", text)
	}
	c.says("javascript_tool", args{"code": "document.title"}, "clicked 1")
}

// TestAContractHasParametersToo plays a skill with another value than was recorded: its contract asks for that one.
func TestAContractHasParametersToo(t *testing.T) {
	t.Parallel()
	c, home := connect(t, toolkit.Options{AllTools: true}), site(t)
	id := strings.Fields(c.call("oc_skill_record", args{
		"name": "greet", "domain": "x.example", "parameters": []string{"who=Ada Lovelace"}, "contract": `{"dom_text":"Hello Ada Lovelace"}`, "steps": []args{
			{"tool": "navigate", "args": `{"url":"` + home + `/second.html"}`},
			{"tool": "javascript_tool", "args": `{"code":"document.body.append('Hello Ada Lovelace')"}`},
			{"tool": "oc_assert", "args": `{"contract":"{\"dom_text\":\"Ada Lovelace\"}"}`},
		}}))[1]
	for _, params := range [][]string{{}, {`who=Grace "Amazing" Hopper`}} {
		if status, _, text := replaySkill(c, id, args{"params": params}); status != "completed" || !strings.Contains(text, `"contract":"pass"`) {
			t.Errorf("%v: %s", params, text)
		}
	}
}

// TestALongPlanIsTold: what was played has an answer, however long it was.
func TestALongPlanIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, home := connectIn(t, dir, toolkit.Options{AllTools: true}, "", nil), site(t)
	script := replay.Script{Steps: []recorder.Step{planStep(1, "navigate", args{"url": home + "/second.html"})}, Contract: `{"url":"/second.html"}`, Handling: map[int]replay.Handling{}}
	for seq := 2; seq <= 500; seq++ {
		script.Steps = append(script.Steps, planStep(seq, "javascript_tool", args{"code": "'word '.repeat(900)"}))
		if seq < 12 {
			script.Handling[seq] = replay.Handling{As: fmt.Sprintf("a%d", seq)}
		}
	}
	keepPlan(t, dir, "long", script)
	res := c.raw("execute_plan", args{"planId": "long"})
	out, _ := res.StructuredContent.(map[string]any)
	steps, _ := out["steps"].([]any)
	data, _ := out["data"].(map[string]any)
	if out["status"] != "SUCCESS" || out["stepsExecuted"] != 500.0 || len(steps) != 2 || out["stepsLeft"] != 498.0 || len(data) != 10 {
		t.Errorf("%.300s: %v of %v steps, %d data", textOf(res), len(steps), out["stepsLeft"], len(data))
	}
}
