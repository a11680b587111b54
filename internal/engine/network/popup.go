package network

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	cdpnetwork "github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/engine/browser"
)

var _ browser.PopupInstrument = (*Interceptor)(nil)

// AppliesToPopups reports whether there are rules or credentials.
func (i *Interceptor) AppliesToPopups() bool {
	_, needed := i.enableParams()
	return needed
}

// PreparePopup copies the rules and credentials to a popup of the tab and applies them to its first
// requests.
func (i *Interceptor) PreparePopup(
	ctx context.Context, popup *browser.Tab, session cdp.Session,
) browser.PopupPreparation {
	own := InterceptorOf(popup)
	own.copyFrom(i)
	params, _ := own.enableParams()
	// These fail only for a popup that has closed.
	_ = call(ctx, session, cdpnetwork.Enable, cdpnetwork.EnableParams{})
	_ = call(ctx, session, fetch.Enable, params)
	requests := &popupRequests{pending: make(map[cdpnetwork.RequestID]bool), changed: make(chan struct{})}
	return browser.PopupPreparation{
		Event: func(event any) {
			requests.observe(event)
			own.observe(session, event)
		},
		Finish: func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, delayLimit+commandTimeout)
			defer cancel()
			// New requests are left to the session of the tab.
			none := []*fetch.RequestPattern{{URLPattern: "none:"}}
			_ = call(ctx, session, fetch.Enable, fetch.EnableParams{Patterns: none, HandleAuthRequests: params.HandleAuthRequests})
			requests.wait(ctx)
		},
	}
}

// popupRequests are the requests of a popup that were paused in a session that is to end. The end
// would release those that are still paused, or are paused again at their responses.
type popupRequests struct {
	mu      sync.Mutex
	pending map[cdpnetwork.RequestID]bool
	changed chan struct{} // closed when a request has ended
}

func (r *popupRequests) observe(event any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev := event.(type) {
	case *fetch.EventRequestPaused:
		r.pending[ev.NetworkID] = true
		return
	case *cdpnetwork.EventLoadingFinished:
		delete(r.pending, ev.RequestID)
	case *cdpnetwork.EventLoadingFailed:
		delete(r.pending, ev.RequestID)
	default:
		return
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// wait waits until every paused request has ended.
func (r *popupRequests) wait(ctx context.Context) {
	for {
		r.mu.Lock()
		left, changed := len(r.pending), r.changed
		r.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// ApplyToPopup copies the rules and credentials to a popup of the tab. The popup keeps its copies
// when those of the tab change.
func (i *Interceptor) ApplyToPopup(ctx context.Context, popup *browser.Tab, session cdp.Session) {
	own := InterceptorOf(popup)
	own.editMu.Lock()
	defer own.editMu.Unlock()
	own.copyFrom(i)
	_ = own.updateBrowser(ctx, session) // fails only for a popup that has closed
}

// copyFrom takes over the rules and credentials of the opener, unless it did already.
func (i *Interceptor) copyFrom(opener *Interceptor) {
	opener.mu.Lock()
	credentials, lastID := opener.credentials, opener.lastID
	var rules []*Rule
	for _, r := range opener.rules {
		own := *r
		own.Hits, own.removed = 0, make(chan struct{})
		rules = append(rules, &own)
	}
	opener.mu.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.rules) == 0 && i.credentials == nil {
		i.rules, i.credentials, i.lastID = rules, credentials, lastID
	}
}
