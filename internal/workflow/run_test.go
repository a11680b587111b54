package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow"
)

const echoWorkflow = `
echo:
  parameters:
    s: { type: string }
    n: { type: number }
    mode: { type: string, enum: [fast, full] }
    obj: { type: object, properties: { k: { type: string } } }
  steps:
    - { id: e, call: up:echo, args: { s: "{{ s }}", n: "{{ n }}" } }
`

func sentCalls(t *testing.T, b *fixture) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(b.calls(t)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "begin "); ok {
			out = append(out, rest)
		}
	}
	return out
}

func TestDefaultOfAnEnum(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow)
	if got := b.ok(t, "echo", `{}`); got != `{"format":"png"}` {
		t.Error(got)
	}
}

func TestTextStaysText(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow+`
literal: { steps: [{ call: up:echo, args: { s: "0123", list: ["true", "1.10"], n: "7" } }] }
`)
	if got := b.ok(t, "echo", `{"s":"0123"}`); !strings.Contains(got, `"s":"0123"`) {
		t.Error(got)
	}
	if got := b.ok(t, "literal", `{}`); got != `{"format":"png","list":["true","1.10"],"n":7,"s":"0123"}` {
		t.Error(got)
	}
}

func TestAbsentIsLeftOut(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow+`
list: { parameters: { s: { type: string } }, steps: [{ call: up:echo, args: { list: ["a", "{{ s }}"] } }] }
`)
	if got := b.ok(t, "echo", `{"n":1}`); got != `{"format":"png","n":1}` {
		t.Error(got)
	}
	if got := b.ok(t, "list", `{}`); got != `{"format":"png","list":["a"]}` {
		t.Error(got)
	}
}

func TestPathsIntoResults(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  steps:
    - { call: up:echo, args: { s: one, list: [x, y] }, saveAs: first }
    - { call: up:echo, id: second, args: { s: "{{ first.structuredContent.args.list[1] }} {{ first.title }} {{ first.json.s }}" } }
  show: [second]
`)
	if got := b.ok(t, "w", `{}`); !strings.Contains(got, `"s":"y echoed one"`) {
		t.Error(got)
	}
}

const failingWorkflows = `
stops:
  steps:
    - { id: a, call: up:echo, args: { s: before } }
    - { id: b, call: up:fail }
    - { id: c, call: up:echo, args: { s: after } }
  finally:
    - { id: d, call: up:echo, args: { s: finally } }
goes_on:
  steps:
    - { id: b, call: up:fail, onError: continue }
    - { id: c, call: up:echo, args: { s: after } }
skips:
  steps:
    - { id: b, call: up:fail, onError: skipRest }
    - { id: c, call: up:echo, args: { s: after } }
`

func TestErrorStops(t *testing.T) {
	t.Parallel()
	b := serve(t, failingWorkflows)
	res := b.call(t, "stops", `{}`)
	if !res.Refused || strings.Contains(b.calls(t), "after") || !strings.Contains(b.calls(t), "finally") {
		t.Errorf("%v\n%s", resultText(res), b.calls(t))
	}
	if got := b.ok(t, "goes_on", `{}`); !strings.Contains(got,
		"also failed: workflow goes_on, step 1 (b), up:fail: the tool reports: it broke") ||
		!strings.Contains(got, `"s":"after"`) {
		t.Error(got)
	}
	if got := b.ok(t, "skips", `{}`); strings.Contains(got, "after") {
		t.Error(got)
	}
}

func TestFailureKeepsWhatWasFound(t *testing.T) {
	t.Parallel()
	b := serve(t, failingWorkflows)
	res := b.call(t, "stops", `{}`)
	got := resultText(res)
	if !strings.HasPrefix(got, "workflow stops, step 2 (b), up:fail: the tool reports: it broke") ||
		!strings.Contains(got, `"s":"before"`) {
		t.Error(got)
	}
	var envelope struct {
		Code, Tool string
		Error      struct{ Workflow, Step, ID, Call, Kind string }
		Steps      []string
	}
	if err := json.Unmarshal(res.Structured, &envelope); err != nil {
		t.Fatal(err)
	}
	if e := envelope.Error; envelope.Code != "FAILED" || e.Step != "2" || e.ID != "b" || e.Call != "up:fail" ||
		e.Kind != "tool" || len(envelope.Steps) != 3 {
		t.Errorf("%+v", envelope)
	}
}

func TestCancellingReachesTheServer(t *testing.T) {
	t.Parallel()
	b := serve(t, `w: { steps: [{ call: up:slow, args: { ms: 30000 } }, { call: up:echo, args: { s: never } }] }`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.session.Dispatch(ctx, toolkit.Request{Tool: "w"})
		done <- err
	}()
	eventually(t, "the call is under way", func() bool { return strings.Contains(b.calls(t), "begin slow") })
	cancel()
	if err := <-done; err == nil {
		t.Error("a cancelled call has a result")
	}
	eventually(t, "the server knows", func() bool { return strings.Contains(b.calls(t), "end slow true") })
	if strings.Contains(b.calls(t), "never") {
		t.Error("the next step ran")
	}
}

func TestVariables(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	self, _ := os.Executable()
	dir := writeFiles(t, map[string]string{
		"workflows.yaml": `w: { steps: [{ call: up:echo, args: { s: x } }] }`,
		".env":           serverVariable + "=\n" + logVariable + "=/nonexistent/x\n",
		".env.local":     serverVariable + "=1\n" + logVariable + "=" + log + "\n",
		"servers.json": `{"$schema": "https://example.com/servers.schema.json", "mcpServers": {
			"unused": {"url": "http://127.0.0.1:9/${NOBODY_SETS_THIS}"},
			"up": {"command": "` + self + `", "args": ["${TEST_FLAG_NOBODY_SETS:--test.run=^$}"],
			       "env": {"` + serverVariable + `": "${` + serverVariable + `}", "` + logVariable + `": "${` + logVariable + `}"}}}}`,
	})
	b := serveDir(t, dir, log)
	b.ok(t, "w", `{}`)
	if !strings.Contains(b.calls(t), "begin echo") {
		t.Error(".env.local does not beat .env")
	}
}

func TestSchemasAreTakenSeriously(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  parameters: { x: { type: string, required: true }, n: { type: integer } }
  steps: [{ call: up:echo, args: { either: "{{ x | parse }}", nullable: null } }]
`)
	if got := b.ok(t, "w", `{"x":"3"}`); !strings.Contains(got, `"either":3`) ||
		!strings.Contains(got, `"nullable":null`) {
		t.Error(got)
	}
	if got := resultText(b.call(t, "w", `{"x":"[1]"}`)); !strings.Contains(got,
		"/either: matches none of 2 alternatives") {
		t.Error(got)
	}
	bad, err := workflow.Open(workflow.Config{Path: writeFiles(t,
		map[string]string{"w.yaml": `w: { steps: [{ call: callsheet:navigate, args: { url: x, more: 1 } }] }`})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bad.Compose(builtinRegistry()); err == nil ||
		!strings.Contains(err.Error(), `unknown argument "more"`) {
		t.Error(err)
	}
}

func TestEnumsAreVisible(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow)
	if list := string(b.session.List()); !strings.Contains(list, `"mode":{"type":"string","enum":["fast","full"]}`) {
		t.Error(list)
	}
	res := b.call(t, "echo", `{"mode":"fats"}`)
	if !strings.Contains(resultText(res), `INVALID_ARGUMENTS: /mode: unknown value "fats" (did you mean "fast"?)`) ||
		b.calls(t) != "" {
		t.Errorf("%s\n%s", resultText(res), b.calls(t))
	}
}

