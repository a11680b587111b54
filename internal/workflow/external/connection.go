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

	"github.com/callsheet/callsheet/internal/workflow/external/config"
)

// maxTools is how many tools a server may have: a list without end is contained like an answer without end.
const maxTools = 10_000

// errExited is the end of a process.
var errExited = errors.New("the process exited")

// connection is one session with a server, over any transport and in either era.
type connection struct {
	server     *server
	session    *mcp.ClientSession
	terminate  func()        // ends what the session stands on, at once; returns when it is gone
	stderrTail func() string // what the process wrote to stderr last, without secrets; nil over HTTP

	sawTooLarge *atomic.Bool // over HTTP: an answer for no certain call was too large; else nil

	listing     chan struct{} // full while the server is asked for its tools: the last answer is the newest
	listChanged atomic.Bool   // the server says that its tools are others, and nobody has asked since

	mu        sync.Mutex
	calls     map[string]*pendingCall // by progress token
	lastToken int

	closing  sync.Once
	done     chan struct{} // closed when nothing is left
	closeErr error         // set before done is closed
}

// pendingCall is a call that waits for its answer.
type pendingCall struct {
	resetTimeout func() // restarts the idle timer
	progress     Progress
}

func newConnection(s *server, end func()) *connection {
	return &connection{server: s, terminate: end, listing: make(chan struct{}, 1), done: make(chan struct{})}
}

// client makes the protocol client of a connection, which offers servers nothing: no sampling, roots or elicitation.
func (c *connection) client() *mcp.Client {
	version := c.server.reg.cfg.Version
	if version == "" {
		version = "dev"
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "callsheet", Version: version}, &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { c.onToolListChanged() },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { c.onProgress(r.Params) },
	})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch method {
			case "sampling/createMessage", "roots/list", "elicitation/create":
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + " is not offered by this client"}
			}
			return next(ctx, method, req)
		}
	})
	return client
}

// handshake opens the session. The SDK ties some transports to the context of the handshake for good, so it gets one that
// is cancelled only when the handshake takes too long or the connection ends.
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
		return fmt.Errorf("it speaks %s and not %s", session.InitializeResult().ProtocolVersion, config.Modern)
	}
	c.session = session
	end := c.terminate
	c.terminate = func() { cancel(); end() }
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

// wait returns when the connection is gone, and why.
func (c *connection) wait() error {
	<-c.done
	return c.closeErr
}

// isClosed reports whether the connection is gone.
func (c *connection) isClosed() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// closeTimeout is how long a server may take to say goodbye.
const closeTimeout = 2 * time.Second

// close ends the connection and everything it stands on.
func (c *connection) close(why error) {
	c.closing.Do(func() {
		c.closeErr = why
		if c.session != nil {
			said := make(chan struct{})
			c.server.reg.tasks.Go(func() {
				defer close(said)
				_ = c.session.Close()
			})
			select {
			case <-said:
			case <-time.After(closeTimeout):
			}
		}
		c.terminate()
		close(c.done)
	})
	<-c.done
}

// listTools asks for all pages of the list.
func (c *connection) listTools(ctx context.Context) ([]Tool, error) {
	out := []Tool{}
	params := &mcp.ListToolsParams{}
	for cursors := map[string]bool{}; ; {
		page, err := c.session.ListTools(ctx, params)
		if wire, ok := errors.AsType[*jsonrpc.Error](err); ok && wire.Code == jsonrpc.CodeMethodNotFound {
			return out, nil // a server of resources or prompts alone
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
			return nil, fmt.Errorf("its list of tools goes in circles")
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
		out.Annotations = Annotations{ReadOnly: &a.ReadOnlyHint, Idempotent: &a.IdempotentHint, Destructive: a.DestructiveHint, OpenWorld: a.OpenWorldHint}
	}
	return out, nil
}

// onToolListChanged asks for the tools again, since the server says they are others. However often it says so, one question waits
// at most.
func (c *connection) onToolListChanged() {
	if !c.listChanged.CompareAndSwap(false, true) {
		return
	}
	c.server.reg.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(c.server.reg.ctx, c.server.entry.StartupTimeout)
		defer cancel()
		if err := c.refreshTools(ctx); err != nil {
			c.server.reg.log.Warn("tools not refreshed", "server", c.server.entry.Alias, "error", c.server.redactor().redactError(err))
		}
	})
}

// refreshTools asks the server for its tools and takes in what it says, one question after the other.
func (c *connection) refreshTools(ctx context.Context) error {
	select {
	case c.listing <- struct{}{}:
		defer func() { <-c.listing }()
	case <-ctx.Done():
		c.listChanged.Store(false)
		return ctx.Err()
	}
	c.listChanged.Store(false) // what is others from here on is not in the answer
	tools, err := c.listTools(ctx)
	if err == nil {
		c.server.setTools(tools)
	}
	return err
}

// onProgress passes a notification on to its call.
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

// withStderr adds to an error what is known about the end of the connection and what the process wrote last.
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
		return fmt.Errorf("%w; its stderr ends: %s", err, tail)
	}
	return err
}
