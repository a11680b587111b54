package tools_test

import (
	"context"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/tools"
)

// serve starts a server over HTTP for any number of clients.
func serve(t *testing.T) (url string) {
	t.Helper()
	output, err := files.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	surface, err := toolkit.NewSurface(tools.Registry(tools.Needs{Browser: board.Own(), Sessions: board.Set, Output: output, Artifacts: kept}), toolkit.Options{AllTools: true})
	if err != nil {
		t.Fatal(err)
	}
	server := mcpserver.New(surface, mcpserver.Options{
		Name: "callsheet", Version: "test",
		SessionEnded: func(id string) {
			if err := board.End(context.Background(), id); err != nil {
				t.Errorf("end session %s: %v", id, err)
			}
		},
	})
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

// join connects a client of a protocol revision over HTTP.
func join(t *testing.T, url, revision string) walker {
	t.Helper()
	w := walker{changed: make(chan struct{}, 100)}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { w.changed <- struct{}{} },
	}).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	w.client = client{ClientSession: session, T: t}
	return w
}

func (w walker) list() []string {
	w.T.Helper()
	res, err := w.ListTools(w.T.Context(), nil)
	if err != nil {
		w.T.Fatal(err)
	}
	return namesOf(res.Tools)
}

// TestClientsDoNotSeeEachOther has one client go through every state while another, and one of the stateless era, look on.
func TestClientsDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	home, url := site(t), serve(t)
	ada, bob, modern := join(t, url, sessions), join(t, url, sessions), join(t, url, "")
	whole := modern.list()
	if diff := cmp.Diff(everyTool(t), whole); diff != "" {
		t.Errorf("a stateless client sees (-want +got):\n%s", diff)
	}
	pid := 0
	for _, p := range places()[1:] {
		if p.name == "paused" {
			ada.call("debugger_disable", nil) // which its way there begins with
		}
		p.reach(ada.client, home)
		if p.name == "two_connections" {
			pid = processIn(t, ada.call("chrome_list_connections", nil))
			ada.call("chrome_disconnect", args{"connection_id": "default"})
		}
		bob.hears(0, p.name)
		bob.sees("default")
		if diff := cmp.Diff(whole, modern.list()); diff != "" {
			t.Errorf("the stateless list has changed (-was +is):\n%s", diff)
		}
		bob.refused("TOOL_NOT_VISIBLE", "debugger_resume", nil)
		modern.refused("TOOL_NOT_VISIBLE", "debugger_resume", nil)
	}
	bob.says("chrome_list_connections", nil, "default (active): the server's own, not in use")
	bob.refused("NOT_FOUND", "chrome_disconnect", args{"connection_id": "chrome-1"}, "default")
	ada.call("chrome_launch", args{"connection_id": "another"})
	if err := ada.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the browsers of a client that has gone end", func() bool { return syscall.Kill(pid, 0) != nil })

	modern.call("navigate", args{"url": home + "/walk.html"})
	modern.call("debugger_enable", nil)
	modern.refused("TOOL_NOT_VISIBLE", "debugger_enable", nil, "debugger_disable")
	if diff := cmp.Diff(whole, modern.list()); diff != "" {
		t.Errorf("the stateless list has changed (-was +is):\n%s", diff)
	}
	modern.hears(0, "its own calls")
	bob.sees("default")
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

// eventually waits for what no event tells: the end of a process.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	limit := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not in time: %s", what)
		}
	}
}

// TestTheEndOfAPausedBrowser kills Chromium while its debugger holds a page. The list is that of a client without browser
// , and whatever is called next says what happened.
func TestTheEndOfAPausedBrowser(t *testing.T) {
	t.Parallel()
	home := site(t)
	for name, next := range map[string]struct {
		tool string
		args args
		code string
	}{
		"a tool that is hidden now":     {"debugger_resume", nil, "TOOL_NOT_VISIBLE"},
		"a tool that needs a page":      {"read_page", nil, "BROWSER_GONE"},
		"a tool that can start another": {"navigate", args{"url": home + "/walk.html"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := walk(t)
			pid := processIn(t, w.call("chrome_launch", args{"connection_id": "a"}))
			places()[4].reach(w.client, home)
			w.sees("paused")
			for len(w.changed) > 0 {
				<-w.changed
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			select {
			case <-w.changed:
			case <-time.After(newsTime):
				t.Fatal("no notification")
			}
			w.sees("default")
			text := textOf(w.raw(next.tool, next.args))
			if !strings.Contains(text, next.code) || !strings.Contains(text, `meanwhile: the browser of connection "a" exited`) {
				t.Errorf("the next call says %q", text)
			}
			if strings.Contains(w.call("chrome_list_connections", nil), "meanwhile") {
				t.Error("it is said twice")
			}
			w.call("navigate", args{"url": home + "/walk.html"})
			w.says("chrome_list_connections", nil, "a (active): launched, Chrome", "walk.html")
			w.hears(1, "recovery")
			w.sees("connected")
		})
	}
}
