//go:build unix

package external

import (
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
)

// TestNPM runs a published server as people do: by npx, which puts two processes above it.
func TestNPM(t *testing.T) {
	t.Parallel()
	proctest.Need(t, "npx")
	if testing.Short() {
		t.Skip("downloads a package")
	}
	l := newFixture(t, `"everything": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything@2026.8.31"],
		"env": {"LAB": "${LAB}"}, "startupTimeoutMs": 300000}`)
	c, err := l.Catalog(withTimeout(t, 300*1e9), "everything")
	if _, ok := c.Tool("echo"); err != nil || !ok {
		t.Fatalf("%v, %v", c.Names(), err)
	}
	if got := l.callText("everything", "echo", `{"message": "hello"}`); got != "Echo: hello" {
		t.Errorf("echo said %q", got)
	}
	if n := len(l.processes()); n == 0 {
		t.Log("no processes are shown here")
	}
}
