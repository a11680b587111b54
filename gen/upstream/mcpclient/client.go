// Package mcpclient calls a server of the protocol and returns its results to the byte.
//
// The protocol's SDK decodes results into types and would encode them again; here its transports
// carry messages, and a result stays the text that came. The package knows no manifest.
package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/processgroup"
	"github.com/callsheet/callsheet/gen/upstream"
)

// protocolVersion is the latest revision with sessions, which servers of today and of tomorrow take.
const protocolVersion = "2025-11-25"

// maxPages bounds the pages of a list: a server could send the same cursor for ever.
const maxPages = 1000

// Progress gets how far a call is. Total 0 means unknown.
type Progress func(done, total float64, message string)

// Client is one connection to a server. It is safe for concurrent use.
type Client struct {
	conn    mcp.Connection
	what    string    // the server in messages
	cmd     *exec.Cmd // nil over HTTP
	stderr  *tail     // nil over HTTP
	changed func()

	Name, Version string   // what the server says of itself
	features      []string // beside tools

	mu       sync.Mutex
	last     int64
	pending  map[int64]*call
	ended    chan struct{}
	err      error // why the connection ended; valid after ended
	closing  bool
	finished sync.WaitGroup
}

// call is a request that waits for its response.
type call struct {
	response chan *jsonrpc.Response
	progress Progress
}

// EndedError says that the server is gone: it was never there, has exited or closed the connection.
type EndedError struct {
	Server string // command or address
	Cause  error
	Stderr string // the last lines that the program wrote to standard error
}

// Error says which server has ended and what it wrote last.
func (e *EndedError) Error() string {
	text := fmt.Sprintf("the upstream (%s) has ended: %v", e.Server, e.Cause)
	if e.Stderr != "" {
		text += "; its standard error ends with:\n" + e.Stderr
	}
	return text
}

// Unwrap returns the cause.
func (e *EndedError) Unwrap() error { return e.Cause }

// connect begins the session on a connection.
func (c *Client) connect(ctx context.Context) error {
	c.pending, c.ended = map[int64]*call{}, make(chan struct{})
	c.finished.Go(c.read)
	raw, err := c.request(ctx, "initialize", map[string]any{
		"protocolVersion": protocolVersion, "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": "toolgen", "version": "1"},
	}, nil)
	if err == nil {
		if err = c.hello(raw); err == nil {
			err = c.notify(ctx, "notifications/initialized", struct{}{})
		}
	}
	if err != nil {
		_ = c.Close()
		return err
	}
	return nil
}

// hello reads the answer to initialize.
func (c *Client) hello(raw json.RawMessage) error {
	var answer struct {
		ServerInfo   struct{ Name, Version string }
		Capabilities map[string]json.RawMessage
		Instructions string
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("the answer to initialize: %w", err)
	}
	c.Name, c.Version = answer.ServerInfo.Name, answer.ServerInfo.Version
	for name := range answer.Capabilities {
		if name != "tools" {
			c.features = append(c.features, name)
		}
	}
	if answer.Instructions != "" {
		c.features = append(c.features, "instructions")
	}
	slices.Sort(c.features)
	return nil
}

// List asks for every page of the tools.
func (c *Client) List(ctx context.Context) (upstream.List, error) {
	var all []json.RawMessage
	cursor := ""
	for pages := 1; ; pages++ {
		params := map[string]string{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, err := c.request(ctx, "tools/list", params, nil)
		if err != nil {
			return upstream.List{}, fmt.Errorf("list the tools of %s: %w", c.what, err)
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return upstream.List{}, fmt.Errorf("list the tools of %s: %w", c.what, err)
		}
		all = append(all, page.Tools...)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
		if pages == maxPages {
			return upstream.List{}, fmt.Errorf("list the tools of %s: the pages do not end: after %d of them the cursor is %q", c.what, pages, cursor)
		}
	}
	if all == nil {
		all = []json.RawMessage{}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return upstream.List{}, err
	}
	list, err := upstream.Decode(data)
	list.Name, list.Version, list.Features = c.Name, c.Version, c.features
	return list, err
}

// Call calls a tool with an object of arguments and returns the result as the server sends it. An
// error of the protocol is a *jsonrpc.Error; a server that is gone is an *EndedError. The end of ctx
// cancels the call at the server.
func (c *Client) Call(ctx context.Context, tool string, args json.RawMessage, progress Progress) (json.RawMessage, error) {
	params := struct {
		Meta      map[string]int64 `json:"_meta,omitempty"`
		Name      string           `json:"name"`
		Arguments json.RawMessage  `json:"arguments,omitempty"`
	}{Name: tool, Arguments: args}
	return c.send(ctx, "tools/call", progress, func(id int64) any {
		if progress != nil {
			params.Meta = map[string]int64{"progressToken": id}
		}
		return params
	})
}

func (c *Client) request(ctx context.Context, method string, params any, progress Progress) (json.RawMessage, error) {
	return c.send(ctx, method, progress, func(int64) any { return params })
}

// send sends a request and waits for its response.
func (c *Client) send(ctx context.Context, method string, progress Progress, params func(id int64) any) (json.RawMessage, error) {
	p := &call{response: make(chan *jsonrpc.Response, 1), progress: progress}
	c.mu.Lock()
	c.last++
	n := c.last
	c.pending[n] = p
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.pending, n)
		c.mu.Unlock()
	}()
	data, err := json.Marshal(params(n))
	if err != nil {
		return nil, err
	}
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		return nil, err
	}
	if err := c.conn.Write(ctx, &jsonrpc.Request{ID: id, Method: method, Params: data}); err != nil {
		return nil, c.lost(ctx, err)
	}
	select {
	case r := <-p.response:
		if r.Error != nil {
			return nil, r.Error
		}
		return r.Result, nil
	case <-ctx.Done():
		if method != "initialize" {
			_ = c.notify(context.WithoutCancel(ctx), "notifications/cancelled", map[string]any{"requestId": n, "reason": "the caller has cancelled"})
		}
		return nil, ctx.Err()
	case <-c.ended:
		return nil, c.err
	}
}

