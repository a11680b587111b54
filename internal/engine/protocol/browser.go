// Package protocol speaks to sessions that chromedp cannot address. chromedp routes the messages of
// the sessions that it made, and makes one with commands that a held page does not answer.
//
// It knows targets and their sessions, and must not know tabs.
package protocol

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Browser is a session with the browser beside chromedp's. Its messages travel through chromedp's
// session in the protocol's older form, and can address the sessions of targets. It is safe for
// concurrent use.
type Browser struct {
	conn   cdp.Session
	onHeld func(s *Session, info *target.Info)
	id     target.SessionID

	attachMu sync.Mutex // held while sessions are opened

	mu       sync.Mutex
	next     int64
	calls    map[int64]chan *cdproto.Message
	sessions map[target.SessionID]*Session
	opened   []*Session // announced by events, of targets that do not wait
}

// Open opens a session that lasts as long as conn, chromedp's session with the browser. onHeld is
// called in a goroutine of its own with each target that waits for its release.
func Open(ctx context.Context, conn cdp.Session, onHeld func(s *Session, info *target.Info)) (*Browser, error) {
	id, stop, err := browserTarget(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("find the browser's target: %w", err)
	}
	defer stop()
	messages, _ := conn.Subscribe("Target.receivedMessageFromTarget")
	own, err := cdp.Call(ctx, conn, target.AttachToTarget, target.AttachToTargetParams{TargetID: id})
	if err != nil {
		return nil, fmt.Errorf("attach to the browser: %w", err)
	}
	b := &Browser{
		conn: conn, onHeld: onHeld, id: own.SessionID,
		calls: make(map[int64]chan *cdproto.Message), sessions: make(map[target.SessionID]*Session),
	}
	go func() { // ends with the connection
		for raw := range messages {
			b.receive(raw)
		}
	}()
	return b, nil
}

// browserTarget returns the target id of the browser, which the protocol tells only to who attaches
// to it. stop ends that session.
func browserTarget(ctx context.Context, conn cdp.Session) (id target.ID, stop func(), err error) {
	events, unsubscribe := conn.Subscribe("Target.attachedToTarget")
	defer unsubscribe()
	res, err := cdp.Call(ctx, conn, target.AttachToBrowserTarget, cdp.Empty{})
	if err != nil {
		return "", nil, err
	}
	stop = func() { // fails only without a connection
		_, _ = cdp.Call(ctx, conn, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: res.SessionID}) //nolint:staticcheck // one is an answer, one a question
	}
	for {
		select {
		case raw, ok := <-events:
			if !ok {
				return "", nil, context.Canceled
			}
			var ev target.EventAttachedToTarget
			if jsonv2.Unmarshal(raw, &ev, chromedp.DefaultUnmarshalOptions) == nil && ev.SessionID == res.SessionID {
				return ev.TargetInfo.TargetID, stop, nil
			}
		case <-ctx.Done():
			stop()
			return "", nil, context.Cause(ctx)
		}
	}
}

// Call runs a command of the browser. It implements cdp.Session.
func (b *Browser) Call(ctx context.Context, method string, params, res any) error {
	id, answer := b.addCall()
	defer b.removeCall(id)
	if err := b.send(ctx, &cdproto.Message{ID: id, Method: cdproto.MethodType(method)}, params); err != nil {
		return err
	}
	return decodeAnswer(ctx, answer, res)
}

// Subscribe implements cdp.Session. It never delivers.
func (b *Browser) Subscribe(string) (<-chan jsonv2.Value, func()) { return noEvents() }

func noEvents() (<-chan jsonv2.Value, func()) {
	none := make(chan jsonv2.Value)
	close(none)
	return none, func() {}
}

func (b *Browser) addCall() (id int64, answer chan *cdproto.Message) {
	answer = make(chan *cdproto.Message, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	b.calls[b.next] = answer
	return b.next, answer
}

func (b *Browser) removeCall(id int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.calls, id)
}

// send sends a command with these parameters.
func (b *Browser) send(ctx context.Context, m *cdproto.Message, params any) (err error) {
	if params == nil {
		params = cdp.Empty{}
	}
	if m.Params, err = jsonv2.Marshal(params, chromedp.DefaultMarshalOptions); err != nil {
		return fmt.Errorf("encode %s: %w", m.Method, err)
	}
	message, err := jsonv2.Marshal(m, chromedp.DefaultMarshalOptions)
	if err != nil {
		return fmt.Errorf("encode %s: %w", m.Method, err)
	}
	return b.conn.Call(ctx, "Target.sendMessageToTarget", map[string]any{"sessionId": b.id, "message": string(message)}, nil)
}

func decodeAnswer(ctx context.Context, answer <-chan *cdproto.Message, res any) error {
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
func (b *Browser) receive(raw []byte) {
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
		return
	}
	switch ev := ev.(type) {
	case *target.EventAttachedToTarget:
		s := b.session(ev.SessionID)
		if ev.WaitingForDebugger {
			go b.onHeld(s, ev.TargetInfo)
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.opened = append(b.opened, s)
	case *target.EventDetachedFromTarget:
		b.mu.Lock()
		defer b.mu.Unlock()
		if s := b.sessions[ev.SessionID]; s != nil {
			close(s.ended)
			delete(b.sessions, s.id)
		}
	}
}

// HoldNew makes every new target of a type wait for its release. The browser also attaches to the
// existing ones. It ends those sessions, because a session without overrides resets navigator.platform
// when its page changes the process, and when it ends.
func (b *Browser) HoldNew(ctx context.Context, kind string) error {
	b.attachMu.Lock()
	defer b.attachMu.Unlock()
	b.takeOpened()
	flat := true // the only form that sessions with the browser have
	_, err := cdp.Call(ctx, b, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat, Filter: target.Filter{{Type: kind}},
	})
	for _, s := range b.takeOpened() {
		s.Close(ctx)
	}
	return err
}

func (b *Browser) takeOpened() []*Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	opened := b.opened
	b.opened = nil
	return opened
}

// Attach opens a session with a target.
func (b *Browser) Attach(ctx context.Context, id target.ID) (*Session, error) {
	b.attachMu.Lock()
	defer b.attachMu.Unlock()
	flat := true
	res, err := cdp.Call(ctx, b, target.AttachToTarget, target.AttachToTargetParams{TargetID: id, Flatten: &flat})
	if err != nil {
		return nil, fmt.Errorf("attach to target %s: %w", id, err)
	}
	b.takeOpened()
	return b.session(res.SessionID), nil
}

// session returns the session with this id, which the browser has announced.
func (b *Browser) session(id target.SessionID) *Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sessions[id]
	if s == nil {
		s = &Session{browser: b, id: id, ended: make(chan struct{})}
		b.sessions[id] = s
	}
	return s
}
