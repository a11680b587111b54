// Package children attaches to the out-of-process frames and workers of a page, before their first script.
//
// It knows a page by its protocol session, and must not know tabs or browsers.
package children

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
)

// SetupTimeout bounds the work of handlers before a child's first script, in which the child
// waits.
const SetupTimeout = 5 * time.Second

// detachTimeout bounds the end of auto-attaching.
const detachTimeout = 2 * time.Second

// Session is the protocol session of an out-of-process frame or a worker of the page. It sends
// messages through the page's session, in the protocol's older form, which waits for its first command.
type Session struct {
	// Kind is the target type of the protocol: iframe, worker, and so on.
	Kind string
	// URL is its URL when it was attached.
	URL string

	set      *Set
	parent   cdp.Session
	session  target.SessionID
	detached chan struct{} // closed when it is detached

	mu    sync.Mutex
	next  int64
	calls map[int64]chan *cdproto.Message
}

// Page is the page whose children a Set attaches to.
type Page struct {
	Name string          // of the tab, for errors and the log
	Base context.Context // ends with the browser
	// Protocol returns the session of the page.
	Protocol func(ctx context.Context) (cdp.Session, error)
	// Listen passes the events of the page to fn until stop is called.
	Listen func(fn func(event any)) (stop func())
	Log    *slog.Logger
}

// Set has the child sessions of a page and their handlers.
type Set struct {
	page Page

	mu       sync.Mutex  // held while handlers are added or removed, and never where events are read
	session  cdp.Session // of the page, from the first handler on; guarded by mu, as are attached and stop
	attached []*Session
	stop     func()

	stateMu  sync.Mutex // innermost
	handlers []*Handler // replaced, never modified
	sessions map[target.SessionID]*Session
}

// New returns the children of a page. Without handlers it does nothing.
func New(page Page) *Set { return &Set{page: page} }

// Handler handles the child sessions of a tab.
type Handler struct {
	// Attach is called for each child before the child's first script. The child waits for it, up
	// to SetupTimeout.
	Attach func(ctx context.Context, c *Session)
	// Event is called with each event of a child, under the rules of Listen.
	Event func(c *Session, event any)
}

// Handle attaches h to the present and future children of the tab until stop is called. A
// tab without handlers has no cost. With one, out-of-process frames and workers start some
// milliseconds later.
func (cs *Set) Handle(ctx context.Context, c *Handler) (stop func(), err error) {
	session, err := cs.page.Protocol(ctx)
	if err != nil {
		return nil, err
	}
	return cs.HandleIn(ctx, session, c)
}

// HandleIn is Handle with the session of the tab's page, for a PopupInstrument: a
// popup does not give away its session before it has attached.
func (cs *Set) HandleIn(ctx context.Context, session cdp.Session, c *Handler) (stop func(), err error) {
	already, err := cs.add(ctx, session, c)
	if err != nil {
		return nil, fmt.Errorf("attach to the frames of tab %s: %w", cs.page.Name, err)
	}
	forEachChild(ctx, already, c.Attach)
	return func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		cs.remove(c)
	}, nil
}

// add adds a handler and returns the children that exist already. The handler receives
// the others as new children.
func (cs *Set) add(
	ctx context.Context, session cdp.Session, c *Handler,
) (already []*Session, err error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.stateMu.Lock()
	first := len(cs.handlers) == 0
	cs.handlers = append(slices.Clone(cs.handlers), c)
	cs.stateMu.Unlock()
	if !first {
		return slices.Clone(cs.attached), nil
	}
	cs.session = session
	cs.stop = cs.page.Listen(func(event any) { cs.onEvent(session, event) })
	if err = autoAttach(ctx, session, true); err != nil {
		cs.remove(c)
	}
	return nil, err
}

// forEachChild runs fn for all children concurrently, for up to SetupTimeout: a busy worker
// answers nothing.
func forEachChild(ctx context.Context, children []*Session, fn func(context.Context, *Session)) {
	ctx, cancel := context.WithTimeout(ctx, SetupTimeout)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range children {
		all.Go(func() { fn(ctx, c) })
	}
	all.Wait()
}

// remove is called with mu held. The last removal ends auto-attaching.
func (cs *Set) remove(c *Handler) {
	cs.stateMu.Lock()
	had := len(cs.handlers)
	cs.handlers = slices.DeleteFunc(slices.Clone(cs.handlers), func(o *Handler) bool { return o == c })
	left := len(cs.handlers)
	cs.stateMu.Unlock()
	if had == 0 || left > 0 {
		return
	}
	cs.stop()
	for _, child := range cs.attached {
		child.detach()
	}
	cs.attached = nil
	ctx, cancel := context.WithTimeout(dialog.OfCall(context.Background()), detachTimeout)
	defer cancel()
	if err := autoAttach(ctx, cs.session, false); err != nil {
		cs.page.Log.Debug("let go of the frames of a tab", "tab", cs.page.Name, "error", err)
	}
}

// Each runs fn concurrently for the attached children, if the tab has handlers. A child that
// does not answer, such as a worker in an endless loop, delays it by SetupTimeout at most.
func (cs *Set) Each(ctx context.Context, fn func(context.Context, *Session)) {
	cs.mu.Lock()
	children := slices.Clone(cs.attached)
	cs.mu.Unlock()
	forEachChild(ctx, children, fn)
}

func (cs *Set) currentHandlers() []*Handler {
	cs.stateMu.Lock()
	defer cs.stateMu.Unlock()
	return cs.handlers
}