// lost is the error of a message that could not be written: most often the server has ended, and the
// reader knows why.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.stderr == nil {
		var rpc *jsonrpc.Error
		if !errors.As(err, &rpc) { // the SDK has given the connection up, and the reader hears of it next
			_ = c.conn.Close()
			select {
			case <-c.ended: // whoever sees the error sees the end
			case <-ctx.Done():
			}
		}
		return c.refused(err)
	}
	select {
	case <-c.ended:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rejected is the code by which the SDK marks a request that did not reach the server, or was refused by it.
const rejected = -32005

// refused is the error of a request over HTTP that had no response: the server's own error of the protocol, if it
// sent one.
func (c *Client) refused(err error) error {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) && rpc.Code != rejected {
		return rpc
	}
	cause := strings.ReplaceAll(err.Error(), "rejected by transport: ", "")
	return &EndedError{Server: c.what, Cause: errors.New(cause)} // the cause has an error of the protocol that no server sent
}

func (c *Client) notify(ctx context.Context, method string, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.conn.Write(ctx, &jsonrpc.Request{Method: method, Params: data})
}

// read passes responses and progress to their calls until the connection ends.
func (c *Client) read() {
	for {
		msg, err := c.conn.Read(context.Background())
		if err != nil {
			c.end(err)
			return
		}
		switch msg := msg.(type) {
		case *jsonrpc.Response:
			if p := c.waiting(msg.ID.Raw()); p != nil {
				p.response <- msg
			}
		case *jsonrpc.Request:
			c.serve(msg)
		}
	}
}

func (c *Client) waiting(id any) *call {
	n, ok := id.(int64)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[n]
}

// serve answers what the server asks and takes what it tells. It has declared no capability, so that
// a ping is all that the server may ask.
func (c *Client) serve(req *jsonrpc.Request) {
	switch req.Method {
	case "notifications/progress":
		var p struct {
			ProgressToken   json.Number
			Progress, Total float64
			Message         string
		}
		if json.Unmarshal(req.Params, &p) != nil {
			return
		}
		n, err := p.ProgressToken.Int64()
		if waiting := c.waiting(n); err == nil && waiting != nil && waiting.progress != nil {
			waiting.progress(p.Progress, p.Total, p.Message)
		}
	case "notifications/tools/list_changed":
		if c.changed != nil {
			c.changed()
		}
	default:
		if !req.ID.IsValid() {
			return
		}
		response := &jsonrpc.Response{ID: req.ID, Result: json.RawMessage(`{}`)}
		if req.Method != "ping" {
			response.Result, response.Error = nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
		}
		c.finished.Go(func() { _ = c.conn.Write(context.Background(), response) })
	}
}

// end notes why the connection is over and wakes the calls.
func (c *Client) end(cause error) {
	closed := c.conn.Close() // of a program: waits for it, and says how it ended
	if c.cmd != nil {
		processgroup.Kill(c.cmd, true) // what it has left
	}
	if closed != nil && (errors.Is(cause, io.EOF) || strings.Contains(closed.Error(), "exit status") || strings.Contains(closed.Error(), "signal")) {
		cause = closed
	}
	if errors.Is(cause, io.EOF) {
		cause = errors.New("it closed the connection")
	}
	ended := &EndedError{Server: c.what, Cause: cause}
	if c.stderr != nil {
		ended.Stderr = c.stderr.String()
	}
	c.err = ended
	close(c.ended)
}

// Ended is closed when the server is gone.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Err is why the server is gone; valid once Ended is closed.
func (c *Client) Err() error { return c.err }

// Close ends the connection, and a program that was started for it.
func (c *Client) Close() error {
	c.mu.Lock()
	first := !c.closing
	c.closing = true
	c.mu.Unlock()
	var err error
	if first {
		err = c.conn.Close()
	}
	<-c.ended
	c.finished.Wait()
	return err
}
