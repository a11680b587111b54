// Package client asks a server on standard input and output what a user's client would ask. It must
// not know how the server was installed.
package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// waitDelay is how long a server may take to end after its client has left.
const waitDelay = 10 * time.Second

// Server is how a server is started: a command, and variables beside those of this process.
type Server struct {
	Command []string
	Env     []string
}

func (s Server) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	cmd.Env, cmd.Stderr, cmd.WaitDelay = append(os.Environ(), s.Env...), os.Stderr, waitDelay
	return cmd
}

// Answers are the version and the list of tools of a server that has just started.
type Answers struct {
	Version string // of the server
	Tools   []byte // the answer to tools/list, as it was sent
}

// Ask starts a server and asks for its version and its tools, line by line, so that the bytes are those that were sent.
func Ask(ctx context.Context, s Server) (a Answers, err error) {
	cmd := s.command(ctx)
	in, err := cmd.StdinPipe()
	if err != nil {
		return a, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return a, err
	}
	if err := cmd.Start(); err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, in.Close(), cmd.Wait()) }()
	lines := bufio.NewReader(out)
	first, err := exchange(in, lines, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"packaging","version":"1"}}}`)
	if err != nil {
		return a, err
	}
	var initialized struct {
		Result struct {
			ServerInfo struct {
				Version string `json:"version"`
			} `json:"serverInfo"`
		} `json:"result"`
	}
	if err := json.Unmarshal(first, &initialized); err != nil {
		return a, fmt.Errorf("read the answer to initialize: %w: %.200s", err, first)
	}
	a.Version = initialized.Result.ServerInfo.Version
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return a, err
	}
	a.Tools, err = exchange(in, lines, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	return a, err
}

// exchange sends a request and returns the next line that has an id, which is the answer.
func exchange(in io.Writer, lines *bufio.Reader, request string) ([]byte, error) {
	if _, err := io.WriteString(in, request+"\n"); err != nil {
		return nil, err
	}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("wait for the answer to %.60s…: %w", request, err)
		}
		var message struct {
			ID any `json:"id"`
		}
		if err := json.Unmarshal(line, &message); err != nil {
			return nil, fmt.Errorf("standard output has a line that is no message: %.200q", line)
		}
		if message.ID != nil {
			return line, nil
		}
	}
}

// Read has a server open a page and read it, with the protocol's own client, and returns what it read.
func Read(ctx context.Context, url string, s Server) (text string, err error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "packaging", Version: "1"}, nil)
	session, err := c.Connect(ctx, &mcp.CommandTransport{Command: s.command(ctx), TerminateDuration: waitDelay}, nil)
	if err != nil {
		return "", fmt.Errorf("connect to %s: %w", strings.Join(s.Command, " "), err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	if _, err := call(ctx, session, "navigate", map[string]any{"url": url}); err != nil {
		return "", err
	}
	return call(ctx, session, "read_page", map[string]any{})
}

// call calls a tool and returns the text of its result.
func call(ctx context.Context, session *mcp.ClientSession, tool string, args map[string]any) (string, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", fmt.Errorf("call %s: %w", tool, err)
	}
	var text strings.Builder
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if result.IsError {
		return "", fmt.Errorf("%s refuses: %s", tool, text.String())
	}
	return text.String(), nil
}
