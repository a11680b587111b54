// Package stdio starts MCP servers for the benchmarks and calls their tools over standard input and output.
//
// It must not know which server it is, nor what a benchmark measures.
package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Revision is the revision of the protocol with sessions, which servers of others speak too.
const Revision = "2025-11-25"

// Server is a running server.
type Server struct {
	Session *mcp.ClientSession
	process *exec.Cmd
}

// Options say how a server is started.
type Options struct {
	Revision string   // of the protocol; "" is the constant Revision
	Args     []string // after the words of the line; they may hold spaces
	Dir      string   // in which it runs; "" is the present one
}

// Start runs a server by its command line, whose words have spaces between them, and connects to it.
func Start(ctx context.Context, line string, o Options) (*Server, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, errors.New("the command line of the server is empty")
	}
	process := exec.CommandContext(ctx, words[0], append(words[1:], o.Args...)...)
	process.Stderr, process.Dir = os.Stderr, o.Dir
	if !filepath.IsAbs(words[0]) && strings.ContainsRune(words[0], filepath.Separator) { // it is not relative to Dir
		absolute, err := filepath.Abs(words[0])
		if err != nil {
			return nil, err
		}
		process.Path = absolute
	}
	if o.Revision == "" {
		o.Revision = Revision
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "callsheet-bench", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: process}, &mcp.ClientSessionOptions{ProtocolVersion: o.Revision})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", line, err)
	}
	return &Server{session, process}, nil
}

// Close ends the server by the end of its input.
func (s *Server) Close() { _ = s.Session.Close() }

// PID is the id of the server's process.
func (s *Server) PID() int { return s.process.Process.Pid }

// Call calls a tool and returns the texts of its answer, a line between them, and whether it is a refusal.
func (s *Server) Call(ctx context.Context, tool string, args map[string]any) (text string, refused bool, err error) {
	result, err := s.Session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", tool, err)
	}
	var texts []string
	for _, content := range result.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			texts = append(texts, c.Text)
		}
	}
	return strings.Join(texts, "\n"), result.IsError, nil
}
