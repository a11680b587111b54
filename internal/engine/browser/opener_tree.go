package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

// responseTimeout is how long a page may take to answer, while a page beside it shows a dialog, before it counts as stopped by
// that dialog.
const responseTimeout = time.Second

// A page that opens a window often shares a process with it, and then a dialog in one of them stops the scripts of both.
// Nobody tells which pages those are, so they are asked.

// blockingTab returns the tab whose open dialog stops this one, or nil.
func (t *Tab) blockingTab(ctx context.Context) *Tab {
	for _, o := range t.session.TabsWithDialog() {
		if o != t && t.inOpenerTreeOf(o) && !t.isResponsive(ctx) {
			return o
		}
	}
	return nil
}

// interruptOpenerTree ends the calls on tabs that a dialog of this one stops.
func (t *Tab) interruptOpenerTree(d Dialog) {
	t.session.mu.Lock()
	tabs := append([]*Tab(nil), t.session.tabs...)
	t.session.mu.Unlock()
	for _, o := range tabs {
		if o == t || !t.inOpenerTreeOf(o) {
			continue
		}
		o.mu.Lock()
		busy := o.cancelCall != nil
		o.mu.Unlock()
		if !busy {
			continue
		}
		go func() {
			if o.isResponsive(t.instance.ctx) || t.Dialog() == nil {
				return
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.interruptLocked(&DialogError{Tab: t.id, Dialog: d, During: true})
		}()
	}
}

// isResponsive asks whether the page's scripts run.
func (t *Tab) isResponsive(ctx context.Context) bool {
	select {
	case <-t.ready:
	default:
		return true // nobody has asked it anything
	}
	if t.attachErr != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	_, err := cdp.Call(ctx, t.cdp, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
	return err == nil || ctx.Err() == nil
}

// stopStuckScript stops a script that never ends, if one runs. Where none does, it would hit the next.
func (t *Tab) stopStuckScript(ctx context.Context) {
	if !t.isResponsive(ctx) {
		t.terminateExecution(ctx)
	}
}

// terminateExecution stops a script that never ends and whose result nobody needs. A page could not be left otherwise: the next
// document of the same site waits for the process that runs it.
func (t *Tab) terminateExecution(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	if err := call(ctx, t.cdp, runtime.TerminateExecution, cdp.Empty{}); err != nil {
		t.session.browser.log.Debug("stop a script that does not end", "tab", t.id, "error", err)
	}
}

// inOpenerTreeOf reports whether one of two tabs of a session has opened the other, directly or through others.
func (t *Tab) inOpenerTreeOf(o *Tab) bool {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.session == o.session && t.session.openerRoot(t.id) == t.session.openerRoot(o.id)
}

// openerRoot is the id of the tab that a tab descends from. The caller holds mu.
func (s *Session) openerRoot(id string) string {
	for range len(s.openers) {
		opener := s.openers[id]
		if opener == "" {
			break
		}
		id = opener
	}
	return id
}
