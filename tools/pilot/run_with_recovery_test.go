package pilot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// busyShop is a page with a button that buys something. The first so many visits find it too busy,
// and it asks what to do.
type busyShop struct {
	url    string
	visits atomic.Int32
	stay   bool // the first visit buys nothing, and asks whether to leave
}

func newBusyShop(t *testing.T, busy int32, buttons ...string) *busyShop {
	t.Helper()
	s := &busyShop{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/shop" {
			http.NotFound(w, r)
			return
		}
		says := `'Bought'`
		if s.visits.Add(1) <= busy {
			says = `confirm('Busy. Wait?') ? 'Waiting' : 'Gone'`
		}
		if s.stay && s.visits.Load() == 1 {
			says = `(onbeforeunload = e => e.preventDefault(), 'Nothing')`
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Shop</title><p role="status"></p>`)
		for _, name := range buttons {
			fmt.Fprintf(w, `<button onclick="document.querySelector('p').textContent = %s">%s</button>`, says, name)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	s.url = srv.URL + "/shop"
	return s
}

// saveRecoveryPlan keeps a plan that buys and waits for a text.
func saveRecoveryPlan(t *testing.T, dir, name, address, waitFor string, parameters ...replay.Parameter) {
	t.Helper()
	of := func(a tooltest.Args) json.RawMessage {
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	steps := []recorder.Step{
		{Seq: 1, Tool: toolset.ToolNavigate, Args: of(tooltest.Args{"url": address}), Tab: "t1"},
		{Seq: 2, Tool: toolset.ToolInteract, Args: of(tooltest.Args{"ref": "e1"}), Tab: "t1", Targets: map[string]locate.Identity{"/ref": {Role: "button", Name: "Buy"}}},
		{Seq: 3, Tool: toolset.ToolWaitFor, Args: of(tooltest.Args{"type": "text", "value": waitFor, "timeout": 10000}), Tab: "t1"},
	}
	if waitFor == "" {
		steps = steps[:2]
	}
	tooltest.SavePlan(t, dir, name, replay.Script{Steps: steps, Parameters: parameters})
}

// recovery is the answer, also inside of a refusal.
type recovery struct {
	Status, Verdict, Code, Message string
	Attempts                       []struct {
		Outcome, Tool, Code, Why, Verdict string
		FailedStep                        int
		Recovery                          []string
	}
}

func parseRecovery(t *testing.T, res *mcp.CallToolResult) (out recovery) {
	t.Helper()
	text, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatalf("%s: %v", tooltest.Text(res), err)
	}
	return out
}

const boughtContract = `{"dom_text":{"selector":"p","equals":"Bought"}}`

// TestRunWithRecovery: a plan that works is run once; one that finds the page busy is run again, on
// a page brought back to where it begins.
func TestRunWithRecovery(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, busy := newBusyShop(t, 0, "Buy"), newBusyShop(t, 1, "Buy")
	saveRecoveryPlan(t, dir, "good", good.url, "Bought")
	saveRecoveryPlan(t, dir, "busy", busy.url, "Bought")
	var mu sync.Mutex
	var heard []string
	c := tooltest.NewServer(t, app.Config{StateDir: dir, Surface: pilotOptions()}).Connect(t.Name(), tooltest.SessionRevision, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, r.Params.Message)
	}})
	res := c.Do(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": "good", "contract": boughtContract})
	if out := parseRecovery(t, res); res.IsError || out.Status != "SUCCESS" || out.Verdict != "pass" || len(out.Attempts) != 1 || out.Attempts[0].Outcome != "passed" || good.visits.Load() != 1 {
		t.Errorf("%s: %+v, %d visits", tooltest.Text(res), out, good.visits.Load())
	}
	p := tooltest.Params(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": "busy", "contract": boughtContract, "attempts": 2})
	p.SetProgressToken("p")
	res, err := c.CallTool(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	out := parseRecovery(t, res)
	if res.IsError || out.Status != "SUCCESS" || len(out.Attempts) != 2 {
		t.Fatalf("%s: %+v", tooltest.Text(res), out)
	}
	first := out.Attempts[0]
	if first.Outcome != "failed" || first.FailedStep != 3 || first.Tool != toolset.ToolWaitFor || first.Code != "DIALOG_OPEN" || first.Verdict != "inconclusive" ||
		len(first.Recovery) != 2 || !strings.Contains(first.Recovery[0], `dismissed the confirm "Busy. Wait?"`) || first.Recovery[1] != "went back to "+busy.url {
		t.Errorf("%+v", first)
	}
	if second := out.Attempts[1]; second.Outcome != "passed" || second.Verdict != "pass" || second.Why != "" {
		t.Errorf("%+v", second)
	}
	if n := busy.visits.Load(); n != 3 { // once by each attempt, once in between
		t.Errorf("%d visits", n)
	}
	tooltest.Eventually(t, "the last attempt is told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		all := strings.Join(heard, "\n")
		return strings.Contains(all, "attempt 1 failed at step 3") && strings.Contains(all, "attempt 2 of 2") && strings.Contains(all, "attempt 2 passed")
	})
	steps := []any{tooltest.Args{"tool": toolset.ToolNavigate, "args": fmt.Sprintf(`{"url":%q}`, good.url)}}
	id := strings.Fields(c.Call(toolset.ToolOcSkillRecord, tooltest.Args{"name": "look", "domain": "127.0.0.1", "steps": steps}))[1]
	c.Expect(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": id, "contract": `{"element":{"selector":"button","state":"visible"}}`}, "SUCCESS", "attempt 1 passed, contract pass")
}

// TestRecoveryLeavesAPage that asks to stay.
func TestRecoveryLeavesAPage(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), newBusyShop(t, 0, "Buy")
	site.stay = true
	saveRecoveryPlan(t, dir, "stay", site.url, "")
	out := parseRecovery(t, tooltest.ConnectIn(t, dir, pilotOptions()).Do(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": "stay", "contract": boughtContract, "attempts": 2}))
	if out.Status != "SUCCESS" || len(out.Attempts) != 2 || !strings.Contains(strings.Join(out.Attempts[0].Recovery, "\n"), "left the page that asked to stay") {
		t.Errorf("%+v", out)
	}
}

// TestRecoveryGivesUp after as many attempts as were asked for, with what was wrong in each.
func TestRecoveryGivesUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	site := newBusyShop(t, 100, "Buy")
	saveRecoveryPlan(t, dir, "stuck", site.url, "Bought")
	c := tooltest.ConnectIn(t, dir, pilotOptions())
	out := parseRecovery(t, c.Do(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": "stuck", "contract": boughtContract}))
	if out.Code != "FAILED" || out.Status != "FAILED" || len(out.Attempts) != 3 || strings.Contains(out.Message, "not tried again") {
		t.Fatalf("%+v", out)
	}
	for i, a := range out.Attempts {
		if a.Outcome != "failed" || a.FailedStep != 3 || !strings.Contains(a.Why, "confirm") || (i < 2) != (len(a.Recovery) > 0) {
			t.Errorf("attempt %d: %+v", i+1, a)
		}
	}
	c.Call(toolset.ToolDialog, tooltest.Args{"accept": false}) // that of the last attempt is left as it is
	calm := newBusyShop(t, 0, "Buy")
	saveRecoveryPlan(t, dir, "idle", calm.url, "")
	res := c.Do(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": "idle", "contract": `{"dom_text":"Shipped"}`, "attempts": 2})
	out = parseRecovery(t, res)
	if !res.IsError || out.Verdict != "fail" || len(out.Attempts) != 2 {
		t.Fatalf("%+v", out)
	}
	for _, a := range out.Attempts {
		if a.Outcome != "disproved" || a.Verdict != "fail" || a.FailedStep != 0 || !strings.Contains(a.Why, `"Shipped"`) || !strings.Contains(a.Why, "Bought") {
			t.Errorf("%+v", a)
		}
	}
	res = c.Do(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": "idle", "contract": `{"performance":{"metric":"nodes","min":1},"screenshot":"never-kept"}`, "attempts": 1})
	if out = parseRecovery(t, res); res.IsError || out.Status != "INCONCLUSIVE" || out.Verdict != "inconclusive" {
		t.Errorf("%+v", out)
	}
}

// TestRecoveryStops at once where another attempt would end in the same way.
func TestRecoveryStops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		buttons []string
		why     string
	}{
		"ambiguous": {[]string{"Buy", "Buy"}, "2 elements fit where there was one"},
		"renamed":   {[]string{"Buy now"}, `seems to be button "Buy now" now`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, site := t.TempDir(), newBusyShop(t, 0, c.buttons...)
			saveRecoveryPlan(t, dir, name, site.url, "Bought")
			out := parseRecovery(t, tooltest.ConnectIn(t, dir, pilotOptions()).Do(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": name, "contract": boughtContract}))
			if out.Status != "FAILED" || len(out.Attempts) != 1 || out.Attempts[0].FailedStep != 2 || out.Verdict != "fail" ||
				!strings.Contains(out.Message, "not tried again: ") || !strings.Contains(out.Message, c.why) || site.visits.Load() != 1 {
				t.Errorf("%+v, %d visits", out, site.visits.Load())
			}
		})
	}
}

// TestRecoveryRefuses what no attempt can mend, before anything is run.
func TestRecoveryRefuses(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), newBusyShop(t, 0, "Buy")
	saveRecoveryPlan(t, dir, "plan", site.url, "Bought")
	saveRecoveryPlan(t, dir, "secretive", site.url, "Bought", replay.Parameter{Name: "password"})
	const tool = toolset.ToolOcPilotRunWithRecovery
	c := tooltest.ConnectIn(t, dir, pilotOptions())
	c.ExpectRefusal("INVALID_ARGUMENTS", tool, tooltest.Args{"planId": "plan", "contract": `{"dom_txt":"x","and":[{"url":{"matches":"("}}],"element":{}}`},
		"/contract/dom_txt", `did you mean \"dom_text\"?`, "/contract/and/0/url/matches", "/contract/element")
	c.ExpectRefusal("INVALID_ARGUMENTS", tool, tooltest.Args{"planId": "plan", "contract": boughtContract, "attempts": 6}, "/attempts")
	c.ExpectRefusal("INVALID_ARGUMENTS", tool, tooltest.Args{"planId": "plan", "contract": boughtContract, "params": []string{"password"}}, "is no name=value")
	c.ExpectRefusal("INVALID_ARGUMENTS", tool, tooltest.Args{"planId": "secretive", "contract": boughtContract}, `"missing":["password"]`, `"outcome":"refused"`)
	c.ExpectRefusal("INVALID_ARGUMENTS", tool, tooltest.Args{"planId": "plan", "contract": boughtContract, "params": []string{"a=b"}}, "there is no parameter a")
	c.ExpectRefusal("NOT_FOUND", tool, tooltest.Args{"planId": "plain", "contract": boughtContract}, `did you mean \"plan\"?`, "availablePlans")
	t.Run("filtered", func(t *testing.T) {
		c := tooltest.ConnectIn(t, dir, toolkit.Options{OptIn: []string{"pilot"}, DisableTools: []string{"workflow"}})
		c.ExpectRefusal("CAPABILITY_DISABLED", tool, tooltest.Args{"planId": "plan", "contract": boughtContract}, "workflow", `"outcome":"refused"`)
	})
	t.Run("off", func(t *testing.T) {
		c := tooltest.ConnectIn(t, dir, toolkit.Options{AllTools: true})
		c.ExpectRefusal("CAPABILITY_DISABLED", tool, tooltest.Args{"planId": "plan", "contract": boughtContract}, "--pilot")
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, listed := range list.Tools {
			if listed.Name == tool {
				t.Errorf("%s is listed", tool)
			}
		}
	})
	if n := site.visits.Load(); n != 0 {
		t.Errorf("%d visits", n)
	}
}

// TestRecoveryKeepsSecrets: a plan is given a secret by name, types its value, and tells the name
// only. A contract cannot be held against the value.
func TestRecoveryKeepsSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, home := tooltest.ConnectWithSecret(t, dir, "pilot"), tooltest.ServeEcho(t)
	steps := []recorder.Step{
		{Seq: 1, Tool: toolset.ToolNavigate, Args: json.RawMessage(fmt.Sprintf(`{"url":%q}`, home)), Tab: "t1"},
		{Seq: 2, Tool: toolset.ToolFormInput, Args: json.RawMessage(`{"ref":"e1","value":"{param:password}"}`), Tab: "t1",
			Targets: map[string]locate.Identity{"/ref": {Role: "textbox", Name: "Plain", Kind: "text"}}},
	}
	tooltest.SavePlan(t, dir, "type", replay.Script{Steps: steps, Parameters: []replay.Parameter{{Name: "password"}}})
	run := func(contract string) (*mcp.CallToolResult, recovery) {
		res := c.Do(toolset.ToolOcPilotRunWithRecovery, tooltest.Args{"planId": "type", "params": []string{"password={secret:PASSWORD}"}, "contract": contract, "attempts": 1})
		return res, parseRecovery(t, res)
	}
	if res, out := run(`{"dom_text":{"selector":"#echo","contains":"[secret:PASSWORD]"}}`); out.Status != "SUCCESS" {
		t.Errorf("%s: %+v", tooltest.Text(res), out)
	}
	res, out := run(`{"dom_text":{"selector":"#echo","contains":"hunter"}}`)
	if out.Verdict != "fail" || strings.Contains(tooltest.Text(res), tooltest.Password) || strings.Contains(fmt.Sprint(res.StructuredContent), tooltest.Password) {
		t.Errorf("%s: %+v", tooltest.Text(res), out)
	}
}
