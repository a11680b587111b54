package browser

import (
	"context"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
)

// listener is one receiver of a tab's events; its address is its identity.
type listener struct{ fn func(event any) }

// Protocol returns the tab's protocol session and waits until the tab is attached. It is for
// instruments such as a debugger; calls that act on the page use Do. A command whose context is that
// of a client's call (dialog.OfCall) fails with a DialogError while a dialog is open, and when one opens.
func (t *Tab) Protocol(ctx context.Context) (cdp.Session, error) {
	if err := t.endError(); err != nil {
		return nil, err
	}
	select {
	case <-t.attachment.ready:
		if t.attachment.err != nil {
			return nil, t.attachment.err
		}
		return &dialog.Session{Page: t.cdp, Beside: t.Calls.Beside, Explain: t.explain}, t.freezer.wakeUnlocked(ctx)
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
