package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow/external/config"
)

// maxTools bounds the tools of one server, since its list may be endless.
const maxTools = 10_000

// errExited marks the exit of a server process.
var errExited = errors.New("the process exited")

// connection is one session with a server, over any transport and protocol era.
type connection struct {
	server     *server
	session    *mcp.ClientSession
	terminate  func()        // closes the underlying process or requests and waits for them
	stderrTail func() string // the end of stderr, redacted; nil over HTTP

	sawTooLarge *atomic.Bool // over HTTP: a response that belongs to no single call was too large; else nil

	listing     chan struct{} // held while the tools are listed, so that the latest list wins
	listChanged atomic.Bool   // the server sent list_changed since the last listing began

	mu        sync.Mutex
	calls     map[string]*pendingCall // by progress token
	lastToken int

	closing  sync.Once
	opened   chan struct{} // closed when session is set
	done     chan struct{} // closed when the connection has ended
	closeErr error         // set before done is closed
}

// pendingCall is a call without a result so far.
type pendingCall struct {
	ctx          context.Context
	ask          toolkit.Asker // nil when the caller cannot ask a person
	resetTimeout func()        // restarts the timeout of the call
	progress     Progress
}

func newConnection(s *server, end func()) *connection {
	return &connection{server: s, terminate: end, listing: make(chan struct{}, 1), opened: make(chan struct{}), done: make(chan struct{})}
}

// client returns the MCP client of a connection. It offers no sampling and no roots, and questions for
// the person only on behalf of a call.
func (c *connection) client() *mcp.Client {
	version := c.server.reg.cfg.Version
	if version == "" {
		version = "dev"
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "callsheet", Version: version}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		ElicitationHandler:     c.onElicit,
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.onToolListChanged() },
		ProgressNotificationHandler: func(_ context.Context,
			r *mcp.ProgressNotificationClientRequest) {
			c.onProgress(r.Params)
		},
	})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch method {
			case "sampling/createMessage", "roots/list":
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method +
					" is not offered by this client"}
			}
			return next(ctx, method, req)
		}
	})
	return client
}

