package browser

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// responseTimeout is how long a page may take to answer before it counts as blocked, by the dialog
// of a related page or by a script.
const responseTimeout = time.Second

// Scripts are the scripts that run in the page of a tab.
type Scripts struct {
	tab     *Tab
	mu      sync.Mutex // innermost; guards sources
	sources []func() string
}

// responsive reports whether the page's scripts run. A tab that is not attached counts as
// responsive.
func (s *Scripts) responsive(ctx context.Context) bool {
	select {
	case <-s.tab.attachment.ready:
	default:
		return true // no call has reached the page
	}
	if s.tab.attachment.err != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	_, err := cdp.Call(ctx, s.tab.cdp, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
	return err == nil || ctx.Err() == nil
}

// StopStuckScript stops a script that never ends. It stops nothing in a responsive page, because
// the stop would hit the next script.
func (t *Tab) StopStuckScript(ctx context.Context) {
	if !t.Scripts.responsive(ctx) {
		t.Scripts.terminate(ctx)
	}
}

// terminate stops the running script. Without that the page could not be left: the next
// document of the same site waits for the process that runs the script.
func (s *Scripts) terminate(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	if err := protocol.Exec(ctx, s.tab.cdp, runtime.TerminateExecution, cdp.Empty{}); err != nil {
		s.tab.session.browser.log.Debug("stop a script that does not end", "tab", s.tab.id, "error", err)
	}
}

// Begin notes that a script of the caller runs in the tab, or is set to run there. It refuses that on
// documents with secrets. It may be called while the tab is blocked.
func (s *Scripts) Begin(ctx context.Context) error {
	if p := s.tab.observer.Load(); p != nil {
		return p.Secrets.BeginScript(ctx)
	}
	return nil
}

// MayRead returns the error of Begin where the values of the page's own scripts may not be read either, and notes nothing.
func (s *Scripts) MayRead(ctx context.Context) error {
	if p := s.tab.observer.Load(); p != nil {
		return p.Secrets.CheckFilled(ctx)
	}
	return nil
}

// AddSource has reason be asked, before a secret is typed, why a script of the caller may run in the
// documents of the tab; "" is no reason.
func (s *Scripts) AddSource(reason func() string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources = append(s.sources, reason)
}

func (s *Scripts) source() string {
	s.mu.Lock()
	sources := s.sources
	s.mu.Unlock()
	for _, reason := range sources {
		if text := reason(); text != "" {
			return text
		}
	}
	return ""
}
