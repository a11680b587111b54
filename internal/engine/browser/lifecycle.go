package browser

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/protocol"
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
	replaces := next.info != nil && time.Since(next.at) < discardWindow && !t.closing && t.Document.state.id != "" &&
		next.info.URL == t.Document.state.url && next.info.Title == t.title && next.info.BrowserContextID == t.context
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
	n.opener, n.Instruments.opener, n.adopted = t.opener, t.Instruments.opener, t.adopted
	n.shared.Store(t.shared.Load())
	n.lossReason, n.freezer.unloaded, n.freezer.predecessor = Discarded, true, t
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

// freezer is how a tab sleeps while no call uses it.
type freezer struct {
	tab         *Tab
	frozen      bool      // timers and script are stopped until a call wakes the page; changed under the lock of calls
	usedAt      time.Time // when a call last worked on the page
	unloaded    bool      // the page was discarded and no call has reloaded it; nothing answers until then
	predecessor *Tab      // the tab that this one replaced when the page was discarded, until it is attached
}

// reloadDiscarded reloads the page of a discarded tab if recovers is set, and returns a
// CrashedError otherwise. Attaching to such a tab waits for its page.
func (f *freezer) reloadDiscarded(recovers bool) error {
	f.tab.mu.Lock()
	defer f.tab.mu.Unlock()
	if !f.unloaded {
		return nil
	}
	if !recovers {
		return &CrashedError{Tab: f.tab.id, Reason: f.tab.lossReason}
	}
	f.unloaded = false
	go f.tab.attachment.runInBackground(cdppage.CommandReload)
	return nil
}

// takeOverRefs marks the refs of the discarded page as stale in its successor, which does not issue
// them again.
func (f *freezer) takeOverRefs() {
	f.tab.mu.Lock()
	before := f.predecessor
	f.predecessor = nil
	f.tab.mu.Unlock()
	if before == nil {
		return
	}
	before.Calls.lock <- struct{}{} // its last call has ended, and it gets no others
	if before.page != nil {
		f.tab.page.Replace(before.page)
	}
}

// A page that no call uses goes on running its timers and animations. Twenty animated pages take
// one and a half processors, and what they take the other sessions lack. Beyond liveTabs tabs, the
// ones that no call has used for freezeAfter are frozen; the next call wakes its tab.

const (
	// defaultLiveTabs is how many tabs of a browser are never frozen.
	defaultLiveTabs = 32
	// defaultFreezeAfter is how long a tab must be unused before it is frozen.
	defaultFreezeAfter = time.Minute
	// freezeInterval is the time between two searches for unused tabs; freezeTimeout bounds the
	// commands of one tab.
	freezeInterval, freezeTimeout = 10 * time.Second, 5 * time.Second
)

// freezeUnusedTabs freezes tabs now and then until the connection ends. The pages of a browser with
// windows, and those of browsers that others run, are left alone.
func (e *instance) freezeUnusedTabs() {
	if !e.isHeadless() {
		return
	}
	tick := time.NewTicker(freezeInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.freezeTabs(e.owner.liveTabs, e.owner.freezeAfter)
		case <-e.conn.Lost():
			return
		}
	}
}

// freezeTabs freezes the tabs that were unused longest until so many live ones are left. A tab that
// was used within the given time is not frozen.
func (e *instance) freezeTabs(live int, unused time.Duration) {
	_, tabs := e.state()
	type use struct {
		tab *Tab
		at  time.Time
	}
	var uses []use
	for _, t := range tabs {
		t.mu.Lock()
		if !t.freezer.frozen {
			uses = append(uses, use{t, t.freezer.usedAt})
		}
		t.mu.Unlock()
	}
	slices.SortFunc(uses, func(a, b use) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.tab.id, b.tab.id)) })
	for _, u := range uses[:max(0, len(uses)-live)] {
		if time.Since(u.at) >= unused {
			u.tab.freezer.freeze()
		}
	}
}

// freeze stops the page's timers, animations and script, unless a call works on the page or
// something observes it. A page with emulated focus ignores the command.
func (f *freezer) freeze() {
	select {
	case f.tab.Calls.lock <- struct{}{}:
	default:
		return
	}
	defer func() { <-f.tab.Calls.lock }()
	f.tab.mu.Lock()
	observed := !f.tab.attachment.finished || f.tab.attachment.err != nil || f.tab.endCause != nil || f.tab.closing || f.tab.adopted ||
		f.tab.Dialogs.open != nil || f.tab.Calls.blocked != nil || f.tab.lossReason != "" || len(f.tab.listeners) > 0 || len(f.tab.Instruments.values) > 0
	f.frozen = !observed
	f.tab.mu.Unlock()
	if observed {
		return
	}
	ctx, cancel := context.WithTimeout(f.tab.instance.ctx, freezeTimeout)
	defer cancel()
	if err := f.setLifecycle(ctx, false); err != nil {
		f.tab.session.browser.log.Debug("freeze a tab", "tab", f.tab.id, "error", err)
	}
}

// wakeUnlocked is wake for callers that may hold the tab's lock or not: a holder has woken the page.
func (f *freezer) wakeUnlocked(ctx context.Context) error {
	f.markUse()
	f.tab.mu.Lock()
	frozen := f.frozen
	f.tab.mu.Unlock()
	if !frozen {
		return nil
	}
	return f.tab.do(ctx, nil, func(context.Context) error { return nil })
}

// wake lets a frozen page run again. The caller holds the tab's lock.
func (f *freezer) wake(ctx context.Context) error {
	f.tab.mu.Lock()
	frozen := f.frozen
	f.tab.mu.Unlock()
	if !frozen {
		return nil
	}
	if err := f.setLifecycle(ctx, true); err != nil {
		return err
	}
	f.tab.mu.Lock()
	f.frozen = false
	f.tab.mu.Unlock()
	return nil
}

func (f *freezer) setLifecycle(ctx context.Context, active bool) error {
	focus := emulation.SetFocusEmulationEnabledParams{Enabled: active}
	if err := protocol.Exec(ctx, f.tab.cdp, emulation.SetFocusEmulationEnabled, focus); err != nil {
		return err
	}
	state := cdppage.SetWebLifecycleStateStateFrozen
	if active {
		state = cdppage.SetWebLifecycleStateStateActive
	}
	return protocol.Exec(ctx, f.tab.cdp, cdppage.SetWebLifecycleState, cdppage.SetWebLifecycleStateParams{State: state})
}

// markUse records that a call has used the tab.
func (f *freezer) markUse() {
	f.tab.mu.Lock()
	defer f.tab.mu.Unlock()
	f.usedAt = time.Now()
}
