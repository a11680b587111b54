package parallel_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestTenWorkersOnTenSites is a whole piece of parallel work: two pages crash, one never comes.
func TestTenWorkersOnTenSites(t *testing.T) {
	proctest.Nightly(t)
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 10)
	mine := tooltest.TabID(s.Call("navigate", tooltest.Args{"url": sites[0]}))
	contextsBefore, tabsBefore := s.countOpen()
	begun := s.do("workflow_init", tooltest.Args{"name": "facts", "wait_ms": 20000, "workers": workersOf(10, func(i int) string {
		if i == 5 {
			return sites[i] + "/hang"
		}
		return sites[i]
	})})
	want := map[string]string{"w5": "pending"}
	tabs := make(map[string]bool)
	for i, w := range begun.Workers {
		if i != 5 {
			want[w.Name] = "running"
		}
		tabs[w.TabID], tabs[w.Connection] = true, true
	}
	if d := cmp.Diff(want, begun.statuses()); d != "" || len(tabs) != 20 || begun.Status != "running" {
		t.Fatalf("%s\n%+v", d, begun)
	}
	if contexts, open := s.countOpen(); contexts != contextsBefore+10 || open != tabsBefore+10 {
		t.Fatalf("%d contexts and %d tabs are open", contexts, open)
	}
	s.Expect("read_page", nil, "Fact 0") // the current tab is still the client's own

	var all sync.WaitGroup
	for i, w := range begun.Workers {
		switch i {
		case 5:
			continue
		case 3, 7:
			all.Go(func() {
				s.do("worker_update", tooltest.Args{"workerName": w.Name, "extractedData": tooltest.Args{"before": i}})
				s.crash(w.TabID)
			})
			continue
		}
		all.Go(func() {
			text := s.Expect("read_page", tooltest.Args{"tabId": w.TabID}, fmt.Sprintf("Fact %d", i*i))
			if strings.Contains(text, "who=") {
				t.Errorf("worker %d came with a cookie: %s", i, text)
			}
			s.do("worker_update", tooltest.Args{"workerName": w.Name, "action": "read the page", "extractedData": tooltest.Args{"fact": i * i}})
			s.do("worker_complete", tooltest.Args{"workerName": w.Name, "status": "succeeded", "resultSummary": "done", "extractedData": tooltest.Args{"site": i}})
		})
	}
	all.Wait()
	got := s.do("workflow_collect", tooltest.Args{"wait_ms": 3000})
	for name := range want {
		want[name] = map[string]string{"w3": "failed", "w7": "failed", "w5": "pending"}[name]
		if want[name] == "" {
			want[name] = "succeeded"
		}
	}
	if d := cmp.Diff(want, got.statuses()); d != "" || got.Status != "running" || len(got.Unfinished) != 1 || got.Unfinished[0] != "w5" {
		t.Errorf("%s\n%+v", d, got)
	}
	for i, w := range got.Workers {
		switch i {
		case 3, 7:
			if w.Data["before"] != float64(i) || !strings.Contains(w.Why, "crash") {
				t.Errorf("%+v", w)
			}
		case 5:
		default:
			if w.Data["fact"] != float64(i*i) || w.Data["site"] != float64(i) || w.Summary != "done" {
				t.Errorf("%+v", w)
			}
		}
	}
	partial := s.do("workflow_collect_partial", tooltest.Args{"onlySuccessful": true})
	if len(partial.Workers) != 7 || partial.Counts["succeeded"] != 7 || partial.Counts["failed"] != 2 || partial.Counts["pending"] != 1 {
		t.Errorf("%+v", partial)
	}
	end := s.do("workflow_cleanup", nil)
	if end.ClosedContexts != 10 || end.ClosedTabs != 10 {
		t.Errorf("%+v", end)
	}
	if contexts, open := s.countOpen(); contexts != contextsBefore || open != tabsBefore {
		t.Errorf("%d contexts and %d tabs are left open; before there were %d and %d", contexts, open, contextsBefore, tabsBefore)
	}
	s.Expect("read_page", tooltest.Args{"tabId": mine}, "Fact 0")
	if again := s.do("workflow_cleanup", nil); again.ClosedContexts != 0 || again.ClosedTabs != 0 {
		t.Errorf("%+v", again)
	}
	after := s.do("workflow_collect", nil)
	want["w5"] = "failed"
	if d := cmp.Diff(want, after.statuses()); d != "" || after.Contexts != "closed" || after.Workers[9].Data["fact"] != 81.0 {
		t.Errorf("%s\n%+v", d, after)
	}
	s.Call("tabs_close", tooltest.Args{"tabId": mine})
	s.Call("oc_stop", nil)
	if pid := s.server.Connections.OwnBrowser().Status().PID; pid != 0 {
		t.Errorf("a browser runs, process %d", pid)
	}
}

