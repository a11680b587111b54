package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"

	"github.com/callsheet/callsheet/examples/tracker/generated/registry"
)

// TestBoundaries holds the decoder of each tool against its schema.
func TestBoundaries(t *testing.T) {
	toolkittest.Boundaries(t, registry.New(registry.Handlers{}))
}

// tracker serves an empty database over HTTP and returns its address.
func tracker(t *testing.T, layers ...toolkit.Middleware) (*Server, string) {
	t.Helper()
	s, err := New(t.Context(), filepath.Join(t.TempDir(), "tracker.db"), toolkit.Options{}, layers...)
	if err != nil {
		t.Fatal(err)
	}
	s.log = slog.New(slog.DiscardHandler)
	web := httptest.NewServer(s.HTTPHandler())
	t.Cleanup(func() {
		_ = s.mcp.Close(context.Background())
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, web.URL
}

// client is the official client of a person.
type client struct {
	t *testing.T
	*toolkittest.Kit
}

func connect(t *testing.T, s *Server, url, person, era string) client {
	t.Helper()
	token, err := s.CreateToken(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	return client{t, toolkittest.Dial(t, toolkittest.HTTP(url, token), s.surface.Registry(), toolkittest.Revision(era))}
}

// call returns the text of a result, which begins with the code where the call is refused.
func (c client) call(tool string, args map[string]any) string {
	c.t.Helper()
	return c.Do(c.t, tool, args).Text
}

func (c client) lists(tool string) bool {
	c.t.Helper()
	return slices.Contains(c.Listed(c.t), tool)
}

// TestPeopleShareNothing works as two people at once, who use the same names.
func TestPeopleShareNothing(t *testing.T) {
	for _, era := range toolkittest.Revisions() {
		t.Run(era, func(t *testing.T) {
			s, url := tracker(t)
			ada, bob := connect(t, s, url, "ada", era), connect(t, s, url, "bob", era)
			ada.call("project_create", map[string]any{"name": "web"})
			ada.call("project_select", map[string]any{"name": "web"})
			if got := ada.call("issue_create", map[string]any{"title": "A secret of Ada"}); !strings.Contains(got, `"number":1`) {
				t.Fatalf("Ada's issue: %s", got)
			}
			// Neither the fact nor the data is Bob's.
			for tool, args := range map[string]map[string]any{"issue_list": {}, "issue_read": {"number": 1}, "issue_create": {"title": "x"}} {
				if got := bob.call(tool, args); !strings.HasPrefix(got, "TOOL_NOT_VISIBLE") {
					t.Errorf("Bob's %s without a project: %s", tool, got)
				}
			}
			if got := bob.call("project_list", nil); strings.Contains(got, "web") {
				t.Errorf("Bob lists %s", got)
			}
			for _, tool := range []string{"project_select", "project_delete"} {
				if got := bob.call(tool, map[string]any{"name": "web"}); !strings.HasPrefix(got, "NOT_FOUND") {
					t.Errorf("Bob's %s: %s", tool, got)
				}
			}
			bob.call("project_create", map[string]any{"name": "web"})
			bob.call("project_select", map[string]any{"name": "web"})
			if got := bob.call("issue_read", map[string]any{"number": 1}); !strings.HasPrefix(got, "TOOL_NOT_VISIBLE") {
				t.Errorf("Bob reads %s", got)
			}
			if got := ada.call("issue_read", map[string]any{"number": 1}); !strings.Contains(got, "A secret of Ada") {
				t.Errorf("Ada reads %s", got)
			}
		})
	}
}

// TestAnotherPersonsSession answers a token that names the session of another one as if there were none.
func TestAnotherPersonsSession(t *testing.T) {
	s, url := tracker(t)
	ada := connect(t, s, url, "ada", toolkittest.WithSessions)
	token, err := s.CreateToken(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		token string
		want  int
	}{{token, http.StatusNotFound}, {"wrong", http.StatusUnauthorized}, {"", http.StatusUnauthorized}} {
		body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", ada.ID())
		r.Header.Set("Mcp-Protocol-Version", toolkittest.WithSessions)
		if test.token != "" {
			r.Header.Set("Authorization", "Bearer "+test.token)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != test.want {
			t.Errorf("token %q: %d %s, want %d", test.token, res.StatusCode, text, test.want)
		}
	}
}

// TestListFollowsTheProject shows tools that need a project, and then an issue, when there is one.
func TestListFollowsTheProject(t *testing.T) {
	s, url := tracker(t)
	c := connect(t, s, url, "ada", toolkittest.WithSessions)
	step := func(what string, create, read bool) {
		t.Helper()
		if c.lists("issue_create") != create || c.lists("issue_read") != read {
			t.Errorf("%s: the list is wrong", what)
		}
	}
	step("at first", false, false)
	c.call("project_create", map[string]any{"name": "web"})
	c.call("project_select", map[string]any{"name": "web"})
	step("in an empty project", true, false)
	c.call("issue_create", map[string]any{"title": "One"})
	step("with an issue", true, true)
	c.call("project_delete", map[string]any{"name": "web"})
	step("after the project is deleted", false, false)
}

// TestErrorsStayInside gives a client an id in place of an error that was not made for it.
func TestErrorsStayInside(t *testing.T) {
	s, url := tracker(t)
	c := connect(t, s, url, "ada", toolkittest.WithSessions)
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	session := s.surface.NewSession("test", nil)
	result, err := session.Dispatch(t.Context(), toolkit.Request{Tool: "project_list", Principal: Local})
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].Text; !strings.HasPrefix(text, "INTERNAL: internal error, id ") || strings.Contains(text, "sql") {
		t.Errorf("the client gets %s", text)
	}
	if err := c.Ping(t.Context(), nil); err == nil {
		t.Error("a token is accepted that cannot be looked up")
	}
}

// TestShareIsDeferred answers a call of the tool that is deliberately not there with the reason.
func TestShareIsDeferred(t *testing.T) {
	s, url := tracker(t)
	got := connect(t, s, url, "ada", toolkittest.WithSessions).call("project_share", map[string]any{})
	if want := "TOOL_DEFERRED: a project has one owner: sharing needs roles and an audit log first; on the command line: tracker "; !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}
