package mcpserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long the end of the input waits for calls: first for answers to what was asked before it, so
// that a script may write its requests and close, then for handlers to notice that they are
// cancelled.
const (
	drainTime  = 300 * time.Millisecond
	noticeTime = 300 * time.Millisecond
)

// ServeStdio serves one client over lines of JSON until in ends, ctx is done or the client's end
// breaks. It returns nil for the first two, within a second; handlers that ignore their context are
// left behind then.
//
// When in is an io.Closer it is closed at the end, because a blocked Read can be freed in no other
// way.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.serveLines(ctx, newLineConn(LinePrefix+rand.Text(), in, out, s.bodies), false)
}

// ServeShared is ServeStdio for a client that works in the session with this ID, beside others that
// do. What the session owns outlives the client: its end is not reported.
func (s *Server) ServeShared(ctx context.Context, id string, in io.Reader, out io.Writer) error {
	return s.serveLines(ctx, newLineConn(id, in, out, s.bodies), true)
}

func (s *Server) serveLines(ctx context.Context, conn *lineConn, shared bool) error {
	s.sessions.mu.Lock()
	s.sessions.lines[conn.id] = shared
	s.sessions.mu.Unlock()
	ss, err := s.sdk.Connect(ctx, lineTransport{conn}, nil)
	if err != nil {
		return fmt.Errorf("connect standard input and output: %w", err)
	}
	c := s.sessions.clientOf(ctx, ss)
	s.sessions.attach(c, 1)
	select {
	case <-c.ended:
	case <-conn.drained:
	case <-ctx.Done():
	case <-s.closing.Done():
	}
	c.cancel()
	_ = conn.Close()
	timer := time.NewTimer(noticeTime)
	defer timer.Stop()
	select {
	case <-c.ended:
		if c.err != nil {
			return fmt.Errorf("serve standard input and output: %w", c.err)
		}
	case <-timer.C:
		s.log.Warn("calls are still running")
	}
	return nil
}

// LinePrefix begins the ID of the session of each client of ServeStdio. The rest is random, so that
// a client has nothing of those that were there before.
const LinePrefix = "stdio-"

type lineTransport struct{ conn *lineConn }

func (t lineTransport) Connect(context.Context) (mcp.Connection, error) { return t.conn, nil }
