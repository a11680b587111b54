package protocol

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// errLost is the error of a command on a connection that has ended. It is a detached target, too.
var errLost = fmt.Errorf("%w: %w", fault.New(codes.BrowserGone, "the connection to the browser is lost"), chromedp.ErrTargetDetached)

// Session is a session with a target. It handles its messages one at a time and in order: a listener
// has returned from an event before a later response ends its call. It is safe for concurrent use.
type Session struct {
	conn       *Conn
	id         target.SessionID // "" for the browser itself
	unanswered atomic.Bool
	events     subscribers
	wake       chan struct{} // one slot
	ended      chan struct{} // closed when every message from before its end is handled

	mu        sync.Mutex
	queue     []*cdproto.Message // nil is the end
	listeners []func(event any)
}

func newSession(c *Conn, id target.SessionID) *Session {
	return &Session{conn: c, id: id, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// push queues a message; nil ends the session. It never waits.
func (s *Session) push(m *cdproto.Message) {
	s.mu.Lock()
	s.queue = append(s.queue, m)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run handles messages until the session ends.
func (s *Session) run() {
	for range s.wake {
		s.mu.Lock()
		queue := s.queue
		s.queue = nil
		s.mu.Unlock()
		for _, m := range queue {
			if m == nil {
				s.events.close()
				close(s.ended)
				return
			}
			s.handle(m)
		}
	}
}

func (s *Session) handle(m *cdproto.Message) {
	if m.ID != 0 {
		s.conn.respond(m.ID, response{message: m})
		return
	}
	s.events.publish(string(m.Method), m.Params)
	s.mu.Lock()
	listeners := s.listeners
	s.mu.Unlock()
	if len(listeners) == 0 {
		return
	}
	event, err := cdproto.UnmarshalMessage(m, chromedp.DefaultUnmarshalOptions)
	if err != nil {
		return // newer than the protocol version of cdproto
	}
	for _, fn := range listeners {
		fn(event)
	}
}

// SetUnanswered makes commands return when they are sent, without a result. A held page that has no
// renderer answers none.
func (s *Session) SetUnanswered(on bool) { s.unanswered.Store(on) }

// Call runs a command in the target. It implements cdp.Session. Its error wraps
// chromedp.ErrTargetDetached when the session ends before the response.
func (s *Session) Call(ctx context.Context, method string, params, res any) error {
	id, p := s.conn.addCall("")
	defer s.conn.removeCall(id)
	select {
	case <-s.ended:
		return s.endError()
	default:
	}
	err := s.conn.send(ctx, &cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method)}, params)
	if err != nil || s.unanswered.Load() {
		return err
	}
	select {
	case r := <-p.response:
		return r.decode(res)
	case <-s.ended:
		select { // the response may be the last message
		case r := <-p.response:
			return r.decode(res)
		default:
			return s.endError()
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Send sends a command and waits for no answer.
func (s *Session) Send(ctx context.Context, method string, params any) error {
	id, _ := s.conn.addCall("")
	defer s.conn.removeCall(id)
	return s.conn.send(ctx, &cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method)}, params)
}

func (s *Session) endError() error {
	select {
	case <-s.conn.lost:
		return errLost
	default:
	}
	return fmt.Errorf("%w: inspected target navigated or closed", chromedp.ErrTargetDetached)
}

// decode returns the error of a response, or decodes its result into res.
func (r response) decode(res any) error {
	switch {
	case r.err != nil:
		return r.err
	case r.message.Error != nil:
		return r.message.Error
	case res != nil:
		return jsonv2.Unmarshal(r.message.Result, res, chromedp.DefaultUnmarshalOptions)
	}
	return nil
}

// Subscribe implements cdp.Session: it buffers the events with a method until the returned function is
// called, or the session ends.
func (s *Session) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	return s.events.subscribe(method)
}

// Listen makes fn receive the events of the target, decoded by cdproto and in order. fn must return
// at once and must not call the browser.
func (s *Session) Listen(fn func(event any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners[:len(s.listeners):len(s.listeners)], fn)
}

// Ended reports whether the session is detached.
func (s *Session) Ended() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Release lets a held target run. It fails only for one that has closed.
func (s *Session) Release(ctx context.Context) {
	_ = Exec(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{})
}

// Close detaches from the target. It fails only for one that has closed.
func (s *Session) Close(ctx context.Context) {
	_ = Exec(ctx, s.conn, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.id})
}
