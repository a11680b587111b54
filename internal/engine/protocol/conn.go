// Package protocol is the connection to a browser: its messages, and the sessions with its targets.
//
// It uses chromedp's transports and the encodings of cdproto. It does not use chromedp's targets: those
// keep a copy of the DOM, which two goroutines read and write while a target is attached to, and a Go
// process ends when both do so at once.
//
// It knows targets and their sessions, and must not know tabs.
package protocol

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Conn is the connection to a browser and the session with the browser itself. It is safe for
// concurrent use.
type Conn struct {
	transport chromedp.Transport
	root      *Session
	onHeld    func(s *Session, info *target.Info)
	outgoing  chan *cdproto.Message
	sending   chan struct{} // held while a command is encoded and queued
	lost      chan struct{} // closed when the connection has ended
	closeOnce sync.Once
	closeErr  error

	// hold is locked while HoldNew runs, and for reading while Attach does: HoldNew ends the sessions
	// that are announced meanwhile, and cannot tell those of Attach from them.
	hold sync.RWMutex

	mu       sync.Mutex
	next     int64
	calls    map[int64]*pendingCall
	sessions map[target.SessionID]*Session
	holding  bool       // HoldNew runs
	attached []*Session // announced by events while HoldNew runs, of targets that do not wait
}

// pendingCall is a command that waits for its response.
type pendingCall struct {
	response chan response
	target   target.ID // of a command that attaches to this target
	attached *Session  // set before its response is sent
}

// response is the browser's message, or the error of sending the command.
type response struct {
	message *cdproto.Message
	err     error
}

// Open starts to read the messages of a transport, which Close closes. onEvent receives the events of
// the browser itself under the rules of Session.Listen. onHeld is called in a goroutine of its own with
// each target that waits for its release; see HoldNew.
func Open(
	transport chromedp.Transport, onEvent func(event any), onHeld func(s *Session, info *target.Info),
) *Conn {
	c := &Conn{
		transport: transport, onHeld: onHeld, outgoing: make(chan *cdproto.Message, 32), sending: make(chan struct{}, 1), lost: make(chan struct{}),
		calls: make(map[int64]*pendingCall), sessions: make(map[target.SessionID]*Session),
	}
	c.root = newSession(c, "")
	c.root.Listen(onEvent)
	go c.root.run()
	go c.read()
	go c.write()
	return c
}

// Lost is closed when the connection has ended.
func (c *Conn) Lost() <-chan struct{} { return c.lost }

// Close ends the connection. Only the first call has an effect.
func (c *Conn) Close() error {
	c.closeOnce.Do(func() { c.closeErr = c.transport.Close() })
	return c.closeErr
}

// Call runs a command of the browser. It implements cdp.Session.
func (c *Conn) Call(ctx context.Context, method string, params, res any) error {
	return c.root.Call(ctx, method, params, res)
}

// Subscribe implements cdp.Session for the events of the browser itself.
func (c *Conn) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	return c.root.Subscribe(method)
}

// read reads messages until the connection ends, which ends every session.
func (c *Conn) read() {
	for {
		m := new(cdproto.Message)
		if err := c.transport.Read(context.Background(), m); err != nil {
			break
		}
		c.route(m)
	}
	close(c.lost)
	_ = c.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, s := range c.sessions {
		s.push(nil)
		delete(c.sessions, id)
	}
	c.root.push(nil)
}

// write sends messages until the connection ends.
func (c *Conn) write() {
	for {
		select {
		case m := <-c.outgoing:
			if err := c.transport.Write(context.Background(), m); err != nil {
				c.respond(m.ID, response{err: fmt.Errorf("%s: %w: %w", m.Method, errLost, err)})
			}
		case <-c.lost:
			return
		}
	}
}

// route passes a message to its session. It runs on the goroutine that reads messages.
func (c *Conn) route(m *cdproto.Message) {
	if m.SessionID == "" {
		switch m.Method {
		case cdproto.EventTargetAttachedToTarget:
			c.onAttached(m)
		case cdproto.EventTargetDetachedFromTarget:
			defer c.onDetached(m)
		}
		c.noteAttached(m)
		c.root.push(m)
		return
	}
	c.mu.Lock()
	s := c.sessions[m.SessionID]
	c.mu.Unlock()
	if s != nil { // sessions that the browser opened for frames and workers have no user
		s.push(m)
	}
}

// noteAttached makes a session of the response to a command that attaches, before the first message of
// that session.
func (c *Conn) noteAttached(m *cdproto.Message) {
	c.mu.Lock()
	p := c.calls[m.ID]
	c.mu.Unlock()
	if m.ID == 0 || p == nil || p.target == "" || m.Error != nil {
		return
	}
	var res target.AttachToTargetResult
	if jsonv2.Unmarshal(m.Result, &res, chromedp.DefaultUnmarshalOptions) == nil {
		p.attached = c.session(res.SessionID)
	}
}

