package remote_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/remote"
)

// serveVariable makes this test program a server on stdio, of the kind that it names.
const serveVariable = "REMOTE_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(serveVariable) {
	case "":
		os.Exit(m.Run())
	case "good":
		fmt.Println("a banner on stdout")
		_ = newServer().Run(context.Background(), &mcp.StdioTransport{})
	case "dies":
		fmt.Fprintln(os.Stderr, "cannot find the file settings.json")
		os.Exit(7)
	case "silent":
		fmt.Fprintln(os.Stderr, "waiting for a database")
		report()
		select {} // the test kills it
	case "child": // starts another process and hangs like it
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), serveVariable+"=silent")
		_ = child.Start()
		select {} // the test kills it
	}
}

// report says to the test, by a connection that lasts as long as the process, that the process has got
// this far.
func report() {
	conn, err := net.Dial("tcp", os.Getenv("TEST_ADDRESS"))
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(conn, os.Getpid())
	go func() { _, _ = io.Copy(io.Discard, conn) }() // keeps the connection
}

// hang reads a server that never answers until the process at its end reports, and returns the report's
// connection and the error.
func hang(t *testing.T, kind string) (conn net.Conn, err error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	src, opts := command(kind)
	opts.Env = append(opts.Env, "TEST_ADDRESS="+l.Addr().String())
	ctx, cancel := context.WithCancelCause(t.Context())
	conns := make(chan net.Conn, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			cancel(err)
			return
		}
		_, _ = bufio.NewReader(conn).ReadString('\n') // an end reports too
		conns <- conn
		cancel(errors.New("the test has seen enough"))
	}()
	_, err = remote.Read(ctx, src, opts)
	conn = <-conns
	t.Cleanup(func() { _ = conn.Close() })
	return conn, err
}

// schema has its members in an order that no encoder of maps keeps, and one that the SDK does not know.
const schema = `{"type":"object","required":["z","a"],"properties":{"z":{"type":"string","x-unknown":1},"a":{"enum":["<b>",2,null]}}}`

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "fixture", Version: "1.2.3"}, &mcp.ServerOptions{Instructions: "be gentle", PageSize: 2})
	for i := range 5 {
		s.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool_%d", i), InputSchema: json.RawMessage(schema)}, nil)
	}
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}}, nil)
	s.AddResource(&mcp.Resource{Name: "readme", URI: "file:///readme"}, nil)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "file", URITemplate: "file:///{path}"}, nil)
	return s
}

func names(items []remote.Item) []string {
	out := []string{}
	for _, i := range items {
		out = append(out, i.Name)
	}
	return out
}

func checkFixture(t *testing.T, s *remote.Server) {
	t.Helper()
	if s.ServerName() != "fixture" || s.Version() != "1.2.3" || s.Instructions != "be gentle" || s.ProtocolVersion == "" {
		t.Errorf("%s %s %q %q", s.Info, s.Capabilities, s.Instructions, s.ProtocolVersion)
	}
	want := [][]string{{"tool_0", "tool_1", "tool_2", "tool_3", "tool_4"}, {"greet"}, {"file:///readme"}, {"file:///{path}"}}
	if d := cmp.Diff(want, [][]string{names(s.Tools), names(s.Prompts), names(s.Resources), names(s.Templates)}); d != "" {
		t.Fatal(d)
	}
	if !strings.Contains(string(s.Tools[4].Raw), `"inputSchema":`+schema) {
		t.Errorf("the schema is not as it was sent: %s", s.Tools[4].Raw)
	}
}

func command(kind string) (remote.Source, remote.Options) {
	return remote.Source{Command: []string{os.Args[0]}}, remote.Options{Env: append(os.Environ(), serveVariable+"="+kind), Timeout: time.Minute}
}

func TestReadCommand(t *testing.T) {
	t.Parallel()
	src, opts := command("good")
	s, err := remote.Read(t.Context(), src, opts)
	if err != nil {
		t.Fatal(err)
	}
	checkFixture(t, s)
}

// A server that dies is quoted.
func TestServerDies(t *testing.T) {
	t.Parallel()
	src, opts := command("dies")
	_, err := remote.Read(t.Context(), src, opts)
	if err == nil || !strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "cannot find the file settings.json") {
		t.Errorf("%v", err)
	}
	_, err = remote.Read(t.Context(), remote.Source{Command: []string{"no-such-program-anywhere"}}, remote.Options{})
	if err == nil || !strings.Contains(err.Error(), "start the server") {
		t.Errorf("%v", err)
	}
}

// A server that does not answer is ended at the deadline or when its caller gives up, and quoted.
func TestServerIsSilent(t *testing.T) {
	t.Parallel()
	src, opts := command("silent")
	opts.Timeout = time.Millisecond
	if _, err := remote.Read(t.Context(), src, opts); err == nil || !strings.Contains(err.Error(), "no complete answer within 1ms") {
		t.Errorf("%v", err)
	}
	if _, err := hang(t, "silent"); err == nil || !strings.Contains(err.Error(), "the test has seen enough") || !strings.Contains(err.Error(), "waiting for a database") {
		t.Errorf("%v", err)
	}
}

