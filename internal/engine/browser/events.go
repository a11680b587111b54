package browser

import (
	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// onEvent runs on the goroutine that reads this tab's events, in their order. It must not call the
// browser or wait.
func (t *Tab) onEvent(ev any) {
	t.console.Observe(ev)
	t.instance.frames.onEvent(t, ev)
	t.Activity.observe(ev)
	t.Prompts.Observe(ev)
	if p := t.observer.Load(); p != nil {
		p.HandleEvent(ev)
	}
	switch ev := ev.(type) {
	case *page.EventFrameStartedNavigating:
		t.Document.onNavigationStarted(ev)
	case *page.EventFrameNavigated:
		t.session.State.recordOrigin(ev.Frame.SecurityOrigin)
		if ev.Frame.ParentID == "" {
			t.Document.onNavigated(ev.Frame)
			t.Permissions.Follow(ev.Frame.URL)
			if ev.Type == page.NavigationTypeBackForwardCacheRestore {
				t.Document.update(func(f *frameState) { f.restored = true })
				t.Document.onLifecycle(ev.Frame.ID, ev.Frame.LoaderID, "load")
			}
		}
	case *page.EventNavigatedWithinDocument:
		t.Document.update(func(f *frameState) {
			if ev.FrameID == f.id {
				f.url, f.pending = ev.URL, ""
				f.sameDocumentNavs++
			}
		})
	case *page.EventLifecycleEvent:
		t.Document.onLifecycle(ev.FrameID, ev.LoaderID, ev.Name)
	case *page.EventFrameStoppedLoading:
		t.Document.update(func(f *frameState) {
			if ev.FrameID == f.id {
				f.onLoadStopped()
			}
		})
		if t.Document.IsMainFrame(ev.FrameID) {
			t.Permissions.Follow(t.URL()) // a download leaves the document
		}
	case *network.EventRequestWillBeSent:
		t.Document.onRequest(ev)
	case *network.EventResponseReceived:
		t.Document.onResponse(ev)
	default:
		t.onWindowEvent(ev)
	}
	t.notifyListeners(ev)
}

// onWindowEvent handles what a page opens beside its document.
func (t *Tab) onWindowEvent(ev any) {
	switch ev := ev.(type) {
	case *page.EventFileChooserOpened:
		t.FileChoosers.onOpen(ev)
	case *page.EventJavascriptDialogOpening:
		if !t.Dialogs.isWatched() {
			t.Dialogs.onOpen(ev)
		}
	case *page.EventJavascriptDialogClosed:
		if !t.Dialogs.isWatched() {
			t.Dialogs.onClosed()
		}
	case *page.EventWindowOpen:
		t.windows.add(ev.UserGesture)
	}
}

// changes wakes those that wait for a change of a tab, whose mu its caller holds.
type changes struct{ next chan struct{} } // closed at the next change; nil without waiters

func (c *changes) notify() {
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// wait returns a channel that closes at the next change.
func (c *changes) wait() <-chan struct{} {
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

// onTargetInfo takes over title and URL as the browser process knows them.
func (t *Tab) onTargetInfo(info *target.Info) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.title, t.context = info.Title, info.BrowserContextID
	if t.Document.state.id == "" { // the tab is not attached yet
		t.Document.state.url = info.URL
	}
}

func (t *Tab) onCrash() {
	t.mu.Lock()
	t.lossReason, t.Dialogs.open, t.Calls.blocked = Crashed, nil, nil
	t.Document.state.pending = ""
	t.Calls.interruptLocked(&CrashedError{Tab: t.id, Reason: Crashed})
	t.changes.notify()
	t.mu.Unlock()
	t.session.browser.notifyChange(t.session.id)
}

// onEvent runs on the goroutine that reads the connection: it must not call the browser or wait.
func (e *instance) onEvent(ev any) {
	switch ev := ev.(type) {
	case *fetch.EventRequestPaused:
		e.requests.HandlePaused(ev)
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
		e.downloads.onStart(ev)
	case *cdpbrowser.EventDownloadProgress:
		e.downloads.onProgress(ev)
	case *target.EventTargetCrashed:
		if t := e.tab(ev.TargetID); t != nil {
			t.onCrash()
		}
	}
}
