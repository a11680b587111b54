package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/proxy"
	"github.com/callsheet/callsheet/gen/remote"
)

// buffer collects what a program writes while a test reads it.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// proxyOf starts the proxy of the manifest in dir.
func proxyOf(t *testing.T, program, dir string, environment []string, flags ...string) (*remote.Client, *buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stderr := new(buffer)
	c, err := remote.Connect(ctx, remote.Source{Command: append([]string{program, "proxy", "-C", dir}, flags...)},
		remote.Options{Env: append(os.Environ(), environment...), Stderr: stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, stderr
}

// ask calls a tool and returns the result, or the error of the protocol.
func ask(t *testing.T, c *remote.Client, tool, args string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	raw, err := c.Call(ctx, tool, []byte(args), nil)
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return "error: " + rpc.Message
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func has(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q is missing in\n%s", w, got)
		}
	}
}

// awaitText waits until a program has written the text.
func awaitText(t *testing.T, output *buffer, text string) {
	t.Helper()
	waitFor(t, "the program does not write "+text, func() bool { return strings.Contains(output.String(), text) })
}

func listed(t *testing.T, c *remote.Client) []string {
	t.Helper()
	list, err := proxy.List(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func edit(t *testing.T, file string, pairs ...string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s lacks %q", file, pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	if err := output.Replace(file, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

const (
	ada   = `{"entities":[{"name":"Ada","entityType":"person","observations":[]}]}`
	erase = `{"entityNames":["Ada"]}`
)

// checkGates shows that a manifest alone puts facts, scopes, powers and deferrals around the tools of a server from npm.
func checkGates(t *testing.T, modules, program string) {
	dir := t.TempDir()
	variables := []string{"MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.jsonl")}
	importPeer(t, program, dir, []string{"node", filepath.Join(modules, ".bin", "mcp-server-memory")}, variables)
	edit(t, filepath.Join(dir, "manifest/tools.yaml"), "\nscopes:\n", `
facts: {has_graph: Something was written.}
scenarios: {empty: []}
surfaces: {erase: {description: Erases what was written.}}
powers: {erase_entities: {description: Erase entities., surface: erase, changes: true}}
cli: {program: memory}
scopes:
  wide: {status: open, since: "0.1.0"}
`)
	area := filepath.Join(dir, "manifest/tools/memory_server.yaml")
	data, err := os.ReadFile(area)
	if err != nil {
		t.Fatal(err)
	}
	entries := strings.Split(strings.TrimPrefix(string(data), "tools:\n"), "\n\n")
	for i, e := range entries {
		replace := func(old, new string) { entries[i] = strings.Replace(entries[i], old, new, 1) }
		replace("scope: default", "scope: [wide, default]")
		switch {
		case strings.Contains(e, "name: create_entities"):
			replace("visible: always", "visible: always\n    changes: {sets: [has_graph]}")
		case strings.Contains(e, "name: read_graph"):
			replace("visible: always", "visible: has_graph")
		case strings.Contains(e, "name: delete_entities"):
			replace("visible: always", "visible: always\n    changes: {clears: [has_graph]}\n    surfaces: [erase]\n    powers: {erase_entities: always}")
		case strings.Contains(e, "name: open_nodes"):
			replace("[wide, default]", "wide")
		case strings.Contains(e, "name: delete_relations"):
			entries[i] = "  - name: delete_relations\n    capability: core\n    scope: wide\n    deferred:\n      reason: relations are kept for the record\n" +
				"      cli_equivalent: {verb: read-graph}\n      since: \"0.1.0\"\n      surfaces: []\n"
		}
	}
	if err := output.Replace(area, []byte("tools:\n"+strings.Join(entries, "\n\n"))); err != nil {
		t.Fatal(err)
	}

	c, _ := proxyOf(t, program, dir, variables)
	if names := listed(t, c); slices.Contains(names, "read_graph") || slices.Contains(names, "delete_relations") || !slices.Contains(names, "open_nodes") {
		t.Errorf("at the beginning the list is %q", names)
	}
	has(t, ask(t, c, "read_graph", `{}`), "TOOL_NOT_VISIBLE", `"unmet":["has_graph"]`, `"via":["create_entities"]`)
	has(t, ask(t, c, "create_entities", ada), "Ada")
	if names := listed(t, c); !slices.Contains(names, "read_graph") {
		t.Errorf("with a graph the list is %q", names)
	}
	has(t, ask(t, c, "read_graph", `{}`), `"relations":[]`)
	has(t, ask(t, c, "delete_relations", `{"relations":[]}`), "relations are kept for the record", `"isError":true`)
	has(t, ask(t, c, "create_entities", `{"entities":"none"}`), "INVALID_ARGUMENTS", `"path":"/entities"`)

	narrow, _ := proxyOf(t, program, dir, variables, "--scope", "default", "--disable-surfaces", "erase")
	has(t, ask(t, narrow, "open_nodes", `{"names":[]}`), `error: unknown tool "open_nodes"`)
	has(t, ask(t, narrow, "delete_entities", erase), "TOOL_DISABLED", "--disable-surfaces", `"isError":true`)
	has(t, ask(t, c, "read_graph", `{}`), "Ada") // nothing was erased
	has(t, ask(t, c, "delete_entities", erase), "deleted successfully")
}

// A server that is gone or has become another one is said so, with its own words.
func TestProxyOfAnotherServer(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		missing(t, "the server is a script of node, which is missing")
	}
	script, err := filepath.Abs("testdata/peers/dying.js")
	if err != nil {
		t.Fatal(err)
	}
	program, dir := programPath(t), t.TempDir()
	importPeer(t, program, dir, []string{"node", script}, nil)
	root, record := filepath.Join(dir, "manifest/tools.yaml"), filepath.Join(dir, "manifest/upstream.json")

	c, _ := proxyOf(t, program, dir, nil)
	has(t, ask(t, c, "live", `{}`), `{"content":[{"type":"text","text":"alive"}],"_meta":{"pid":1}}`)
	for range 4 {
		has(t, ask(t, c, "die", `{}`), "FAILED", "exit status 4", "the disk is full")
	}
	has(t, ask(t, c, "live", `{}`), "was started 4 times and is not started again")

	c, stderr := proxyOf(t, program, dir, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.Call(ctx, "wait", []byte(`{}`), nil)
	}()
	awaitText(t, stderr, "waiting") // the server has the call
	cancel()
	<-done
	awaitText(t, stderr, "cancelled ")

	has(t, ask(t, c, "grow", `{}`), "alive")
	has(t, ask(t, c, "live", `{}`), "FAILED", `tool \"live\" has changed:\n`, `\n+    \"required\": [\n+      \"why\"\n`, "the call was not passed on", "toolgen import --update")
	has(t, ask(t, c, "grow", `{}`), "alive") // the same server
	other, _ := proxyOf(t, program, dir, nil)
	has(t, ask(t, other, "live", `{}`), "alive") // a process of its own, whose list is the recorded one

	edit(t, record, `"name": "live",`, `"name": "live", "title": "Older",`)
	out, err := exec.Command(program, "proxy", "-C", dir).CombinedOutput()
	if err == nil {
		t.Error("a changed server is served")
	}
	has(t, string(out), `tool "live" has changed:`, `-  "title": "Older"`, "toolgen import --update", "--unchanged-only")
	c, stderr = proxyOf(t, program, dir, nil, "--unchanged-only")
	if names := listed(t, c); slices.Contains(names, "live") || !slices.Contains(names, "die") {
		t.Errorf("the unchanged tools are %q", names)
	}
	awaitText(t, stderr, `not served: tool "live" has changed`) // standard error comes by another way than answers

	edit(t, root, "dying.js]", "dying.js, now]")
	out, err = exec.Command(program, "proxy", "-C", dir).CombinedOutput()
	if err == nil {
		t.Error("a server that does not start is served")
	}
	has(t, string(out), "exit status 3", "no licence was found")
	edit(t, root, "command: [node", "command: [no-such-program")
	out, _ = exec.Command(program, "proxy", "-C", dir).CombinedOutput()
	has(t, string(out), "no-such-program", "not found")
}
