package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

// heldAfter is how long a page may take to answer, while a page beside it shows a dialog, before it counts as stopped by
// that dialog.
const heldAfter = time.Second

// A page that opens a window often shares a process with it, and then a dialog in one of them stops the scripts of both.
// Nobody tells which pages those are, so they are asked.

// holder returns the tab whose open dialog stops this one, or nil.
func (t *Tab) holder(ctx context.Context) *Tab {
	for _, o := range t.session.Waiting() {
		if o != t && t.kin(o) && !t.answers(ctx) {
			return o
		}
	}
	return nil
}

// interruptKin ends the calls on tabs that a dialog of this one stops.
func (t *Tab) interruptKin(d Dialog) {
	t.session.mu.Lock()
	tabs := append([]*Tab(nil), t.session.tabs...)
	t.session.mu.Unlock()
	for _, o := range tabs {
		if o == t || !t.kin(o) {
			continue
		}
		o.mu.Lock()
		busy := o.call != nil
		o.mu.Unlock()
		if !busy {
			continue
		}
		go func() {
			if o.answers(t.engine.ctx) || t.Dialog() == nil {
				return
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.interruptLocked(&DialogError{Tab: t.id, Dialog: d, During: true})
		}()
	}
}

// answers asks whether the page's scripts run.
func (t *Tab) answers(ctx context.Context) bool {
	select {
	case <-t.ready:
	default:
		return true // nobody has asked it anything
	}
	if t.attachErr != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, heldAfter)
	defer cancel()
	_, err := cdp.Call(ctx, t.cdp, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
	return err == nil || ctx.Err() == nil
}

// unstick stops a script that never ends, if one runs. Where none does, it would hit the next.
func (t *Tab) unstick(ctx context.Context) {
	if !t.answers(ctx) {
		t.interruptScript(ctx)
	}
}

// interruptScript stops a script that never ends and whose result nobody needs. A page could not be left otherwise: the next
// document of the same site waits for the process that runs it.
func (t *Tab) interruptScript(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, heldAfter)
	defer cancel()
	if err := call(ctx, t.cdp, runtime.TerminateExecution, cdp.Empty{}); err != nil {
		t.session.browser.log.Debug("stop a script that does not end", "tab", t.id, "error", err)
	}
}

// kin reports whether one of two tabs of a session has opened the other, directly or through others.
func (t *Tab) kin(o *Tab) bool {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.session == o.session && t.session.eldest(t.id) == t.session.eldest(o.id)
}

// eldest is the id of the tab that a tab descends from. The caller holds mu.
func (s *Session) eldest(id string) string {
	for range len(s.openers) {
		opener := s.openers[id]
		if opener == "" {
			break
		}
		id = opener
	}
	return id
}
