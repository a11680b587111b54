package workflow_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

const askingWorkflows = `
delete:
  parameters: { count: { type: integer, required: true } }
  steps:
    - id: sure
      confirm: "Delete {{ count }} rows?"
      fields:
        reason: { type: string, required: true, minLength: 2 }
        copies: { type: integer, default: 3 }
    - { call: up:echo, args: { s: "{{ sure.reason }} {{ sure.copies }} {{ sure.accepted }}" } }
  finally:
    - { call: up:echo, args: { s: tidied } }
ends: { steps: [{ confirm: "On?", onError: skipRest }, { call: up:echo, args: { s: after } }] }
chooses:
  steps:
    - { id: sure, confirm: "On?", onError: continue }
    - { if: sure.structuredContent.action == "decline", call: up:echo, args: { s: declined } }
waits: { steps: [{ confirm: "Hello?", timeout: 50ms }, { call: up:echo, args: { s: after } }] }
yes: { steps: [{ id: sure, confirm: "On?", default: accept, fields: { n: { type: integer, default: 7 } } }, { call: up:echo, args: { n: "{{ sure.n }}" } }] }
no: { steps: [{ confirm: "On?", default: decline }, { call: up:echo, args: { s: after } }] }
passes: { steps: [{ call: up:ask, args: { how: form } }] }
links: { steps: [{ call: up:ask, args: { how: url } }] }
`

// person answers the questions of a client.
type person struct {
	mu     sync.Mutex
	seen   []string // message and schema of each question
	answer *mcp.ElicitResult
}

func (p *person) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		schema, err := json.Marshal(req.Params.RequestedSchema)
		p.seen = append(p.seen, req.Params.Message+" "+string(schema))
		if p.answer == nil {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return p.answer, err
	}}
}

func (p *person) set(action string, values map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = &mcp.ElicitResult{Action: action, Content: values}
}

// A person's answer decides how a run goes on, and fills in values.
func TestConfirm(t *testing.T) {
	t.Parallel()
	b, p := serve(t, askingWorkflows), &person{}
	c := connect(t, b.surface, p.options(), "2025-11-25")
	args := map[string]any{"count": 12}
	p.set("accept", map[string]any{"reason": "old"})
	if got := runOver(t, c, "delete", args); !strings.Contains(got, `"s":"old 3 true"`) {
		t.Error(got)
	}
	if q := p.seen[0]; !strings.HasPrefix(q, "Delete 12 rows? {") || !strings.Contains(q, `"reason"`) || !strings.Contains(q, `"required":["reason"]`) {
		t.Error(q)
	}
	p.set("accept", map[string]any{"reason": "x"})
	if got := runOver(t, c, "delete", args); strings.Contains(got, `"s":"x`) || !strings.Contains(got, "does not match") {
		t.Error(got)
	}
	for _, action := range []string{"decline", "cancel"} {
		p.set(action, nil)
		got := runOver(t, c, "delete", args)
		if !strings.Contains(got, "step 1 (sure), confirm: the person did not agree: "+action) || !strings.Contains(got, "tidied") || strings.Contains(got, "true") {
			t.Error(got)
		}
	}
	p.set("decline", nil)
	if got := runOver(t, c, "ends", nil); strings.Contains(got, "after") {
		t.Error(got)
	}
	if got := runOver(t, c, "chooses", nil); !strings.Contains(got, `"s":"declined"`) {
		t.Error(got)
	}
	p.mu.Lock()
	p.answer = nil
	p.mu.Unlock()
	if got := runOver(t, c, "waits", nil); !strings.Contains(got, "no answer: the time is up") || strings.Contains(got, "after") {
		t.Error(got)
	}
}

// A client that cannot ask gets the declared default, or a refusal that says what to do.
func TestConfirmWithoutAPerson(t *testing.T) {
	t.Parallel()
	b := serve(t, askingWorkflows)
	for _, c := range []*toolkittest.Kit{connectLines(t, b, "2025-11-25", mcp.ClientOptions{}), connectLines(t, b, "2026-07-28", *(&person{}).options())} {
		if got := runOver(t, c, "delete", map[string]any{"count": 1}); !strings.Contains(got, "use one that supports elicitation, or have the workflow declare default") {
			t.Error(got)
		}
		if got := runOver(t, c, "yes", nil); !strings.Contains(got, `"n":7`) {
			t.Error(got)
		}
		if got := runOver(t, c, "no", nil); !strings.Contains(got, "the person did not agree: decline") || strings.Contains(got, "after") {
			t.Error(got)
		}
		if got := runOver(t, c, "passes", nil); !strings.Contains(got, "decline map[]") {
			t.Error(got)
		}
	}
}

// Questions of hidden servers reach the person with the server's name, forms only.
func TestQuestionsOfServersArePassedOn(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"legacy", "auto"} {
		log := t.TempDir() + "/calls"
		entry := strings.TrimSuffix(stdioServer(log), "}") + `,"protocolVersion":"` + protocol + `"}`
		b := serveDir(t, writeFiles(t, map[string]string{"w.yaml": askingWorkflows, "servers.json": `{"servers": {"up": ` + entry + `}}`}), log)
		p := &person{}
		c := connect(t, b.surface, p.options(), "2025-11-25")
		p.set("accept", map[string]any{"name": "Ann"})
		if got := runOver(t, c, "passes", nil); !strings.Contains(got, "accept map[name:Ann]") {
			t.Errorf("%s: %s", protocol, got)
		}
		if len(p.seen) != 1 || !strings.HasPrefix(p.seen[0], `Server "up" asks: name? {"properties":{"name":`) {
			t.Errorf("%s: %q", protocol, p.seen)
		}
		got := runOver(t, c, "links", nil)
		if len(p.seen) != 1 || strings.Contains(got, "accept") {
			t.Errorf("%s: %s %q", protocol, got, p.seen)
		}
	}
}
