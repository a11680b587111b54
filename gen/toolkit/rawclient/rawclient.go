// Package rawclient is a client of the protocol that returns results as the bytes that the server sent.
//
// The protocol's SDK decodes results into types and would encode them again. Here its connections carry the messages,
// and a result stays the text that came. The package must not know how a server is reached, nor what its tools are.
package rawclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Revisions of the protocol: the last one with sessions, and the one whose requests stand alone.
const (
	SessionRevision   = "2025-11-25"
	StatelessRevision = "2026-07-28"
)

// Progress gets how far a call is. Total 0 means unknown.
type Progress func(done, total float64, message string)

// Options are callbacks of a client. Every field may be nil.
type Options struct {
	Notified   func(method string)             // called for each notification; must not block
	Negotiated func(revision string)           // called before the first message in the revision
	Explain    func(cause, closed error) error // makes the error of a connection that has ended or of a request that had no response
}

// Client is one connection to a server. It is safe for concurrent use.
type Client struct {
	conn mcp.Connection
	opts Options
	meta map[string]any // of each request; of the stateless revision

	mu       sync.Mutex
	last     int64
	pending  map[int64]*call
	broken   error // of the first message that could not be sent
	ended    chan struct{}
	err      error // why the connection ended; valid after ended
	finished sync.WaitGroup
}

// call is a request that waits for its response.
type call struct {
	response chan *jsonrpc.Response
	progress Progress
}

// New starts reading from a connection.
func New(conn mcp.Connection, opts Options) *Client {
	c := &Client{conn: conn, opts: opts, pending: map[int64]*call{}, ended: make(chan struct{})}
	c.finished.Go(c.read)
	return c
}

// Request sends a request and returns the result as it was sent. An error of the protocol is a *jsonrpc.Error. The end
// of ctx cancels the request at the server.
func (c *Client) Request(ctx context.Context, method string, params map[string]any, progress Progress) (json.RawMessage, error) {
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
	data, err := json.Marshal(c.withMeta(params, n, progress != nil))
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

// withMeta adds to parameters the _meta of every request, and the token of its progress.
func (c *Client) withMeta(params map[string]any, id int64, progress bool) map[string]any {
	own, _ := params["_meta"].(map[string]any)
	meta := maps.Clone(c.meta)
	if meta == nil {
		meta = map[string]any{}
	}
	maps.Copy(meta, own)
	if progress {
		meta["progressToken"] = id
	}
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	if len(meta) > 0 {
		out["_meta"] = meta
	}
	return out
}

// maxPages bounds a list: a server that always names another page never ends it.
const maxPages = 1000

// Pages asks for every page of a list and returns the entries that stand in the member of each.
func (c *Client) Pages(ctx context.Context, method, member string) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	var cursors []string
	params := map[string]any{}
	for {
		raw, err := c.Request(ctx, method, params, nil)
		if err != nil {
			return nil, err
		}
		var page map[string]json.RawMessage
		if err := json.Unmarshal(raw, &page); err != nil || page == nil {
			return nil, fmt.Errorf("the result is no object: %.120s", raw)
		}
		var rows []json.RawMessage
		if err := json.Unmarshal(page[member], &rows); err != nil {
			return nil, fmt.Errorf("%q is no array", member)
		}
		all = append(all, rows...)
		var next string
		if page["nextCursor"] == nil || json.Unmarshal(page["nextCursor"], &next) != nil || next == "" {
			return all, nil
		}
		if slices.Contains(cursors, next) || len(cursors) == maxPages {
			return nil, fmt.Errorf("the pages do not end: after %d of them the cursor is %q", len(cursors)+1, next)
		}
		cursors = append(cursors, next)
		params["cursor"] = next
	}
}

// rejected is the code by which the SDK marks a request that did not reach the server, or was refused by it.
const rejected = -32005

// lost returns the error of a message that could not be sent. A server's own error of the protocol is that error;
// another refusal leaves the connection open; anything else ends it.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var rpc *jsonrpc.Error
	switch {
	case errors.As(err, &rpc) && rpc.Code != rejected:
		return rpc
	case rpc != nil: // the error has one of the protocol that no server sent
		return c.explain(errors.New(strings.ReplaceAll(err.Error(), "rejected by transport: ", "")), nil)
	}
	c.mu.Lock()
	if c.broken == nil {
		c.broken = err
	}
	c.mu.Unlock()
	_ = c.conn.Close()
	select {
	case <-c.ended: // whoever sees the error sees the end
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) explain(cause, closed error) error {
	if c.opts.Explain != nil {
		return c.opts.Explain(cause, closed)
	}
	return cause
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
			if n, ok := msg.ID.Raw().(int64); ok {
				if p := c.waiting(n); p != nil {
					p.response <- msg
				}
			}
		case *jsonrpc.Request:
			c.serve(msg)
		}
	}
}

func (c *Client) waiting(id int64) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[id]
}

// serve answers requests of the server and takes its notifications. The client declares no capability, so that a ping is all
// that the server may ask.
func (c *Client) serve(req *jsonrpc.Request) {
	if req.ID.IsValid() {
		response := &jsonrpc.Response{ID: req.ID, Result: json.RawMessage(`{}`)}
		if req.Method != "ping" {
			response.Result, response.Error = nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
		}
		c.finished.Go(func() { _ = c.conn.Write(context.Background(), response) })
		return
	}
	if req.Method == "notifications/progress" {
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
	}
	if c.opts.Notified != nil {
		c.opts.Notified(req.Method)
	}
}

// end notes why the connection is over and wakes the calls.
func (c *Client) end(cause error) {
	closed := c.conn.Close()
	c.mu.Lock()
	if c.broken != nil {
		cause = c.broken
	}
	c.mu.Unlock()
	if errors.Is(cause, io.EOF) {
		cause = io.ErrUnexpectedEOF
	}
	c.err = c.explain(cause, closed)
	close(c.ended)
}

// Ended is closed when the server is gone.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Err is why the server is gone; valid once Ended is closed.
func (c *Client) Err() error { return c.err }

// Close ends the connection.
func (c *Client) Close() error {
	err := c.conn.Close()
	<-c.ended
	c.finished.Wait()
	return err
}
