package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine bounds one message from the client, in bytes.
const maxLine = 16 << 20

// lineConn is a connection of one JSON message per line. Beside the SDK's own it survives lines
// that are no messages, sends no response to cancelled calls, and writes the bodies of
// placeholders.
type lineConn struct {
	id     string
	in     io.Reader
	bodies *bodyStore

	lines   chan line
	drained chan struct{} // closed when the input has ended and what was asked before is answered, or has had its time
	done    chan struct{} // closed by Close
	stop    sync.Once

	outMu sync.Mutex
	out   *bufio.Writer

	mu    sync.Mutex
	calls map[jsonrpc.ID]bool // requests without an answer; true once cancelled
	idle  chan struct{}       // closed when calls gets empty; nil unless someone waits
}

// line is one line of input, or what is wrong with it.
type line struct {
	text []byte
	bad  string
}

func newLineConn(id string, in io.Reader, out io.Writer, room *bodyStore) *lineConn {
	c := &lineConn{
		id: id, in: in, bodies: room, out: bufio.NewWriterSize(out, writeSize),
		lines: make(chan line), drained: make(chan struct{}), done: make(chan struct{}),
		calls: make(map[jsonrpc.ID]bool),
	}
	go c.scan()
	return c
}

// SessionID is never empty, which tells the connection from stateless ones.
func (c *lineConn) SessionID() string { return c.id }

// Close ends reading; it may be called often.
func (c *lineConn) Close() error {
	c.stop.Do(func() {
		close(c.done)
		if in, ok := c.in.(io.Closer); ok {
			_ = in.Close() // only to free the reader
		}
	})
	return nil
}

// scan reads lines until the input ends. It is a goroutine of its own because a Read cannot be
// interrupted.
func (c *lineConn) scan() {
	defer close(c.lines)
	in := bufio.NewReaderSize(c.in, writeSize)
	for {
		text, err := readLine(in)
		l := line{text: text}
		if errors.Is(err, bufio.ErrTooLong) {
			l.bad, err = fmt.Sprintf("a message may have at most %d bytes", maxLine), nil
		}
		if len(bytes.TrimSpace(l.text)) > 0 || l.bad != "" {
			select {
			case c.lines <- l:
			case <-c.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads up to the next line end. A longer line than maxLine is read to its end and not
// kept.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(text)+len(part) > maxLine; tooLong {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && err == nil:
			return nil, bufio.ErrTooLong
		default:
			return text, err
		}
	}
}

// Read returns the next message. Lines that are none are answered here; the SDK would end the
// connection.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.done:
			return nil, io.EOF
		case l, ok := <-c.lines:
			if !ok {
				c.drain()
				close(c.drained)
				return nil, io.EOF
			}
			if msg := c.decode(l); msg != nil {
				return msg, nil
			}
		}
	}
}

// decode makes a message of a line, or answers why it is none and returns nil.
func (c *lineConn) decode(l line) jsonrpc.Message {
	if l.bad != "" {
		c.reject(nil, jsonrpc.CodeInvalidRequest, l.bad)
		return nil
	}
	if !json.Valid(l.text) { // the SDK would take the first of several messages and drop the others unanswered
		c.reject(nil, jsonrpc.CodeParseError, "the line is not one JSON value")
		return nil
	}
	msg, err := jsonrpc.DecodeMessage(l.text)
	switch {
	case err == nil:
	case bytes.TrimSpace(l.text)[0] == '[':
		c.reject(nil, jsonrpc.CodeInvalidRequest, "batches are not supported; send one message per line")
		return nil
	default:
		c.reject(l.text, jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message")
		return nil
	}
	if req, ok := msg.(*jsonrpc.Request); ok {
		c.note(req)
	}
	return msg
}

// note keeps track of calls and of those that are cancelled.
func (c *lineConn) note(req *jsonrpc.Request) {
	if req.IsCall() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.calls[req.ID] = false
		return
	}
	if req.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(req.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if err != nil || !id.IsValid() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.calls[id]; ok {
		c.calls[id] = true
	}
}

// cancelled reports whether nothing may be sent for a call any more.
func (c *lineConn) cancelled(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[id]
}

// forget drops a call that has its answer.
func (c *lineConn) forget(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
	if len(c.calls) == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain waits until everything that was asked is answered, for at most drainTime.
func (c *lineConn) drain() {
	c.mu.Lock()
	if len(c.calls) == 0 {
		c.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	c.idle = idle
	c.mu.Unlock()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-c.done:
	}
}

// Write sends one message.
func (c *lineConn) Write(_ context.Context, msg jsonrpc.Message) error {
	res, ok := msg.(*jsonrpc.Response)
	if !ok {
		return c.send(msg)
	}
	defer c.forget(res.ID)
	if c.cancelled(res.ID) {
		return nil
	}
	b, size, ok := c.bodies.take(res.Result)
	if ok && size == len(res.Result) {
		return c.sendBody(res.ID, b)
	}
	return c.send(coded(res))
}

// coded gives errors without a code one: the SDK sends 0 for requests that come at the wrong time.
func coded(res *jsonrpc.Response) *jsonrpc.Response {
	var wire *jsonrpc.Error
	if res.Error == nil || errors.As(res.Error, &wire) && wire.Code != 0 {
		return res
	}
	return &jsonrpc.Response{ID: res.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: res.Error.Error()}}
}

func (c *lineConn) send(msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	return c.sendLine(body{{text: text}})
}

// sendBody frames a prepared result.
func (c *lineConn) sendBody(id jsonrpc.ID, b body) error {
	name, err := json.Marshal(id.Raw())
	if err != nil {
		return fmt.Errorf("encode request id: %w", err)
	}
	head := append(append([]byte(`{"jsonrpc":"2.0","id":`), name...), `,"result":`...)
	framed := append(body{{text: head}}, b...)
	return c.sendLine(append(framed, segment{text: []byte(`}`)}))
}

func (c *lineConn) sendLine(b body) error {
	c.outMu.Lock()
	defer c.outMu.Unlock()
	b.writeTo(c.out)
	_ = c.out.WriteByte('\n')
	if err := c.out.Flush(); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// reject answers a line that is no message, with its id if one can be found in text.
func (c *lineConn) reject(text []byte, code int, message string) {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(text, &named) != nil || !isID(named.ID) {
		named.ID = json.RawMessage("null")
	}
	if line, err := json.Marshal(rejection(named.ID, code, message)); err == nil {
		_ = c.sendLine(body{{text: line}}) // a broken output shows at the next answer
	}
}

// isID reports whether raw, which is JSON, is a string or a number.
func isID(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}
