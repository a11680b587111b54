package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// browserSession is a session with the browser beside chromedp's. Its messages travel through
// chromedp's session in the protocol's older form. They can address the sessions of held pages,
// which chromedp does not know.
type browserSession struct {
	instance *instance
	id       target.SessionID

	mu       sync.Mutex
	next     int64
	calls    map[int64]chan *cdproto.Message
	sessions map[target.SessionID]*heldSession
}

// heldSession is the session of a page that is held, or was.
type heldSession struct {
	browser    *browserSession
	id         target.SessionID
	unanswered atomic.Bool // its commands return when they are sent

	mu        sync.Mutex
	listeners []func(event any)
}

// openBrowserSession opens a session that lasts as long as the browser. The protocol tells the
// browser's target id only to who attaches to it.
func (e *instance) openBrowserSession(ctx context.Context) (*browserSession, error) {
	attached, stop := e.conn.Subscribe("Target.attachedToTarget")
	defer stop()
	first, err := cdp.Call(ctx, e.conn, target.AttachToBrowserTarget, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	id, err := attachedTarget(ctx, attached, first.SessionID)
	if err != nil {
		return nil, err
	}
	messages, _ := e.conn.Subscribe("Target.receivedMessageFromTarget")
	own, err := cdp.Call(ctx, e.conn, target.AttachToTarget, target.AttachToTargetParams{TargetID: id})
	if err != nil {
		return nil, err
	}
	b := &browserSession{
		instance: e, id: own.SessionID,
		calls: make(map[int64]chan *cdproto.Message), sessions: make(map[target.SessionID]*heldSession),
	}
	go func() { // ends with the connection
		for raw := range messages {
			b.receive(raw)
		}
	}()
	return b, call(ctx, e.conn, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: first.SessionID})
}

// attachedTarget returns the target of a session from the event that reports it.
func attachedTarget(ctx context.Context, events <-chan jsonv2.Value, id target.SessionID) (target.ID, error) {
	for {
		select {
		case raw, ok := <-events:
			var ev target.EventAttachedToTarget
			switch {
			case !ok:
				return "", fmt.Errorf("attach to the browser: %w", context.Canceled)
			case jsonv2.Unmarshal(raw, &ev, chromedp.DefaultUnmarshalOptions) == nil && ev.SessionID == id:
				return ev.TargetInfo.TargetID, nil
			}
		case <-ctx.Done():
			return "", fmt.Errorf("attach to the browser: %w", context.Cause(ctx))
		}
	}
}

// Call runs a command of the browser. It implements cdp.Session, as Subscribe does.
func (b *browserSession) Call(ctx context.Context, method string, params, res any) error {
	return b.callIn(ctx, "", false, method, params, res)
}

// Subscribe never delivers.
func (b *browserSession) Subscribe(string) (<-chan jsonv2.Value, func()) { return noEvents() }

// callIn runs a command in the session of a page, or for "" of the browser.
func (b *browserSession) callIn(
	ctx context.Context, in target.SessionID, unanswered bool, method string, params, res any,
) error {
	if params == nil {
		params = cdp.Empty{}
	}
	raw, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	answer := make(chan *cdproto.Message, 1)
	b.mu.Lock()
	b.next++
	id := b.next
	b.calls[id] = answer
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.calls, id)
		b.mu.Unlock()
	}()
	message, err := jsonv2.Marshal(&cdproto.Message{
		ID: id, SessionID: in, Method: cdproto.MethodType(method), Params: raw,
	}, chromedp.DefaultMarshalOptions)
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	command := map[string]any{"sessionId": b.id, "message": string(message)}
	if err := b.instance.conn.Call(ctx, "Target.sendMessageToTarget", command, nil); err != nil || unanswered {
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
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// receive handles a message of any session that chromedp's opened in the older form.
func (b *browserSession) receive(raw []byte) {
	var event struct {
		SessionID target.SessionID `json:"sessionId"`
		Message   string           `json:"message"`
	}
	var m cdproto.Message
	if json.Unmarshal(raw, &event) != nil || event.SessionID != b.id ||
		jsonv2.Unmarshal([]byte(event.Message), &m, chromedp.DefaultUnmarshalOptions) != nil {
		return
	}
	b.mu.Lock()
	answer, session := b.calls[m.ID], b.sessions[m.SessionID]
	b.mu.Unlock()
	if m.ID != 0 {
		if answer != nil {
			answer <- &m
		}
		return
	}
	ev, err := cdproto.UnmarshalMessage(&m, chromedp.DefaultUnmarshalOptions)
	if err != nil {
		return // newer than the protocol version of cdproto
	}
	if session != nil {
		session.notify(ev)
	} else if attached, ok := ev.(*target.EventAttachedToTarget); ok {
		b.onAttached(attached)
	}
}

// onAttached takes over the session of a page. A page that existed before is left alone.
func (b *browserSession) onAttached(ev *target.EventAttachedToTarget) {
	s := &heldSession{browser: b, id: ev.SessionID}
	if !ev.WaitingForDebugger {
		go s.close()
		return
	}
	b.mu.Lock()
	b.sessions[s.id] = s
	b.mu.Unlock()
	go b.instance.releasePage(s, ev.TargetInfo)
}

// Call runs a command in the page. It implements cdp.Session, as Subscribe does.
func (s *heldSession) Call(ctx context.Context, method string, params, res any) error {
	return s.browser.callIn(ctx, s.id, s.unanswered.Load(), method, params, res)
}

// Subscribe never delivers: events go to listeners.
func (s *heldSession) Subscribe(string) (<-chan jsonv2.Value, func()) { return noEvents() }

func noEvents() (<-chan jsonv2.Value, func()) {
	none := make(chan jsonv2.Value)
	close(none)
	return none, func() {}
}

// addListener makes fn receive the events of the page, under the rules of Listen.
func (s *heldSession) addListener(fn func(event any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, fn)
}

func (s *heldSession) notify(event any) {
	s.mu.Lock()
	listeners := s.listeners
	s.mu.Unlock()
	for _, fn := range listeners {
		fn(event)
	}
}

// close detaches from the page.
func (s *heldSession) close() {
	ctx, cancel := context.WithTimeout(s.browser.instance.ctx, childSetupTimeout)
	defer cancel()
	// It fails only for a page that has closed.
	_ = call(ctx, s.browser, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.id})
	s.browser.mu.Lock()
	defer s.browser.mu.Unlock()
	delete(s.browser.sessions, s.id)
}