// No process is left, not even one that the server started: the connection of the latter ends with it.
func TestNoProcessIsLeft(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("only a group of processes can be ended after its leader has")
	}
	conn, err := hang(t, "child")
	if err == nil {
		t.Error("a list was read")
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
}

func TestReadHTTP(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*mcp.StreamableHTTPOptions{"events": nil, "json": {JSONResponse: true}, "stateless": {Stateless: true, JSONResponse: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newServer() }, opts)
			ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer abc" {
					http.Error(w, "who are you?", http.StatusUnauthorized)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			defer ts.Close()
			s, err := remote.Read(t.Context(), remote.Source{URL: ts.URL}, remote.Options{Header: http.Header{"authorization": {"Bearer abc"}}})
			if err != nil {
				t.Fatal(err)
			}
			checkFixture(t, s)
			_, err = remote.Read(t.Context(), remote.Source{URL: ts.URL}, remote.Options{})
			if err == nil || !strings.Contains(err.Error(), `401 Unauthorized "who are you?"`) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A header goes to the host that it was given for.
func TestHeadersStayWithTheirHost(t *testing.T) {
	t.Parallel()
	leaked := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked <- r.Header.Get("X-Key") }))
	defer other.Close()
	ts := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer ts.Close()
	if _, err := remote.Read(t.Context(), remote.Source{URL: ts.URL}, remote.Options{Header: http.Header{"X-Key": {"secret"}}}); err == nil {
		t.Error("a list was read")
	}
	if key := <-leaked; key != "" {
		t.Errorf("the other host got %q", key)
	}
}

// The pages of a server that always names another one end with an error.
func TestPagesThatDoNotEnd(t *testing.T) {
	t.Parallel()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}`, m.ID)
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"again"}}`, m.ID)
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
		}
	}))
	defer ts.Close()
	_, err := remote.Read(t.Context(), remote.Source{URL: ts.URL}, remote.Options{})
	if err == nil || !strings.Contains(err.Error(), `the pages do not end`) {
		t.Errorf("%v", err)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	tool := `{"name": "a",  "inputSchema": {"type":"object"}}`
	for _, text := range []string{
		`{"tools": [` + tool + `]}`, `[` + tool + `]`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + tool + `]}}`, "\xef\xbb\xbf[" + tool + "]\n",
	} {
		s, err := remote.Decode([]byte(text))
		if err != nil || len(s.Tools) != 1 || string(s.Tools[0].Raw) != tool || s.Prompts != nil {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for text, want := range map[string]string{
		``: "it is not JSON", `{"tools": 1}`: `"tools" is no array`, `{}`: "has none of the lists", `3`: "neither an object nor an array",
		`{"tools": [{"inputSchema": {}}]}`: `entry 1 of "tools" has no "name"`, `{"error": {"code": 1}}`: "an error of JSON-RPC",
	} {
		if _, err := remote.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A server reads back as it was written, byte by byte.
func TestEncode(t *testing.T) {
	t.Parallel()
	src, opts := command("good")
	s, err := remote.Read(t.Context(), src, opts)
	if err != nil {
		t.Fatal(err)
	}
	text, err := remote.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "server.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := remote.Read(t.Context(), remote.Source{File: file}, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkFixture(t, read)
	if again, err := remote.Encode(read); err != nil || string(again) != string(text) {
		t.Errorf("%v\n%s\n%s", err, text, again)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]remote.Source{
		"stdio:npx -y 'a b' \"c \\\" d\" e\\ f C:\\g": {Command: []string{"npx", "-y", "a b", `c " d`, "e f", `C:\g`}},
		"https://a.example/mcp":                       {URL: "https://a.example/mcp"},
		"old.json":                                    {File: "old.json"},
		"stdio: x ''":                                 {Command: []string{"x", ""}},
	} {
		if got, err := remote.Parse(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "stdio:", "stdio:a 'b"} {
		if got, err := remote.Parse(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// A published server is read as people run it.
func TestNPM(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("downloads a package")
	}
	if _, err := exec.LookPath("npx"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v, and CI must have it", err)
		}
		t.Skip(err)
	}
	src, err := remote.Parse("stdio:npx -y @modelcontextprotocol/server-everything@2026.8.31")
	if err != nil {
		t.Fatal(err)
	}
	s, err := remote.Read(t.Context(), src, remote.Options{Timeout: 5 * time.Minute, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(names(s.Tools), "echo") || len(s.Prompts) == 0 || len(s.Resources) == 0 || len(s.Templates) == 0 || s.Instructions == "" {
		t.Errorf("%+v", s)
	}
}
