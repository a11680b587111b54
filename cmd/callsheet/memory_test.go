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
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How many calls are made, and how many of them before the first look: enough to see a leak of a
// kilobyte a call in the long form, and one of thirty in the short one.
const (
	soakVariable             = "CALLSHEET_SOAK"
	soakCalls, shortCalls    = 10_000, 300
	soakWarmCalls, warmCalls = 500, 60  // the heap takes its size, and the browser starts
	memoryPages              = 100      // that are open at a time in the long form
	grownMost                = 10 << 20 // bytes
	memoryTestDeadline       = 30 * time.Minute
)

// TestTheServerDoesNotGrow reads, acts, fills, looks and opens tabs over and over on a hundred
// pages, and looks at the process.
func TestTheServerDoesNotGrow(t *testing.T) {
	proctest.Nightly(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), memoryTestDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "--headless", "--state-dir", t.TempDir(), "--all-tools")
	cmd.Env = append(os.Environ(), asServer+"=1")
	client := tooltest.Dial(t, &mcp.CommandTransport{Command: cmd}, "")
	defer func() { _ = client.Close() }()
	u := &memoryUser{t: t, client: client.ClientSession, site: serveMemoryPages(t)}
	warm, most := warmCalls, shortCalls
	if os.Getenv(soakVariable) != "" {
		warm, most = soakWarmCalls, soakCalls
	}
	u.use(warm)
	before := resident(t, cmd.Process.Pid)
	u.use(most)
	after := resident(t, cmd.Process.Pid)
	t.Logf("resident after %d calls %.1f MB, after %d calls %.1f MB", warm, float64(before)/(1<<20), u.calls, float64(after)/(1<<20))
	if after > before+grownMost {
		t.Errorf("grew by %d bytes", after-before)
	}
}

// serveMemoryPages serves pages of different sizes at every path.
func serveMemoryPages(t *testing.T) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>%d</title><h1>Page</h1><button onclick="document.title = 'pressed'">Press</button><input aria-label=Name>%s`,
			n, strings.Repeat("<p>text <a href=/x>link</a></p>", n))
	}))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	return site.URL
}

// memoryUser is a client that calls one tool after the other.
type memoryUser struct {
	t      *testing.T
	client *mcp.ClientSession
	site   string
	calls  int
	rounds int
}

// use makes at least as many calls.
func (u *memoryUser) use(calls int) {
	u.t.Helper()
	for end := u.calls + calls; u.calls < end; u.rounds++ {
		u.call("navigate", map[string]any{"url": u.site + "/" + strconv.Itoa(u.rounds%memoryPages)})
		u.call("read_page", nil)
		u.call("interact", map[string]any{"query": "Press"})
		u.call("read_page", map[string]any{"mode": "full", "diff": true})
		u.call("fill_form", map[string]any{"fields": []map[string]any{{"query": "Name", "value": "Ada"}}})
		u.call("find", map[string]any{"query": "Press"})
		u.call("javascript_tool", map[string]any{"code": "document.title"})
		u.call("tabs_context", nil)
		switch u.rounds % 10 {
		case 3:
			u.call("page_screenshot", nil)
		case 6:
			tab := regexp.MustCompile(`t\d+`).FindString(u.call("tabs_create", map[string]any{"url": u.site + "/1"}))
			u.call("tabs_close", map[string]any{"tabId": tab})
		case 9:
			u.call("page_reload", nil)
		}
	}
}

// call calls a tool, which must succeed, and returns its first text.
func (u *memoryUser) call(tool string, args map[string]any) (text string) {
	u.t.Helper()
	u.calls++
	res, err := u.client.CallTool(u.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		u.t.Fatalf("%s: %v", tool, err)
	}
	for _, content := range res.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			text = c.Text
			break
		}
	}
	if res.IsError {
		u.t.Fatalf("%s: %s", tool, text)
	}
	return text
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
