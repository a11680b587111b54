package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a connection to one server, and the count of what its calls cost.
type client struct {
	session *mcp.ClientSession
	process *exec.Cmd

	calls, bytes int
	time         time.Duration
}

func start(ctx context.Context, command string) (*client, error) {
	words := strings.Fields(command)
	c := &client{process: exec.CommandContext(ctx, words[0], words[1:]...)}
	c.process.Stderr = os.Stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "heap-bench", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: c.process}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command, err)
	}
	c.session = session
	return c, nil
}

func (c *client) close() { _ = c.session.Close() } // the process ends with its input

func (c *client) reset() { c.calls, c.bytes, c.time = 0, 0, 0 }

// call calls a tool and returns its text. A refusal is an error.
func (c *client) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	begun := time.Now()
	result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	c.time += time.Since(begun)
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	var parts []string
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			parts = append(parts, text.Text)
		}
	}
	text := strings.Join(parts, "\n")
	c.calls++
	c.bytes += len(text)
	if result.IsError || strings.HasPrefix(text, "Error:") {
		return text, errors.New(tool + ": " + text)
	}
	return text, nil
}
