package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/record/script"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func TestSkillsAreRecordedRecalledAndReplayed(t *testing.T) {
	t.Parallel()
	c, site := connect(t, toolkit.Options{AllTools: true}), newFlowSite(t)
	steps := []args{
		{"tool": "navigate", "args": `{"url":"` + site.URL + `/search.html"}`},
		{"tool": "fill_form", "args": `{"fields":[{"query":"Search products","value":"blue"}]}`},
		{"tool": "wait_for", "args": `{"type":"text","value":"Blue lamp"}`},
		{"tool": "interact", "args": `{"query":"Blue lamp link"}`},
	}
	kept := c.says("oc_skill_record", args{
		"name": "choose", "steps": steps, "domain": "HTTP://WWW.Shop.example:8080/x", "parameters": []string{"what=blue"},
		"contract": `{"dom_text":"Chose Blue lamp"}`, "description": "choose a lamp",
	}, "shop.example", "4 steps", "what=blue")
	id := strings.Fields(kept)[1]
	c.says("oc_skill_replay", args{"skill": id}, "completed: 4 of 4 steps", "contract pass")
	c.says("oc_skill_replay", args{"skill": id, "tabId": currentTab(c), "params": []string{"what=Blue lamp"}}, "completed")
	again := c.says("oc_skill_record", args{"name": "choose", "steps": steps[:1], "domain": "shop.example"}, "without a contract")
	if strings.Fields(again)[1] != id {
		t.Errorf("the same name has ids %s and %s", id, again)
	}
	c.call("oc_skill_record", args{"name": "other thing", "steps": steps[:1]})
	c.says("oc_skill_recall", nil, `"total":2`)
	c.says("oc_skill_recall", args{"domain": "www.shop.example", "steps": true}, `"total":1`, id, "navigate {")
	c.says("oc_skill_recall", args{"query": "the OTHER one", "limit": 1}, `"total":1`, "other thing")
	c.says("oc_skill_recall", args{"query": "nothing fits"}, `"skills":[]`)

	c.refused("INVALID_ARGUMENTS", "oc_skill_record", args{"name": "x"}, "recording", "steps")
	c.refused("INVALID_ARGUMENTS", "oc_skill_record", args{"name": "x", "steps": []args{}})
	c.refused("INVALID_ARGUMENTS", "oc_skill_record", args{"name": "x", "domain": "d", "steps": []args{
		{"tool": "navigat"}, {"tool": "navigate", "args": `{"urll":"x"}`}, {"tool": "interact", "args": `{"ref":"e1"}`},
	}}, "/steps/0/tool", "/steps/1/args", "urll", "/steps/2/args", "of one page only")
	c.refused("INVALID_ARGUMENTS", "oc_skill_record", args{"name": "x", "steps": steps[2:3]}, "give domain")
	c.refused("INVALID_ARGUMENTS", "oc_skill_record", args{"name": "x", "steps": steps, "contract": `{"dom_txt":"x"}`}, "/contract/dom_txt")
	c.refused("INVALID_ARGUMENTS", "oc_skill_record", args{"name": "x", "steps": steps, "parameters": []string{"what", "1=2"}}, "name=value", "no name")
	c.refused("NOT_FOUND", "oc_skill_record", args{"name": "x", "recording": "rec-none"}, "rec-none")
	c.refused("NOT_FOUND", "oc_skill_replay", args{"skill": "nobody"}, "oc_skill_recall", id)
	c.refused("INVALID_ARGUMENTS", "oc_skill_replay", args{"skill": id, "params": []string{"who=x"}}, "there is no parameter who")
	c.refused("NO_TAB", "oc_skill_replay", args{"skill": id, "tabId": "t999999"})
	c.refused("INVALID_ARGUMENTS", "oc_skill_replay", args{"skill": id, "waitForMs": 1})
	c.refused("INVALID_ARGUMENTS", "oc_skill_recall", args{"limit": 0})
}

// A replay says which values it needs, does nothing without them, and repeats none of them.
func TestAReplayIsGivenItsSecrets(t *testing.T) {
	t.Parallel()
	c, site := connect(t, toolkit.Options{AllTools: true}), newFlowSite(t)
	id, recording := replayFlows()[0].record(t, c, site)
	if text := c.call("oc_recording_export", args{"recordingId": recording}); strings.Contains(text, "correct horse") {
		t.Error("the recording holds the password")
	}
	c.refused("INVALID_ARGUMENTS", "oc_skill_replay", args{"skill": id}, "password", "{secret:NAME}")
	res := c.raw("oc_skill_replay", args{"skill": id, "params": []string{"password=wrong battery"}, "waitForMs": 500})
	data, _ := json.Marshal(res.StructuredContent)
	if !res.IsError || strings.Contains(string(data)+textOf(res), "wrong battery") {
		t.Errorf("with another password: %s %s", textOf(res), data)
	}
}

// planned keeps a plan where a client's server finds it.
func planned(t *testing.T, dir, name string, s replay.Script) {
	t.Helper()
	place, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	db := database.New(place)
	defer func() { _ = db.Close() }()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if _, err := script.NewShelf(db).Save(t.Context(), script.Entry{Kind: script.Plan, Name: name, Script: s}); err != nil {
		t.Fatal(err)
	}
}

