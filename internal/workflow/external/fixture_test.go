//go:build unix

package external

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// modeEnv makes the test binary an MCP server, the kind of which is its value.
const modeEnv = "EXTERNAL_TEST_MODE"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(modeEnv); mode {
	case "":
		os.Exit(m.Run())
	case "owner":
		holdRegistry()
	default:
		serve(mode)
	}
}

// serve is the test binary as a server.
func serve(mode string) {
	switch mode {
	case "hang":
		select {}
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot find module left-pad, token "+os.Getenv("TOKEN"))
		os.Exit(7)
	case "flood":
		go func() {
			for {
				fmt.Fprintln(os.Stderr, strings.Repeat("flood ", 200))
			}
		}()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		leaveGrandchild()
	case "noisy":
		fmt.Println("Server listening!\n{\"not\": \"a message\"}\n[1]\n\x00\xff")
	case "dies-when-probed", "silent-when-probed", "huge", "stops-reading", "list-changed-storm", "changes-early":
		serveLegacy(mode)
		return
	case "endless-garbage":
		for {
			if _, err := fmt.Println(strings.Repeat("garbage ", 1000)); err != nil {
				select {}
			}
		}
	}
	err := newTestServer().Run(context.Background(), &mcp.StdioTransport{})
	if mode == "stubborn" {
		select {}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// leaveGrandchild leaves a grandchild in a session of its own, whose parent is gone at once.
func leaveGrandchild() {
	cmd := exec.Command("/bin/sh", "-c", "trap '' TERM HUP INT; (while :; do sleep 1; done) &")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		panic(err)
	}
}

var object = json.RawMessage(`{"type":"object"}`)

// newTestServer is a server with a tool for every way to behave.
func newTestServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "fixture", Version: "1"}, &mcp.ServerOptions{PageSize: 5})
	add := func(name string, h func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult,
		error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: "Does " + name + ".", InputSchema: object},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var args map[string]any
				_ = json.Unmarshal(r.Params.Arguments, &args)
				return h(ctx, r, args)
			})
	}
	var running, most, cancelled atomic.Int64
	add("echo", func(_ context.Context, _ *mcp.CallToolRequest, args map[string]any) (*mcp.CallToolResult, error) {
		text, _ := args["text"].(string)
		return textResult(text), nil
	})
	add("env", func(_ context.Context, _ *mcp.CallToolRequest, args map[string]any) (*mcp.CallToolResult, error) {
		name, _ := args["name"].(string)
		return textResult(os.Getenv(name)), nil
	})
	add("where", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		dir, err := os.Getwd()
		return textResult(dir), err
	})
	add("pid", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		return textResult(strconv.Itoa(os.Getpid())), nil
	})
	addLeavers(add)
	add("die-with-child", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		child := exec.Command("sleep", "600") // it holds the pipe of stdout open
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			return nil, err
		}
		os.Exit(9)
		return nil, nil
	})
	add("die", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "dying of "+os.Getenv("TOKEN"))
		os.Exit(9)
		return nil, nil
	})
	add("big", func(_ context.Context, _ *mcp.CallToolRequest, args map[string]any) (*mcp.CallToolResult, error) {
		n, _ := args["bytes"].(float64)
		return textResult(strings.Repeat("x", int(n))), nil
	})
	add("forever", func(ctx context.Context, _ *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		cancelled.Add(1)
		return nil, ctx.Err()
	})
	add("cancelled", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		return textResult(strconv.FormatInt(cancelled.Load(), 10)), nil
	})
	add("steps", func(ctx context.Context, r *mcp.CallToolRequest, args map[string]any) (*mcp.CallToolResult, error) {
		n, _ := args["n"].(float64)
		for i := range int(n) {
			err := r.Session.NotifyProgress(ctx,
				&mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1),
					Total: n, Message: "step"})
			if err != nil {
				return nil, err
			}
			if err := work(ctx, 100*time.Millisecond); err != nil {
				return nil, err
			}
		}
		return textResult("done"), nil
	})
	add("busy", func(ctx context.Context, _ *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		now := running.Add(1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		defer running.Add(-1)
		if err := work(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
		return textResult(strconv.FormatInt(most.Load(), 10)), nil
	})
	add("everything", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, StructuredContent: map[string]any{"n": 1.5, "s": "0123"},
			Content: []mcp.Content{
				&mcp.TextContent{Text: "t"},
				&mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"},
				&mcp.AudioContent{Data: []byte("wav"), MIMEType: "audio/wav"},
				&mcp.ResourceLink{URI: "file:///x", Name: "x", MIMEType: "text/plain"},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "mem://y", MIMEType: "text/html",
					Text: "<y>"}},
			}}, nil
	})
	add("ask", func(ctx context.Context, r *mcp.CallToolRequest, args map[string]any) (*mcp.CallToolResult, error) {
		if args["how"] == "modern" {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"name": &mcp.ElicitParams{Message: "name?",
				RequestedSchema: object}}}, nil
		}
		_, roots := r.Session.ListRoots(ctx, nil)                                           //nolint:staticcheck // what servers still do
		_, sampling := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 1}) //nolint:staticcheck // what servers still do
		answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "name?", RequestedSchema: object})
		if err != nil {
			return nil, err
		}
		return textResult(fmt.Sprint(roots, "|", sampling, "|", answer.Action)), nil
	})
	add("grow", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		s.AddTool(&mcp.Tool{Name: "grown", InputSchema: object},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return textResult("grown"), nil
			})
		return textResult("ok"), nil
	})
	add("sealed", func(_ context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		if r.Extra == nil {
			return textResult(""), nil
		}
		return textResult(r.Extra.Header.Get("X-Test") + " " + r.Extra.Header.Get("Authorization")), nil
	})
	return s
}

