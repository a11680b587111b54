package browser

import (
	"context"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
)

// InterruptedError reports that the tab was blocked during a call. What the call started continues
// when the tab is unblocked; its result is lost.
type InterruptedError struct{ Err error }

func (e *InterruptedError) Error() string { return "the call was interrupted: " + e.Err.Error() }

// Unwrap returns the cause of the block.
func (e *InterruptedError) Unwrap() error { return e.Err }

// tabBlock stops calls on the page on behalf of another package, such as the debugger.
type tabBlock struct {
	cause   error
	release func(context.Context) error
}

// listener is one receiver of a tab's events; its address is its identity.
type listener struct{ fn func(event any) }

// Protocol returns the tab's protocol session and waits until the tab is attached. It is for
// instruments such as a debugger; calls that act on the page use Do.
func (t *Tab) Protocol(ctx context.Context) (cdp.Session, error) {
	if err := t.endError(); err != nil {
		return nil, err
	}
	select {
	case <-t.ready:
		if t.attachErr != nil {
			return nil, t.attachErr
		}
		return t.cdp, t.wakeUnlocked(ctx)
	case <-t.done:
		return nil, t.endError()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for tab %s to open: %w", t.id, context.Cause(ctx))
	}
}

// Listen calls fn with every protocol event of the page, decoded by cdproto and in order of
// arrival, until stop is called. The end of the tab is an *inspector.EventDetached. fn runs on the
// goroutine that reads events: it must return at once and must not call the browser.
func (t *Tab) Listen(fn func(event any)) (stop func()) {
	l := &listener{fn: fn}
	t.mu.Lock()
	t.listeners = append(slices.Clone(t.listeners), l)
	gone := t.endCause
	t.mu.Unlock()
	if gone != nil {
		fn(&inspector.EventDetached{Reason: gone.Error()})
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		// notifyListeners may be iterating over the old list.
		t.listeners = slices.DeleteFunc(slices.Clone(t.listeners), func(o *listener) bool { return o == l })
	}
}

func (t *Tab) notifyListeners(event any) {
	t.mu.Lock()
	listeners := t.listeners
	t.mu.Unlock()
	for _, l := range listeners {
		l.fn(event)
	}
}

// Block makes Do and all other calls on the page return cause at once, until Unblock. A running
// call ends with an InterruptedError around cause. Block may be called again to change the cause. A
// navigation and the closing of the tab ignore the block: they call release, which must unblock the
// tab or return why it cannot.
func (t *Tab) Block(cause error, release func(context.Context) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blocked = &tabBlock{cause: cause, release: release}
	t.interruptLocked(&InterruptedError{Err: cause})
	t.notifyLocked()
}

// Unblock ends a block. Without one it does nothing.
func (t *Tab) Unblock() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blocked = nil
	t.notifyLocked()
}

// Blocked returns the cause of the block, or nil.
func (t *Tab) Blocked() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blocked == nil {
		return nil
	}
	return t.blocked.cause
}

// releaseBlock calls the release function of the block, if there is one.
func (t *Tab) releaseBlock(ctx context.Context) error {
	t.mu.Lock()
	b := t.blocked
	t.mu.Unlock()
	if b == nil {
		return nil
	}
	if err := b.release(ctx); err != nil {
		return fmt.Errorf("release tab %s: %w", t.id, err)
	}
	return nil
}
