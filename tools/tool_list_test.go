package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How long a notification may take, and how long none must come: the announcer gathers changes for
// 20 ms.
const (
	announceLimit = 30 * time.Second
	silenceTime   = 150 * time.Millisecond
)

// listener is a client that listens for changes of its list.
type listener struct {
	tooltest.Client
	changed  chan struct{}
	snapshot string // what the names of its lists' snapshots begin with
}

// connectListener connects a client of a server that lists every tool.
func connectListener(t *testing.T) listener {
	t.Helper()
	return listenTo(t, toolkit.Options{AllTools: true}, "all.")
}

func listenTo(t *testing.T, opt toolkit.Options, snapshot string) listener {
	t.Helper()
	w := listener{changed: make(chan struct{}, 100), snapshot: snapshot}
	w.Client = tooltest.ConnectAs(t, opt, tooltest.SessionRevision, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { w.changed <- struct{}{} },
	})
	return w
}

// expectChanges checks that the list is announced to have changed exactly so often, and not once
// more.
func (l listener) expectChanges(times int, after string) {
	l.T.Helper()
	for range times {
		select {
		case <-l.changed:
		case <-time.After(announceLimit):
			l.T.Fatalf("after %s: no notification", after)
		}
	}
	select {
	case <-l.changed:
		l.T.Fatalf("after %s: one notification too many", after)
	case <-time.After(silenceTime):
	}
}

// expectScenario checks that the list is that of a scenario, and returns its names and the bytes of the snapshot.
func (l listener) expectScenario(scenario string) listed {
	l.T.Helper()
	data, err := os.ReadFile("../generated/snapshot/tools_list." + l.snapshot + scenario + ".json")
	if err != nil {
		l.T.Fatal(err)
	}
	var want []*mcp.Tool
	if err := json.Unmarshal(data, &want); err != nil {
		l.T.Fatal(err)
	}
	got, err := l.ListTools(l.T.Context(), nil)
	if err != nil {
		l.T.Fatal(err)
	}
	if diff := cmp.Diff(toolNames(want), toolNames(got.Tools)); diff != "" {
		l.T.Fatalf("the list is not that of %s (-want +got):\n%s", scenario, diff)
	}
	if diff := cmp.Diff(want, got.Tools); diff != "" {
		l.T.Errorf("a definition is not that of %s (-want +got):\n%s", scenario, diff)
	}
	return listed{toolNames(got.Tools), len(strings.TrimSpace(string(data)))}
}

func toolNames(tools []*mcp.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

// TestNextCallSeesWhatARefusalReports makes the facts late: a watcher delays them by a while after
// the dialog has interrupted the call. The watcher waits for no signal, because the refusal that
// could give it must itself wait for the facts.
func TestNextCallSeesWhatARefusalReports(t *testing.T) {
	t.Parallel()
	server := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	w := listener{Client: server.Connect(t.Name(), tooltest.SessionRevision, nil), snapshot: "all."}
	w.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t) + "/walk.html"})
	stop := server.Session(t.Name()).Watch(func() { time.Sleep(300 * time.Millisecond) })
	defer stop()
	w.ExpectRefusal("DIALOG_OPEN", "javascript_tool", tooltest.Args{"code": "alert('stop')"})
	w.expectScenario("dialog")
}

// TestToolListFollowsTheFacts goes the way of the seed: nothing, a browser, two, the debugger, a
// pause and back. At each place the list is the scenario's snapshot, and on the way there is one
// notification for each distinct set.
func TestToolListFollowsTheFacts(t *testing.T) {
	t.Parallel()
	t.Run("every tool", func(t *testing.T) {
		t.Parallel()
		walkTheFacts(t, connectListener(t), &transcript{})
	})
	t.Run("the default list", func(t *testing.T) {
		t.Parallel()
		var said transcript
		walkTheFacts(t, listenTo(t, toolkit.Options{}, ""), &said)
		said.compare(t, "../docs/reference/lists.md")
	})
}

