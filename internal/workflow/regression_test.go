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
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow"
)

// The tests below are the defects of the system before this one, in the order of its regression list.

const echoes = `
echo:
  parameters:
    s: { type: string }
    n: { type: number }
    mode: { type: string, enum: [fast, full] }
    obj: { type: object, properties: { k: { type: string } } }
  steps:
    - { id: e, call: up:echo, args: { s: "{{ s }}", n: "{{ n }}" } }
`

func sent(t *testing.T, b *bench) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(b.notes(t)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "begin "); ok {
			out = append(out, rest)
		}
	}
	return out
}

func TestRegression01DefaultOfAnEnum(t *testing.T) {
	t.Parallel()
	b := serve(t, echoes)
	if got := b.ok(t, "echo", `{}`); got != `{"format":"png"}` {
		t.Error(got)
	}
}

func TestRegression02TextStaysText(t *testing.T) {
	t.Parallel()
	b := serve(t, echoes+`
literal: { steps: [{ call: up:echo, args: { s: "0123", list: ["true", "1.10"], n: "7" } }] }
`)
	if got := b.ok(t, "echo", `{"s":"0123"}`); !strings.Contains(got, `"s":"0123"`) {
		t.Error(got)
	}
	if got := b.ok(t, "literal", `{}`); got != `{"format":"png","list":["true","1.10"],"n":7,"s":"0123"}` {
		t.Error(got)
	}
}

func TestRegression03AbsentIsLeftOut(t *testing.T) {
	t.Parallel()
	b := serve(t, echoes+`
list: { parameters: { s: { type: string } }, steps: [{ call: up:echo, args: { list: ["a", "{{ s }}"] } }] }
`)
	if got := b.ok(t, "echo", `{"n":1}`); got != `{"format":"png","n":1}` {
		t.Error(got)
	}
	if got := b.ok(t, "list", `{}`); got != `{"format":"png","list":["a"]}` {
		t.Error(got)
	}
}