// TestAWorkerHelpsItself: one whose page could not be loaded has gone to another, and says so.
func TestWorkerRecoversItsPage(t *testing.T) {
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 1)
	begun := s.do("workflow_init", tooltest.Args{"name": "helped", "workers": []any{tooltest.Args{"name": "w", "url": "http://127.0.0.1:1/", "task": "a"}}})
	if got := begun.statuses()["w"]; got != "failed" {
		t.Fatalf("%+v", begun)
	}
	s.Call("navigate", tooltest.Args{"url": sites[0], "tabId": begun.Workers[0].TabID})
	if got := s.do("worker_update", tooltest.Args{"workerName": "w", "action": "went elsewhere"}); got.Status != "running" {
		t.Errorf("%+v", got)
	}
	if got := s.do("workflow_status", nil); got.Status != "running" || got.statuses()["w"] != "running" {
		t.Errorf("%+v", got)
	}
}

func TestBadWorkersFailAlone(t *testing.T) {
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 3)
	begun := s.do("workflow_init", tooltest.Args{"name": "broken", "workers": []any{
		tooltest.Args{"name": "good", "url": sites[0], "task": "a"},
		tooltest.Args{"name": "cut", "url": sites[1] + "/cut", "task": "b"},
		tooltest.Args{"name": "refused", "url": "http://127.0.0.1:1/", "task": "c"},
		tooltest.Args{"name": "scheme", "url": "file:///etc/passwd", "task": "d"},
		tooltest.Args{"name": "words", "url": "not an address", "task": "e"},
	}})
	want := map[string]string{"good": "running", "cut": "failed", "refused": "failed", "scheme": "failed", "words": "failed"}
	if d := cmp.Diff(want, begun.statuses()); d != "" {
		t.Fatalf("%s\n%+v", d, begun)
	}
	s.Call("tabs_close", tooltest.Args{"tabId": begun.Workers[0].TabID})
	if got := s.do("workflow_status", nil); got.Status != "failed" || !strings.Contains(got.Workers[0].Why, "closed") {
		t.Errorf("%+v", got)
	}
	s.do("worker_complete", tooltest.Args{"workerName": "good", "status": "partial"})
	if got := s.do("workflow_status", nil); got.Status != "partial" {
		t.Errorf("%+v", got)
	}
}

