package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// Guard decides which addresses pages may reach. The browser calls it from many goroutines; its
// methods must return quickly and must not call the browser.
type Guard interface {
	// Switches returns more switches of a browser that is launched here. They win over all others.
	Switches() []string
	// Proxy returns the proxy that makes the connections of a session's pages, or "". The session
	// "" is the default browser context and the browser itself.
	Proxy(session string) (string, error)
	// CheckAttach returns the error of attaching to a browser that was launched elsewhere, or nil.
	CheckAttach() error
	// CheckNavigation returns the error of loading an address for a call, or nil.
	CheckNavigation(session, address string) error
	// InterceptsRequests reports whether AllowRequest must be asked about each request.
	InterceptsRequests() bool
	// AllowRequest reports whether a page may send a request.
	AllowRequest(r PageRequest) bool
	// AllowWindow reports whether a page may open one more window. open is how many tabs the
	// session has.
	AllowWindow(session string, open int) bool
}

// PageRequest is a request of a page, a worker or a service worker.
type PageRequest struct {
	// Session is the session of the page; "" where it is not known, as of a service worker while
	// several sessions have tabs.
	Session  string
	URL      string
	Document bool // of a tab or a frame; redirects are requests of their own
	Tab      string
	// MainFrame reports that the document is that of the tab.
	MainFrame bool
}

// requestPattern matches every request before it is sent.
const requestPattern = "*"

// interceptor decides about the requests of every page of a browser.
type interceptor struct{ instance *instance }

// enable makes the browser ask about each request of every page: of tabs, frames, popups and
// workers, from their first one on. It asks through the session of the browser itself, so that no
// page has to be held and the rules of a tab are not in the way.
func (ic *interceptor) enable(ctx context.Context) error {
	if cfg := &ic.instance.owner.cfg; !cfg.judgesRequests() && cfg.Traffic == nil {
		return nil
	}
	stage := fetch.RequestStageRequest
	params := fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: requestPattern, RequestStage: stage}}}
	if err := protocol.Exec(ctx, ic.instance.conn, fetch.Enable, params); err != nil {
		return fmt.Errorf("intercept the requests of pages: %w", err)
	}
	return nil
}

// judgesRequests reports whether a guard is asked about each request.
func (c *Config) judgesRequests() bool { return c.Guard != nil && c.Guard.InterceptsRequests() }

// onPaused decides about one request. It runs on the goroutine that reads events.
func (ic *interceptor) onPaused(ev *fetch.EventRequestPaused) {
	if ev.ResponseStatusCode != 0 || ev.ResponseErrorReason != "" {
		go ic.recordResponse(ev)
		return
	}
	r := PageRequest{URL: ev.Request.URL, Document: ev.ResourceType == network.ResourceTypeDocument}
	t := ic.instance.frames.tab(ev.FrameID)
	if t != nil {
		r.Session, r.Tab = t.session.id, t.id
		r.MainFrame = r.Document && string(ev.FrameID) == string(t.target)
	} else {
		r.Session = ic.instance.soleSession()
	}
	allowed := !ic.instance.owner.cfg.judgesRequests() || ic.instance.owner.cfg.Guard.AllowRequest(r)
	if t != nil && r.MainFrame && !allowed {
		t.Document.update(func(f *frameState) { f.refusal.onRefusal(cdp.LoaderID(ev.NetworkID)) })
	}
	go func() {
		if allowed && ic.handleTraffic(ev) {
			return
		}
		ctx, cancel := context.WithTimeout(ic.instance.ctx, queryTimeout)
		defer cancel()
		// A command fails only for a request that its page has given up.
		if allowed {
			_ = protocol.Exec(ctx, ic.instance.conn, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
			return
		}
		reason := network.ErrorReasonBlockedByClient
		if r.MainFrame {
			reason = network.ErrorReasonAborted // the tab keeps its document
		}
		_ = protocol.Exec(ctx, ic.instance.conn, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: reason})
	}()
}
