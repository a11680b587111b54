package parallel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// testServer is a server with a browser of its own, so that everything in that browser can be
// counted, and which can be started again on the same state.
type testServer struct {
	tooltest.Client
	server *tooltest.Server
	port   int // the DevTools port of the browser

	progressed func() // runs at the first progress notification of a call; nil requests none
}

// sessionID is the session of every testServer.
const sessionID = "parallel"

// startServer starts a server on a state directory.
func startServer(t *testing.T, dir string) *testServer {
	t.Helper()
	s := &testServer{port: proctest.FreePort(t)}
	s.server = tooltest.NewOwnServer(t, app.Config{StateDir: dir, Browser: browser.Config{DebugPort: s.port}})
	var once sync.Once
	s.Client = s.server.Connect(sessionID, tooltest.SessionRevision, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			once.Do(func() { go s.progressed() })
		},
	})
	return s
}

// stop ends the server before the test does.
func (s *testServer) stop() {
	_ = s.Close()
	if err := s.server.Close(context.Background()); err != nil {
		s.T.Errorf("close the server: %v", err)
	}
}

// serveSites serves n sites, each an origin of its own.
func serveSites(t *testing.T, n int) []string {
	t.Helper()
	out := make([]string, n)
	for i := range out {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/hang":
				<-r.Context().Done()
			case "/cut":
				if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
					_ = c.Close()
				}
			default:
				http.SetCookie(w, &http.Cookie{Name: "who", Value: fmt.Sprint(i), Path: "/"})
				fmt.Fprintf(w, "<!doctype html><link rel=icon href=data:,><title>Site %d</title><h1>Fact %d</h1><p>cookies: %s", i, i*i, r.Header.Get("Cookie"))
			}
		}))
		t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
		out[i] = srv.URL
	}
	return out
}

// reply is a result of any tool of the area.
type reply struct {
	Workflow, Name, Status, Contexts, Whole string
	Worker, Stale, Why                      string
	Again, Late                             bool
	Iterations, Collected                   int
	RemainingMs                             int64
	ClosedContexts, ClosedTabs              int
	Unfinished                              []string
	Counts                                  map[string]int
	Workers                                 []struct {
		Name, Status, Why, TabID, Summary, Stale, Preview string
		Connection                                        string `json:"connection_id"`
		HTTPStatus, DataBytes, Iterations                 int
		Late                                              bool
		Data                                              map[string]any
		Steps                                             []string
	}
}

func (s *testServer) do(tool string, a tooltest.Args) reply {
	s.T.Helper()
	var out reply
	p := tooltest.Params(tool, a)
	if s.progressed != nil {
		p.SetProgressToken("progress")
	}
	res, err := s.CallTool(s.T.Context(), p)
	if err != nil {
		s.T.Fatalf("%s %v: %v", tool, a, err)
	}
	if res.IsError {
		s.T.Fatalf("%s %v is refused: %s", tool, a, tooltest.Text(res))
	}
	text := ""
	for _, c := range res.Content { // events stand before the answer, and remarks follow
		if text = c.(*mcp.TextContent).Text; !strings.HasPrefix(text, toolkit.SinceLast) {
			break
		}
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		s.T.Fatalf("%s: %v in %s", tool, err, text)
	}
	return out
}

// statuses are those of the workers, by name.
func (r reply) statuses() map[string]string {
	out := make(map[string]string)
	for _, w := range r.Workers {
		out[w.Name] = w.Status
	}
	return out
}

// crash ends the process that renders a tab, and waits until the tab is known to have crashed.
func (s *testServer) crash(tab string) {
	_, found, err := s.server.Session(sessionID).Tab(s.T.Context(), tab)
	if err != nil {
		s.T.Error(err)
		return
	}
	protocol, err := found.Protocol(s.T.Context())
	if err != nil {
		s.T.Error(err)
		return
	}
	go func() { _ = protocol.Call(s.T.Context(), "Page.crash", nil, nil) }() // a crashed page sends no response
	tooltest.Eventually(s.T, "the tab is known to have crashed", func() bool { return found.CrashError() != nil })
}

// countOpen counts what there is in the browser, as the browser itself tells another program that
// attaches to it: contexts beside its own, and pages.
func (s *testServer) countOpen() (contexts, pages int) {
	s.T.Helper()
	base := fmt.Sprintf("http://127.0.0.1:%d/json/", s.port)
	get := func(what string, out any) bool {
		res, err := http.Get(base + what)
		if err != nil {
			return false // no browser
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(out); err != nil {
			s.T.Fatal(err)
		}
		return true
	}
	var version struct{ WebSocketDebuggerURL string }
	if !get("version", &version) {
		return 0, 0
	}
	ctx, cancel := context.WithTimeout(s.T.Context(), time.Minute)
	defer cancel()
	conn, err := remote.DialContext(ctx, version.WebSocketDebuggerURL)
	if err != nil {
		s.T.Fatal(err)
	}
	counter, err := chromedp.NewBrowserTransport(ctx, conn)
	if err != nil {
		s.T.Fatal(err)
	}
	ask := func(method string, out any) {
		if err := counter.Call(ctx, method, nil, out); err != nil {
			s.T.Fatal(err)
		}
	}
	var kinds struct {
		BrowserContextIDs []string `json:"browserContextIds"`
	}
	var targets struct {
		TargetInfos []struct {
			Type string `json:"type"`
		} `json:"targetInfos"`
	}
	ask("Target.getBrowserContexts", &kinds)
	ask("Target.getTargets", &targets)
	for _, info := range targets.TargetInfos {
		if info.Type == "page" {
			pages++
		}
	}
	return len(kinds.BrowserContextIDs), pages
}

func workersOf(n int, address func(i int) string) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = tooltest.Args{"name": fmt.Sprintf("w%d", i), "url": address(i), "task": fmt.Sprintf("find the fact of site %d", i)}
	}
	return out
}
