package browser

import (
	"slices"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// A browser that is short of memory discards pages in the background. The tab stays where it is, with its title and
// address; for the debugger it ends, right after another target of the same title and address has begun.

// pageCreation is the latest page that began without being opened by a tab.
type pageCreation struct {
	info *target.Info
	at   time.Time
}

// discardWindow is how far apart the two events of a discarded page can be.
const discardWindow = time.Second

// replaceDiscarded has a tab whose target has ended go on in the target that took its place, if there is one, and reports that.
// The page is not loaded again before somebody asks for it.
func (e *instance) replaceDiscarded(t *Tab) bool {
	next := e.lastPage
	e.lastPage = pageCreation{}
	t.mu.Lock()
	heir := next.info != nil && time.Since(next.at) < discardWindow && !t.closing && t.frame.id != "" &&
		next.info.URL == t.frame.url && next.info.Title == t.title && next.info.BrowserContextID == t.context
	t.mu.Unlock()
	if !heir {
		return false
	}
	n, fresh := e.newNamedTab(t.session, t.id, next.info.TargetID)
	if !fresh {
		return false
	}
	s := t.session
	s.mu.Lock()
	current, place := s.current == t, slices.Index(s.tabs, t)
	s.mu.Unlock()
	n.opener, n.openerTab, n.adopted, n.attachedLate = t.opener, t.openerTab, t.adopted, true
	n.shared.Store(t.shared.Load())
	n.lossReason, n.unloaded, n.predecessor = Discarded, true, t
	n.onTargetInfo(next.info)
	t.end(&CrashedError{Tab: t.id, Reason: Discarded}, Discarded)
	if !s.addTab(n, current) {
		e.closeUnattached(n)
		return true
	}
	s.mu.Lock()
	delete(s.closed, n.id)
	if i := slices.Index(s.tabs, n); i > place && place >= 0 {
		s.tabs = slices.Insert(slices.Delete(s.tabs, i, i+1), place, n)
	}
	s.mu.Unlock()
	return true
}

// reloadDiscarded has the page of a discarded tab load again if that is what recovers means, and is refused otherwise. Who
// attaches to such a tab waits for its page.
func (t *Tab) reloadDiscarded(recovers bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.unloaded {
		return nil
	}
	if !recovers {
		return &CrashedError{Tab: t.id, Reason: t.lossReason}
	}
	t.unloaded = false
	go t.attachInBackground(cdppage.CommandReload)
	return nil
}

// takeOverRefs has refs of a discarded page be known as such in the one that took its place, and none of them be given again.
func (t *Tab) takeOverRefs() {
	t.mu.Lock()
	before := t.predecessor
	t.predecessor = nil
	t.mu.Unlock()
	if before == nil {
		return
	}
	before.lock <- struct{}{} // its last call has ended; there are no others
	if before.page != nil {
		t.page.Replace(before.page)
	}
}