func walkTheFacts(t *testing.T, w listener, said *transcript) {
	home := tooltest.ServeSite(t)
	said.add("initialize", 0, w.expectScenario("default"))
	for _, step := range []struct {
		tool     string
		args     tooltest.Args
		says     string
		refused  string
		news     int
		scenario string
	}{
		{tool: "chrome_launch", args: tooltest.Args{"connection_id": "a"}, says: "a (active): launched", news: 1, scenario: "connected"},
		{tool: "navigate", args: tooltest.Args{"url": home + "/walk.html"}, says: "Walk", scenario: "connected"},
		{tool: "chrome_launch", args: tooltest.Args{"connection_id": "b"}, says: "still a", news: 1, scenario: "two_connections"},
		{tool: "chrome_switch_connection", args: tooltest.Args{"connection_id": "b"}, says: "b (active)", scenario: "two_connections"},
		{tool: "chrome_switch_connection", args: tooltest.Args{"connection_id": "a"}, says: "a (active)", scenario: "two_connections"},
		{tool: "chrome_disconnect", args: tooltest.Args{"connection_id": "b"}, says: "disconnected b", news: 1, scenario: "connected"},
		{tool: "query_elements", args: tooltest.Args{"selector": "button"}, says: `0 button "Go"`, scenario: "connected"},
		{tool: "fill_element", args: tooltest.Args{"selector": "#name", "text": "Ada"}, says: `"Ada"`, scenario: "connected"},
		{tool: "click_element", args: tooltest.Args{"selector": "#go"}, says: "count 2", scenario: "connected"},
		{tool: "get_console_logs", says: "walk is ready", scenario: "connected"},
		{tool: "debugger_enable", news: 1, scenario: "debugging"},
		{tool: "debugger_set_breakpoint", args: tooltest.Args{"url": "*walk.js", "line_number": 3}, says: "walk.js:3", scenario: "debugging"},
		{tool: "click_element", args: tooltest.Args{"selector": "#go"}, refused: "PAUSED", says: "walk.js:3", news: 1, scenario: "paused"},
		{tool: "debugger_get_call_stack", says: "bump", scenario: "paused"},
		{tool: "debugger_step_over", says: "walk.js:4", scenario: "paused"},
		{tool: "debugger_step_over", says: "walk.js:5", scenario: "paused"},
		{tool: "debugger_evaluate_on_call_frame", args: tooltest.Args{"expression": "before + step"}, says: "4", scenario: "paused"},
		{tool: "debugger_resume", says: "running", news: 1, scenario: "debugging"},
		{tool: "read_page", says: "count 4", scenario: "debugging"},
		{tool: "tabs_create", args: tooltest.Args{"url": home + "/second.html"}, news: 1, scenario: "connected"},
		{tool: "switch_target", args: tooltest.Args{"title": "Walk"}, says: "Walk", news: 1, scenario: "debugging"},
		{tool: "chrome_disconnect", args: tooltest.Args{"connection_id": "a"}, says: "default (active)", news: 1, scenario: "default"},
	} {
		var text string
		if step.refused != "" {
			text = tooltest.Text(w.Do(step.tool, step.args))
			if !strings.Contains(text, step.refused) {
				t.Fatalf("%s says %q, want %s", step.tool, text, step.refused)
			}
		} else {
			text = w.Call(step.tool, step.args)
		}
		if !strings.Contains(text, step.says) {
			t.Errorf("%s says %q, which lacks %q", step.tool, text, step.says)
		}
		w.expectChanges(step.news, step.tool)
		said.add(step.tool, step.news, w.expectScenario(step.scenario))
	}
}

// TestDefaultToolsRevealTheDebugger reaches the debugger without --all-tools: what is revealed
// comes into view with its facts.
func TestDefaultToolsRevealTheDebugger(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.ConnectAs(t, toolkit.Options{}, tooltest.SessionRevision, nil)
	listed := func(tool string) bool {
		t.Helper()
		res, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(toolNames(res.Tools), tool)
	}
	c.Call("expand_tools", tooltest.Args{"capability": "debugger"})
	if listed("debugger_enable") {
		t.Error("debugger_enable is listed without a browser")
	}
	c.Expect("navigate", tooltest.Args{"url": home + "/walk.html"}, "now available: ", "debugger_enable")
	if !listed("debugger_enable") || listed("debugger_resume") {
		t.Error("with a browser, debugger_enable and not debugger_resume should be listed")
	}
	c.Expect("debugger_enable", nil)
	if !listed("debugger_pause") {
		t.Error("with the debugger, debugger_pause should be listed")
	}
}
