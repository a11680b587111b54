package browser

import (
	"context"
	"encoding/json"
	"fmt"
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
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
)

// childSetupTimeout bounds the work of handlers before a child's first script, in which the child
// waits.
const childSetupTimeout = 5 * time.Second

// ChildSession is the protocol session of an out-of-process frame or a worker of the page. It sends
// messages through the page's session, in the protocol's older form, because chromedp routes only
// sessions that it made itself, and makes none that waits for its first command.
type ChildSession struct {
	// Kind is the target type of the protocol: iframe, worker, and so on.
	Kind string
	// URL is its URL when it was attached.
	URL string

	tab      *Tab
	parent   cdp.Session
	session  target.SessionID
	detached chan struct{} // closed when it is detached

	mu    sync.Mutex
	next  int64
	calls map[int64]chan *cdproto.Message
}

// Children are the child sessions of a tab and their handlers.
type Children struct {
	tab      *Tab
	mu       sync.Mutex      // held while handlers are added or removed, and never where events are read
	attached []*ChildSession // guarded by mu, as is stop
	stop     func()

	handlers []*ChildHandler // replaced, never modified
	sessions map[target.SessionID]*ChildSession
}

// ChildHandler handles the child sessions of a tab.
type ChildHandler struct {
	// Attach is called for each child before the child's first script. The child waits for it, up
	// to childSetupTimeout.
	Attach func(ctx context.Context, c *ChildSession)
	// Event is called with each event of a child, under the rules of Listen.
	Event func(c *ChildSession, event any)
}

// Handle attaches h to the present and future children of the tab until stop is called. A
// tab without handlers has no cost. With one, out-of-process frames and workers start some
// milliseconds later.
func (cs *Children) Handle(ctx context.Context, c *ChildHandler) (stop func(), err error) {
	session, err := cs.tab.Protocol(ctx)
	if err != nil {
		return nil, err
	}
	return cs.HandleIn(ctx, session, c)
}

