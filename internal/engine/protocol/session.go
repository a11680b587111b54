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

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Session is a session with a target. It is safe for concurrent use.
type Session struct {
	browser    *Browser
	id         target.SessionID
	unanswered atomic.Bool
	ended      chan struct{} // closed when it is detached; by receive only

	mu        sync.Mutex
	listeners []func(event any)
}

// SetUnanswered makes commands return when they are sent, without a result. A held page that has no
// renderer answers none.
func (s *Session) SetUnanswered(on bool) { s.unanswered.Store(on) }

// Call runs a command in the target. It implements cdp.Session.
func (s *Session) Call(ctx context.Context, method string, params, res any) error {
	id, answer := s.browser.addCall()
	defer s.browser.removeCall(id)
	err := s.browser.send(ctx, &cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method)}, params)
	if err != nil || s.unanswered.Load() {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.ended:
			cancel(fault.New(codes.Failed, fmt.Sprintf("%s: the target is gone", method)))
		case <-ctx.Done():
		}
	}()
	return decodeAnswer(ctx, answer, res)
}

// Subscribe implements cdp.Session. It never delivers: events go to listeners.
func (s *Session) Subscribe(string) (<-chan jsonv2.Value, func()) { return noEvents() }

// Listen makes fn receive the events of the target, decoded by cdproto and in order. fn must return
// at once and must not call the browser.
func (s *Session) Listen(fn func(event any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, fn)
}

func (s *Session) notify(event any) {
	s.mu.Lock()
	listeners := s.listeners
	s.mu.Unlock()
	for _, fn := range listeners {
		fn(event)
	}
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
	_, _ = cdp.Call(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{})
}

// Close detaches from the target. It fails only for one that has closed.
func (s *Session) Close(ctx context.Context) {
	_, _ = cdp.Call(ctx, s.browser, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.id})
}