func TestWorkflowRefusals(t *testing.T) {
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 1)
	one := func(name string) []any { return []any{tooltest.Args{"name": name, "url": sites[0], "task": "t"}} }
	for _, tool := range []string{"workflow_status", "workflow_collect", "workflow_collect_partial", "workflow_cleanup"} {
		s.ExpectRefusal("NOT_FOUND", tool, nil, "workflow_init")
		s.ExpectRefusal("NOT_FOUND", tool, tooltest.Args{"workflow": "nobodys"}, "nobodys")
	}
	s.ExpectRefusal("NOT_FOUND", "worker_update", tooltest.Args{"workerName": "w"}, "no workflow")
	s.ExpectRefusal("INVALID_ARGUMENTS", "workflow_init", tooltest.Args{"name": "x", "workers": []any{}}, "at least 1")
	for _, name := range []string{"", "../up", "a b", strings.Repeat("n", 41), "ü"} {
		s.ExpectRefusal("INVALID_ARGUMENTS", "workflow_init", tooltest.Args{"name": "x", "workers": one(name)}, "/workers/0/name")
	}
	s.ExpectRefusal("INVALID_ARGUMENTS", "workflow_init", tooltest.Args{"name": "x", "workers": append(one("a"), one("a")...)}, "/workers/1/name")
	if contexts, _ := s.countOpen(); contexts != 0 {
		t.Errorf("%d contexts were opened for nothing", contexts)
	}
	w := s.do("workflow_init", tooltest.Args{"name": "x", "workers": one(strings.Repeat("n", 40))}) // the longest there may be
	if w.Workers[0].Status != "running" {
		t.Fatalf("%+v", w)
	}
	name := w.Workers[0].Name
	s.ExpectRefusal("NOT_FOUND", "worker_update", tooltest.Args{"workerName": "other"}, name)
	s.ExpectRefusal("NOT_FOUND", "worker_complete", tooltest.Args{"workerName": "other", "status": "failed"}, name)
	s.ExpectRefusal("INVALID_ARGUMENTS", "worker_complete", tooltest.Args{"workerName": name, "status": "SUCCESS"}, "succeeded")
	s.ExpectRefusal("INVALID_ARGUMENTS", "worker_update", tooltest.Args{"workerName": name, "extractedData": "text"}, "expected an object")
	s.ExpectRefusal("INVALID_ARGUMENTS", "workflow_collect", tooltest.Args{"wait_ms": -1}, "wait_ms")
	s.ExpectRefusal("BUDGET_EXCEEDED", "worker_update", tooltest.Args{"workerName": name, "extractedData": tooltest.Args{"much": strings.Repeat("x", 1<<20)}}, "nothing was changed")
	if got := s.do("workflow_status", nil); got.Workers[0].Iterations != 0 {
		t.Errorf("%+v", got)
	}
}

// TestSeveralWorkflowsAtOnce has two with workers of the same names.
func TestSeveralWorkflowsAtOnce(t *testing.T) {
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 2)
	begin := func(name string, n int) reply {
		return s.do("workflow_init", tooltest.Args{"name": name, "workers": workersOf(n, func(int) string { return sites[0] })})
	}
	one, two := begin("one", 1), begin("two", 2)
	s.ExpectRefusal("AMBIGUOUS", "workflow_status", nil, one.Workflow, two.Workflow)
	s.ExpectRefusal("AMBIGUOUS", "worker_update", tooltest.Args{"workerName": "w0"}, one.Workflow)
	s.do("worker_update", tooltest.Args{"workerName": "w1", "extractedData": tooltest.Args{"x": 1}}) // only one of them has a w1
	s.do("worker_complete", tooltest.Args{"workerName": "w0", "workflow": one.Workflow, "status": "succeeded", "extractedData": tooltest.Args{"of": "one"}})
	s.do("worker_complete", tooltest.Args{"workerName": "w0", "workflow": two.Workflow, "status": "failed"})
	first := s.do("workflow_collect", tooltest.Args{"workflow": one.Workflow})
	second := s.do("workflow_collect", tooltest.Args{"workflow": two.Workflow})
	if first.Status != "succeeded" || first.Workers[0].Data["of"] != "one" || second.Status != "running" || second.Workers[1].Data["x"] != 1.0 {
		t.Errorf("%+v\n%+v", first, second)
	}
	if end := s.do("workflow_cleanup", tooltest.Args{"workflow": two.Workflow}); end.ClosedContexts != 2 || end.ClosedTabs != 2 || end.Status != "partial" {
		t.Errorf("%+v", end)
	}
	if contexts, _ := s.countOpen(); contexts != 1 {
		t.Errorf("%d contexts are open", contexts)
	}
	if got := s.do("workflow_status", nil); got.Workflow != one.Workflow { // the only one that is not ended
		t.Errorf("%+v", got)
	}
	// What is the client's own of a name that was given back stays open.
	s.do("workflow_cleanup", nil)
	s.Call("worker", tooltest.Args{"action": "create", "name": one.Workers[0].Connection})
	if end := s.do("workflow_cleanup", tooltest.Args{"workflow": one.Workflow}); end.ClosedContexts != 0 {
		t.Errorf("%+v", end)
	}
	if contexts, _ := s.countOpen(); contexts != 1 {
		t.Errorf("%d contexts are open", contexts)
	}
}

