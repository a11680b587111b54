package browser

import (
	"context"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
)

// InterruptedError says that a call had begun on the page when the tab was blocked. What
// it started goes on when the tab is no longer blocked; nobody waits for it any more.
type InterruptedError struct{ Err error }

func (e *InterruptedError) Error() string { return "the call was interrupted: " + e.Err.Error() }

// Unwrap returns the cause that the tab was blocked with.
func (e *InterruptedError) Unwrap() error { return e.Err }

// tabBlock is what stops the page from outside this package: a debugger.
type tabBlock struct {
	cause   error
	release func(context.Context) error
}

// listener is one receiver of a tab's events; its address is its identity.
type listener struct{ fn func(event any) }

// Protocol returns the tab's protocol session, waiting until the tab is attached. It is
// for instruments that accompany the page, such as a debugger; who works on the page
// uses Do.
func (t *Tab) Protocol(ctx context.Context) (cdp.Session, error) {
	if err := t.endError(); err != nil {
		return nil, err
	}
	select {
	case <-t.ready:
		if t.attachErr != nil {
			return nil, t.attachErr
		}
		return t.cdp, nil
	case <-t.done:
		return nil, t.endError()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for tab %s to open: %w", t.id, context.Cause(ctx))
	}
}

// Listen calls fn with every protocol event of the page, decoded by cdproto and in the
// order of arrival, until stop is called. The end of the tab, whatever brought it, is
// an *inspector.EventDetached. fn runs where events are read: it must return at once and
// must not call the browser.
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
		// A clone, because deliver may be walking the old list.
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

// Block makes Do and all that works on the page answer with cause at once, until
// Unblock; a call that is under way ends with an InterruptedError around it. It may be
// called again to change the cause. A navigation and the closing of the tab do not
// accept the blockade: they call release, which must lift it or say why it cannot.
func (t *Tab) Block(cause error, release func(context.Context) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blocked = &tabBlock{cause: cause, release: release}
	t.interruptLocked(&InterruptedError{Err: cause})
	t.notifyLocked()
}

// Unblock ends what Block began; without a blockade it does nothing.
func (t *Tab) Unblock() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blocked = nil
	t.notifyLocked()
}

// Blocked returns the cause that the tab is blocked with, or nil.
func (t *Tab) Blocked() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blocked == nil {
		return nil
	}
	return t.blocked.cause
}

// releaseBlock has whoever blocks the tab let go of it.
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
