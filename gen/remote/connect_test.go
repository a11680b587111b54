package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestDescendantsEndWithTheConnection connects to a program that starts another one and never answers.
func TestDescendantsEndWithTheConnection(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if pid, _ := os.ReadFile(file); strings.HasSuffix(string(pid), "\n") {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	script := "sleep 300 >/dev/null 2>&1 & echo $! >" + file + "; cat >/dev/null"
	if _, err := Connect(ctx, Source{Command: []string{"sh", "-c", script}}, Options{}); err == nil {
		t.Fatal("a program that never answers is connected")
	}
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(time.Minute)
	for isRunning(strings.TrimSpace(string(pid))) {
		if time.Now().After(end) {
			t.Fatal("the descendant runs after the connection is closed")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// isRunning reports whether a process runs; one that has exited and is not yet waited for does not.
func isRunning(pid string) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

// A refusal of HTTP that is an error of the protocol is that error; a session that the server does not know ends the
// connection, whether it says so as the protocol demands or not.
func TestRefusalsOverHTTP(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		ends   bool
		want   string
	}{
		"an error of the protocol": {http.StatusBadRequest, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such tool"}}`, false, "no such tool"},
		"not found":                {http.StatusNotFound, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Not Found"}}`, true, "session not found"},
		"as a bad request":         {http.StatusBadRequest, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID provided"}}`, true, "session not found"},
		"busy":                     {http.StatusServiceUnavailable, "", false, "Service Unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				switch {
				case strings.Contains(string(body), `"initialize"`):
					w.Header().Set("Mcp-Session-Id", "s")
					_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"1"}}}`))
				case strings.Contains(string(body), "tools/call"):
					w.WriteHeader(c.status)
					_, _ = w.Write([]byte(c.body))
				default:
					w.WriteHeader(http.StatusAccepted)
				}
			}))
			defer server.Close()
			client, err := Connect(t.Context(), Source{URL: server.URL}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close() }()
			if _, err = client.Call(t.Context(), "x", []byte(`{}`), nil); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "rejected by transport") {
				t.Errorf("the call ends with %v", err)
			}
			if !c.ends {
				select {
				case <-client.Ended():
					t.Error("the connection has ended")
				default:
				}
				return
			}
			<-client.Ended()
		})
	}
}

// A client whose session the server has forgotten has ended when its call returns: whoever calls next begins
// another one.
func TestLostSessionsEndTheClient(t *testing.T) {
	t.Parallel()
	var handler atomic.Value
	forget := func() {
		server := mcp.NewServer(&mcp.Implementation{Name: "forgetful", Version: "1"}, nil)
		handler.Store(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	}
	forget()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.Load().(*mcp.StreamableHTTPHandler).ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	for range 50 {
		c, err := Connect(t.Context(), Source{URL: srv.URL}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		forget()
		var gone *EndedError
		if _, err := c.Pages(t.Context(), "tools/list", "tools"); !errors.As(err, &gone) || !strings.Contains(err.Error(), "session not found") {
			t.Errorf("the error is %v", err)
		}
		select {
		case <-c.Ended():
		default:
			t.Fatal("the client goes on without a session")
		}
		_ = c.Close()
	}
}