// autoAttach switches between flat auto-attaching, in which targets do not wait, and
// that of handlers, in which they wait. It turns auto-attaching off in between, because a running
// one ignores the new parameters. Both commands are sent in any case: a page behind a dialog runs them
// later.
func autoAttach(ctx context.Context, s cdp.Session, wait bool) error {
	flat := !wait
	off := protocol.Exec(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{Flatten: &flat})
	return errors.Join(off, protocol.Exec(ctx, s, target.SetAutoAttach,
		target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: wait, Flatten: &flat}))
}

// onEvent handles the events of a session that concern its children.
func (cs *Set) onEvent(parent cdp.Session, event any) {
	switch ev := event.(type) {
	case *target.EventAttachedToTarget:
		c := &Session{
			Kind: ev.TargetInfo.Type, URL: ev.TargetInfo.URL, set: cs, parent: parent, session: ev.SessionID,
			detached: make(chan struct{}), calls: make(map[int64]chan *cdproto.Message),
		}
		cs.stateMu.Lock()
		if cs.sessions == nil {
			cs.sessions = make(map[target.SessionID]*Session)
		}
		cs.sessions[ev.SessionID] = c
		cs.stateMu.Unlock()
		go c.start()
	case *target.EventDetachedFromTarget:
		if c := cs.child(ev.SessionID); c != nil {
			c.detach()
		}
	case *target.EventReceivedMessageFromTarget:
		if c := cs.child(ev.SessionID); c != nil {
			c.receive(ev.Message)
		}
	}
}

func (cs *Set) child(id target.SessionID) *Session {
	cs.stateMu.Lock()
	defer cs.stateMu.Unlock()
	return cs.sessions[id]
}

// start runs the handlers on a new child, auto-attaches to the child's own children, and lets the
// child run.
func (c *Session) start() {
	ctx, cancel := context.WithTimeout(c.set.page.Base, SetupTimeout)
	defer cancel()
	c.set.mu.Lock()
	if c.isAttached() {
		c.set.attached = append(c.set.attached, c)
	}
	companions := c.set.currentHandlers()
	c.set.mu.Unlock()
	if len(companions) > 0 {
		if c.Kind == "iframe" {
			if err := autoAttach(ctx, c, true); err != nil {
				c.set.page.Log.Debug("attach to frames in a frame", "tab", c.set.page.Name, "error", err)
			}
		}
		for _, o := range companions {
			o.Attach(ctx, c)
		}
	}
	// a timeout of its own, because the handlers may have used up theirs
	running, done := context.WithTimeout(c.set.page.Base, SetupTimeout)
	defer done()
	_ = protocol.Exec(running, c, runtime.RunIfWaitingForDebugger, cdp.Empty{}) // fails only when the child is detached
}

func (c *Session) isAttached() bool {
	select {
	case <-c.detached:
		return false
	default:
		return true
	}
}

// detach forgets a child.
func (c *Session) detach() {
	cs := c.set
	cs.stateMu.Lock()
	delete(cs.sessions, c.session)
	over := !c.isAttached()
	if !over {
		close(c.detached)
	}
	cs.stateMu.Unlock()
	if over {
		return
	}
	go func() { // this may run where events are read, and a handler may wait for one while it holds mu
		cs.mu.Lock()
		defer cs.mu.Unlock()
		cs.attached = slices.DeleteFunc(slices.Clone(cs.attached), func(o *Session) bool { return o == c })
	}()
}

// Call runs a command in the child. It implements cdp.Session.
func (c *Session) Call(ctx context.Context, method string, params, res any) error {
	answer := make(chan *cdproto.Message, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.calls[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	message, err := encodeCommand(id, method, params)
	if err != nil {
		return err
	}
	command := map[string]any{"sessionId": c.session, "message": message}
	if err := c.parent.Call(ctx, "Target.sendMessageToTarget", command, nil); err != nil {
		return err
	}
	select {
	case m := <-answer:
		switch {
		case m.Error != nil:
			return m.Error
		case res != nil:
			return jsonv2.Unmarshal(m.Result, res, chromedp.DefaultUnmarshalOptions)
		}
		return nil
	case <-c.detached:
		return fmt.Errorf("%s: %w", method, errChildDetached)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errChildDetached = fault.New(codes.Failed, "the frame or worker is gone")

func encodeCommand(id int64, method string, params any) (string, error) {
	if params == nil {
		params = cdp.Empty{}
	}
	raw, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		return "", fmt.Errorf("encode %s: %w", method, err)
	}
	message, err := json.Marshal(map[string]any{"id": id, "method": method, "params": json.RawMessage(raw)})
	return string(message), err
}

// Subscribe implements cdp.Session. It never delivers: events of children go to Handler.
func (c *Session) Subscribe(string) (<-chan jsonv2.Value, func()) {
	none := make(chan jsonv2.Value)
	close(none)
	return none, func() {}
}

func (c *Session) receive(text string) {
	var m cdproto.Message
	if jsonv2.Unmarshal([]byte(text), &m, chromedp.DefaultUnmarshalOptions) != nil {
		return
	}
	if m.ID != 0 {
		c.mu.Lock()
		answer := c.calls[m.ID]
		c.mu.Unlock()
		if answer != nil {
			answer <- &m
		}
		return
	}
	event, err := cdproto.UnmarshalMessage(&m, chromedp.DefaultUnmarshalOptions)
	if err != nil {
		return // newer than the protocol version of cdproto
	}
	c.set.onEvent(c, event)
	for _, o := range c.set.currentHandlers() {
		if o.Event != nil {
			o.Event(c, event)
		}
	}
}
