package browser

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// Document is the document of the main frame of a tab, as events report it.
type Document struct {
	tab   *Tab
	state frameState
}

// IsMainFrame reports whether a frame is the tab's main frame.
func (d *Document) IsMainFrame(id cdp.FrameID) bool {
	d.tab.mu.Lock()
	defer d.tab.mu.Unlock()
	if d.state.id == "" { // the tab is not attached yet, and its frame has the id of its target
		return string(d.tab.target) == string(id)
	}
	return d.state.id == id
}

// frameState is the state of a tab's main frame as events report it.
type frameState struct {
	id     cdp.FrameID
	loader cdp.LoaderID // of the committed document
	url    string
	mime   string
	// ready and loaded report that the document fired DOMContentLoaded and load.
	ready, loaded bool
	// restored reports that the document came from the back/forward cache.
	restored bool
	// pending is the loader of a navigation that has started and not committed.
	pending cdp.LoaderID
	refusal refusedNavigation
	// fileResponses counts navigations that had a response and no document: most likely downloads.
	fileResponses int
	// commits counts new documents, sameDocumentNavs same-document navigations.
	commits, sameDocumentNavs int
	// committedLoaders are the loaders that committed since the current navigation began.
	committedLoaders []cdp.LoaderID
	// destination is the address that the current navigation requested, and substitute the document
	// that replaced its own; see Tab.replaceStuckDocument. Both are "" otherwise.
	destination string
	substitute  cdp.LoaderID
	// responses are the responses to navigation requests: of the pending navigation and of those
	// since the current one began.
	responses map[cdp.LoaderID]*documentResponse
}

// refusedNavigation tells which document tried to go to an address that the guard refuses. The
// browser stops loading such a document, and its load event never fires. The refusal and the start
// of the navigation come over different sessions, in any order.
type refusedNavigation struct {
	refused       cdp.LoaderID // of the navigation that was refused last
	started, from cdp.LoaderID // of the navigation that started last, and the document it started in
	document      cdp.LoaderID // the document that tried to go to a refused address; "" is none
}

func (r *refusedNavigation) onStart(loader, from cdp.LoaderID) {
	r.started, r.from = loader, from
	r.match()
}

func (r *refusedNavigation) onRefusal(loader cdp.LoaderID) {
	r.refused = loader
	r.match()
}

func (r *refusedNavigation) match() {
	if r.refused != "" && r.refused == r.started {
		r.document = r.from
	}
}

// triedToLeave reports whether the committed document tried to go to a refused address.
func (f *frameState) triedToLeave() bool { return f.loader != "" && f.refusal.document == f.loader }

// TriedToLeave reports whether the document of the tab tried to go to an address that the guard
// refuses. The browser may have stopped loading it then.
func (d *Document) TriedToLeave() bool {
	d.tab.mu.Lock()
	defer d.tab.mu.Unlock()
	return d.state.triedToLeave()
}

// onLoadStopped records that no navigation is pending.
func (f *frameState) onLoadStopped() {
	if a := f.responses[f.pending]; f.pending != "" && a != nil && a.status >= 200 && a.status < 300 &&
		a.status != 204 && a.status != 205 {
		f.fileResponses++
	}
	f.pending = ""
}

// documentResponse is the response to the request for a main document.
type documentResponse struct {
	status    int
	mime      string
	headers   map[string]string // by lower-case name
	redirects []string          // URLs that redirected, in order
}

// update changes the frame state and wakes waitFor.
func (d *Document) update(change func(f *frameState)) {
	d.tab.mu.Lock()
	defer d.tab.mu.Unlock()
	change(&d.state)
	d.tab.changes.notify()
}

func (d *Document) onNavigationStarted(ev *page.EventFrameStartedNavigating) {
	switch ev.NavigationType {
	case page.FrameStartedNavigatingNavigationTypeSameDocument,
		page.FrameStartedNavigatingNavigationTypeHistorySameDocument:
		return
	}
	d.update(func(f *frameState) {
		if ev.FrameID == f.id {
			f.pending = ev.LoaderID
			f.refusal.onStart(ev.LoaderID, f.loader)
		}
	})
	if d.IsMainFrame(ev.FrameID) {
		d.tab.Permissions.Follow(ev.URL)
	}
}

