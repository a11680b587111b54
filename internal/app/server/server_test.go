package server_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app/server"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":               "127.0.0.1:9876",
		"9876":           "127.0.0.1:9876",
		"0":              "127.0.0.1:0",
		":80":            "127.0.0.1:80",
		"localhost":      "localhost:9876",
		"localhost:1":    "localhost:1",
		"0.0.0.0:9876":   "0.0.0.0:9876",
		"[::1]:9876":     "[::1]:9876",
		"[::1]":          "[::1]:9876",
		"::1":            "[::1]:9876",
		"box.test:http":  "",
		"box.test:70000": "",
		"99999":          "",
	} {
		got, err := server.Address(text)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestListenGuards(t *testing.T) {
	t.Parallel()
	for address, guarded := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "0.0.0.0:0": true} {
		ln, err := server.Listen(t.Context(), address, guarded)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		_ = ln.Close()
	}
	for _, address := range []string{"0.0.0.0:0", "[::]:0"} {
		if _, err := server.Listen(t.Context(), address, false); err == nil || strings.HasPrefix(address, "0") && !errors.Is(err, server.ErrUnguarded) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestABodyThatNeverComes does not hold a connection for ever, and one that came does not end its
// request's answer.
func TestABodyThatNeverComes(t *testing.T) {
	t.Parallel()
	const limit = 200 * time.Millisecond
	streaming := make(chan bool)
	handler := server.Prompt(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			streaming <- false
		case <-time.After(3 * limit):
			streaming <- true
		}
	}), limit)
	ln, err := server.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = http.Serve(ln, handler) }()
	defer func() { _ = ln.Close() }()
	send := func(body string) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"+body)
		return conn
	}
	slow := send("01234")
	_ = slow.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.ReadAll(slow); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection stays")
	}
	send("0123456789")
	if !<-streaming {
		t.Error("the answer was ended with the time for the body")
	}
}

func TestServeHTTP(t *testing.T) {
	t.Parallel()
	started := make(chan bool)
	handler, err := server.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		started <- true
		<-r.Context().Done()
	}), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := server.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended, closed := make(chan error, 1), make(chan bool, 1)
	go func() {
		ended <- server.ServeHTTP(ctx, ln, handler, slog.New(slog.DiscardHandler), func(context.Context) error {
			closed <- true
			return nil
		})
	}()
	if got, want := get(t, ln.Addr(), server.HealthPath), "{\"status\":\"ok\",\"version\":\"1.2.3\"}\n"; got != want {
		t.Error(cmp.Diff(want, got))
	}
	go func() {
		if res, err := http.Get("http://" + ln.Addr().String() + server.Path); err == nil {
			_ = res.Body.Close()
		}
	}()
	<-started
	cancel() // with a request that does not end
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("still serving")
	}
	<-closed
}

func get(t *testing.T, addr net.Addr, path string) string {
	t.Helper()
	res, err := http.Get("http://" + addr.String() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// registry has a tool per thing that instructions may speak of.
func registry() *toolkit.Registry {
	reg := &toolkit.Registry{Scopes: []string{"default"}}
	for _, name := range []string{"core", "storage", "profile", "crawl", "recording", "workflow", "totp", "pilot", "connection", "debugger", "browser"} {
		reg.Capabilities = append(reg.Capabilities, toolkit.Capability{Name: name})
	}
	add := func(name, capability string, tier int) {
		reg.Tools = append(reg.Tools, toolkit.Tool{
			Name: name, Capability: capability, Tier: tier, Scopes: reg.Scopes, Definition: "{}", Traits: toolset.TraitsOf(name),
		})
	}
	add("act", "core", 1)
	add("crawl", "crawl", 2)
	add("expand_tools", "core", 1)
	for i, c := range reg.Capabilities {
		add("t"+string(rune('a'+i)), c.Name, 1)
	}
	return reg.Index()
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		gates       toolkit.Options
		has, hasNot []string
	}{
		"everything":     {toolkit.Options{}, []string{"tabId", "refs", "expand_tools", "core, storage", "debugger"}, nil},
		"no expansion":   {toolkit.Options{ExcludeTools: []string{"expand_tools"}}, []string{"tabId"}, []string{"expand_tools"}},
		"nothing hidden": {toolkit.Options{AllTools: true}, nil, []string{"expand_tools"}},
		"one capability": {toolkit.Options{ToolsOnly: []string{"crawl"}}, []string{"Capabilities: crawl."}, []string{"tabId", "refs", "core", "expand_tools"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			surface, err := toolkit.NewSurface(registry(), test.gates)
			if err != nil {
				t.Fatal(err)
			}
			got := server.Instructions(surface)
			if len(got) > 600 {
				t.Errorf("%d bytes", len(got))
			}
			for _, want := range test.has {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %q", want, got)
				}
			}
			for _, not := range test.hasNot {
				if strings.Contains(got, not) {
					t.Errorf("%q in %q", not, got)
				}
			}
		})
	}
}