func planStep(seq int, tool string, in args) recorder.Step {
	data, _ := json.Marshal(in)
	return recorder.Step{Seq: seq, Tool: tool, Args: data, Outcome: "ok", Tab: "t1"}
}

// Retries and error branches of plans are really made, through the same dispatcher, and only a contract makes a success.
func TestPlans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, site := connectIn(t, dir, toolkit.Options{AllTools: true}, "", nil), newFlowSite(t)
	open := planStep(1, "navigate", args{"url": site.URL + "/dialog.html"})
	impatient := planStep(2, "wait_for", args{"type": "text", "value": "Account deleted", "timeout": 300})
	read := planStep(3, "javascript_tool", args{"code": "document.querySelector('[role=status]').textContent"})
	deleted := []recorder.Step{planStep(1, "interact", args{"query": "Delete account"}), planStep(2, "dialog", args{"accept": true})}
	contract := `{"dom_text":"Account deleted"}`
	plan := func(h replay.Handling, contract string) replay.Script {
		return replay.Script{Steps: []recorder.Step{open, impatient, read}, Contract: contract, Handling: map[int]replay.Handling{2: h, 3: {As: "status"}}}
	}
	keepPlan(t, dir, "branch", plan(replay.Handling{OnError: deleted, Then: replay.ThenRetry}, contract))
	keepPlan(t, dir, "carry-on", plan(replay.Handling{OnError: deleted, Then: replay.ThenContinue}, contract))
	keepPlan(t, dir, "unproved", plan(replay.Handling{OnError: deleted, Then: replay.ThenRetry}, ""))
	keepPlan(t, dir, "disproved", plan(replay.Handling{OnError: deleted, Then: replay.ThenRetry}, `{"dom_text":"never said"}`))
	keepPlan(t, dir, "retried", plan(replay.Handling{Retries: 2}, contract))
	keepPlan(t, dir, "stopped", plan(replay.Handling{OnError: deleted}, contract))
	keepPlan(t, dir, "worse", plan(replay.Handling{OnError: []recorder.Step{planStep(1, "navigate", args{"url": "nowhere://"})}, Then: replay.ThenContinue}, contract))

	outcome := func(id string) map[string]any {
		t.Helper()
		res := c.raw("execute_plan", args{"planId": id})
		out, _ := res.StructuredContent.(map[string]any)
		if res.IsError != (out["status"] == "FAILED") {
			t.Errorf("%s: isError %t with status %v", id, res.IsError, out["status"])
		}
		return out
	}
	for id, want := range map[string]string{
		"branch": "SUCCESS", "carry-on": "SUCCESS", "unproved": "INCONCLUSIVE", "disproved": "FAILED", "retried": "FAILED", "stopped": "FAILED", "worse": "FAILED",
	} {
		got := outcome(id)
		steps, _ := json.Marshal(got["steps"])
		if got["status"] != want {
			t.Errorf("%s: %v, want %s", id, got, want)
		}
		if branch := strings.Count(string(steps), `"branch":2`); (branch > 0) != (id != "retried") {
			t.Errorf("%s: %d steps of the error branch in %s", id, branch, steps)
		}
		switch id {
		case "branch":
			if data, _ := got["data"].(map[string]any); !strings.Contains(data["status"].(string), "Account deleted") {
				t.Errorf("its data is %v", got["data"])
			}
		case "retried":
			if tries := strings.Count(string(steps), `"wait_for"`); tries != 3 {
				t.Errorf("retried: %d tries: %s", tries, steps)
			}
		}
	}
	c.refused("NOT_FOUND", "execute_plan", args{"planId": "brunch"}, `did you mean \"branch\"`, "carry-on", "unproved")
	c.refused("INVALID_ARGUMENTS", "execute_plan", args{"planId": "branch", "params": []string{"x=1"}}, "there are none")
	c.refused("INVALID_ARGUMENTS", "execute_plan", nil)
	c.refused("NO_TAB", "execute_plan", args{"planId": "branch", "tabId": "t999999"})
}

// A replay can do no more than its client: its calls are held against the filters.
func TestAReplayIsHeldAgainstFilters(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), newFlowSite(t)
	c := connectIn(t, dir, toolkit.Options{AllTools: true}, "", nil)
	id := strings.Fields(c.call("oc_skill_record", args{"name": "script", "domain": "localhost", "steps": []args{
		{"tool": "navigate", "args": `{"url":"` + site.URL + `/dialog.html"}`}, {"tool": "javascript_tool", "args": `{"code":"1"}`},
	}}))[1]
	c.says("oc_skill_replay", args{"skill": id}, "completed: 2 of 2")
	t.Run("filtered", func(t *testing.T) {
		c := connectIn(t, dir, toolkit.Options{AllTools: true, NoEvaluate: true}, "", nil)
		c.refused("FAILED", "oc_skill_replay", args{"skill": id}, `"step":2`, "TOOL_DISABLED")
	})
}
