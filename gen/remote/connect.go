package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/rawclient"
)

// Options are for servers; a file needs none of them.
type Options struct {
	Timeout time.Duration // of Read; 0 is DefaultTimeout
	Header  http.Header   // sent to the host of the URL, and to no host that it redirects to
	Env     []string      // NAME=VALUE, the whole environment of the command; nil is that of this process
	Dir     string        // the command's working directory; "" is that of this process
	Stderr  io.Writer     // gets what the command writes to standard error; nil discards it
	Changed func()        // called when the server says that its list of tools has changed; must not block; may be nil

	isRead bool // for Read, which names the server: the revision without sessions is tried first
}

// Client is one connection to a server. It is safe for concurrent use.
type Client struct {
	*rawclient.Client

	About  Server   // what the server says of itself, without lists
	what   string   // the server in messages
	stderr *tail    // nil over HTTP
	http   *headers // nil of a command
	kill   func()   // ends the processes of a command
}

// EndedError says that the server is gone: it was never there, has exited or closed the connection.
type EndedError struct {
	Server string // command or address; "" where the text before the error names it
	Cause  error
	Stderr string // the last lines that the program wrote to standard error
}

// Error says which server has ended and what it wrote last.
func (e *EndedError) Error() string {
	if e.Server == "" {
		return fmt.Sprintf("the server ended (%v)", e.Cause) + quoted(e.Stderr)
	}
	return fmt.Sprintf("the upstream (%s) has ended: %v", e.Server, e.Cause) + quoted(e.Stderr)
}

// Unwrap returns the cause.
func (e *EndedError) Unwrap() error { return e.Cause }

func quoted(stderr string) string {
	if stderr == "" {
		return ""
	}
	return "; its standard error ends with:\n  | " + strings.ReplaceAll(stderr, "\n", "\n  | ")
}

// Connect starts or finds the server and begins a session. Ctx bounds the beginning alone.
func Connect(ctx context.Context, src Source, opts Options) (*Client, error) {
	c := &Client{what: cmp.Or(src.URL, strings.Join(src.Command, " ")), kill: func() {}}
	if opts.isRead {
		c.what = ""
	}
	raw := rawclient.Options{Explain: c.explain, Notified: func(method string) {
		if method == "notifications/tools/list_changed" && opts.Changed != nil {
			opts.Changed()
		}
	}}
	var transport mcp.Transport
	var err error
	if src.URL != "" {
		transport, c.http, err = overHTTP(src.URL, opts.Header)
		raw.Negotiated = func(revision string) { c.http.revision.Store(revision) }
	} else {
		c.stderr = &tail{next: opts.Stderr}
		transport, c.kill, err = startCommand(src.Command, opts, c.stderr)
		if err != nil && !opts.isRead {
			err = &EndedError{Server: c.what, Cause: err}
		}
	}
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, c.kill)() // one that does not read its standard input would hold up the client
	conn, err := transport.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	c.Client = rawclient.New(conn, raw)
	if opts.isRead {
		c.About, err = c.Discover(ctx, clientName, clientVersion)
	}
	if !opts.isRead || err != nil && ctx.Err() == nil {
		c.About, err = c.Initialize(ctx, clientName, clientVersion)
	}
	if err != nil {
		_ = c.Close()
		return nil, c.quoting(fmt.Errorf("connect: %w", err))
	}
	return c, nil
}

// The client by name and version, for the server's log.
const (
	clientName    = "toolgen"
	clientVersion = "1"
)

// Call calls a tool with an object of arguments and returns the result as the server sends it. An error of the protocol
// is a *jsonrpc.Error; a server that is gone is an *EndedError. The end of ctx cancels the call at the server.
func (c *Client) Call(ctx context.Context, tool string, args json.RawMessage, progress rawclient.Progress) (json.RawMessage, error) {
	params := map[string]any{"name": tool}
	if len(args) > 0 {
		params["arguments"] = args
	}
	return c.Request(ctx, "tools/call", params, progress)
}

// explain is the error of a connection that has ended, or of a request over HTTP that had no response.
func (c *Client) explain(cause, closed error) error {
	if closed != nil && (errors.Is(cause, io.ErrUnexpectedEOF) || strings.Contains(closed.Error(), "exit status") || strings.Contains(closed.Error(), "signal")) {
		cause = closed // of a program: how it ended
	}
	if errors.Is(cause, io.ErrUnexpectedEOF) {
		cause = errors.New("it closed the connection")
	}
	ended := &EndedError{Server: c.what, Cause: cause}
	if c.stderr != nil {
		ended.Stderr = c.stderr.String()
	}
	return ended
}

// quoting adds to an error what the server said last: the end of a program's standard error where the error does not
// have it, or the last refusal of HTTP.
func (c *Client) quoting(err error) error {
	if c.http != nil {
		if refusal, ok := c.http.refusal.Load().(string); ok {
			return fmt.Errorf("the server answers %s: %w", refusal, err)
		}
		return err
	}
	if _, ok := errors.AsType[*EndedError](err); ok {
		return err
	}
	return fmt.Errorf("%w%s", err, quoted(c.stderr.String()))
}

// tailBytes is how much of a program's standard error messages repeat.
const tailBytes = 2000

// tail keeps the end of what is written, and passes it on.
type tail struct {
	next io.Writer

	mu   sync.Mutex
	last []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-tailBytes):]
	if t.next != nil {
		_, _ = t.next.Write(p) // what cannot be shown is still kept
	}
	return len(p), nil
}

// String is the end of the text, without the spaces around it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(bytes.ToValidUTF8(t.last, []byte("\uFFFD"))))
}
