package main

import (
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestMissingSandboxIsLogged launches two browsers without a sandbox: the log says so once.
func TestMissingSandboxIsLogged(t *testing.T) {
	t.Parallel()
	cmd := command(t, "--all-tools", "--browser-arg=--no-sandbox")
	var log strings.Builder
	cmd.Stderr = &log
	client := tooltest.Dial(t, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, "")
	for tool, args := range map[string]any{"navigate": map[string]any{"url": "about:blank"}, "chrome_launch": map[string]any{}} {
		client.Call(t, tool, args)
	}
	if err := client.Close(); err != nil { // from here on, the log is written no more
		t.Error(err)
	}
	if n := strings.Count(log.String(), "runs without its sandbox"); n != 1 {
		t.Errorf("the log says %d times that the sandbox is missing: %s", n, log.String())
	}
}
