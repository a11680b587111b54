package workflow_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow"
)

// TestOutputsAreKept runs workflows whose values fit the declared output, and others that do not: such a run
// fails, as clients validate the output by the schema that they have.
func TestOutputsAreKept(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  parameters: { s: { type: string } }
  steps: [{ id: e, call: up:echo, args: { s: "{{ s }}" } }]
  output: { n: { type: integer, required: true, maximum: 99 }, title: { type: string } }
  return: { n: "{{ e.json.s }}", title: "{{ e.nothing }}" }
`)
	if got := b.call(t, "w", `{"s":"12"}`); got.Refused || string(got.Structured) != `{"n":12}` {
		t.Errorf("%s %s", got.Structured, resultText(got))
	}
	for args, want := range map[string]string{`{"s":"abc"}`: "expected integer", `{"s":"100"}`: "at most 99",
		`{}`: `"n" is required`} {
		got := b.call(t, "w", args)
		if !got.Refused || !strings.Contains(resultText(got), "does not match the output") ||
			!strings.Contains(resultText(got), want) {
			t.Errorf("%s: %s %s", args, got.Structured, resultText(got))
		}
	}
}

// However long a run was, its failure says what failed.
func TestALongFailureSaysWhatFailed(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  parameters: { items: { type: array, items: { type: integer }, required: true } }
  steps:
    - forEach: "{{ items }}"
      steps: [{ forEach: "{{ items }}", steps: [{ set: { x: 1 } }] }]
    - call: up:fail
`)
	items, err := json.Marshal(map[string]any{"items": make([]int, 100)})
	if err != nil {
		t.Fatal(err)
	}
	got := b.call(t, "w", string(items))
	var envelope struct {
		Code  string
		Steps []string
		Error struct{ Call string }
	}
	if err := json.Unmarshal(got.Structured, &envelope); err != nil {
		t.Fatal(err)
	}
	if envelope.Code != "FAILED" || envelope.Error.Call != "up:fail" || len(envelope.Steps) != 201 ||
		!strings.HasPrefix(envelope.Steps[200], "2 up:fail failed") {
		t.Errorf("%.300s with %d steps", got.Structured, len(envelope.Steps))
	}
}

// Calls that until repeats are no failures, and use up nothing of retry.
func TestRetryWithinUntil(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  steps:
    - call: up:moody
      retry: { attempts: 2, backoff: 1ms, on: [tool] }
      until: { if: 'result.text == "ready"', interval: 1ms }
`)
	if got := b.ok(t, "w", ""); got != "ready" {
		t.Error(got)
	}
	if !strings.Contains(b.logs.String(), "attempts=5") {
		t.Errorf("five calls are told as\n%s", b.logs)
	}
}

// A tool may report a failure as a text: what the step expects decides, and retry counts it.
func TestExpect(t *testing.T) {
	t.Parallel()
	b := serve(t, `
good: { steps: [{ call: up:echo, args: { s: fine }, expect: 'result.text contains "fine"' }] }
bad: { steps: [{ call: up:echo, args: { s: cannot }, expect: '!(result.text contains "cannot")' }, { call: up:echo, args: { s: after } }] }
again: { steps: [{ call: up:moody, expect: 'result.text == "ready"', retry: { attempts: 9, backoff: 1ms, on: [tool] } }] }
`)
	b.ok(t, "good", "")
	if got := b.call(t, "bad", ""); !got.Refused || !strings.Contains(resultText(got), `does not hold for the result: `) || strings.Contains(resultText(got), "after") {
		t.Errorf("bad: %s", resultText(got))
	}
	if got := b.ok(t, "again", ""); got != "ready" {
		t.Error(got)
	}
}

// The time of a step that has steps of its own is that of all of them.
func TestTimeOfAGroup(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  steps:
    - { forEach: [1, 2, 3], timeout: 100ms, steps: [{ sleep: 60ms }] }
`)
	if got := b.call(t, "w", ""); !got.Refused || !strings.Contains(resultText(got), "the time is up") ||
		!strings.Contains(string(got.Structured), `"code":"TIMEOUT"`) {
		t.Errorf("%s %s", got.Structured, resultText(got))
	}
}

