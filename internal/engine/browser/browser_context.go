package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// disposeTimeout bounds the end of a browser context in a busy browser.
const disposeTimeout = time.Minute

// contextChoice says in which browser context a session works.
type contextChoice int

const (
	sharedContext        contextChoice = iota // the default one
	ownContextUnlessKept                      // its own, but the default one of a profile that is kept
	ownContext                                // its own
)

// Isolated reports whether the session has a browser context of its own in the present browser.
func (s *Session) Isolated() bool {
	b := s.browser
	return s.in == ownContext || s.in == ownContextUnlessKept && (b.cfg.Isolate || b.profileKind() == TemporaryProfile)
}

// browserContext returns the session's browser context in this instance, created at first use; ""
// is the default context.
func (s *Session) browserContext(ctx context.Context, e *instance) (cdp.BrowserContextID, error) {
	isolated := s.Isolated()
	if !isolated && s.browser.cfg.InitialState == nil {
		return "", nil
	}
	s.contextMu.Lock()
	defer s.contextMu.Unlock()
	in := cdp.BrowserContextID("")
	if isolated {
		if s.contextInstance != e {
			if err := s.createContext(ctx, e); err != nil {
				return "", err
			}
		}
		in = s.context
	}
	if s.State.instance != e {
		if err := s.State.loadInitial(ctx, e, in); err != nil {
			return "", err
		}
		s.State.instance = e
	}
	return in, nil
}

// createContext creates the session's browser context. The caller holds contextMu.
func (s *Session) createContext(ctx context.Context, e *instance) error {
	if s.isEnded() { // the session's end would not dispose of it
		return s.endedError("create a browser context")
	}
	yes := true
	params := target.CreateBrowserContextParams{DisposeOnDetach: &yes}
	if err := s.setContextProxy(&params); err != nil {
		return err
	}
	res, err := cdp.Call(ctx, e.conn, target.CreateBrowserContext, params)
	if err != nil {
		return fmt.Errorf("create a browser context: %w", err)
	}
	e.setContextOwner(res.BrowserContextID, s)
	if err := e.downloads.allow(ctx, res.BrowserContextID); err != nil {
		return err
	}
	s.context, s.contextInstance = res.BrowserContextID, e
	return nil
}

// disposeContext disposes of the session's browser context, which closes its pages in one step. It
// has a timeout of its own, because the tabs of an ended session would stay in a busy browser.
func (s *Session) disposeContext(tabs []*Tab) {
	s.contextMu.Lock()
	defer s.contextMu.Unlock()
	e := s.contextInstance
	if e == nil {
		return
	}
	s.contextInstance = nil
	for _, t := range tabs {
		t.mu.Lock()
		t.closing = true
		t.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(e.ctx, disposeTimeout)
	defer cancel()
	_, err := cdp.Call(ctx, e.conn, target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: s.context})
	if err != nil {
		s.browser.log.Debug("dispose of a browser context", "session", s.id, "error", err)
	}
	e.deleteContextOwner(s.context)
}

// permissionContext returns the browser context in which tabs of the session may set permissions.
func (s *Session) permissionContext(ctx context.Context, e *instance) (cdp.BrowserContextID, error) {
	if s.InPersonsProfile() {
		return "", fault.Errorf(codes.PolicyDenied,
			"a permission would hold in every tab of the person whose browser this is; use a worker, which has a context of its own")
	}
	return s.browserContext(ctx, e)
}
