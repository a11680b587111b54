package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/callsheet/callsheet/gen/remote"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/rawclient"
	"github.com/callsheet/callsheet/gen/upstream"
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
	source  remote.Source
	opt     remote.Options
	offered upstream.List // when it was connected; later lists are compared with it

	mu       sync.Mutex
	spare    *connection // the first one, until a session takes it
	sessions map[string]*connection
}

// connection is the connection of one session to the server.
type connection struct {
	stale atomic.Bool // the server has said that its list has changed, and it was not compared since

	mu       sync.Mutex
	client   *remote.Client
	begun    bool
	restarts int
	changed  map[string]upstream.Change // tools that differ from the record, by name
}

// Connect starts or finds the server and asks for its tools.
func Connect(ctx context.Context, src remote.Source, opt remote.Options) (*Server, upstream.List, error) {
	s := &Server{source: src, opt: opt, sessions: map[string]*connection{}, spare: &connection{begun: true}}
	client, err := s.begin(ctx, s.spare)
	if err != nil {
		return nil, upstream.List{}, err
	}
	if s.offered, err = List(ctx, client); err != nil {
		_ = client.Close()
		return nil, upstream.List{}, err
	}
	return s, s.offered, nil
}

// List asks a server for its tools.
func List(ctx context.Context, client *remote.Client) (upstream.List, error) {
	rows, err := client.Pages(ctx, "tools/list", "tools")
	if err != nil {
		return upstream.List{}, fmt.Errorf("list the tools: %w", err)
	}
	data, err := json.Marshal(rows)
	if err != nil {
		return upstream.List{}, err
	}
	list, err := upstream.Decode(data)
	list.Name, list.Version, list.Features = client.About.ServerName(), client.About.Version(), features(client.About)
	return list, err
}

// features lists what a server offers beside tools.
func features(about remote.Server) []string {
	announced := map[string]json.RawMessage{}
	_ = json.Unmarshal(about.Capabilities, &announced) // a server that says nothing offers nothing more
	delete(announced, "tools")
	if about.Instructions != "" {
		announced["instructions"] = nil
	}
	return slices.Sorted(maps.Keys(announced))
}

// begin connects to the server for a connection.
func (s *Server) begin(ctx context.Context, c *connection) (*remote.Client, error) {
	opt := s.opt
	opt.Changed = func() { c.stale.Store(true) }
	client, err := remote.Connect(ctx, s.source, opt)
	if err != nil {
		return nil, err
	}
	c.client = client
	return client, nil
}

// Call implements Upstream.
func (s *Server) Call(ctx context.Context, session *toolkit.Session, tool string, args json.RawMessage, progress rawclient.Progress) (json.RawMessage, error) {
	c := s.of(session.ID)
	client, err := s.client(ctx, c, session)
	if err != nil {
		return nil, err
	}
	if err := s.compare(ctx, c, client, tool); err != nil {
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
		if c, s.spare = s.spare, nil; c == nil {
			c = &connection{}
		}
		s.sessions[session] = c
	}
	return c
}

// client is the connection of a session, begun again when the server has ended. The facts of the session
// begin again with it, for they were about the server that is gone.
func (s *Server) client(ctx context.Context, c *connection, session *toolkit.Session) (*remote.Client, error) {
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
	again := c.begun
	c.begun = true
	client, err := s.begin(ctx, c)
	if err == nil && again {
		c.stale.Store(true) // the server may have been started with another list
	}
	return client, err
}

// staleError says that a tool is not what it was when the proxy started.
type staleError struct{ change upstream.Change }

func (e *staleError) Error() string {
	return "the upstream has changed while it runs: " + e.change.String() + "\nthe call was not passed on; run \"toolgen import --update\" and restart the proxy"
}

// compare asks a server for its tools again after it has said that they changed, and refuses the call of one that
// has. Others are passed on.
func (s *Server) compare(ctx context.Context, c *connection, client *remote.Client, tool string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stale.Swap(false) {
		now, err := List(ctx, client)
		if err != nil {
			c.stale.Store(true)
			return err
		}
		c.changed = map[string]upstream.Change{}
		for _, change := range upstream.Compare(s.offered, now) {
			c.changed[change.Name] = change
		}
	}
	if change, ok := c.changed[tool]; ok {
		return &staleError{change}
	}
	return nil
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
		spare.close()
	}
	var all sync.WaitGroup
	for _, c := range sessions {
		all.Go(c.close)
	}
	all.Wait()
}