// adopt takes over the document that existed when the tab was attached, unless an event has
// reported a newer one.
func (d *Document) adopt(frame *cdp.Frame) {
	d.tab.session.State.recordOrigin(frame.SecurityOrigin)
	d.tab.mu.Lock()
	known := d.state.id != ""
	if !known && d.tab.lossReason != "" { // the present document is empty and stands for the lost one
		d.state.id, d.state.loader, known = frame.ID, frame.LoaderID, true
	}
	d.tab.mu.Unlock()
	if !known {
		d.onNavigated(frame)
	}
}

// onNavigated takes over the new document of the main frame. A tab without a page has one
// again.
func (d *Document) onNavigated(frame *cdp.Frame) {
	d.tab.mu.Lock()
	defer d.tab.mu.Unlock()
	f := &d.state
	f.id, f.loader, f.mime = frame.ID, frame.LoaderID, frame.MimeType
	f.url = frame.URL + frame.URLFragment
	if frame.UnreachableURL != "" {
		f.url = frame.UnreachableURL
	}
	f.ready, f.loaded, f.restored = false, false, false
	if f.commits > 0 {
		d.tab.console.StartDocument()
	}
	if f.pending == frame.LoaderID {
		f.pending = ""
	}
	f.commits++
	f.committedLoaders = append(f.committedLoaders, frame.LoaderID)
	if len(f.committedLoaders) > 32 {
		f.committedLoaders = f.committedLoaders[1:]
	}
	for loader := range f.responses {
		if loader != f.pending && !slices.Contains(f.committedLoaders, loader) {
			delete(f.responses, loader)
		}
	}
	d.tab.lossReason, d.tab.FileChoosers.latest, d.tab.Dialogs.policy = "", nil, nil
	d.tab.changes.notify()
}

func (d *Document) onLifecycle(frame cdp.FrameID, loader cdp.LoaderID, name string) {
	if name != "DOMContentLoaded" && name != "load" {
		return
	}
	d.update(func(f *frameState) {
		if frame == f.id && loader == f.loader {
			f.ready = true
			f.loaded = f.loaded || name == "load"
		}
	})
}

// onRequest and onResponse track only requests for the main document, whose id is the loader's.
func (d *Document) onRequest(ev *network.EventRequestWillBeSent) {
	if string(ev.RequestID) != string(ev.LoaderID) {
		return
	}
	d.update(func(f *frameState) {
		if ev.FrameID != f.id {
			return
		}
		if f.responses == nil {
			f.responses = make(map[cdp.LoaderID]*documentResponse)
		}
		a := f.responses[ev.LoaderID]
		if a == nil || ev.RedirectResponse == nil {
			a = new(documentResponse)
			f.responses[ev.LoaderID] = a
		}
		if ev.RedirectResponse != nil {
			a.redirects = append(a.redirects, ev.RedirectResponse.URL)
		}
	})
}

func (d *Document) onResponse(ev *network.EventResponseReceived) {
	if string(ev.RequestID) != string(ev.LoaderID) {
		return
	}
	d.update(func(f *frameState) {
		if a := f.responses[ev.LoaderID]; a != nil {
			a.status, a.mime, a.headers = int(ev.Response.Status), ev.Response.MimeType, headersByName(ev.Response.Headers)
		}
	})
}

// DocumentResponse is the response that the tab's document came in.
type DocumentResponse struct {
	Status int
	// Headers are the headers by lower-case name, without cookies. Values of a repeated header are
	// joined by a line feed.
	Headers map[string]string
}

// Response returns the response of the present document. It is unknown for a document that
// came from the back/forward cache, without a request, or before the tab was attached.
func (d *Document) Response() (r DocumentResponse, known bool) {
	d.tab.mu.Lock()
	defer d.tab.mu.Unlock()
	a := d.state.responses[d.state.loader]
	if a == nil || a.headers == nil {
		return DocumentResponse{}, false
	}
	return DocumentResponse{Status: a.status, Headers: maps.Clone(a.headers)}, true
}

func headersByName(headers network.Headers) map[string]string {
	out := make(map[string]string, len(headers))
	for name, value := range headers {
		if name = strings.ToLower(name); name != "set-cookie" {
			out[name] = fmt.Sprint(value)
		}
	}
	return out
}
