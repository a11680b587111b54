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

// childSessions holds a tab's children and their handlers.
type childSessions struct {
	childMu         sync.Mutex      // held while handlers are added or removed, and never where events are read
	children        []*ChildSession // guarded by childMu, as is stopChildEvents
	stopChildEvents func()

	// Guarded by the tab's mu.
	childHandlers []*ChildHandler // replaced, never modified
	sessions      map[target.SessionID]*ChildSession
	instruments   map[any]any
	viewport      Size // the page's size as set by an instrument, or zero

	openerTab *Tab // the tab that opened this one, until its instruments are taken over
}

// ChildHandler handles the child sessions of a tab.
type ChildHandler struct {
	// Attach is called for each child before the child's first script. The child waits for it, up
	// to childSetupTimeout.
	Attach func(ctx context.Context, c *ChildSession)
	// Event is called with each event of a child, under the rules of Listen.
	Event func(c *ChildSession, event any)
}

// HandleChildren attaches h to the present and future children of the tab until stop is called. A
// tab without handlers has no cost. With one, out-of-process frames and workers start some
// milliseconds later.
func (t *Tab) HandleChildren(ctx context.Context, c *ChildHandler) (stop func(), err error) {
	session, err := t.Protocol(ctx)
	if err != nil {
		return nil, err
	}
	return t.HandleChildrenOf(ctx, session, c)
}

// HandleChildrenOf is HandleChildren with the session of the tab's page, for a PopupInstrument: a
// popup does not give away its session before it has attached.
func (t *Tab) HandleChildrenOf(ctx context.Context, session cdp.Session, c *ChildHandler) (stop func(), err error) {
	already, err := t.addChildHandler(ctx, session, c)
	if err != nil {
		return nil, fmt.Errorf("attach to the frames of tab %s: %w", t.id, err)
	}
	forEachChild(ctx, already, c.Attach)
	return func() {
		t.childMu.Lock()
		defer t.childMu.Unlock()
		t.removeChildHandler(c)
	}, nil
}

// addChildHandler adds a handler and returns the children that exist already. The handler receives
// the others as new children.
func (t *Tab) addChildHandler(
	ctx context.Context, session cdp.Session, c *ChildHandler,
) (already []*ChildSession, err error) {
	t.childMu.Lock()
	defer t.childMu.Unlock()
	t.mu.Lock()
	first := len(t.childHandlers) == 0
	t.childHandlers = append(slices.Clone(t.childHandlers), c)
	t.mu.Unlock()
	if !first {
		return slices.Clone(t.children), nil
	}
	t.stopChildEvents = t.Listen(func(event any) { t.onChildEvent(t.cdp, event) })
	if err = autoAttach(ctx, session, true); err != nil {
		t.removeChildHandler(c)
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

// removeChildHandler is called with childMu held. The last removal ends auto-attaching.
func (t *Tab) removeChildHandler(c *ChildHandler) {
	t.mu.Lock()
	had := len(t.childHandlers)
	t.childHandlers = slices.DeleteFunc(slices.Clone(t.childHandlers), func(o *ChildHandler) bool { return o == c })
	left := len(t.childHandlers)
	t.mu.Unlock()
	if had == 0 || left > 0 {
		return
	}
	t.stopChildEvents()
	for _, child := range t.children {
		child.detach()
	}
	t.children = nil
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	if err := autoAttach(ctx, t.cdp, false); err != nil {
		t.session.browser.log.Debug("let go of the frames of a tab", "tab", t.id, "error", err)
	}
}

// EachChild runs fn concurrently for the attached children, if the tab has handlers. A child that
// does not answer, such as a worker in an endless loop, delays it by childSetupTimeout at most.
func (t *Tab) EachChild(ctx context.Context, fn func(context.Context, *ChildSession)) {
	t.childMu.Lock()
	children := slices.Clone(t.children)
	t.childMu.Unlock()
	forEachChild(ctx, children, fn)
}

func (t *Tab) currentChildHandlers() []*ChildHandler {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.childHandlers
}

// Instrument returns the tab's instrument with this key, made at first use and kept as long as the
// tab: its emulation, its request rules, its capture. A key is a type of the package that owns the
// instrument.
func (t *Tab) Instrument(key any, create func() any) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.instruments[key]
	if !ok {
		if t.instruments == nil {
			t.instruments = make(map[any]any)
		}
		v = create()
		t.instruments[key] = v
	}
	return v
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

// onChildEvent handles the events of a session that concern its children.
func (t *Tab) onChildEvent(parent cdp.Session, event any) {
	switch ev := event.(type) {
	case *target.EventAttachedToTarget:
		c := &ChildSession{
			Kind: ev.TargetInfo.Type, URL: ev.TargetInfo.URL, tab: t, parent: parent, session: ev.SessionID,
			detached: make(chan struct{}), calls: make(map[int64]chan *cdproto.Message),
		}
		t.mu.Lock()
		if t.sessions == nil {
			t.sessions = make(map[target.SessionID]*ChildSession)
		}
		t.sessions[ev.SessionID] = c
		t.mu.Unlock()
		go c.start()
	case *target.EventDetachedFromTarget:
		if c := t.child(ev.SessionID); c != nil {
			c.detach()
		}
	case *target.EventReceivedMessageFromTarget:
		if c := t.child(ev.SessionID); c != nil {
			c.receive(ev.Message)
		}
	}
}

func (t *Tab) child(id target.SessionID) *ChildSession {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sessions[id]
}

// start runs the handlers on a new child, auto-attaches to the child's own children, and lets the
// child run.
func (c *ChildSession) start() {
	ctx, cancel := context.WithTimeout(c.tab.instance.ctx, childSetupTimeout)
	defer cancel()
	c.tab.childMu.Lock()
	if c.isAttached() {
		c.tab.children = append(c.tab.children, c)
	}
	companions := c.tab.currentChildHandlers()
	c.tab.childMu.Unlock()
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
	delete(t.sessions, c.session)
	over := !c.isAttached()
	if !over {
		close(c.detached)
	}
	t.mu.Unlock()
	if over {
		return
	}
	go func() { // this may run where events are read, and a handler may wait for one while it holds childMu
		t.childMu.Lock()
		defer t.childMu.Unlock()
		t.children = slices.DeleteFunc(slices.Clone(t.children), func(o *ChildSession) bool { return o == c })
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
	c.tab.onChildEvent(c, event)
	for _, o := range c.tab.currentChildHandlers() {
		if o.Event != nil {
			o.Event(c, event)
		}
	}
}
