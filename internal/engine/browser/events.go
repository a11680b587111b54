package browser

import (
	"slices"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

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
func (t *Tab) TriedToLeave() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.frame.triedToLeave()
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

// onEvent runs on the goroutine that reads this tab's events, in their order. It must not call the
// browser or wait.
func (t *Tab) onEvent(ev any) {
	t.console.Observe(ev)
	t.instance.onFrameEvent(t, ev)
	t.requests.observe(t, ev)
	if p := t.observer.Load(); p != nil {
		p.HandleEvent(ev)
	}
	switch ev := ev.(type) {
	case *page.EventFrameStartedNavigating:
		t.onNavigationStarted(ev)
	case *page.EventFrameNavigated:
		t.session.recordOrigin(ev.Frame.SecurityOrigin)
		if ev.Frame.ParentID == "" {
			t.onMainFrameNavigated(ev.Frame)
			t.followPermissions(ev.Frame.URL)
			if ev.Type == page.NavigationTypeBackForwardCacheRestore {
				t.updateFrame(func(f *frameState) { f.restored = true })
				t.onLifecycle(ev.Frame.ID, ev.Frame.LoaderID, "load")
			}
		}
	case *page.EventNavigatedWithinDocument:
		t.updateFrame(func(f *frameState) {
			if ev.FrameID == f.id {
				f.url, f.pending = ev.URL, ""
				f.sameDocumentNavs++
			}
		})
	case *page.EventLifecycleEvent:
		t.onLifecycle(ev.FrameID, ev.LoaderID, ev.Name)
	case *page.EventFrameStoppedLoading:
		t.updateFrame(func(f *frameState) {
			if ev.FrameID == f.id {
				f.onLoadStopped()
			}
		})
		if t.IsMainFrame(ev.FrameID) {
			t.followPermissions(t.URL()) // a download leaves the document
		}
	case *network.EventRequestWillBeSent:
		t.onRequest(ev)
	case *network.EventResponseReceived:
		t.onResponse(ev)
	default:
		t.onWindowEvent(ev)
	}
	t.notifyListeners(ev)
}

// onWindowEvent handles what a page opens beside its document.
func (t *Tab) onWindowEvent(ev any) {
	switch ev := ev.(type) {
	case *page.EventFileChooserOpened:
		t.onFileChooser(ev)
	case *page.EventJavascriptDialogOpening:
		if !t.hasDialogWatcher() {
			t.onDialog(ev)
		}
	case *page.EventJavascriptDialogClosed:
		if !t.hasDialogWatcher() {
			t.onDialogClosed()
		}
	case *page.EventWindowOpen:
		t.countWindow(ev.UserGesture)
	}
}

// updateFrame changes the frame state and wakes waitFor.
func (t *Tab) updateFrame(change func(f *frameState)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.frame)
	t.notifyLocked()
}

func (t *Tab) notifyLocked() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// nextChangeLocked returns a channel that closes at the next change.
func (t *Tab) nextChangeLocked() <-chan struct{} {
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

func (t *Tab) onNavigationStarted(ev *page.EventFrameStartedNavigating) {
	switch ev.NavigationType {
	case page.FrameStartedNavigatingNavigationTypeSameDocument,
		page.FrameStartedNavigatingNavigationTypeHistorySameDocument:
		return
	}
	t.updateFrame(func(f *frameState) {
		if ev.FrameID == f.id {
			f.pending = ev.LoaderID
			f.refusal.onStart(ev.LoaderID, f.loader)
		}
	})
	if t.IsMainFrame(ev.FrameID) {
		t.followPermissions(ev.URL)
	}
}

// initFrame takes over the document that existed when the tab was attached, unless an event has
// reported a newer one.
func (t *Tab) initFrame(frame *cdp.Frame) {
	t.session.recordOrigin(frame.SecurityOrigin)
	t.mu.Lock()
	known := t.frame.id != ""
	if !known && t.lossReason != "" { // the present document is empty and stands for the lost one
		t.frame.id, t.frame.loader, known = frame.ID, frame.LoaderID, true
	}
	t.mu.Unlock()
	if !known {
		t.onMainFrameNavigated(frame)
	}
}

// onMainFrameNavigated takes over the new document of the main frame. A tab without a page has one
// again.
func (t *Tab) onMainFrameNavigated(frame *cdp.Frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &t.frame
	f.id, f.loader, f.mime = frame.ID, frame.LoaderID, frame.MimeType
	f.url = frame.URL + frame.URLFragment
	if frame.UnreachableURL != "" {
		f.url = frame.UnreachableURL
	}
	f.ready, f.loaded, f.restored = false, false, false
	if f.commits > 0 {
		t.console.StartDocument()
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
	t.lossReason, t.fileChooser, t.dialogPolicy = "", nil, nil
	t.notifyLocked()
}

func (t *Tab) onLifecycle(frame cdp.FrameID, loader cdp.LoaderID, name string) {
	if name != "DOMContentLoaded" && name != "load" {
		return
	}
	t.updateFrame(func(f *frameState) {
		if frame == f.id && loader == f.loader {
			f.ready = true
			f.loaded = f.loaded || name == "load"
		}
	})
}

// onRequest and onResponse track only requests for the main document, whose id is the loader's.
func (t *Tab) onRequest(ev *network.EventRequestWillBeSent) {
	if string(ev.RequestID) != string(ev.LoaderID) {
		return
	}
	t.updateFrame(func(f *frameState) {
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

func (t *Tab) onResponse(ev *network.EventResponseReceived) {
	if string(ev.RequestID) != string(ev.LoaderID) {
		return
	}
	t.updateFrame(func(f *frameState) {
		if a := f.responses[ev.LoaderID]; a != nil {
			a.status, a.mime, a.headers = int(ev.Response.Status), ev.Response.MimeType, headersByName(ev.Response.Headers)
		}
	})
}

// onTargetInfo takes over title and URL as the browser process knows them.
func (t *Tab) onTargetInfo(info *target.Info) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.title, t.context = info.Title, info.BrowserContextID
	if t.frame.id == "" { // the tab is not attached yet
		t.frame.url = info.URL
	}
}

func (t *Tab) onCrash() {
	t.mu.Lock()
	t.lossReason, t.dialog, t.blocked = Crashed, nil, nil
	t.frame.pending = ""
	t.interruptLocked(&CrashedError{Tab: t.id, Reason: Crashed})
	t.notifyLocked()
	t.mu.Unlock()
	t.session.browser.notifyChange(t.session.id)
}

// onEvent runs on the goroutine that reads the connection: it must not call the browser or wait.
func (e *instance) onEvent(ev any) {
	switch ev := ev.(type) {
	case *fetch.EventRequestPaused:
		e.onGuardedRequest(ev)
	case *target.EventTargetCreated:
		e.onTargetCreated(ev.TargetInfo)
	case *target.EventTargetInfoChanged:
		if t := e.tab(ev.TargetInfo.TargetID); t != nil {
			t.onTargetInfo(ev.TargetInfo)
		}
	case *target.EventTargetDestroyed:
		if t := e.tab(ev.TargetID); t != nil && !e.replaceDiscarded(t) {
			t.end(&ClosedError{Tab: t.id, Reason: t.closeReason()}, t.closeReason())
		}
	case *cdpbrowser.EventDownloadWillBegin:
		e.onDownloadStart(ev)
	case *cdpbrowser.EventDownloadProgress:
		e.onDownloadProgress(ev)
	case *target.EventTargetCrashed:
		if t := e.tab(ev.TargetID); t != nil {
			t.onCrash()
		}
	}
}