// handshake opens the session. The SDK binds some transports to the context of Connect for their
// lifetime, so that context ends only with the handshake's deadline or the connection.
func (c *connection) handshake(ctx context.Context, transport mcp.Transport, legacy bool) error {
	var opts *mcp.ClientSessionOptions
	if legacy {
		opts = &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	session, err := c.client().Connect(life, transport, opts)
	if err == nil && ctx.Err() != nil {
		_ = session.Close()
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return err
	}
	if c.server.entry.Protocol == config.Modern && session.InitializeResult().ProtocolVersion < "2026-07-28" {
		_ = session.Close()
		cancel()
		return fmt.Errorf("the server speaks %s instead of %s", session.InitializeResult().ProtocolVersion,
			config.Modern)
	}
	c.session = session
	end := c.terminate
	c.terminate = func() { cancel(); end() }
	close(c.opened)
	c.server.reg.tasks.Go(func() {
		err := session.Wait()
		if err == nil {
			err = errors.New("the server ended the connection")
		}
		c.close(err)
	})
	return nil
}

func (c *connection) protocol() string { return c.session.InitializeResult().ProtocolVersion }

// wait waits for the end of the connection and returns its cause.
func (c *connection) wait() error {
	<-c.done
	return c.closeErr
}

// isClosed reports whether the connection has ended.
func (c *connection) isClosed() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// closeTimeout bounds the closing handshake of a session.
const closeTimeout = 2 * time.Second

// close ends the session and the underlying process or requests.
func (c *connection) close(cause error) {
	c.closing.Do(func() {
		c.closeErr = cause
		if c.session != nil {
			sessionClosed := make(chan struct{})
			c.server.reg.tasks.Go(func() {
				defer close(sessionClosed)
				_ = c.session.Close()
			})
			select {
			case <-sessionClosed:
			case <-time.After(closeTimeout):
			}
		}
		c.terminate()
		close(c.done)
	})
	<-c.done
}

// listTools fetches all pages of the tool list.
func (c *connection) listTools(ctx context.Context) ([]Tool, error) {
	out := []Tool{}
	params := &mcp.ListToolsParams{}
	for cursors := map[string]bool{}; ; {
		page, err := c.session.ListTools(ctx, params)
		if wire, ok := errors.AsType[*jsonrpc.Error](err); ok && wire.Code == jsonrpc.CodeMethodNotFound {
			return out, nil // the server has only resources or prompts
		}
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			tool, err := convertTool(t)
			if err != nil {
				return nil, err
			}
			out = append(out, tool)
		}
		switch {
		case len(out) > maxTools:
			return nil, fmt.Errorf("more than %d tools", maxTools)
		case page.NextCursor == "":
			slices.SortFunc(out, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
			return slices.CompactFunc(out, func(a, b Tool) bool { return a.Name == b.Name }), nil
		case cursors[page.NextCursor]:
			return nil, fmt.Errorf("the tool list repeats a cursor")
		}
		cursors[page.NextCursor] = true
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
}

func convertTool(t *mcp.Tool) (Tool, error) {
	out := Tool{Name: t.Name, Description: t.Description}
	if out.Description == "" {
		out.Description = t.Title
	}
	var err error
	if out.InputSchema, err = json.Marshal(t.InputSchema); err != nil {
		return out, fmt.Errorf("encode the input schema of %q: %w", t.Name, err)
	}
	if string(out.InputSchema) == "null" {
		out.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	if t.OutputSchema != nil {
		if out.OutputSchema, err = json.Marshal(t.OutputSchema); err != nil {
			return out, fmt.Errorf("encode the output schema of %q: %w", t.Name, err)
		}
	}
	if a := t.Annotations; a != nil {
		out.Annotations = Annotations{ReadOnly: &a.ReadOnlyHint, Idempotent: &a.IdempotentHint,
			Destructive: a.DestructiveHint, OpenWorld: a.OpenWorldHint}
	}
	return out, nil
}

// onToolListChanged fetches the tools again. However many notifications arrive, at most one request
// waits. A server may send one before the handshake has ended.
func (c *connection) onToolListChanged() {
	if !c.listChanged.CompareAndSwap(false, true) {
		return
	}
	c.server.reg.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(c.server.reg.ctx, c.server.entry.StartupTimeout)
		defer cancel()
		select {
		case <-c.opened:
		case <-c.done:
			return
		case <-ctx.Done():
			c.listChanged.Store(false)
			return
		}
		if err := c.refreshTools(ctx); err != nil {
			c.server.reg.log.Warn("refresh the tools", "server", c.server.entry.Alias, "error",
				c.server.redactor().redactError(err))
		}
	})
}

// refreshTools fetches and stores the tools, one request at a time.
func (c *connection) refreshTools(ctx context.Context) error {
	select {
	case c.listing <- struct{}{}:
		defer func() { <-c.listing }()
	case <-ctx.Done():
		c.listChanged.Store(false)
		return ctx.Err()
	}
	c.listChanged.Store(false) // a later change needs another request
	tools, err := c.listTools(ctx)
	if err == nil {
		c.server.setTools(tools)
	}
	return err
}

// onProgress forwards a progress notification to its call.
func (c *connection) onProgress(p *mcp.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	c.mu.Lock()
	call := c.calls[token]
	c.mu.Unlock()
	if call == nil {
		return
	}
	call.resetTimeout()
	if call.progress != nil {
		call.progress(p.Progress, p.Total, p.Message)
	}
}

// withStderr adds the cause of ctx's end and the end of the process's stderr to an error.
func (c *connection) withStderr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
			err = cause
		}
	}
	if c.stderrTail == nil {
		return err
	}
	if tail := c.stderrTail(); tail != "" {
		return fmt.Errorf("%w; end of stderr: %s", err, tail)
	}
	return err
}
