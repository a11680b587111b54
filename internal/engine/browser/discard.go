package browser

import (
	"slices"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// A browser that is short of memory discards background pages. The tab keeps its place, title and
// URL. The protocol reports a new target with the same title and URL, and then the end of the old
// one.

// pageCreation is the creation of a page that no tab opened.
type pageCreation struct {
	info *target.Info
	at   time.Time
}

// discardWindow bounds the time between the two events of a discarded page.
const discardWindow = time.Second

// replaceDiscarded makes a tab whose target has ended continue in the target that replaces it, and
// reports whether there is one. The page is not loaded until a call recovers it.
func (e *instance) replaceDiscarded(t *Tab) bool {
	next := e.lastPage
	e.lastPage = pageCreation{}
	t.mu.Lock()
	replaces := next.info != nil && time.Since(next.at) < discardWindow && !t.closing && t.frame.id != "" &&
		next.info.URL == t.frame.url && next.info.Title == t.title && next.info.BrowserContextID == t.context
	t.mu.Unlock()
	if !replaces {
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

// reloadDiscarded reloads the page of a discarded tab if recovers is set, and returns a
// CrashedError otherwise. Attaching to such a tab waits for its page.
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

// takeOverRefs marks the refs of the discarded page as stale in its successor, which does not issue
// them again.
func (t *Tab) takeOverRefs() {
	t.mu.Lock()
	before := t.predecessor
	t.predecessor = nil
	t.mu.Unlock()
	if before == nil {
		return
	}
	before.lock <- struct{}{} // its last call has ended, and it gets no others
	if before.page != nil {
		t.page.Replace(before.page)
	}
}
