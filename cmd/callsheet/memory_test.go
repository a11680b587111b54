//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How many calls are made: enough to see a leak of ten kilobytes a call, or one of twenty.
const (
	soakVariable       = "CALLSHEET_SOAK"
	soakCalls, calls   = 2000, 300
	warmCalls          = 60       // the heap takes its size, and the browser starts
	grownMost          = 10 << 20 // bytes
	memoryTestDeadline = 10 * time.Minute
)

// TestTheServerDoesNotGrow reads, acts and runs scripts over and over, and looks at the process.
func TestTheServerDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%s</title><h1>Page</h1><button onclick=\"document.title = 'pressed'\">Press</button>%s",
			r.URL.Path, strings.Repeat("<p>text <a href=/x>link</a></p>", 50))
	}))
	defer site.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), memoryTestDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "--state-dir", t.TempDir(), "--all-tools")
	cmd.Env = append(os.Environ(), asServer+"=1")
	client, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	call := func(n int) {
		name, args := "javascript_tool", map[string]any{"code": "document.title"}
		switch n % 6 {
		case 0:
			name, args = "navigate", map[string]any{"url": site.URL + "/" + strconv.Itoa(n)}
		case 1, 3:
			name, args = "read_page", map[string]any{}
		case 2:
			name, args = "interact", map[string]any{"query": "Press"}
		case 4:
			name, args = "tabs_context", map[string]any{}
		}
		res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil || res.IsError {
			t.Fatalf("%s: %v, %v", name, res, err)
		}
	}
	most := calls
	if os.Getenv(soakVariable) != "" {
		most = soakCalls
	}
	for n := range warmCalls {
		call(n)
	}
	before := resident(t, cmd.Process.Pid)
	for n := range most {
		call(n)
	}
	after := resident(t, cmd.Process.Pid)
	t.Logf("resident after %d calls %.1f MB, after %d more %.1f MB", warmCalls, float64(before)/(1<<20), most, float64(after)/(1<<20))
	if after > before+grownMost {
		t.Errorf("grew by %d bytes", after-before)
	}
}

// resident is how much memory a process has, in bytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kb, err := strconv.Atoi(strings.Fields(string(rest))[0])
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