func TestNoParametersNoContext(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w: { steps: [{ call: up:echo, args: { s: "{{ vars.nothing | \"empty\" }}" } }] }
good: { steps: [{ call: up:echo, args: { s: ok } }] }
leak: { steps: [{ call: up:echo, args: { s: "{{ requestId }}" } }] }
`)
	if got := b.ok(t, "good", ``); got != `{"format":"png","s":"ok"}` {
		t.Error(got)
	}
	if b.surface.Allows("leak") || b.surface.Allows("w") {
		t.Error("a workflow that refers to nothing is offered")
	}
}

func TestRoutersAreNotOffered(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow+"router: { externalServers: [up], prompt: Use it. }\n")
	if b.surface.Allows("router") || !strings.Contains(b.logs.String(), "write the calls as steps") {
		t.Error(b.logs.String())
	}
}

func TestPromptsAreNotOffered(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow+"told: { prompt: Use it., tools: [a, b] }\n")
	if b.surface.Allows("told") || !b.surface.Allows("echo") || !strings.Contains(b.logs.String(), "is a prompt, and a tool is a list of steps") {
		t.Error(b.logs.String())
	}
}

func TestColonCostsOneWorkflow(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow+"\"context7:get-docs\": { steps: [{ sleep: 1ms }] }\n")
	if !b.surface.Allows("echo") || !strings.Contains(b.logs.String(), "is not a valid workflow name") ||
		!strings.Contains(b.logs.String(), "workflows.yaml:10:1") {
		t.Error(b.logs.String())
	}
}

func TestAnyDirectoryOrAFile(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"odd name/a.yaml": "a: { steps: [{ sleep: 1ms }] }\n",
		"odd name/sub/b.yml": "b: { steps: [{ sleep: 1ms }] }\n"})
	for path, want := range map[string]int{"odd name": 2, "odd name/a.yaml": 1} {
		set, err := workflow.Open(workflow.Config{Path: filepath.Join(dir, path)})
		if err != nil || len(set.Workflows()) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{"missing": "no such file", ".": "", "empty": "no .yaml file"} {
		_ = os.Mkdir(filepath.Join(dir, "empty"), 0o755)
		if _, err := workflow.Open(workflow.Config{Path: filepath.Join(dir, path)}); want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestMoreThanOnePage(t *testing.T) {
	t.Parallel()
	b := serve(t, `w: { steps: [{ call: up:slow, args: { ms: 1 } }] }`) // the last of three pages
	if got := b.ok(t, "w", ``); got != "slept" {
		t.Error(got)
	}
}

func TestTimeoutsAreTheWorkflows(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	quick := strings.Replace(stdioServer(log), "{", `{"timeoutMs": 300, `, 1)
	dir := writeFiles(t, map[string]string{
		"workflows.yaml": `
server: { steps: [{ call: quick:slow, args: { ms: 20000 } }] }
step: { steps: [{ call: up:slow, args: { ms: 20000 }, timeout: 300ms }] }
whole: { timeout: 300ms, steps: [{ call: up:slow, args: { ms: 20000 } }] }
`, "servers.json": `{"servers": {"quick": ` + quick + `, "up": ` + stdioServer(log) + `}}`})
	b := serveDir(t, dir, log)
	for _, name := range []string{"server", "step", "whole"} {
		if res := b.call(t, name, ``); !res.Refused || !strings.Contains(string(res.Structured), `"code":"TIMEOUT"`) {
			t.Errorf("%s: %s %s", name, resultText(res), res.Structured)
		}
	}
}

func TestStructuredContentIsForwarded(t *testing.T) {
	t.Parallel()
	b := serve(t, echoWorkflow+`
two: { steps: [{ id: a, call: up:echo }, { id: b, call: up:echo }] }
declared:
  output: { n: { type: integer, required: true }, s: { type: string } }
  steps: [{ id: a, call: up:echo, args: { list: [x, y], s: "7" } }]
  return: { n: "{{ a.structuredContent.args.list | len }}", s: "{{ a.json.s }}" }
`)
	for name, want := range map[string]string{
		"echo":     `{"args":{"format":"png"},"title":"echoed"}`,
		"two":      `{"a":{"args":{"format":"png"},"title":"echoed"},"b":{"args":{"format":"png"},"title":"echoed"}}`,
		"declared": `{"n":2,"s":"7"}`,
	} {
		if got := string(b.call(t, name, ``).Structured); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if list := string(b.session.List()); !strings.Contains(list,
		`"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}`) {
		t.Error(list)
	}
}