func TestRegression04PathsIntoResults(t *testing.T) {
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

const failing = `
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

func TestRegression05AnErrorStops(t *testing.T) {
	t.Parallel()
	b := serve(t, failing)
	res := b.call(t, "stops", `{}`)
	if !res.Refused || strings.Contains(b.notes(t), "after") || !strings.Contains(b.notes(t), "finally") {
		t.Errorf("%v\n%s", texts(res), b.notes(t))
	}
	if got := b.ok(t, "goes_on", `{}`); !strings.Contains(got, "also failed: workflow goes_on, step 1 (b), up:fail: the tool reports: it broke") ||
		!strings.Contains(got, `"s":"after"`) {
		t.Error(got)
	}
	if got := b.ok(t, "skips", `{}`); strings.Contains(got, "after") {
		t.Error(got)
	}
}

func TestRegression06AFailureKeepsWhatWasFound(t *testing.T) {
	t.Parallel()
	b := serve(t, failing)
	res := b.call(t, "stops", `{}`)
	got := texts(res)
	if !strings.HasPrefix(got, "workflow stops, step 2 (b), up:fail: the tool reports: it broke") || !strings.Contains(got, `"s":"before"`) {
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
	if e := envelope.Error; envelope.Code != "FAILED" || e.Step != "2" || e.ID != "b" || e.Call != "up:fail" || e.Kind != "tool" || len(envelope.Steps) != 3 {
		t.Errorf("%+v", envelope)
	}
}

func TestRegression07CancellingReachesTheServer(t *testing.T) {
	t.Parallel()
	b := serve(t, `w: { steps: [{ call: up:slow, args: { ms: 30000 } }, { call: up:echo, args: { s: never } }] }`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.session.Dispatch(ctx, toolkit.Request{Tool: "w"})
		done <- err
	}()
	eventually(t, "the call is under way", func() bool { return strings.Contains(b.notes(t), "begin slow") })
	cancel()
	if err := <-done; err == nil {
		t.Error("a cancelled call has a result")
	}
	eventually(t, "the server knows", func() bool { return strings.Contains(b.notes(t), "end slow true") })
	if strings.Contains(b.notes(t), "never") {
		t.Error("the next step ran")
	}
}

func TestRegression08To10Variables(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	self, _ := os.Executable()
	dir := directory(t, map[string]string{
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
	if !strings.Contains(b.notes(t), "begin echo") {
		t.Error(".env.local does not beat .env")
	}
}

func TestRegression11SchemasAreTakenSeriously(t *testing.T) {
	t.Parallel()
	b := serve(t, `
w:
  parameters: { x: { type: string, required: true }, n: { type: integer } }
  steps: [{ call: up:echo, args: { either: "{{ x | parse }}", nullable: null } }]
`)
	if got := b.ok(t, "w", `{"x":"3"}`); !strings.Contains(got, `"either":3`) || !strings.Contains(got, `"nullable":null`) {
		t.Error(got)
	}
	if got := texts(b.call(t, "w", `{"x":"[1]"}`)); !strings.Contains(got, "/either: matches none of 2 alternatives") {
		t.Error(got)
	}
	bad, err := workflow.Open(workflow.Config{Path: directory(t, map[string]string{"w.yaml": `w: { steps: [{ call: callsheet:navigate, args: { url: x, more: 1 } }] }`})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bad.Compose(own()); err == nil || !strings.Contains(err.Error(), `unknown argument "more"`) {
		t.Error(err)
	}
}

func TestRegression12EnumsAreVisible(t *testing.T) {
	t.Parallel()
	b := serve(t, echoes)
	if list := string(b.session.List()); !strings.Contains(list, `"mode":{"type":"string","enum":["fast","full"]}`) {
		t.Error(list)
	}
	res := b.call(t, "echo", `{"mode":"fats"}`)
	if !strings.Contains(texts(res), `INVALID_ARGUMENTS: /mode: unknown value "fats" (did you mean "fast"?)`) || b.notes(t) != "" {
		t.Errorf("%s\n%s", texts(res), b.notes(t))
	}
}

func TestRegression13NoParametersNoContext(t *testing.T) {
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

func TestRegression14RoutersAreNotOffered(t *testing.T) {
	t.Parallel()
	b := serve(t, echoes+"router: { externalServers: [up], prompt: Use it. }\n")
	if b.surface.Allows("router") || !strings.Contains(b.logged.String(), "write the calls as steps") {
		t.Error(b.logged.String())
	}
}

func TestRegression15ToolsAsAList(t *testing.T) {
	t.Parallel()
	b := serve(t, `
p: { prompt: "Look at {{ topic }}.", context: Be brief., toolMode: sequential, tools: [first, second], parameters: { topic: { type: string } } }
q: { prompt: Hi, tools: "a, b" }
r: { prompt: Hi, tools: { a: { description: does a, prompt: now }, b: does b } }
`)
	if got := b.ok(t, "p", `{"topic":"x"}`); got != "Look at x.\n\nBe brief.\n\nAvailable tools:\n1. first\n2. second" {
		t.Error(got)
	}
	if got := b.ok(t, "p", `{}`); !strings.HasPrefix(got, "Look at .") {
		t.Error(got)
	}
	if got := b.ok(t, "r", ``); !strings.Contains(got, "- a: does a now\n- b: does b") {
		t.Error(got)
	}
}

func TestRegression16AColonCostsOneWorkflow(t *testing.T) {
	t.Parallel()
	b := serve(t, echoes+"\"context7:get-docs\": { prompt: x }\n")
	if !b.surface.Allows("echo") || !strings.Contains(b.logged.String(), "is not a valid workflow name") || !strings.Contains(b.logged.String(), "workflows.yaml:10:1") {
		t.Error(b.logged.String())
	}
}

func TestRegression17AnyDirectoryOrAFile(t *testing.T) {
	t.Parallel()
	dir := directory(t, map[string]string{"odd name/a.yaml": "a: { prompt: x }\n", "odd name/sub/b.yml": "b: { prompt: x }\n"})
	for path, want := range map[string]int{"odd name": 2, "odd name/a.yaml": 1} {
		set, err := workflow.Open(workflow.Config{Path: filepath.Join(dir, path)})
		if err != nil || len(set.Workflows()) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{"missing": "no such file", ".": "", "empty": "no .yaml file"} {
		_ = os.Mkdir(filepath.Join(dir, "empty"), 0o755)
		if _, err := workflow.Open(workflow.Config{Path: filepath.Join(dir, path)}); want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRegression19MoreThanOnePage(t *testing.T) {
	t.Parallel()
	b := serve(t, `w: { steps: [{ call: up:slow, args: { ms: 1 } }] }`) // the last of three pages
	if got := b.ok(t, "w", ``); got != "slept" {
		t.Error(got)
	}
}

func TestRegression20TimeoutsAreTheWorkflows(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	quick := strings.Replace(stdioServer(log), "{", `{"timeoutMs": 300, `, 1)
	dir := directory(t, map[string]string{
		"workflows.yaml": `
server: { steps: [{ call: quick:slow, args: { ms: 20000 } }] }
step: { steps: [{ call: up:slow, args: { ms: 20000 }, timeout: 300ms }] }
whole: { timeout: 300ms, steps: [{ call: up:slow, args: { ms: 20000 } }] }
`, "servers.json": `{"servers": {"quick": ` + quick + `, "up": ` + stdioServer(log) + `}}`})
	b := serveDir(t, dir, log)
	for _, name := range []string{"server", "step", "whole"} {
		if res := b.call(t, name, ``); !res.Refused || !strings.Contains(string(res.Structured), `"code":"TIMEOUT"`) {
			t.Errorf("%s: %s %s", name, texts(res), res.Structured)
		}
	}
}

func TestRegression21StructuredContentIsForwarded(t *testing.T) {
	t.Parallel()
	b := serve(t, echoes+`
two: { steps: [{ id: a, call: up:echo }, { id: b, call: up:echo }] }
declared:
  output: { n: { type: integer, required: true }, s: { type: string } }
  steps: [{ id: a, call: up:echo, args: { list: [x, y], s: "7" } }]
  return: { n: "{{ a.structuredContent.args.list | len }}", s: "{{ a.json.s }}" }
`)
	for name, want := range map[string]string{
		"echo": `{"args":{"format":"png"},"title":"echoed"}`,
		"two":  `{"a":{"args":{"format":"png"},"title":"echoed"},"b":{"args":{"format":"png"},"title":"echoed"}}`, "declared": `{"n":2,"s":"7"}`,
	} {
		if got := string(b.call(t, name, ``).Structured); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if list := string(b.session.List()); !strings.Contains(list, `"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}`) {
		t.Error(list)
	}
}

