package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// responseTimeout is how long a page may take to answer before it counts as blocked, by the dialog
// of a related page or by a script.
const responseTimeout = time.Second

// A page and its popups often share a process, and a dialog in one then blocks the scripts of all.
// The protocol does not report which pages those are, so this file asks each.

// blockingTab returns the tab whose open dialog blocks this one, or nil.
func (t *Tab) blockingTab(ctx context.Context) *Tab {
	for _, o := range t.session.TabsWithDialog() {
		if o != t && t.inOpenerTreeOf(o) && !t.isResponsive(ctx) {
			return o
		}
	}
	return nil
}

// interruptOpenerTree ends the calls on tabs that a dialog of this one blocks.
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

// isResponsive reports whether the page's scripts run. A tab that is not attached counts as
// responsive.
func (t *Tab) isResponsive(ctx context.Context) bool {
	select {
	case <-t.ready:
	default:
		return true // no call has reached the page
	}
	if t.attachErr != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	_, err := cdp.Call(ctx, t.cdp, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
	return err == nil || ctx.Err() == nil
}

// StopStuckScript stops a script that never ends. It stops nothing in a responsive page, because
// the stop would hit the next script.
func (t *Tab) StopStuckScript(ctx context.Context) {
	if !t.isResponsive(ctx) {
		t.terminateExecution(ctx)
	}
}

// terminateExecution stops the running script. Without that the page could not be left: the next
// document of the same site waits for the process that runs the script.
func (t *Tab) terminateExecution(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	if err := protocol.Exec(ctx, t.cdp, runtime.TerminateExecution, cdp.Empty{}); err != nil {
		t.session.browser.log.Debug("stop a script that does not end", "tab", t.id, "error", err)
	}
}

// inOpenerTreeOf reports whether two tabs of a session descend from the same tab.
func (t *Tab) inOpenerTreeOf(o *Tab) bool {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.session == o.session && t.session.openerRoot(t.id) == t.session.openerRoot(o.id)
}

// relatedGuards returns the guards of the other tabs of the opener tree. Scripts of each may reach the
// documents of the others.
func (t *Tab) relatedGuards() []*secret.Guard {
	t.session.mu.Lock()
	tabs := append([]*Tab(nil), t.session.tabs...)
	t.session.mu.Unlock()
	var out []*secret.Guard
	for _, o := range tabs {
		if p := o.observer.Load(); o != t && p != nil && t.inOpenerTreeOf(o) {
			out = append(out, p.Secrets)
		}
	}
	return out
}

// BeginScript notes that a script of the caller runs in the tab, or is set to run there. It refuses that on
// documents with secrets. It may be called while the tab is blocked.
func (t *Tab) BeginScript(ctx context.Context) error {
	if p := t.observer.Load(); p != nil {
		return p.Secrets.BeginScript(ctx)
	}
	return nil
}

// AddScriptSource has reason be asked, before a secret is typed, why a script of the caller may run in the
// documents of the tab; "" is no reason.
func (t *Tab) AddScriptSource(reason func() string) {
	t.scriptMu.Lock()
	defer t.scriptMu.Unlock()
	t.scriptSources = append(t.scriptSources, reason)
}

func (t *Tab) scriptSource() string {
	t.scriptMu.Lock()
	sources := t.scriptSources
	t.scriptMu.Unlock()
	for _, reason := range sources {
		if text := reason(); text != "" {
			return text
		}
	}
	return ""
}

// openerRoot returns the id of the tab at the root of a tab's opener tree. The caller holds mu.
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