// onAttached handles the announcement of a session.
func (c *Conn) onAttached(m *cdproto.Message) {
	var ev target.EventAttachedToTarget
	if jsonv2.Unmarshal(m.Params, &ev, chromedp.DefaultUnmarshalOptions) != nil {
		return
	}
	switch {
	case ev.WaitingForDebugger:
		go c.onHeld(c.session(ev.SessionID), ev.TargetInfo)
	default:
		s := c.session(ev.SessionID)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holding {
			c.attached = append(c.attached, s)
		}
	}
}

func (c *Conn) onDetached(m *cdproto.Message) {
	var ev target.EventDetachedFromTarget
	if jsonv2.Unmarshal(m.Params, &ev, chromedp.DefaultUnmarshalOptions) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[ev.SessionID]; s != nil {
		s.push(nil)
		delete(c.sessions, ev.SessionID)
	}
}

// session returns the session with this id, made at first use.
func (c *Conn) session(id target.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[id]
	if s == nil {
		s = newSession(c, id)
		c.sessions[id] = s
		go s.run()
	}
	return s
}

// Attach opens a session with a target.
func (c *Conn) Attach(ctx context.Context, id target.ID) (*Session, error) {
	c.hold.RLock()
	defer c.hold.RUnlock()
	flat := true
	call, p := c.addCall(id)
	err := c.send(ctx, &cdproto.Message{ID: call, Method: target.CommandAttachToTarget},
		target.AttachToTargetParams{TargetID: id, Flatten: &flat})
	if err != nil {
		c.removeCall(call)
		return nil, fmt.Errorf("attach to target %s: %w", id, err)
	}
	select {
	case r := <-p.response:
		c.removeCall(call)
		return p.attach(id, r)
	case <-c.root.ended:
		c.removeCall(call)
		return nil, fmt.Errorf("attach to target %s: %w", id, c.root.endError())
	case <-ctx.Done():
		go c.abandon(call, p) //nolint:gosec // G118: it ends a session that arrives after the end of ctx
		return nil, fmt.Errorf("attach to target %s: %w", id, context.Cause(ctx))
	}
}

// attach returns the session of a response.
func (p *pendingCall) attach(id target.ID, r response) (*Session, error) {
	switch {
	case r.err != nil:
		return nil, fmt.Errorf("attach to target %s: %w", id, r.err)
	case r.message.Error != nil:
		return nil, fmt.Errorf("attach to target %s: %w", id, r.message.Error)
	case p.attached == nil:
		return nil, fmt.Errorf("attach to target %s: %w", id, errors.New("the response names no session"))
	}
	return p.attached, nil
}

// abandon ends the session of a command that its caller does not wait for.
func (c *Conn) abandon(call int64, p *pendingCall) {
	defer c.removeCall(call)
	select {
	case <-p.response:
		if p.attached != nil {
			p.attached.Close(context.Background())
		}
	case <-c.lost:
	}
}

// HoldNew makes every new target of a type wait for its release. The browser also attaches to the
// existing ones. It ends those sessions, because a session without overrides resets navigator.platform
// when its page changes the process, and when it ends.
func (c *Conn) HoldNew(ctx context.Context, kind string) error {
	c.hold.Lock()
	defer c.hold.Unlock()
	c.setHolding(true)
	flat := true // the only form that sessions with the browser have
	_, err := cdp.Call(ctx, c, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat, Filter: target.Filter{{Type: kind}},
	})
	for _, s := range c.setHolding(false) {
		s.Close(ctx)
	}
	return err
}

// setHolding changes holding and returns the sessions that were announced since the last change.
func (c *Conn) setHolding(on bool) []*Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	attached := c.attached
	c.holding, c.attached = on, nil
	return attached
}

func (c *Conn) addCall(attaches target.ID) (id int64, p *pendingCall) {
	p = &pendingCall{response: make(chan response, 1), target: attaches}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	c.calls[c.next] = p
	return c.next, p
}

func (c *Conn) removeCall(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

// respond ends a call.
func (c *Conn) respond(id int64, r response) {
	c.mu.Lock()
	p := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if p != nil {
		p.response <- r
	}
}

// send sends a command with these parameters. A command whose parameters are encoded later is sent later: a press
// that follows the encoding of a move reaches the browser after it.
func (c *Conn) send(ctx context.Context, m *cdproto.Message, params any) (err error) {
	select {
	case c.sending <- struct{}{}:
		defer func() { <-c.sending }()
	case <-c.lost:
		return fmt.Errorf("%s: %w", m.Method, errLost)
	case <-ctx.Done():
		return ctx.Err()
	}
	if params != nil {
		if m.Params, err = jsonv2.Marshal(params, chromedp.DefaultMarshalOptions); err != nil {
			return fmt.Errorf("encode %s: %w", m.Method, err)
		}
	}
	select {
	case c.outgoing <- m:
		return nil
	case <-c.lost:
		return fmt.Errorf("%s: %w", m.Method, errLost)
	case <-ctx.Done():
		return ctx.Err()
	}
}
