package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/command"
)

// caller calls tools in one session.
type caller interface {
	call(ctx context.Context, tool string, args []byte) (toolkit.CallResult, error)
	close() error
}

// connect returns the caller of a server; "" is the one that the program starts, or this process.
func (p *Program) connect(ctx context.Context, server string) (caller, error) {
	switch {
	case server != "":
		return p.dial(ctx, server)
	case len(p.Server) > 0:
		return p.openSession(ctx, p.Server[0], commandTransport(ctx, p.Server))
	}
	surface, closing, err := p.Open(ctx, toolkit.Options{})
	if err != nil {
		return nil, err
	}
	return &local{p: p, session: surface.NewSession("command", nil), closing: closing}, nil
}

// local calls tools of this process.
type local struct {
	p       *Program
	session *toolkit.Session
	closing func() error
}

func (l *local) call(ctx context.Context, tool string, args []byte) (toolkit.CallResult, error) {
	return l.session.Dispatch(ctx, toolkit.Request{Tool: tool, Args: args, Principal: l.p.Principal, Logger: l.p.Logger})
}

func (l *local) close() error {
	if l.closing == nil {
		return nil
	}
	return l.closing()
}

// dial connects to a server over HTTP, or starts one by a command whose words are divided as a shell does.
func (p *Program) dial(ctx context.Context, server string) (caller, error) {
	var transport mcp.Transport
	if strings.HasPrefix(server, "http://") || strings.HasPrefix(server, "https://") {
		http := &http.Client{Transport: bearer{p.Token}}
		transport = &mcp.StreamableClientTransport{Endpoint: server, HTTPClient: http, DisableStandaloneSSE: true}
	} else {
		words, err := command.Split(server)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flagServer, err)
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("--%s: a URL or a command is missing", flagServer)
		}
		transport = commandTransport(ctx, words)
	}
	return p.openSession(ctx, server, transport)
}

// commandTransport returns the transport of a server that the words of a command start.
func commandTransport(ctx context.Context, words []string) mcp.Transport {
	run := exec.CommandContext(ctx, words[0], words[1:]...)
	run.Stderr = os.Stderr
	return &mcp.CommandTransport{Command: run}
}

// openSession opens a session with a server.
func (p *Program) openSession(ctx context.Context, server string, transport mcp.Transport) (caller, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: p.Name, Version: p.Version}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", server, err)
	}
	return &remote{session}, nil
}

// bearer sends a token with each request.
type bearer struct{ token string }

// RoundTrip sends the request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// remote calls tools of a server.
type remote struct{ session *mcp.ClientSession }

func (r *remote) close() error { return r.session.Close() }

func (r *remote) call(ctx context.Context, tool string, args []byte) (toolkit.CallResult, error) {
	if len(args) == 0 {
		args = []byte("{}")
	}
	answer, err := r.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return toolkit.CallResult{}, err
	}
	var out toolkit.CallResult
	out.Refused = answer.IsError
	structured := answer.StructuredContent
	if structured == nil && answer.IsError {
		structured = answer.Meta[toolkit.MetaRefusal]
	}
	if structured != nil {
		if out.Structured, err = json.Marshal(structured); err != nil {
			return out, fmt.Errorf("read the result: %w", err)
		}
	}
	for _, item := range answer.Content {
		if err := add(&out, item); err != nil {
			return out, err
		}
	}
	return out, nil
}

// add adds an item of the protocol to a result.
func add(out *toolkit.CallResult, item mcp.Content) error {
	switch c := item.(type) {
	case *mcp.TextContent:
		out.Content = append(out.Content, toolkit.Content{Text: c.Text})
	case *mcp.ImageContent:
		out.Content = append(out.Content, toolkit.Content{Data: c.Data, MIME: c.MIMEType})
	case *mcp.AudioContent:
		out.Content = append(out.Content, toolkit.Content{Data: c.Data, MIME: c.MIMEType})
	case *mcp.EmbeddedResource:
		out.Content = append(out.Content, toolkit.Content{Text: c.Resource.Text, Data: c.Resource.Blob, MIME: c.Resource.MIMEType, URI: c.Resource.URI})
	case *mcp.ResourceLink:
		out.Links = append(out.Links, toolkit.Link{URI: c.URI, Name: c.Name, MIME: c.MIMEType, Description: c.Description})
	default:
		return errors.New("the result has content of a kind that this program does not know")
	}
	return nil
}