func TestRegression22RunsDoNotInterleave(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	b := serveDir(t, directory(t, map[string]string{
		"servers.json": strings.Replace(`{"servers": {"up": `+stdioServer(log)+`}}`, `"args"`, `"stateful": true, "args"`, 1),
		"w.yaml":       `w: { parameters: { s: { type: string, required: true } }, steps: [{ call: up:echo, args: { s: "{{ s }}1" } }, { call: up:slow, args: { ms: 50 } }, { call: up:echo, args: { s: "{{ s }}2" } }] }`,
	}), log)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { b.call(t, "w", fmt.Sprintf(`{"s":"run%d-"}`, i)) })
	}
	wg.Wait()
	calls := sent(t, b)
	for i := 0; i+2 < len(calls); i += 3 {
		first, last := calls[i], calls[i+2]
		if strings.Replace(first, "1\"}", "2\"}", 1) != last {
			t.Fatalf("runs interleave: %v", calls)
		}
	}
}

func TestRegression23BareTemplates(t *testing.T) {
	t.Parallel()
	b := serve(t, "w: \n  parameters: { full: { type: boolean } }\n  steps: [{ call: up:echo, args: { b: {{ full | true }} } }]\n")
	if got := b.ok(t, "w", ``) + b.ok(t, "w", `{"full":false}`); got != `{"b":true,"format":"png"}{"b":false,"format":"png"}` {
		t.Error(got)
	}
}

func TestRegression24AHangingServerDelaysNobody(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "calls")
	begun := time.Now()
	b := serveDir(t, directory(t, map[string]string{
		"workflows.yaml": "hangs: { steps: [{ call: sleeper:x }] }\nworks: { steps: [{ call: up:echo }] }\n",
		"servers.json":   `{"servers": {"sleeper": {"command": "sleep", "args": ["600"], "startupTimeoutMs": 1500}, "up": ` + stdioServer(log) + `}}`,
	}), log)
	if list := string(b.session.List()); !strings.Contains(list, `"hangs"`) || time.Since(begun) > time.Second {
		t.Errorf("after %v: %s", time.Since(begun), list)
	}
	b.ok(t, "works", ``)
	if res := b.call(t, "hangs", ``); !res.Refused || !strings.Contains(texts(res), "workflow hangs is not available: sleeper") {
		t.Error(texts(res))
	}
}

func TestRegression26AKilledServerComesBack(t *testing.T) {
	t.Parallel()
	b := serve(t, "dies: { steps: [{ call: up:die }] }\nworks: { steps: [{ call: up:echo, args: { s: again } }] }\n")
	if res := b.call(t, "dies", ``); !res.Refused || !strings.Contains(string(res.Structured), `"kind":"transport"`) {
		t.Errorf("%s %s", texts(res), res.Structured)
	}
	if got := b.ok(t, "works", ``); !strings.Contains(got, "again") {
		t.Error(got)
	}
}
