package browser

import (
	"slices"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// A browser that is short of memory discards pages in the background. The tab stays where it is, with its title and
// address; for the debugger it ends, right after another target of the same title and address has begun.

// newcomer is the latest page that began without being opened by a tab.
type newcomer struct {
	info *target.Info
	at   time.Time
}

// discardTime is how far apart the two events of a discarded page can be.
const discardTime = time.Second

// discarded has a tab whose target has ended go on in the target that took its place, if there is one, and reports that.
// The page is not loaded again before somebody asks for it.
func (e *engine) discarded(t *Tab) bool {
	next := e.newcomer
	e.newcomer = newcomer{}
	t.mu.Lock()
	heir := next.info != nil && time.Since(next.at) < discardTime && !t.closing && t.frame.id != "" &&
		next.info.URL == t.frame.url && next.info.Title == t.title && next.info.BrowserContextID == t.context
	t.mu.Unlock()
	if !heir {
		return false
	}
	n, fresh := e.tabFor(t.session, t.id, next.info.TargetID)
	if !fresh {
		return false
	}
	s := t.session
	s.mu.Lock()
	current, place := s.current == t, slices.Index(s.tabs, t)
	s.mu.Unlock()
	n.opener, n.parent, n.adopted, n.late = t.opener, t.parent, t.adopted, true
	n.shared.Store(t.shared.Load())
	n.lost, n.asleep, n.before = Discarded, true, t
	n.onInfo(next.info)
	t.die(&CrashedError{Tab: t.id, How: Discarded}, Discarded)
	if !s.add(n, current) {
		e.giveUp(n)
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

// wake has the page of a discarded tab load again if that is what recovers means, and is refused otherwise. Who
// attaches to such a tab waits for its page.
func (t *Tab) wake(recovers bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asleep {
		return nil
	}
	if !recovers {
		return &CrashedError{Tab: t.id, How: t.lost}
	}
	t.asleep = false
	go t.follow(cdppage.CommandReload)
	return nil
}

// takeOver has refs of a discarded page be known as such in the one that took its place, and none of them be given again.
func (t *Tab) takeOver() {
	t.mu.Lock()
	before := t.before
	t.before = nil
	t.mu.Unlock()
	if before == nil {
		return
	}
	before.lock <- struct{}{} // its last call has ended; there are no others
	if before.page != nil {
		t.page.Replace(before.page)
	}
}
