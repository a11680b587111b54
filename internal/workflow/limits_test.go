package workflow_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/state"
	"github.com/callsheet/callsheet/internal/workflow"
)

// relaying is own with a tool that makes a call of its own, and a name that is deferred.
func relaying() *toolkit.Registry {
	reg := own()
	reg.Tools = append(reg.Tools, toolkit.Tool{
		Name: "relay", Area: "batch", Capability: "core", Scopes: []string{"default"}, Tier: 1, Timeout: time.Minute,
		Definition: `{"name":"relay","description":"Call.","inputSchema":{"type":"object"}}`, Schema: `{"type":"object"}`,
		Invoke: func(ctx context.Context, call *toolkit.Call, args []byte) (toolkit.Result, error) {
			var in struct{ Tool string }
			if err := json.Unmarshal(args, &in); err != nil {
				return toolkit.Result{}, err
			}
			return call.Dispatch(ctx, in.Tool, nil, nil)
		},
	})
	reg.Deferred = []toolkit.Deferral{{Name: "go_back", Envelope: `{"code":"DEFERRED"}`}}
	return reg.Index()
}

// A workflow that a step calls by way of another tool would wait for what the first one has reserved.
func TestNoWorkflowWithinAnother(t *testing.T) {
	t.Parallel()
	kept, err := state.At(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	set, err := workflow.Open(workflow.Config{State: kept, Path: directory(t, map[string]string{"w.yaml": `
outer: { timeout: 5s, steps: [{ call: callsheet:relay, args: { tool: inner } }] }
inner: { timeout: 5s, steps: [{ call: callsheet:navigate, args: { url: "http://x/" } }] }
`})})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = set.Close(t.Context()) }()
	reg, err := set.Compose(relaying())
	if err != nil {
		t.Fatal(err)
	}
	surface, err := toolkit.NewSurface(reg, toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	res, err := surface.NewSession("s1", nil).Dispatch(t.Context(), toolkit.Request{Tool: "outer"})
	if err != nil || !res.Refused || !strings.Contains(texts(res), "one workflow does not call another") || time.Since(begun) > 4*time.Second {
		t.Errorf("%v after %v: %s", err, time.Since(begun), texts(res))
	}
	if res, err := surface.NewSession("s2", nil).Dispatch(t.Context(), toolkit.Request{Tool: "relay", Args: []byte(`{"tool":"inner"}`)}); err != nil || res.Refused {
		t.Errorf("from outside of one: %v %s", err, texts(res))
	}
}

// Whoever calls a deferred tool hears why it is not there, and would never reach a workflow of that name.
func TestDeferredNamesAreTaken(t *testing.T) {
	t.Parallel()
	set, err := workflow.Open(workflow.Config{Path: directory(t, map[string]string{"w.yaml": "go_back: { prompt: x }\n"})})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Validate(t.Context(), relaying(), true); len(got.Broken) != 1 || !strings.Contains(got.Diags[0].Message, "deliberately not there") {
		t.Errorf("%+v", got)
	}
	if _, err := set.Compose(relaying()); err == nil || !strings.Contains(err.Error(), `"go_back"`) {
		t.Errorf("offered: %v", err)
	}
}

func TestArgumentsThatAreNull(t *testing.T) {
	t.Parallel()
	set, err := workflow.Open(workflow.Config{Path: directory(t, map[string]string{"w.yaml": "w: { prompt: x }\n"})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Arguments("w", []string{"a=b"}, "null"); err == nil || !strings.Contains(err.Error(), "--args") {
		t.Error(err)
	}
}