// relayRegistry is own with a tool that makes a call of its own, and a name that is deferred.
func relayRegistry() *toolkit.Registry {
	reg := builtinRegistry()
	reg.Tools = append(reg.Tools, toolkit.Tool{
		Name: "relay", Area: "batch", Capability: "core", Scopes: []string{"default"}, Tier: 1, Timeout: time.Minute,
		Definition: `{"name":"relay","description":"Call.","inputSchema":{"type":"object"}}`,
		Schema:     `{"type":"object"}`,
		Invoke: func(ctx context.Context, call *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
			var in struct{ Tool string }
			if err := json.Unmarshal(args, &in); err != nil {
				return toolkit.CallResult{}, err
			}
			return call.Dispatch(ctx, in.Tool, nil, nil)
		},
	})
	reg.Deferred = []toolkit.Deferral{{Name: "go_back", Envelope: `{"code":"DEFERRED"}`}}
	return reg.Index()
}

// A workflow that a step calls by way of another tool would wait for what the first one has
// reserved.
func TestNoWorkflowWithinAnother(t *testing.T) {
	t.Parallel()
	kept, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	set, err := workflow.Open(workflow.Config{State: kept, Path: writeFiles(t, map[string]string{"w.yaml": `
outer: { timeout: 5s, steps: [{ call: callsheet:relay, args: { tool: inner } }] }
inner: { timeout: 5s, steps: [{ call: callsheet:navigate, args: { url: "http://x/" } }] }
`})})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = set.Close(t.Context()) }()
	reg, err := set.Compose(relayRegistry())
	if err != nil {
		t.Fatal(err)
	}
	surface, err := toolkit.NewSurface(reg, toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := surface.NewSession("s1", nil).Dispatch(t.Context(), toolkit.Request{Tool: "outer"})
	if err != nil || !res.Refused || !strings.Contains(resultText(res), "one workflow does not call another") {
		t.Errorf("%v: %s", err, resultText(res))
	}
	if res, err := surface.NewSession("s2", nil).Dispatch(t.Context(),
		toolkit.Request{Tool: "relay", Args: []byte(`{"tool":"inner"}`)}); err != nil || res.Refused {
		t.Errorf("from outside of one: %v %s", err, resultText(res))
	}
}

// A call of a deferred tool gets its deferral, and would never reach a workflow of that
// name.
func TestDeferredNamesAreTaken(t *testing.T) {
	t.Parallel()
	set, err := workflow.Open(workflow.Config{Path: writeFiles(t,
		map[string]string{"w.yaml": "go_back: { steps: [{ sleep: 1ms }] }\n"})})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Validate(t.Context(), relayRegistry(), true); len(got.Broken) != 1 ||
		!strings.Contains(got.Diags[0].Message, "deliberately not there") {
		t.Errorf("%+v", got)
	}
	if _, err := set.Compose(relayRegistry()); err == nil || !strings.Contains(err.Error(), `"go_back"`) {
		t.Errorf("offered: %v", err)
	}
}

func TestArgumentsThatAreNull(t *testing.T) {
	t.Parallel()
	set, err := workflow.Open(workflow.Config{Path: writeFiles(t, map[string]string{"w.yaml": "w: { steps: [{ sleep: 1ms }] }\n"})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Arguments("w", []string{"a=b"}, "null"); err == nil || !strings.Contains(err.Error(), "--args") {
		t.Error(err)
	}
}

// The deadline of a run ends the evaluation of a condition. Without it, the loops of this one run
// for years.
func TestConditionsEndWithTheRun(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  timeout: 200ms
  steps:
    - { if: "let a = 1..100000; all(a, all(a, all(a, # > 0)))", call: up:echo }
short: { steps: [{ if: "count(1..10, # > 3 && any([1, 2], # == 2)) == 7 && filter([1, 2], # > 1)[0] == 2", set: { x: 1 } }] }
`)
	got := b.call(t, "w", "")
	if !got.Refused || !strings.Contains(resultText(got), "the time is up") {
		t.Error(resultText(got))
	}
	if got := b.ok(t, "short", ""); got != "done: 1 steps ok" {
		t.Error(got)
	}
}

// The results of a run are kept until its end, so there is a bound to all of them together.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  parameters: { items: { type: array, items: { type: integer }, required: true } }
  steps: [{ forEach: "{{ items }}", call: up:long, args: { bytes: 15000000 } }]
`)
	got := b.call(t, "w", `{"items":[1,2,3,4,5,6,7,8,9,10]}`)
	if !got.Refused || !strings.Contains(resultText(got), "exceed 128 MB") {
		t.Errorf("%v: %.300s", got.Refused, resultText(got))
	}
}