func TestRunsDoNotInterleave(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	b := serveDir(t, writeFiles(t, map[string]string{
		"servers.json": strings.Replace(`{"servers": {"up": `+stdioServer(log)+`}}`, `"args"`,
			`"stateful": true, "args"`, 1),
		"w.yaml": `w: { parameters: { s: { type: string, required: true } }, steps: [{ call: up:echo, args: { s: "{{ s }}1" } }, { call: up:slow, args: { ms: 50 } }, { call: up:echo, args: { s: "{{ s }}2" } }] }`,
	}), log)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { b.call(t, "w", fmt.Sprintf(`{"s":"run%d-"}`, i)) })
	}
	wg.Wait()
	calls := sentCalls(t, b)
	for i := 0; i+2 < len(calls); i += 3 {
		first, last := calls[i], calls[i+2]
		if strings.Replace(first, "1\"}", "2\"}", 1) != last {
			t.Fatalf("runs interleave: %v", calls)
		}
	}
}

func TestBareTemplates(t *testing.T) {
	t.Parallel()
	b := serve(t, "w: \n  parameters: { full: { type: boolean } }\n  steps: [{ call: up:echo, args: { b: {{ full | true }} } }]\n")
	if got := b.ok(t, "w", ``) + b.ok(t, "w",
		`{"full":false}`); got != `{"b":true,"format":"png"}{"b":false,"format":"png"}` {
		t.Error(got)
	}
}

func TestHangingServerDelaysNoOtherCall(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	b := serveDir(t, writeFiles(t, map[string]string{
		"workflows.yaml": "hangs: { steps: [{ call: sleeper:x }] }\nwaits: { steps: [{ call: forever:x }] }\nworks: { steps: [{ call: up:echo }] }\n",
		"servers.json":   `{"servers": {"forever": {"command": "sleep", "args": ["600"], "startupTimeoutMs": 600000}, "sleeper": {"command": "sleep", "args": ["600"], "startupTimeoutMs": 1500}, "up": ` + stdioServer(log) + `}}`,
	}), log)
	if list := string(b.session.List()); !strings.Contains(list, `"hangs"`) || !strings.Contains(list, `"waits"`) {
		t.Error(list)
	}
	b.ok(t, "works", ``)
	if res := b.call(t, "hangs", ``); !res.Refused ||
		!strings.Contains(resultText(res), "workflow hangs is not available: sleeper") {
		t.Error(resultText(res))
	}
}

func TestKilledServerComesBack(t *testing.T) {
	t.Parallel()
	b := serve(t, "dies: { steps: [{ call: up:die }] }\nworks: { steps: [{ call: up:echo, args: { s: again } }] }\n")
	if res := b.call(t, "dies", ``); !res.Refused || !strings.Contains(string(res.Structured), `"kind":"transport"`) {
		t.Errorf("%s %s", resultText(res), res.Structured)
	}
	if got := b.ok(t, "works", ``); !strings.Contains(got, "again") {
		t.Error(got)
	}
}
