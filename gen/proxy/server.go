package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/upstream"
	"github.com/callsheet/callsheet/gen/upstream/mcpclient"
)

// maxRestarts is how often in a row a server that has ended is started again for a session. A call
// that is answered ends the row.
const maxRestarts = 3

// stoppedError says that a server has ended too often.
type stoppedError struct{ last error }

func (e *stoppedError) Error() string {
	return fmt.Sprintf("the upstream was started %d times and is not started again; restart the proxy. Last: %v", maxRestarts+1, e.last)
}

// Server is an upstream that speaks the protocol. Each session has a connection of its own, so that
// what one client does there is not what another one sees.
type Server struct {
	opt mcpclient.Options

	mu       sync.Mutex
	spare    *mcpclient.Client // the first connection, until a session takes it
	sessions map[string]*connection
}

// connection is what a session has of the server.
type connection struct {
	mu       sync.Mutex
	client   *mcpclient.Client
	begun    bool
	restarts int
}

// Connect starts or finds the server and asks for its tools.
func Connect(ctx context.Context, opt mcpclient.Options) (*Server, upstream.List, error) {
	client, err := mcpclient.Connect(ctx, opt)
	if err != nil {
		return nil, upstream.List{}, err
	}
	list, err := client.List(ctx)
	if err != nil {
		_ = client.Close()
		return nil, upstream.List{}, err
	}
	return &Server{opt: opt, spare: client, sessions: map[string]*connection{}}, list, nil
}

// Call implements Upstream.
func (s *Server) Call(ctx context.Context, session *toolkit.Session, tool string, args json.RawMessage, progress mcpclient.Progress) (json.RawMessage, error) {
	c := s.of(session.ID)
	client, err := s.client(ctx, c, session)
	if err != nil {
		return nil, err
	}
	raw, err := client.Call(ctx, tool, args, progress)
	if err == nil {
		c.mu.Lock()
		c.restarts = 0
		c.mu.Unlock()
	}
	return raw, err
}

func (s *Server) of(session string) *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.sessions[session]
	if c == nil {
		c = &connection{client: s.spare, begun: s.spare != nil}
		s.spare = nil
		s.sessions[session] = c
	}
	return c
}

// client is the connection of a session, begun again when the server has ended. The facts of the session
// begin again with it, for they were about the server that is gone.
func (s *Server) client(ctx context.Context, c *connection, session *toolkit.Session) (*mcpclient.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var last error
	if c.client != nil {
		select {
		case <-c.client.Ended():
			last = c.client.Err()
		default:
			return c.client, nil
		}
	}
	if c.begun {
		if c.restarts >= maxRestarts {
			return nil, &stoppedError{last}
		}
		c.restarts++
		session.Replace(0)
	}
	c.begun = true
	client, err := mcpclient.Connect(ctx, s.opt)
	if err != nil {
		return nil, err
	}
	c.client = client
	return client, nil
}

// SessionEnded ends the connection of a session.
func (s *Server) SessionEnded(id string) {
	s.mu.Lock()
	c := s.sessions[id]
	delete(s.sessions, id)
	s.mu.Unlock()
	if c != nil {
		c.close()
	}
}

func (c *connection) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		_ = c.client.Close() // it has ended one way or the other
	}
}

// Close ends every connection.
func (s *Server) Close() {
	s.mu.Lock()
	spare, sessions := s.spare, s.sessions
	s.spare, s.sessions = nil, map[string]*connection{}
	s.mu.Unlock()
	if spare != nil {
		_ = spare.Close()
	}
	var all sync.WaitGroup
	for _, c := range sessions {
		all.Go(c.close)
	}
	all.Wait()
}
