package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/remote"
)

// streamable is a server of the protocol over HTTP that wants a bearer token and can lose its sessions.
type streamable struct {
	*httptest.Server
	handler atomic.Value // of http.Handler
	calls   atomic.Int64
}

func serveStreamable(t *testing.T, token string) *streamable {
	t.Helper()
	s := &streamable{}
	s.loseSessions()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "a token is needed", http.StatusUnauthorized)
			return
		}
		s.handler.Load().(http.Handler).ServeHTTP(w, r)
	}))
	t.Cleanup(s.CloseClientConnections)
	return s
}

// loseSessions forgets every session, as a server does that is started again.
func (s *streamable) loseSessions() {
	server := mcp.NewServer(&mcp.Implementation{Name: "counter", Version: "1"}, nil)
	var count atomic.Int64
	yes, no := true, false
	server.AddTool(&mcp.Tool{
		Name: "count-up", Description: "Counts the calls of the session.", InputSchema: json.RawMessage(`{"type":"object","properties":{"by":{"type":"integer"}}}`),
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &yes, IdempotentHint: false},
	}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.calls.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("count: %d", count.Add(1))}}}, nil
	})
	s.handler.Store(http.Handler(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)))
}

// A server over HTTP is imported, served and compared with a token of the environment. One that has lost its
// sessions gets another; one that refuses the token, or is gone, is said so.
func TestHTTPUpstream(t *testing.T) {
	program, dir := programPath(t), t.TempDir()
	s := serveStreamable(t, "secret-4711")
	run := func(environment []string, args ...string) (string, error) {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), environment...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	fails := func(out string, err error) string {
		t.Helper()
		if err == nil {
			t.Errorf("it succeeds:\n%s", out)
		}
		return out
	}
	token := []string{"COUNTER_TOKEN=secret-4711"}
	imported := []string{"import", "-C", dir, "--url", s.URL, "--effects", "protocol"}
	header := []string{"--header", "Authorization=Bearer ${COUNTER_TOKEN}"}
	has(t, fails(run(token, imported...)), "Unauthorized", s.URL)
	has(t, fails(run(nil, append(imported, header...)...)), "header Authorization: the environment lacks COUNTER_TOKEN")
	has(t, fails(run([]string{"COUNTER_TOKEN=another"}, append(imported, header...)...)), "Unauthorized")
	if out, err := run(token, append(imported, header...)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root := filepath.Join(dir, "manifest/tools.yaml")
	if data, err := os.ReadFile(root); err != nil || strings.Contains(string(data), "secret-4711") || !strings.Contains(string(data), `Authorization: "Bearer ${COUNTER_TOKEN}"`) {
		t.Errorf("%s %v", data, err)
	}

	c, _ := proxyOf(t, program, dir, token)
	has(t, ask(t, c, "count_up", `{"by":1}`), `{"content":[{"type":"text","text":"count: 1"}]}`)
	has(t, ask(t, c, "count_up", `{"by":"x"}`), "INVALID_ARGUMENTS")
	s.loseSessions()
	has(t, ask(t, c, "count_up", `{}`), "FAILED", "session not found")
	has(t, ask(t, c, "count_up", `{}`), "count: 1")
	if n := s.calls.Load(); n != 2 {
		t.Errorf("the server has run %d calls, and not 2", n)
	}

	list := filepath.Join(dir, "list.json")
	if out, err := run(nil, "breaking", s.URL, s.URL, "--header", "Authorization: Bearer secret-4711", "--save", list); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	has(t, fails(run(nil, "breaking", s.URL, s.URL)), "401")

	has(t, fails(run(nil, "proxy", "-C", dir)), "header Authorization: the environment lacks COUNTER_TOKEN")
	has(t, fails(run([]string{"COUNTER_TOKEN=another"}, "proxy", "-C", dir)), "Unauthorized")
	s.Close()
	// The cause depends on whether the client has seen its idle connection end: "EOF" or "connection refused".
	has(t, ask(t, c, "count_up", `{}`), "FAILED", "the upstream ("+s.URL+") has ended")
	has(t, fails(run(token, "proxy", "-C", dir)), s.URL, "connection refused")
	has(t, fails(run(token, "breaking", s.URL, s.URL)), s.URL, "connection refused")
}

// The results of a server from npm over HTTP are passed on to the byte.
func TestHTTPPeer(t *testing.T) {
	if os.Getenv("TOOLGEN_PEERS") == "" {
		t.Skip("runs where TOOLGEN_PEERS is set: make proxy-peers")
	}
	modules := installPackages(t, "testdata/peers")
	program, dir := programPath(t), t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close() // the server takes no port 0
	address := fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	start := func() (stop func()) {
		cmd := exec.Command("node", filepath.Join(modules, ".bin", "mcp-server-everything"), "streamableHttp")
		cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the server does not listen", func() bool {
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err == nil {
				_ = conn.Close()
			}
			return err == nil
		})
		return func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	stop := start()
	defer func() { stop() }()
	if out, err := exec.Command(program, "import", "-C", dir, "--url", address, "--effects", "protocol").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	calls := readCalls(t, "testdata/peers/everything.calls", strings.NewReplacer())
	direct := answers(t, remote.Source{URL: address}, nil, calls)
	proxied := answers(t, remote.Source{Command: []string{program, "proxy", "-C", dir}}, nil, calls)
	equal := 0
	random := regexp.MustCompile(`created at [0-9:]+ [AP]M|"blob":"UmVzb3VyY2U[^"]*"|for session [0-9a-f-]{36}`) // the time of day, and names of sessions
	for i, c := range calls {
		a, b := random.ReplaceAllString(direct[i], "RANDOM"), random.ReplaceAllString(proxied[i], "RANDOM")
		if a != b {
			t.Errorf("call %d, %s %s\nserver: %.600s\nproxy:  %.600s", i+1, c.tool, c.args, a, b)
			continue
		}
		equal++
	}
	t.Logf("everything over HTTP: %d of %d results are equal to the byte", equal, len(calls))

	c, _ := proxyOf(t, program, dir, nil)
	has(t, ask(t, c, "echo", `{"message":"one"}`), "Echo: one")
	stop()
	has(t, ask(t, c, "echo", `{"message":"two"}`), "FAILED", "has ended")
	stop = start()
	has(t, ask(t, c, "echo", `{"message":"three"}`), "FAILED", "session not found")
	has(t, ask(t, c, "echo", `{"message":"four"}`), "Echo: four")
}

// waitFor polls a condition that another process makes true.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(end) {
			t.Fatal(what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
