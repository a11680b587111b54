package enforce_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveWorkflows serves workflows whose steps call a server that counts its calls, under a policy.
func serveWorkflows(t *testing.T, policy string) (s *tooltest.Server, calls *atomic.Int64) {
	t.Helper()
	calls = new(atomic.Int64)
	notes := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	for _, name := range []string{"read", "write"} {
		notes.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				calls.Add(1)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "noted"}}}, nil
			})
	}
	endpoint := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return notes }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(func() { endpoint.CloseClientConnections(); endpoint.Close() })
	dir := t.TempDir()
	for name, text := range map[string]string{
		"w.yaml": `
reads: { steps: [{ call: "notes:read", args: { text: hunter2 } }] }
writes: { steps: [{ call: "notes:write", args: { text: hunter2 } }] }
opens: { steps: [{ call: "callsheet:navigate", args: { url: "data:text/html,hello" } }] }
`,
		"servers.json": `{"servers": {"notes": {"url": "` + endpoint.URL + `"}}}`,
		"p.yaml":       policy,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tooltest.NewOwnServer(t, app.Config{
		Policy: filepath.Join(dir, "p.yaml"), Surface: toolkit.Options{AllTools: true}, Workflows: app.Workflows{Path: dir},
	}), calls
}

// TestDecisionsAboutWorkflows names workflows and the tools of a server in decisions.
func TestDecisionsAboutWorkflows(t *testing.T) {
	t.Parallel()
	s, calls := serveWorkflows(t, `version: 1
decisions:
  - {tool: "notes:write", decision: deny}
  - {workflow: "op*", decision: deny}
`)
	c := s.Connect(t.Name(), tooltest.SessionRevision, nil)
	c.Expect("reads", nil, "noted")
	if res := c.Do("writes", nil); !res.IsError || !strings.Contains(tooltest.Text(res), "forbids notes:write (") || !strings.Contains(tooltest.Text(res), "p.yaml:3") {
		t.Errorf("%s", tooltest.Text(res))
	}
	c.ExpectRefusal("POLICY_DENIED", "opens", nil, "forbids opens", "p.yaml:4")
	if calls.Load() != 1 {
		t.Errorf("the server was called %d times", calls.Load())
	}
}

// TestAPersonDecidesAboutWorkflows asks about a workflow and about its step, in both revisions.
func TestAPersonDecidesAboutWorkflows(t *testing.T) {
	t.Parallel()
	s, calls := serveWorkflows(t, `version: 1
decisions:
  - {tool: "notes:*", decision: ask}
  - {workflow: opens, decision: ask}
`)
	for _, revision := range []string{tooltest.SessionRevision, ""} {
		var asked atomic.Int64
		var seen atomic.Value
		c := s.ConnectClient(person(&asked, &seen, "accept", "this call"), t.Name()+revision, revision)
		c.T = t
		c.Call("navigate", tooltest.Args{"url": "data:text/html,hello"})
		c.Call("opens", nil)
		if text, _ := seen.Load().(string); asked.Load() != 1 || !strings.Contains(text, "Allow opens") {
			t.Errorf("%q: asked %d times: %s", revision, asked.Load(), text)
		}
		before := calls.Load()
		res := c.Do("reads", nil)
		text, _ := seen.Load().(string)
		switch {
		case revision == "": // the workflow would begin again with the answer
			if !res.IsError || !strings.Contains(tooltest.Text(res), "needs the consent of a person") || calls.Load() != before {
				t.Errorf("%s", tooltest.Text(res))
			}
		case res.IsError || calls.Load() != before+1 || !strings.Contains(text, "Allow notes:read") || strings.Contains(text, "hunter2"):
			t.Errorf("%s: %s", tooltest.Text(res), text)
		}
	}
}

// TestAPatternMatchesWorkflowsAndServers denies every tool but one workflow, whose step is denied.
func TestAPatternMatchesWorkflowsAndServers(t *testing.T) {
	t.Parallel()
	s, calls := serveWorkflows(t, "version: 1\ndecisions:\n  - {workflow: reads, decision: allow}\n  - {tool: '*', decision: deny}\n")
	c := s.Connect(t.Name(), tooltest.SessionRevision, nil)
	if res := c.Do("reads", nil); !res.IsError || !strings.Contains(tooltest.Text(res), "forbids notes:read") {
		t.Errorf("%s", tooltest.Text(res))
	}
	c.ExpectRefusal("POLICY_DENIED", "writes", nil, "forbids writes")
	if calls.Load() != 0 {
		t.Errorf("the server was called %d times", calls.Load())
	}
}