// work simulates a tool that takes d.
func work(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// fixture is a registry with its servers.json in a directory of its own.
type fixture struct {
	*Registry
	t    *testing.T
	dir  string
	log  *syncBuffer
	mark string // in the environment of every process of the lab
}

// stdioEntry is the entry of the test binary as a server.
func stdioEntry(mode, more string) string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"command": %q, "env": {%q: %q, "LAB": "${LAB}", "TOKEN": "s3cr3t-value"}%s}`, exe, modeEnv,
		mode, more)
}

func newFixture(t *testing.T, entries string, more ...func(*Config)) *fixture {
	t.Helper()
	l := &fixture{t: t, dir: t.TempDir(), log: &syncBuffer{}, mark: filepath.Base(t.TempDir()) +
		strconv.FormatInt(time.Now().UnixNano(), 36)}
	l.write("servers.json", `{"servers": {`+entries+`}}`)
	t.Cleanup(func() {
		if left := l.processes(); len(left) > 0 {
			t.Errorf("%d processes survived Close: %v", len(left), left)
		}
	})
	l.Registry = l.open(more...)
	return l
}

func (l *fixture) open(more ...func(*Config)) *Registry {
	l.t.Helper()
	dir, err := statedir.New(filepath.Join(l.dir, "state"))
	if err != nil {
		l.t.Fatal(err)
	}
	cfg := Config{Files: []string{filepath.Join(l.dir, "servers.json")}, State: dir,
		Logger: slog.New(slog.NewTextHandler(l.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Env: func(name string) (string, bool) {
			if name == "LAB" {
				return l.mark, true
			}
			return "", false
		}}
	for _, f := range more {
		f(&cfg)
	}
	r, err := Open(cfg)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			l.t.Error(err)
		}
		if strings.Contains(l.log.String(), "s3cr3t-value") {
			l.t.Errorf("a secret is in the log:\n%s", l.log)
		}
	})
	return r
}

func (l *fixture) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// processes lists the living processes of the lab. Only Linux shows them; elsewhere none are found.
func (l *fixture) processes() []int {
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, e := range entries {
		env, err := os.ReadFile(e)
		if err == nil && bytes.Contains(env, []byte("LAB="+l.mark)) {
			pid, _ := strconv.Atoi(strings.Split(e, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// callText calls a tool and gives its first text.
func (l *fixture) callText(alias, tool, args string) string {
	l.t.Helper()
	res, err := l.Call(withTimeout(l.t, 30*time.Second), alias, tool, json.RawMessage(args), nil)
	if err != nil {
		l.t.Fatalf("%s:%s: %v", alias, tool, err)
	}
	if res.IsError || len(res.Content) == 0 {
		l.t.Fatalf("%s:%s: %+v", alias, tool, res)
	}
	return res.Content[0].Text
}

// callFails calls a tool and wants an error of a kind whose text has no secret in it.
func (l *fixture) callFails(kind Reason, alias, tool, args string) error {
	l.t.Helper()
	res, err := l.Call(withTimeout(l.t, 30*time.Second), alias, tool, json.RawMessage(args), nil)
	if err == nil {
		l.t.Fatalf("%s:%s gave %.200v, want an error of kind %s", alias, tool, res, kind)
	}
	if ReasonOf(err) != kind {
		l.t.Errorf("%s:%s: kind %q, want %q: %v", alias, tool, ReasonOf(err), kind, err)
	}
	if !strings.HasPrefix(err.Error(), alias) || strings.Contains(err.Error(), "s3cr3t-value") {
		l.t.Errorf("the error does not begin with the alias or tells a secret: %v", err)
	}
	return err
}

func withTimeout(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls a condition for at most a minute.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("timed out waiting until %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want it to say %q", err, part)
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