func TestDeadlinesKeepData(t *testing.T) {
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 1)
	s.do("workflow_init", tooltest.Args{"name": "slow", "workerTimeoutMs": 12000, "maxStaleIterations": 2, "workers": workersOf(3, func(int) string { return sites[0] })})
	s.do("worker_update", tooltest.Args{"workerName": "w0", "extractedData": tooltest.Args{"a": 1, "html": "<b>&</b>"}, "action": "looked"})
	for n := range 2 {
		if got := s.do("worker_update", tooltest.Args{"workerName": "w0", "extractedData": tooltest.Args{"html": "<b>&</b>"}}); (got.Stale != "") != (n == 1) || got.Status != "running" {
			t.Errorf("after %d updates without news: %+v", n+1, got)
		}
	}
	s.do("worker_complete", tooltest.Args{"workerName": "w1", "status": "succeeded", "extractedData": tooltest.Args{"b": 2}})
	if again := s.do("worker_complete", tooltest.Args{"workerName": "w1", "status": "succeeded"}); !again.Again || again.Collected != 1 {
		t.Errorf("%+v", again)
	}
	got := s.do("workflow_collect", tooltest.Args{"wait_ms": 60000}) // returns when the last deadline has passed
	want := map[string]string{"w0": "timed_out", "w1": "succeeded", "w2": "timed_out"}
	if d := cmp.Diff(want, got.statuses()); d != "" || got.Status != "partial" || got.Counts["succeeded"] != 1 || got.Counts["timed_out"] != 2 {
		t.Errorf("%s\n%+v", d, got)
	}
	if d := got.Workers[0].Data; d["a"] != 1.0 || d["html"] != "<b>&</b>" {
		t.Errorf("the deadline took data: %+v", d)
	}
	if late := s.do("worker_update", tooltest.Args{"workerName": "w0", "extractedData": tooltest.Args{"late": true}}); late.Status != "timed_out" || late.Collected != 3 {
		t.Errorf("%+v", late)
	}
	if late := s.do("worker_complete", tooltest.Args{"workerName": "w0", "status": "succeeded"}); !late.Late || late.Status != "succeeded" {
		t.Errorf("%+v", late)
	}
	details := s.do("workflow_status", tooltest.Args{"includeWorkerDetails": true})
	if w := details.Workers[0]; !w.Late || len(w.Steps) != 1 || w.Steps[0] != "looked" {
		t.Errorf("%+v", details)
	}
}

