package enforce_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

func serve(t *testing.T, policy string) *tooltest.Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	return tooltest.NewOwnServer(t, app.Config{Policy: path})
}

// person is a client whose person answers questions with an action and what that covers.
func person(asked *atomic.Int64, seen *atomic.Value, action, covers string) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			seen.Store(req.Params.Message)
			return &mcp.ElicitResult{Action: action, Content: map[string]any{"covers": covers}}, nil
		},
	})
}

// TestAPersonDecides asks in both eras of the protocol: once for each call, once for the session, and
// in vain where no person can be asked.
func TestAPersonDecides(t *testing.T) {
	t.Parallel()
	s := serve(t, "version: 1\ndecisions:\n  - {tool: navigate, decision: ask}\n")
	for _, revision := range []string{tooltest.SessionRevision, ""} {
		for covers, want := range map[string]int64{"this call": 2, "this tool, for the session": 1} {
			var asked atomic.Int64
			var seen atomic.Value
			c := s.ConnectClient(person(&asked, &seen, "accept", covers), t.Name()+revision+covers, revision)
			c.T = t
			for range 2 {
				c.Call("navigate", tooltest.Args{"url": "data:text/html,hello"})
			}
			if text, _ := seen.Load().(string); asked.Load() != want || !strings.Contains(text, "Allow navigate") || !strings.Contains(text, "policy.yaml:3") {
				t.Errorf("%q %s: asked %d times, want %d: %s", revision, covers, asked.Load(), want, text)
			}
		}
		var asked atomic.Int64
		var seen atomic.Value
		s.ConnectClient(person(&asked, &seen, "decline", ""), t.Name()+revision+"no", revision).
			ExpectRefusal("POLICY_DENIED", "navigate", tooltest.Args{"url": "data:text/html,hello"}, "did not allow")
		s.Connect(t.Name()+revision+"mute", revision, nil).
			ExpectRefusal("CONFIRMATION_REQUIRED", "navigate", tooltest.Args{"url": "data:text/html,hello"}, "cannot ask the person", "policy.yaml:3")
	}
}

// TestALoginOnTheAllowedOrigin logs in on the only allowed origin, whose page asks for others.
func TestALoginOnTheAllowedOrigin(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	mux := http.NewServeMux()
	html := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html>" + text))
		}
	}
	mux.HandleFunc("GET /", html(`<form method=post action=/login><input name=user aria-label=User><button>Log in</button></form><img src="`+other.URL+`/pixel">`))
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/in", http.StatusSeeOther) })
	mux.HandleFunc("GET /in", html(`<title>Welcome</title><p>Welcome<script src="`+other.URL+`/x.js"></script>`))
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	s := serve(t, "version: 1\norigins: {allow: ['"+site.URL+"']}\n")
	c := s.Connect(t.Name(), tooltest.SessionRevision, nil)
	c.Call("navigate", tooltest.Args{"url": site.URL})
	reading := c.Call("read_page", nil)
	c.Call("computer", tooltest.Args{"action": "left_click", "ref": tooltest.Ref(t, reading, "User")})
	c.Call("computer", tooltest.Args{"action": "left_click", "ref": tooltest.Ref(t, reading, "Log in")})
	if got := c.Call("read_page", nil); !strings.Contains(got, "Welcome") {
		t.Errorf("not logged in: %s", got)
	}
	if elsewhere.Load() != 0 {
		t.Errorf("another origin was reached %d times", elsewhere.Load())
	}
	c.Expect("oc_journal", tooltest.Args{"action": "recent"}, "policy")
}
