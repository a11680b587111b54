// Package tools_test drives every tool as a client does: over MCP, against real headless Chromium and a fixture site on
// loopback.
package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/app/server"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/login/totp"
	evidence "github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/tools"
)

// board is shared by the tests; each is a client of its own, with an isolated session in its browser. What they keep is
// in kept.
var (
	board *session.Switchboard
	kept  *artifact.Store
)

func TestMain(m *testing.M) {
	place, err := os.MkdirTemp("", "callsheet-tools-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a state directory:", err)
		os.Exit(1)
	}
	dir, err := statedir.New(place)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	kept = artifact.New(dir, 0)
	board = session.New(session.Config{Browser: browser.Config{Headless: true, Keeper: session.Keeper{Store: kept}}})
	code := m.Run()
	if err := board.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "close the browser:", err)
		code = 1
	}
	_ = os.RemoveAll(place)
	os.Exit(code)
}

// soak is the variable that asks for the long form of the tests that have one; see make soak.
const soak = "CALLSHEET_SOAK"

// site serves testdata/site and the few answers that need a server.
func site(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata/site")))
	mux.HandleFunc("/submitted", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		fmt.Fprintf(w, "<!doctype html><title>Submitted</title><h1>Thanks</h1><pre>%s</pre>", html.EscapeString(r.PostForm.Encode()))
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
		fmt.Fprint(w, "done")
	})
	mux.HandleFunc("/cookies", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "served", Value: "yes", Path: "/"})
		fmt.Fprintf(w, "<!doctype html><title>Cookies</title><pre>%s</pre>", html.EscapeString(r.Header.Get("Cookie")))
	})
	mux.HandleFunc("/missing", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "nothing here", http.StatusNotFound) })
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// client is an agent's end of a connection to a server of its own.
type client struct {
	*mcp.ClientSession
	T      *testing.T
	Output string // the server's output directory
}

// connect starts a server under the given gates and connects a client to it.
func connect(t *testing.T, opt toolkit.Options) client {
	t.Helper()
	return connectAs(t, opt, "", nil)
}

// sessions is the last revision of the protocol that has sessions; without a revision clients speak the newest.
const sessions = "2025-11-25"

// connectAs connects a client of a protocol revision ("" is the newest) that may listen for notifications.
func connectAs(t *testing.T, opt toolkit.Options, revision string, listen *mcp.ClientOptions) client {
	t.Helper()
	return connectIn(t, t.TempDir(), opt, revision, listen)
}

// connectIn is connectAs with a state directory that other servers have used or will use, and more layers around calls.
func connectIn(
	t *testing.T, dir string, opt toolkit.Options, revision string, listen *mcp.ClientOptions, layers ...toolkit.Around,
) client {
	t.Helper()
	place, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	db := database.New(place)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	output, err := files.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id := t.Name()
	t.Cleanup(func() {
		if err := board.End(context.Background(), id); err != nil {
			t.Errorf("end the connections: %v", err)
		}
	})
	roots, err := files.NewRoots(output.Path())
	if err != nil {
		t.Fatal(err)
	}
	mine := func(string) *session.Set { return board.Set(id) }
	records := newRecorder(db, mine, kept, nil)
	work, crawler := crawlJobs(t, place)
	needs := tools.Needs{
		Browser: board.Own(), Sessions: mine, Output: output, Files: roots, Artifacts: kept, Store: db, Jobs: work, Crawler: crawler,
		Codes: totp.New(nil), Contexts: identity.New(place, seal.New(seal.FromEnvironment)), Recorder: records,
		Exemplars: evidence.NewExemplars(place),
	}
	around := append([]toolkit.Around{journal.NewJournal(db, nil).Layer, records.Layer}, layers...)
	surface, err := toolkit.NewSurface(tools.Registry(needs), opt, around...)
	if err != nil {
		t.Fatal(err)
	}
	server := mcpserver.New(surface, mcpserver.Options{Name: "callsheet", Version: "test", Resources: shelf{server.Resources{Store: kept}, id}})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- server.ServeStdio(context.Background(), fromClient, toClient) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, listen).
		Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = toServer.Close()
		if err := <-done; err != nil && !errors.Is(err, io.ErrClosedPipe) { // it may be telling something while the client goes
			t.Errorf("the server ended with %v", err)
		}
	})
	return client{ClientSession: session, T: t, Output: output.Path()}
}

// shelf is what a client of a test may read. Its connections go by the test's name, whatever the session's is.
type shelf struct {
	server.Resources
	id string
}

func (s shelf) List(session string) ([]toolkit.Link, error) {
	tools, err := s.Resources.List(session)
	pages, more := s.Resources.List(s.id)
	return append(tools, pages...), errors.Join(err, more)
}

func (s shelf) Read(session, uri string) (toolkit.Link, []byte, error) {
	link, data, err := s.Resources.Read(session, uri)
	if err != nil {
		link, data, err = s.Resources.Read(s.id, uri)
	}
	return link, data, err
}

type args = map[string]any

// raw calls a tool and returns its result, whatever it is.
func (c client) raw(tool string, a args) *mcp.CallToolResult {
	c.T.Helper()
	res, err := c.CallTool(c.T.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		c.T.Fatalf("%s %v: %v", tool, a, err)
	}
	return res
}

// call calls a tool that must succeed and returns its text.
func (c client) call(tool string, a args) string {
	c.T.Helper()
	res := c.raw(tool, a)
	text := textOf(res)
	if res.IsError {
		c.T.Fatalf("%s %v was refused: %s", tool, a, text)
	}
	return text
}

// says calls a tool whose text must contain each of want.
func (c client) says(tool string, a args, want ...string) string {
	c.T.Helper()
	text := c.call(tool, a)
	for _, w := range want {
		if !strings.Contains(text, w) {
			c.T.Errorf("%s %v says %q, which lacks %q", tool, a, text, w)
		}
	}
	return text
}

// refused calls a tool that must be refused with the code, and returns the envelope.
func (c client) refused(code, tool string, a args, want ...string) map[string]any {
	c.T.Helper()
	res := c.raw(tool, a)
	envelope, _ := res.StructuredContent.(map[string]any)
	if !res.IsError || envelope["code"] != code || envelope["tool"] != tool {
		c.T.Fatalf("%s %v gives %s, envelope %v; want code %s", tool, a, textOf(res), envelope, code)
	}
	text, err := json.Marshal(envelope)
	if err != nil {
		c.T.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			c.T.Errorf("%s %v is refused with %s, which lacks %q", tool, a, text, w)
		}
	}
	return envelope
}

func textOf(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// refOf finds the ref that a reading gives to an element: its line contains want.
func refOf(t *testing.T, reading, want string) string {
	t.Helper()
	for line := range strings.Lines(reading) {
		if strings.Contains(line, want) {
			if _, rest, ok := strings.Cut(line, "[e"); ok {
				number, _, _ := strings.Cut(rest, "]")
				return "e" + number
			}
		}
	}
	t.Fatalf("no ref for %s in\n%s", want, reading)
	return ""
}

func params(tool string, a args) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: tool, Arguments: a}
}
