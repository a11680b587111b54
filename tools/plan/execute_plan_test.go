package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// Retries and error branches of plans are really made, through the same dispatcher, and only a
// contract makes a success.
func TestExecutePlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, site := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true}), tooltest.ServeFlows(t)
	open := tooltest.PlanStep(1, "navigate", tooltest.Args{"url": site.URL + "/dialog.html"})
	impatient := tooltest.PlanStep(2, "wait_for", tooltest.Args{"type": "text", "value": "Account deleted", "timeout": 300})
	read := tooltest.PlanStep(3, "javascript_tool", tooltest.Args{"code": "document.querySelector('[role=status]').textContent"})
	deleted := []recorder.Step{tooltest.PlanStep(1, "interact", tooltest.Args{"query": "Delete account"}), tooltest.PlanStep(2, "dialog", tooltest.Args{"accept": true})}
	contract := `{"dom_text":"Account deleted"}`
	plan := func(h replay.Handling, contract string) replay.Script {
		return replay.Script{Steps: []recorder.Step{open, impatient, read}, Contract: contract, Handling: map[int]replay.Handling{2: h, 3: {As: "status"}}}
	}
	tooltest.SavePlan(t, dir, "branch", plan(replay.Handling{OnError: deleted, Then: replay.ThenRetry}, contract))
	tooltest.SavePlan(t, dir, "carry-on", plan(replay.Handling{OnError: deleted, Then: replay.ThenContinue}, contract))
	tooltest.SavePlan(t, dir, "unproved", plan(replay.Handling{OnError: deleted, Then: replay.ThenRetry}, ""))
	tooltest.SavePlan(t, dir, "disproved", plan(replay.Handling{OnError: deleted, Then: replay.ThenRetry}, `{"dom_text":"never said"}`))
	tooltest.SavePlan(t, dir, "retried", plan(replay.Handling{Retries: 2}, contract))
	tooltest.SavePlan(t, dir, "stopped", plan(replay.Handling{OnError: deleted}, contract))
	tooltest.SavePlan(t, dir, "worse", plan(replay.Handling{OnError: []recorder.Step{tooltest.PlanStep(1, "navigate", tooltest.Args{"url": "nowhere://"})}, Then: replay.ThenContinue}, contract))

	outcome := func(id string) map[string]any {
		t.Helper()
		res := c.Do("execute_plan", tooltest.Args{"planId": id})
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
	c.ExpectRefusal("NOT_FOUND", "execute_plan", tooltest.Args{"planId": "brunch"}, `did you mean \"branch\"`, "carry-on", "unproved")
	c.ExpectRefusal("INVALID_ARGUMENTS", "execute_plan", tooltest.Args{"planId": "branch", "params": []string{"x=1"}}, "there are none")
	c.ExpectRefusal("INVALID_ARGUMENTS", "execute_plan", nil)
	c.ExpectRefusal("NO_TAB", "execute_plan", tooltest.Args{"planId": "branch", "tabId": "t999999"})
}