// HandleIn is HandleChildren with the session of the tab's page, for a PopupInstrument: a
// popup does not give away its session before it has attached.
func (cs *Children) HandleIn(ctx context.Context, session cdp.Session, c *ChildHandler) (stop func(), err error) {
	already, err := cs.add(ctx, session, c)
	if err != nil {
		return nil, fmt.Errorf("attach to the frames of tab %s: %w", cs.tab.id, err)
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
func (cs *Children) add(
	ctx context.Context, session cdp.Session, c *ChildHandler,
) (already []*ChildSession, err error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.tab.mu.Lock()
	first := len(cs.handlers) == 0
	cs.handlers = append(slices.Clone(cs.handlers), c)
	cs.tab.mu.Unlock()
	if !first {
		return slices.Clone(cs.attached), nil
	}
	cs.stop = cs.tab.Listen(func(event any) { cs.onEvent(cs.tab.cdp, event) })
	if err = autoAttach(ctx, session, true); err != nil {
		cs.remove(c)
	}
	return nil, err
}

// forEachChild runs fn for all children concurrently, for up to childSetupTimeout: a busy worker
// answers nothing.
func forEachChild(ctx context.Context, children []*ChildSession, fn func(context.Context, *ChildSession)) {
	ctx, cancel := context.WithTimeout(ctx, childSetupTimeout)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range children {
		all.Go(func() { fn(ctx, c) })
	}
	all.Wait()
}

// remove is called with childMu held. The last removal ends auto-attaching.
func (cs *Children) remove(c *ChildHandler) {
	cs.tab.mu.Lock()
	had := len(cs.handlers)
	cs.handlers = slices.DeleteFunc(slices.Clone(cs.handlers), func(o *ChildHandler) bool { return o == c })
	left := len(cs.handlers)
	cs.tab.mu.Unlock()
	if had == 0 || left > 0 {
		return
	}
	cs.stop()
	for _, child := range cs.attached {
		child.detach()
	}
	cs.attached = nil
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	if err := autoAttach(ctx, cs.tab.cdp, false); err != nil {
		cs.tab.session.browser.log.Debug("let go of the frames of a tab", "tab", cs.tab.id, "error", err)
	}
}

// Each runs fn concurrently for the attached children, if the tab has handlers. A child that
// does not answer, such as a worker in an endless loop, delays it by childSetupTimeout at most.
func (cs *Children) Each(ctx context.Context, fn func(context.Context, *ChildSession)) {
	cs.mu.Lock()
	children := slices.Clone(cs.attached)
	cs.mu.Unlock()
	forEachChild(ctx, children, fn)
}

func (cs *Children) currentHandlers() []*ChildHandler {
	cs.tab.mu.Lock()
	defer cs.tab.mu.Unlock()
	return cs.handlers
}

// autoAttach switches between chromedp's flat auto-attaching, in which targets do not wait, and
// that of handlers, in which they wait. It turns auto-attaching off in between, because a running
// one ignores the new parameters.
func autoAttach(ctx context.Context, s cdp.Session, wait bool) error {
	flat := !wait
	if err := protocol.Exec(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{Flatten: &flat}); err != nil {
		return err
	}
	return protocol.Exec(ctx, s, target.SetAutoAttach,
		target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: wait, Flatten: &flat})
}

// onEvent handles the events of a session that concern its children.
func (cs *Children) onEvent(parent cdp.Session, event any) {
	switch ev := event.(type) {
	case *target.EventAttachedToTarget:
		c := &ChildSession{
			Kind: ev.TargetInfo.Type, URL: ev.TargetInfo.URL, tab: cs.tab, parent: parent, session: ev.SessionID,
			detached: make(chan struct{}), calls: make(map[int64]chan *cdproto.Message),
		}
		cs.tab.mu.Lock()
		if cs.sessions == nil {
			cs.sessions = make(map[target.SessionID]*ChildSession)
		}
		cs.sessions[ev.SessionID] = c
		cs.tab.mu.Unlock()
		go c.start()
	case *target.EventDetachedFromTarget:
		if c := cs.session(ev.SessionID); c != nil {
			c.detach()
		}
	case *target.EventReceivedMessageFromTarget:
		if c := cs.session(ev.SessionID); c != nil {
			c.receive(ev.Message)
		}
	}
}

func (cs *Children) session(id target.SessionID) *ChildSession {
	cs.tab.mu.Lock()
	defer cs.tab.mu.Unlock()
	return cs.sessions[id]
}

// start runs the handlers on a new child, auto-attaches to the child's own children, and lets the
// child run.
func (c *ChildSession) start() {
	ctx, cancel := context.WithTimeout(c.tab.instance.ctx, childSetupTimeout)
	defer cancel()
	c.tab.Children.mu.Lock()
	if c.isAttached() {
		c.tab.Children.attached = append(c.tab.Children.attached, c)
	}
	companions := c.tab.Children.currentHandlers()
	c.tab.Children.mu.Unlock()
	if len(companions) > 0 {
		if c.Kind == "iframe" {
			if err := autoAttach(ctx, c, true); err != nil {
				c.tab.session.browser.log.Debug("attach to frames in a frame", "tab", c.tab.id, "error", err)
			}
		}
		for _, o := range companions {
			o.Attach(ctx, c)
		}
	}
	// a timeout of its own, because the handlers may have used up theirs
	running, done := context.WithTimeout(c.tab.instance.ctx, childSetupTimeout)
	defer done()
	_ = protocol.Exec(running, c, runtime.RunIfWaitingForDebugger, cdp.Empty{}) // fails only when the child is detached
}

func (c *ChildSession) isAttached() bool {
	select {
	case <-c.detached:
		return false
	default:
		return true
	}
}

// detach forgets a child.
func (c *ChildSession) detach() {
	t := c.tab
	t.mu.Lock()
	delete(t.Children.sessions, c.session)
	over := !c.isAttached()
	if !over {
		close(c.detached)
	}
	t.mu.Unlock()
	if over {
		return
	}
	go func() { // this may run where events are read, and a handler may wait for one while it holds childMu
		t.Children.mu.Lock()
		defer t.Children.mu.Unlock()
		t.Children.attached = slices.DeleteFunc(slices.Clone(t.Children.attached), func(o *ChildSession) bool { return o == c })
	}()
}

// Call runs a command in the child. It implements cdp.Session.
func (c *ChildSession) Call(ctx context.Context, method string, params, res any) error {
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

// Subscribe implements cdp.Session. It never delivers: events of children go to ChildHandler.
func (c *ChildSession) Subscribe(string) (<-chan jsonv2.Value, func()) {
	none := make(chan jsonv2.Value)
	close(none)
	return none, func() {}
}

func (c *ChildSession) receive(text string) {
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
	c.tab.Children.onEvent(c, event)
	for _, o := range c.tab.Children.currentHandlers() {
		if o.Event != nil {
			o.Event(c, event)
		}
	}
}
