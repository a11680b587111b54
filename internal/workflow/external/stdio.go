package external

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// codeTooLarge is the error that a pipe puts in the place of an answer that is too large.
const codeTooLarge = -32990

// maxNonProtocolBytes is how many bytes in a row may be no messages before the server is given up.
const maxNonProtocolBytes = 1 << 20

// probeTimeout is how long a server may stay silent when it is asked for the modern era, at most half its startup timeout.
// One that is only slow gets the old handshake too, which it can refuse or take.
const probeTimeout = 10 * time.Second

// stdioTransport is the transport over a process's stdin and stdout. It differs from the SDK's in what it survives: lines that are
// no messages are skipped, a line that is too long becomes an error of its call alone, and a server that stays silent
// when it is asked for the modern era gets the old handshake.
type stdioTransport struct {
	process *process
	server  *server
	limit   int
	lines   *bufio.Reader

	writing chan struct{} // full while a message is on its way to stdin

	mu      sync.Mutex
	pending map[string]jsonrpc.ID // calls without an answer, by their id as JSON
	probeID string                // the id of server/discover
	probe   *time.Timer           // for the answer to it; nil when it is not asked or must be answered

	in     chan incoming
	closed chan struct{}
	once   sync.Once
}

type incoming struct {
	msg jsonrpc.Message
	err error
}

func newStdioTransport(p *process, s *server, probing bool) *stdioTransport {
	c := &stdioTransport{process: p, server: s, limit: s.entry.MaxResult, lines: bufio.NewReaderSize(p.stdout, 64<<10),
		writing: make(chan struct{}, 1), pending: map[string]jsonrpc.ID{}, in: make(chan incoming), closed: make(chan struct{})}
	if probing {
		c.probe = time.NewTimer(time.Hour) // set when the question is sent
		c.probe.Stop()
	}
	return c
}

// Connect starts reading. A pipe is its own connection.
func (c *stdioTransport) Connect(context.Context) (mcp.Connection, error) {
	c.server.reg.tasks.Go(c.readLoop)
	return c, nil
}

// SessionID is none: a process is not told apart from others.
func (c *stdioTransport) SessionID() string { return "" }

// Close ends the reading and the process's input. What the process is given to end in is the connection's business.
func (c *stdioTransport) Close() error {
	c.once.Do(func() {
		close(c.closed)
		_ = c.process.stdin.Close()
	})
	return nil
}

func (c *stdioTransport) Read(ctx context.Context) (jsonrpc.Message, error) {
	var silent <-chan time.Time
	if c.probe != nil {
		silent = c.probe.C
	}
	for {
		select {
		case in := <-c.in:
			return in.msg, in.err
		case <-silent:
			if id, ok := c.takeProbe(); ok {
				return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer"}}, nil
			}
			silent = nil
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Write sends a message. A server that reads no more keeps the message, and those after it, but no caller beyond its ctx.
func (c *stdioTransport) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() {
		c.mu.Lock()
		c.pending[idKey(req.ID)] = req.ID
		if req.Method == "server/discover" {
			c.probeID = idKey(req.ID)
		}
		c.mu.Unlock()
		if req.Method == "server/discover" && c.probe != nil {
			c.probe.Reset(min(c.server.entry.StartupTimeout/2, probeTimeout))
		}
	}
	return c.send(ctx, append(data, '\n'))
}

func (c *stdioTransport) send(ctx context.Context, line []byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return os.ErrClosed
	}
	written := make(chan error, 1)
	go func() { // half a message would be the end of the protocol, so it is written to its end, or to that of the pipe
		_, err := c.process.stdin.Write(line)
		<-c.writing
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *stdioTransport) readLoop() {
	garbage := 0
	for {
		msg, skipped, err := c.readMessage()
		if skipped > 0 {
			if garbage += skipped; garbage > maxNonProtocolBytes {
				msg, err = nil, fmt.Errorf("it wrote more than %d bytes to stdout that are not the protocol", maxNonProtocolBytes)
			} else {
				c.server.reg.log.Debug("external server wrote a line that is no message", "server", c.server.entry.Alias, "bytes", skipped)
			}
		}
		if msg == nil && err == nil {
			continue
		}
		if msg != nil {
			garbage = 0
		}
		select {
		case c.in <- incoming{msg, err}:
		case <-c.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// readMessage reads one line. It gives a message, or how long a line was that is none.
func (c *stdioTransport) readMessage() (jsonrpc.Message, int, error) {
	line, size, err := c.readLine()
	if size > c.limit {
		id, ok := c.takeCallOf(line)
		if !ok {
			return nil, 0, fmt.Errorf("it sent a message larger than %d bytes (maxResultBytes)", c.limit)
		}
		return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: codeTooLarge, Message: "too large"}}, 0, nil
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, 0, err
	}
	msg, broken := jsonrpc.DecodeMessage(line)
	if broken != nil {
		return nil, size, err
	}
	if res, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.pending, idKey(res.ID))
		c.mu.Unlock()
	}
	return msg, 0, nil
}

// keptEnds is how much of each end of an oversized line is kept, to find out which call it answers.
const keptEnds = 512

// readLine reads a line. Of one longer than the limit it keeps the two ends and the size alone.
func (c *stdioTransport) readLine() (line []byte, size int, err error) {
	for {
		part, err := c.lines.ReadSlice('\n')
		size += len(part)
		line = append(line, part...)
		if size > c.limit && len(line) > 4*keptEnds {
			line = append(line[:keptEnds], line[len(line)-keptEnds:]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return line, size, err
	}
}

// responseID finds the id of an answer at the start or the end of a line of which the middle is missing.
var responseID = regexp.MustCompile(`"id"\s*:\s*(\d+)\s*[,}]`)

// takeCallOf finds the call that an oversized line answers: the one whose id stands at an end of it, or the only one.
func (c *stdioTransport) takeCallOf(line []byte) (jsonrpc.ID, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var candidates []jsonrpc.ID
	for _, m := range responseID.FindAllSubmatch(line, -1) {
		if id, ok := c.pending[string(m[1])]; ok {
			candidates = append(candidates, id)
		}
	}
	if len(c.pending) == 1 {
		for _, id := range c.pending {
			candidates = []jsonrpc.ID{id}
		}
	}
	if len(candidates) != 1 {
		return jsonrpc.ID{}, false
	}
	delete(c.pending, idKey(candidates[0]))
	return candidates[0], true
}

// takeProbe takes server/discover out of what waits for an answer, if it still does.
func (c *stdioTransport) takeProbe() (jsonrpc.ID, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.pending[c.probeID]
	delete(c.pending, c.probeID)
	return id, ok
}

func idKey(id jsonrpc.ID) string {
	switch v := id.Raw().(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return fmt.Sprint(v)
	}
}
