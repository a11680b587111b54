package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/tools"
)

// crewServer is a server with a browser of its own, so that everything in that browser can be counted, and which can be
// started again on the same state.
type crewServer struct {
	client
	board *session.Switchboard
	port  int // where the browser itself can be asked
	stop  func()

	progressed func() // runs at the first progress notification of a call; nil: none is asked for
}

// crewStart starts one. Its session is always called the same, as on standard input and output.
func crewStart(t *testing.T, dir string) *crewServer {
	t.Helper()
	place, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	output, err := files.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = port.Close()
	at := port.Addr().(*net.TCPAddr).Port
	own := session.New(session.Config{Browser: browser.Config{Headless: true, DebugPort: at}})
	db, artifacts := database.New(place), artifact.New(place, 0)
	surface, err := toolkit.NewSurface(tools.Registry(tools.Needs{
		Browser: own.Own(), Sessions: func(string) *session.Set { return own.Set("crew") }, Output: output, Artifacts: artifacts, Store: db,
	}), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := mcpserver.New(surface, mcpserver.Options{Name: "callsheet", Version: "test"})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- server.ServeStdio(context.Background(), fromClient, toClient) }()
	s := &crewServer{board: own, port: at}
	var once sync.Once
	listen := &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
		once.Do(func() { go s.progressed() })
	}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, listen).
		Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: sessions})
	if err != nil {
		t.Fatal(err)
	}
	s.client = client{ClientSession: session, T: t}
	s.stop = sync.OnceFunc(func() {
		_, _ = session.Close(), toServer.Close()
		<-done
		if err := own.Close(context.Background()); err != nil {
			t.Errorf("close the browser: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

// crewSite is ten sites: each worker has an origin of its own.
func crewSite(t *testing.T, n int) []string {
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

// crewAnswer is any answer of the area.
type crewAnswer struct {
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

func (s *crewServer) do(tool string, a args) crewAnswer {
	s.T.Helper()
	var out crewAnswer
	p := params(tool, a)
	if s.progressed != nil {
		p.SetProgressToken("progress")
	}
	res, err := s.CallTool(s.T.Context(), p)
	if err != nil {
		s.T.Fatalf("%s %v: %v", tool, a, err)
	}
	if res.IsError {
		s.T.Fatalf("%s %v is refused: %s", tool, a, textOf(res))
	}
	text := res.Content[0].(*mcp.TextContent).Text // remarks may follow
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		s.T.Fatalf("%s: %v in %s", tool, err, text)
	}
	return out
}

// statuses are those of the workers, by name.
func (a crewAnswer) statuses() map[string]string {
	out := make(map[string]string)
	for _, w := range a.Workers {
		out[w.Name] = w.Status
	}
	return out
}

// crash ends the process that renders a tab, and waits until the tab is known to have crashed.
func (s *crewServer) crash(tab string) {
	_, found, err := s.board.Set("crew").Tab(s.T.Context(), tab)
	if err != nil {
		s.T.Error(err)
		return
	}
	protocol, err := found.Protocol(s.T.Context())
	if err != nil {
		s.T.Error(err)
		return
	}
	go func() { _ = protocol.Call(s.T.Context(), "Page.crash", nil, nil) }() // nobody is left to answer
	eventually(s.T, "the tab is known to have crashed", found.Crashed)
}

// open counts what there is in the browser, as the browser itself tells another program that attaches to it: contexts
// beside its own, and pages.
func (s *crewServer) open() (contexts, pages int) {
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
	ctx, cancel := context.WithTimeout(s.T.Context(), 20*time.Second)
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
		out[i] = args{"name": fmt.Sprintf("w%d", i), "url": address(i), "task": fmt.Sprintf("find the fact of site %d", i)}
	}
	return out
}
