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

// codeTooLarge is the error code that replaces a response that is too large.
const codeTooLarge = -32990

// maxNonProtocolBytes bounds consecutive output that is not the protocol before the connection is
// closed.
const maxNonProtocolBytes = 1 << 20

// probeTimeout bounds the wait for the response to server/discover, at most half of the startup
// timeout. A slow server then gets the older handshake too, which it can accept or refuse.
const probeTimeout = 10 * time.Second

// stdioTransport is the MCP transport over a process's stdin and stdout. Unlike the SDK's it skips
// lines that are no messages, turns a line that is too long into an error of its call alone, and
// falls back to the older handshake if the server does not respond to server/discover.
type stdioTransport struct {
	process *process
	server  *server
	limit   int
	lines   *bufio.Reader

	writing chan struct{} // held while a message is written to stdin

	mu      sync.Mutex
	pending map[string]jsonrpc.ID // calls without a response, by their ID as JSON
	probeID string                // the ID of server/discover
	probe   *time.Timer           // for its response; nil if the transport does not probe

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
		writing: make(chan struct{}, 1), pending: map[string]jsonrpc.ID{}, in: make(chan incoming),
		closed: make(chan struct{})}
	if probing {
		c.probe = time.NewTimer(time.Hour) // reset when the request is sent
		c.probe.Stop()
	}
	return c
}

// Connect starts reading. The transport is its own connection.
func (s *stdioTransport) Connect(context.Context) (mcp.Connection, error) {
	s.server.reg.tasks.Go(s.readLoop)
	return s, nil
}

// SessionID returns "": a process has one session.
func (s *stdioTransport) SessionID() string { return "" }

// Close stops reading and closes stdin. The connection waits for the process.
func (s *stdioTransport) Close() error {
	s.once.Do(func() {
		close(s.closed)
		_ = s.process.stdin.Close()
	})
	return nil
}

func (s *stdioTransport) Read(ctx context.Context) (jsonrpc.Message, error) {
	var probeExpired <-chan time.Time
	if s.probe != nil {
		probeExpired = s.probe.C
	}
	for {
		select {
		case in := <-s.in:
			return in.msg, in.err
		case <-probeExpired:
			if id, ok := s.takeProbe(); ok {
				return &jsonrpc.Response{ID: id,
					Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no response"}}, nil
			}
			probeExpired = nil
		case <-s.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Write sends a message. If the server does not read, the message stays queued, but Write returns
// at the end of ctx.
func (s *stdioTransport) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() {
		s.mu.Lock()
		s.pending[idKey(req.ID)] = req.ID
		if req.Method == "server/discover" {
			s.probeID = idKey(req.ID)
		}
		s.mu.Unlock()
		if req.Method == "server/discover" && s.probe != nil {
			s.probe.Reset(min(s.server.entry.StartupTimeout/2, probeTimeout))
		}
	}
	return s.send(ctx, append(data, '\n'))
}

func (s *stdioTransport) send(ctx context.Context, line []byte) error {
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return os.ErrClosed
	}
	written := make(chan error, 1)
	go func() { // a partial message would break the protocol
		_, err := s.process.stdin.Write(line)
		<-s.writing
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stdioTransport) readLoop() {
	skippedTotal := 0
	for {
		msg, skipped, err := s.readMessage()
		if skipped > 0 {
			if skippedTotal += skipped; skippedTotal > maxNonProtocolBytes {
				msg, err = nil, fmt.Errorf("the server wrote more than %d bytes to stdout that are not the protocol",
					maxNonProtocolBytes)
			} else {
				s.server.reg.log.Debug("external server wrote a line that is not a message", "server",
					s.server.entry.Alias, "bytes", skipped)
			}
		}
		if msg == nil && err == nil {
			continue
		}
		if msg != nil {
			skippedTotal = 0
		}
		select {
		case s.in <- incoming{msg, err}:
		case <-s.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// readMessage reads one line. It returns a message, or the length of a line that is not one.
func (s *stdioTransport) readMessage() (jsonrpc.Message, int, error) {
	line, size, err := s.readLine()
	if size > s.limit {
		id, ok := s.takeCallOf(line)
		if !ok {
			return nil, 0, fmt.Errorf("the server sent a message larger than %d bytes (maxResultBytes)", s.limit)
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
		s.mu.Lock()
		delete(s.pending, idKey(res.ID))
		s.mu.Unlock()
	}
	return msg, 0, nil
}

// keptEnds is the number of bytes kept at each end of an oversized line, to find the call it
// responds to.
const keptEnds = 512

// readLine reads a line. It keeps only both ends and the size of a line beyond the limit.
func (s *stdioTransport) readLine() (line []byte, size int, err error) {
	for {
		part, err := s.lines.ReadSlice('\n')
		size += len(part)
		line = append(line, part...)
		if size > s.limit && len(line) > 4*keptEnds {
			line = append(line[:keptEnds], line[len(line)-keptEnds:]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return line, size, err
	}
}

// responseID matches the ID of a response at either end of a truncated line.
var responseID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"id"\s*:\s*(\d+)\s*[,}]`) })

// takeCallOf returns the call that an oversized line responds to: the one whose ID is at an end of
// it, or the only one.
func (s *stdioTransport) takeCallOf(line []byte) (jsonrpc.ID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var candidates []jsonrpc.ID
	for _, m := range responseID().FindAllSubmatch(line, -1) {
		if id, ok := s.pending[string(m[1])]; ok {
			candidates = append(candidates, id)
		}
	}
	if len(s.pending) == 1 {
		for _, id := range s.pending {
			candidates = []jsonrpc.ID{id}
		}
	}
	if len(candidates) != 1 {
		return jsonrpc.ID{}, false
	}
	delete(s.pending, idKey(candidates[0]))
	return candidates[0], true
}

// takeProbe removes server/discover from the pending calls, if it has no response yet.
func (s *stdioTransport) takeProbe() (jsonrpc.ID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.pending[s.probeID]
	delete(s.pending, s.probeID)
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