// TestWorkflowSurvivesARestart stops the server and starts another on the same state.
func TestWorkflowSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir, sites := t.TempDir(), serveSites(t, 1)
	s := startServer(t, dir)
	begun := s.do("workflow_init", tooltest.Args{"name": "long", "workers": workersOf(2, func(int) string { return sites[0] })})
	s.do("worker_update", tooltest.Args{"workerName": "w0", "extractedData": tooltest.Args{"kept": "yes"}})
	s.stop()
	s = startServer(t, dir)
	got := s.do("workflow_collect", nil) // the session's only one is still that
	if got.Workflow != begun.Workflow || got.Workers[0].Data["kept"] != "yes" || !strings.HasPrefix(got.Contexts, "gone") || got.Status != "running" {
		t.Errorf("%+v", got)
	}
	s.do("worker_complete", tooltest.Args{"workerName": "w0", "status": "partial", "extractedData": tooltest.Args{"more": 1}})
	if got := s.do("workflow_collect", nil); got.Workers[0].Status != "partial" || len(got.Workers[0].Data) != 2 {
		t.Errorf("%+v", got)
	}
	if end := s.do("workflow_cleanup", nil); end.ClosedContexts != 0 || end.Status != "partial" {
		t.Errorf("%+v", end)
	}
}

// TestWorkersOfAKilledBrowserFail kills the browser: who was at work has failed, and what they had
// collected is there.
func TestWorkersOfAKilledBrowserFail(t *testing.T) {
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 1)
	s.do("workflow_init", tooltest.Args{"name": "killed", "workers": workersOf(2, func(int) string { return sites[0] })})
	s.do("worker_complete", tooltest.Args{"workerName": "w0", "status": "succeeded", "extractedData": tooltest.Args{"a": 1}})
	if err := proctest.Kill(s.server.Connections.OwnBrowser().Status().PID); err != nil {
		t.Fatal(err)
	}
	got := s.do("workflow_collect", tooltest.Args{"wait_ms": 20000})
	if got.Workers[0].Status != "succeeded" || got.Workers[0].Data["a"] != 1.0 || got.Workers[1].Status != "failed" {
		t.Errorf("%+v", got)
	}
	if end := s.do("workflow_cleanup", nil); end.ClosedContexts != 0 || end.ClosedTabs != 0 {
		t.Errorf("%+v", end)
	}
}

// TestCollectLargeDataIsAnArtifact collects more than an answer holds.
func TestCollectLargeDataIsAnArtifact(t *testing.T) {
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 1)
	s.do("workflow_init", tooltest.Args{"name": "much", "workers": workersOf(3, func(int) string { return sites[0] })})
	for i := range 3 {
		s.do("worker_complete", tooltest.Args{"workerName": fmt.Sprintf("w%d", i), "status": "succeeded", "extractedData": tooltest.Args{"text": strings.Repeat("\"<ü>\" ", []int{1, 9000, 20000}[i])}})
	}
	res := s.Do("workflow_collect", nil)
	if n := len(tooltest.Text(res)); n > 38000 || n < 29000 {
		t.Errorf("the answer has %d bytes of 38000", n)
	}
	got := s.do("workflow_collect", nil)
	if got.Whole == "" || got.Workers[0].Data["text"] == nil || got.Workers[1].Preview == "" || got.Workers[2].DataBytes < 100000 {
		t.Errorf("%+v", got.Counts)
	}
	links := 0
	for _, c := range res.Content {
		if l, ok := c.(*mcp.ResourceLink); ok && l.MIMEType == "application/json" {
			links++
		}
	}
	if links != 1 {
		t.Errorf("%d links", links)
	}
}

// TestCollectWaits returns as soon as the last worker is done.
func TestCollectWaits(t *testing.T) {
	t.Parallel()
	s, sites := startServer(t, t.TempDir()), serveSites(t, 1)
	s.do("workflow_init", tooltest.Args{"name": "wait", "workers": workersOf(2, func(int) string { return sites[0] })})
	s.do("worker_complete", tooltest.Args{"workerName": "w0", "status": "succeeded"})
	s.progressed = func() { // the call waits
		_, _ = s.CallTool(context.Background(), tooltest.Params("worker_complete", tooltest.Args{"workerName": "w1", "status": "failed"}))
	}
	if got := s.do("workflow_collect", tooltest.Args{"wait_ms": 60000}); got.Status != "partial" || len(got.Unfinished) != 0 {
		t.Errorf("%+v", got)
	}
}
