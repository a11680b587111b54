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
	ids    idMapping

	lines   chan line
	drained chan struct{} // closed when the input has ended and what was asked before is answered, or has had its time
	done    chan struct{} // closed by Close
	stop    sync.Once

	outMu sync.Mutex
	out   *bufio.Writer

	mu    sync.Mutex
	calls map[jsonrpc.ID]bool // requests without an answer; true once cancelled
	idle  chan struct{}       // closed when every call is answered; nil unless someone waits

	answering int // answers that are being written
}

// line is one line of input, or its error.
type line struct {
	text []byte
	bad  string
}

func newLineConn(id string, in io.Reader, out io.Writer, room *bodyStore) *lineConn {
	c := &lineConn{
		id: id, in: in, bodies: room, ids: newIDMapping(), out: bufio.NewWriterSize(out, writeSize),
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
	msg, id, failure := c.ids.read(l.text)
	if failure != nil {
		c.reject(id, int(failure.Code), failure.Message)
		return nil
	}
	if req, ok := msg.Message.(*jsonrpc.Request); ok && !c.note(req) {
		c.reject(id, jsonrpc.CodeInvalidRequest, idInUse)
		return nil
	}
	return msg.Message
}

// idInUse refuses a request with the id of one that is not answered. The SDK would not answer it.
const idInUse = "the id is that of a request without an answer so far"

// note keeps track of calls and of those that are cancelled. It reports false for a call whose id
// is in use.
func (c *lineConn) note(req *jsonrpc.Request) bool {
	if req.IsCall() {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, inUse := c.calls[req.ID]
		if !inUse {
			c.calls[req.ID] = false
		}
		return !inUse
	}
	if req.Method == "notifications/cancelled" {
		c.noteCancelled(req)
	}
	return true
}

func (c *lineConn) noteCancelled(req *jsonrpc.Request) {
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

// beginAnswer frees the id of a call, which its client may use again once it reads the answer. It
// reports whether the call was cancelled, so that nothing may be sent for it.
func (c *lineConn) beginAnswer(id jsonrpc.ID) (cancelled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancelled = c.calls[id]
	delete(c.calls, id)
	c.answering++
	return cancelled
}

// endAnswer writes the end of an answer after beginAnswer.
func (c *lineConn) endAnswer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answering--
	if c.isIdle() && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// isIdle reports whether every call is answered. The caller holds mu.
func (c *lineConn) isIdle() bool { return len(c.calls) == 0 && c.answering == 0 }

// drain waits until everything that was asked is answered, for at most drainTime.
func (c *lineConn) drain() {
	c.mu.Lock()
	if c.isIdle() {
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
	defer c.endAnswer()
	if c.beginAnswer(res.ID) {
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
	return c.sendLine(body{{text: c.ids.unwrap(text)}})
}

// sendBody frames a prepared result.
func (c *lineConn) sendBody(id jsonrpc.ID, b body) error {
	name, err := c.ids.unwrapID(id)
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

// reject answers a line that is no message or cannot be taken; nil is an unknown id.
func (c *lineConn) reject(id json.RawMessage, code int, message string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	if line, err := json.Marshal(rejection(id, code, message)); err == nil {
		_ = c.sendLine(body{{text: line}}) // a broken output shows at the next answer
	}
}
