package tools_test

import (
	"context"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveHTTP starts a server over HTTP for any number of clients.
func serveHTTP(t *testing.T) (url string) {
	t.Helper()
	a := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true, Visibility: toolkit.Follow}})
	server := a.Server(a.Surface)
	srv := httptest.NewServer(server.HTTPHandler(mcpserver.HTTPOptions{}))
	t.Cleanup(func() {
		if err := server.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

// joinHTTP connects a client of a protocol revision over HTTP.
func joinHTTP(t *testing.T, url, revision string) listener {
	t.Helper()
	w := listener{changed: make(chan struct{}, 100), snapshot: "all."}
	kit := tooltest.Dial(t, &mcp.StreamableClientTransport{Endpoint: url}, revision, toolkittest.Client(mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { w.changed <- struct{}{} },
	}))
	w.Client = tooltest.Client{ClientSession: kit.ClientSession, T: t}
	return w
}

func (l listener) list() []string {
	l.T.Helper()
	res, err := l.ListTools(l.T.Context(), nil)
	if err != nil {
		l.T.Fatal(err)
	}
	return toolNames(res.Tools)
}

// processIn finds the process of a launched browser in a text.
func processIn(t *testing.T, text string) int {
	t.Helper()
	_, rest, _ := strings.Cut(text, "launched, ")
	_, rest, _ = strings.Cut(rest, "process ")
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	pid, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatalf("no process in %q", text)
	}
	return pid
}

// TestClientsAreIsolated has one client go through every state while another, and one of the
// stateless era, look on.
func TestClientsAreIsolated(t *testing.T) {
	t.Parallel()
	home, url := tooltest.ServeSite(t), serveHTTP(t)
	ada, bob, modern := joinHTTP(t, url, tooltest.SessionRevision), joinHTTP(t, url, tooltest.SessionRevision), joinHTTP(t, url, "")
	whole := modern.list()
	if diff := cmp.Diff(everyTool(t), whole); diff != "" {
		t.Errorf("a stateless client sees (-want +got):\n%s", diff)
	}
	pid := 0
	for _, p := range scenarios()[1:] {
		if p.name == "paused" {
			ada.Call("debugger_disable", nil) // which its way there begins with
		}
		p.reach(ada.Client, home)
		if p.name == "two_connections" {
			pid = processIn(t, ada.Call("chrome_list_connections", nil))
			ada.Call("chrome_disconnect", tooltest.Args{"connection_id": "default"})
		}
		bob.expectChanges(0, p.name)
		bob.expectScenario("default")
		if diff := cmp.Diff(whole, modern.list()); diff != "" {
			t.Errorf("the stateless list has changed (-was +is):\n%s", diff)
		}
		bob.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_resume", nil)
		modern.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_resume", nil)
	}
	bob.Expect("chrome_list_connections", nil, "default (active): the server's own, not in use")
	bob.ExpectRefusal("NOT_FOUND", "chrome_disconnect", tooltest.Args{"connection_id": "chrome-1"}, "default")
	ada.Call("chrome_launch", tooltest.Args{"connection_id": "another"})
	if err := ada.Close(); err != nil {
		t.Fatal(err)
	}
	tooltest.Eventually(t, "the browsers of a client that has gone end", func() bool { return !proctest.IsRunning(pid) })

	modern.Call("navigate", tooltest.Args{"url": home + "/walk.html"})
	modern.Call("debugger_enable", nil)
	modern.ExpectRefusal("TOOL_NOT_VISIBLE", "debugger_enable", nil, "debugger_disable")
	if diff := cmp.Diff(whole, modern.list()); diff != "" {
		t.Errorf("the stateless list has changed (-was +is):\n%s", diff)
	}
	modern.expectChanges(0, "its own calls")
	bob.expectScenario("default")
}

// TestPausedBrowserIsKilled kills Chromium while its debugger holds a page. The list is that of a
// client without browser , and whatever is called next says what happened.
func TestPausedBrowserIsKilled(t *testing.T) {
	t.Parallel()
	home := tooltest.ServeSite(t)
	for name, next := range map[string]struct {
		tool string
		args tooltest.Args
		code string
	}{
		"a tool that is hidden now":     {"debugger_resume", nil, "TOOL_NOT_VISIBLE"},
		"a tool that needs a page":      {"read_page", nil, "BROWSER_GONE"},
		"a tool that can start another": {"navigate", tooltest.Args{"url": home + "/walk.html"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if next.code != "BROWSER_GONE" {
				proctest.Nightly(t)
			}
			w := connectListener(t)
			pid := processIn(t, w.Call("chrome_launch", tooltest.Args{"connection_id": "a"}))
			scenarios()[4].reach(w.Client, home)
			w.expectScenario("paused")
			for len(w.changed) > 0 {
				<-w.changed
			}
			if err := proctest.Kill(pid); err != nil {
				t.Fatal(err)
			}
			select {
			case <-w.changed:
			case <-time.After(announceLimit):
				t.Fatal("no notification")
			}
			w.expectScenario("default")
			text := tooltest.Text(w.Do(next.tool, next.args))
			if !strings.Contains(text, next.code) || !strings.Contains(text, `since the last answer: the browser of connection "a" exited`) {
				t.Errorf("the next call says %q", text)
			}
			if strings.Contains(w.Call("chrome_list_connections", nil), "since the last") {
				t.Error("it is said twice")
			}
			w.Call("navigate", tooltest.Args{"url": home + "/walk.html"})
			w.Expect("chrome_list_connections", nil, "a (active): launched, Chrome", "walk.html")
			w.expectChanges(1, "recovery")
			w.expectScenario("connected")
		})
	}
}
