package browser

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// frameState is what a tab knows about its main frame from events.
type frameState struct {
	id     cdp.FrameID
	loader cdp.LoaderID // of the committed document
	url    string
	mime   string
	// ready and loaded: the document's DOMContentLoaded and load events were seen.
	ready, loaded bool
	// restored: the document came out of the cache of pages as it was left.
	restored bool
	// pending is the loader of a navigation that has started and not committed.
	pending cdp.LoaderID
	// files counts navigations that had an answer and led to no document: to a download, most likely.
	files int
	// commits counts new documents, moves counts same-document navigations.
	commits, moves int
	// committed are the loaders that committed since the watched navigation began.
	committed []cdp.LoaderID
	// answers are the responses to navigation requests: of the pending navigation
	// and of those since the watched one began.
	answers map[cdp.LoaderID]*answer
}

// abandon notes that nothing is loading any more.
func (f *frameState) abandon() {
	if a := f.answers[f.pending]; f.pending != "" && a != nil && a.status >= 200 && a.status < 300 && a.status != 204 && a.status != 205 {
		f.files++
	}
	f.pending = ""
}

// answer is the response to the request for a main document.
type answer struct {
	status    int
	mime      string
	redirects []string // addresses that answered with a redirect, in order
}

// onEvent runs on the goroutine that reads this tab's events, in their order. It must
// not call the browser or wait.
func (t *Tab) onEvent(ev any) {
	t.console.Observe(ev)
	t.engine.onFrames(t, ev)
	t.history.observe(t, ev)
	if p := t.observer.Load(); p != nil {
		p.HandleEvent(ev)
	}
	switch ev := ev.(type) {
	case *page.EventFrameStartedNavigating:
		t.onStarted(ev)
	case *page.EventFrameNavigated:
		if ev.Frame.ParentID == "" {
			t.onFrame(ev.Frame)
			if ev.Type == page.NavigationTypeBackForwardCacheRestore {
				t.update(func(f *frameState) { f.restored = true })
				t.onLifecycle(ev.Frame.ID, ev.Frame.LoaderID, "load")
			}
		}
	case *page.EventNavigatedWithinDocument:
		t.update(func(f *frameState) {
			if ev.FrameID == f.id {
				f.url, f.pending = ev.URL, ""
				f.moves++
			}
		})
	case *page.EventLifecycleEvent:
		t.onLifecycle(ev.FrameID, ev.LoaderID, ev.Name)
	case *page.EventFrameStoppedLoading:
		t.update(func(f *frameState) {
			if ev.FrameID == f.id {
				f.abandon()
			}
		})
	case *network.EventRequestWillBeSent:
		t.onRequest(ev)
	case *network.EventResponseReceived:
		t.onResponse(ev)
	case *page.EventFileChooserOpened:
		t.onChooser(ev)
	case *page.EventJavascriptDialogOpening:
		t.onDialog(ev)
	case *page.EventJavascriptDialogClosed:
		t.onDialogClosed()
	}
	t.deliver(ev)
}

// update changes the frame state and wakes whoever waits for a change.
func (t *Tab) update(change func(f *frameState)) {
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

// changeLocked returns a channel that closes at the next change.
func (t *Tab) changeLocked() <-chan struct{} {
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

func (t *Tab) onStarted(ev *page.EventFrameStartedNavigating) {
	switch ev.NavigationType {
	case page.FrameStartedNavigatingNavigationTypeSameDocument,
		page.FrameStartedNavigatingNavigationTypeHistorySameDocument:
		return
	}
	t.update(func(f *frameState) {
		if ev.FrameID == f.id {
			f.pending = ev.LoaderID
		}
	})
}

// seed takes over the document that was there when the tab was attached, unless an
// event has told of a newer one meanwhile.
func (t *Tab) seed(frame *cdp.Frame) {
	t.mu.Lock()
	known := t.frame.id != ""
	if !known && t.lost != "" { // what is there is empty, and stands for what was there
		t.frame.id, t.frame.loader, known = frame.ID, frame.LoaderID, true
	}
	t.mu.Unlock()
	if !known {
		t.onFrame(frame)
	}
}

// onFrame takes over the document that the main frame now shows. A tab that had lost its
// page has one again with it.
func (t *Tab) onFrame(frame *cdp.Frame) {
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
		t.console.Turn()
	}
	if f.pending == frame.LoaderID {
		f.pending = ""
	}
	f.commits++
	f.committed = append(f.committed, frame.LoaderID)
	if len(f.committed) > 32 {
		f.committed = f.committed[1:]
	}
	for loader := range f.answers {
		if loader != f.pending && !slices.Contains(f.committed, loader) {
			delete(f.answers, loader)
		}
	}
	t.lost, t.chooser = "", nil
	t.notifyLocked()
}

func (t *Tab) onLifecycle(frame cdp.FrameID, loader cdp.LoaderID, name string) {
	if name != "DOMContentLoaded" && name != "load" {
		return
	}
	t.update(func(f *frameState) {
		if frame == f.id && loader == f.loader {
			f.ready = true
			f.loaded = f.loaded || name == "load"
		}
	})
}

// onRequest and onResponse follow only requests for the main document, which are
// those whose id is the loader's.
func (t *Tab) onRequest(ev *network.EventRequestWillBeSent) {
	if string(ev.RequestID) != string(ev.LoaderID) {
		return
	}
	t.update(func(f *frameState) {
		if ev.FrameID != f.id {
			return
		}
		if f.answers == nil {
			f.answers = make(map[cdp.LoaderID]*answer)
		}
		a := f.answers[ev.LoaderID]
		if a == nil || ev.RedirectResponse == nil {
			a = new(answer)
			f.answers[ev.LoaderID] = a
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
	t.update(func(f *frameState) {
		if a := f.answers[ev.LoaderID]; a != nil {
			a.status, a.mime = int(ev.Response.Status), ev.Response.MimeType
		}
	})
}

// onInfo takes over the browser's own view of the tab.
func (t *Tab) onInfo(info *target.Info) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.title, t.context = info.Title, info.BrowserContextID
	if t.frame.id == "" { // not attached yet
		t.frame.url = info.URL
	}
}

func (t *Tab) onCrash() {
	t.mu.Lock()
	t.lost, t.dialog, t.blocked = Crashed, nil, nil
	t.frame.pending = ""
	t.interruptLocked(&CrashedError{Tab: t.id, How: Crashed})
	t.notifyLocked()
	t.mu.Unlock()
	t.session.browser.changed(t.session.id)
}
