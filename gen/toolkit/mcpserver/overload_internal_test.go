package mcpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

const openSession = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// TestUnusedSessionsMakePlace opens more sessions than there may be, of which the first two send nothing more.
func TestUnusedSessionsMakePlace(t *testing.T) {
	t.Parallel()
	surface, err := toolkit.NewSurface(&toolkit.Registry{
		Scopes: []string{"default"}, Capabilities: []toolkit.Capability{{Name: "core"}},
		Tools: []toolkit.Tool{{Name: "wave", Capability: "core", Scopes: []string{"default"}, Tier: 1, Definition: `{"name":"wave"}`}},
	}, toolkit.Options{Scope: "default"})
	if err != nil {
		t.Fatal(err)
	}
	s := New(surface, Options{Name: "t", Version: "1", MaxSessions: 2})
	site := httptest.NewServer(s.HTTPHandler(HTTPOptions{}))
	t.Cleanup(func() { _ = s.Close(t.Context()); site.Close() })
	post := func(session, body string) (*http.Response, string) {
		t.Helper()
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, site.URL, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set(sessionHeader, session)
		}
		res, err := site.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		text, _ := io.ReadAll(res.Body)
		return res, string(text)
	}
	open := func() string {
		t.Helper()
		res, text := post("", openSession)
		id := res.Header.Get(sessionHeader)
		if id == "" || !strings.Contains(text, `"result"`) {
			t.Fatalf("no session is opened: %s %s", res.Status, text)
		}
		return id
	}
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	used := open()
	if _, text := post(used, list); !strings.Contains(text, `"tools"`) {
		t.Fatal(text)
	}
	idle := open()
	res, text := post("", openSession)
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get(sessionHeader) != "" || !strings.Contains(text, "2 sessions are open") {
		t.Errorf("one more at once gets %s, the session %q and %s", res.Status, res.Header.Get(sessionHeader), text)
	}
	s.sessions.mu.Lock()
	s.sessions.unusedLimit = time.Duration(0)
	s.sessions.mu.Unlock()
	next := open()
	for id, want := range map[string]int{used: 200, idle: 404, next: 200} {
		if res, text := post(id, list); res.StatusCode != want {
			t.Errorf("a session answers %s, want %d: %s", res.Status, want, text)
		}
	}
	if res, _ := post("", openSession); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a session that is used made place: %s", res.Status)
	}
}
