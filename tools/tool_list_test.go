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

// How long a notification may take, and how long none must come: the server gathers changes for
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
	return listenTo(t, toolkit.Options{AllTools: true, Visibility: toolkit.Follow}, "all.")
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

// snapshotOf returns the list of a scenario as the compiler has written it down, and its bytes.
func (l listener) snapshotOf(scenario string) (want []*mcp.Tool, bytes int) {
	l.T.Helper()
	data, err := os.ReadFile("../generated/snapshot/tools_list." + l.snapshot + scenario + ".json")
	if err != nil {
		l.T.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		l.T.Fatal(err)
	}
	slices.SortFunc(want, byName)
	return want, len(strings.TrimSpace(string(data)))
}

// expectScenario checks that the list is that of a scenario, and returns its names and the bytes of the snapshot.
func (l listener) expectScenario(scenario string) listed {
	l.T.Helper()
	want, bytes := l.snapshotOf(scenario)
	got, err := l.ListTools(l.T.Context(), nil)
	if err != nil {
		l.T.Fatal(err)
	}
	if l.snapshot == "core." { // there, what joins the core keeps its place
		slices.SortFunc(got.Tools, byName)
	}
	if diff := cmp.Diff(toolNames(want), toolNames(got.Tools)); diff != "" {
		l.T.Fatalf("the list is not that of %s (-want +got):\n%s", scenario, diff)
	}
	if diff := cmp.Diff(want, got.Tools); diff != "" {
		l.T.Errorf("a definition is not that of %s (-want +got):\n%s", scenario, diff)
	}
	return listed{toolNames(got.Tools), bytes}
}

func byName(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) }

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
	server := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true, Visibility: toolkit.Follow}})
	w := listener{Client: server.Connect(t.Name(), tooltest.SessionRevision, nil), snapshot: "all."}
	w.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t) + "/walk.html"})
	stop := server.Session(t.Name()).Watch(func() { time.Sleep(300 * time.Millisecond) })
	defer stop()
	w.ExpectRefusal("DIALOG_OPEN", "javascript_tool", tooltest.Args{"code": "alert('stop')"})
	w.expectScenario("dialog")
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
