package browser

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser/clipboard"
	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/fault"
)

// Session is one client's part of the browser: the tabs it opened, those its pages opened, and the
// current one. It cannot see tabs of other sessions.
type Session struct {
	browser *Browser
	id      string
	in      contextChoice

	Downloads *download.List // what its pages download
	State     State          // the storage state of its browser context
	Clipboard clipboard.Clipboard
	refs      *document.RefNumbers // shared by the sessions of a client
	scripted  atomic.Bool          // a script of the caller has run

	mu          sync.Mutex
	tabs        []*Tab            // open, in opening order
	closed      map[string]string // why each tab of this session was closed, by id
	openers     map[string]string // id of the opener of each popup, by the popup's id
	current     *Tab
	gone        string    // id of the pinned tab that has closed, until another is chosen
	instance    *instance // the running instance in which the session opened a tab; nil if there is none
	browserGone bool      // instance exited unexpectedly, and no tab was opened since
	lost        []string  // ids of the tabs that the session had when its browser exited
	ended       bool
	// pendingCalls counts the calls that are about to use the running browser.
	pendingCalls int

	contextMu       sync.Mutex // held while the browser context is created
	context         cdp.BrowserContextID
	contextInstance *instance
}

func newSession(b *Browser, id string, in contextChoice) *Session {
	s := &Session{
		browser: b, id: id, in: in, refs: new(document.RefNumbers), closed: make(map[string]string), openers: make(map[string]string),
	}
	s.Downloads, s.State = download.NewList(s.id, s.browser.cfg.Downloads), State{session: s}
	return s
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// TabInfo describes an open tab.
type TabInfo struct {
	ID         string
	URL        string
	Title      string
	Current    bool
	Opener     string         // id of the tab that opened this one, or ""
	LossReason string         // why the tab has no page, Crashed or Discarded; "" while it has one
	Dialog     *dialog.Dialog // the open JavaScript dialog, or nil
}

// Tabs lists the session's open tabs in opening order. It launches no browser and opens no tab.
func (s *Session) Tabs(ctx context.Context) []TabInfo {
	s.mu.Lock()
	tabs, current := slices.Clone(s.tabs), s.current
	s.mu.Unlock()
	if len(tabs) == 0 {
		return nil
	}
	// The list of targets has newer titles than the events.
	if res, err := cdp.Call(ctx, tabs[0].instance.conn, target.GetTargets, target.GetTargetsParams{}); err == nil {
		for _, info := range res.TargetInfos {
			if t := tabs[0].instance.tab(info.TargetID); t != nil {
				t.onTargetInfo(info)
			}
		}
	}
	infos := make([]TabInfo, 0, len(tabs))
	for _, t := range tabs {
		info := t.info()
		info.Current = t == current
		infos = append(infos, info)
	}
	return infos
}

// TabIDs lists the ids of the session's open tabs in opening order, without asking the browser.
func (s *Session) TabIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slicesx.List(s.tabs, func(t *Tab) string { return t.id })
}

// OpenBlank opens an empty tab and makes it current.
func (s *Session) OpenBlank(ctx context.Context, w power.Window) (*Tab, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	return s.newTab(ctx)
}

// Open opens a tab, makes it current and loads the address in it. When the load fails, the tab is
// returned with the error and stays open.
func (s *Session) Open(
	ctx context.Context, w power.Window, p power.Navigation, address string, opts NavigateOptions,
) (*Tab, Navigation, error) {
	if _, err := s.allowedAddress(ctx, address); err != nil {
		return nil, Navigation{}, err
	}
	if err := p.Check(); err != nil {
		return nil, Navigation{}, err
	}
	t, err := s.OpenBlank(ctx, w)
	if err != nil {
		return nil, Navigation{}, err
	}
	nav, err := t.Navigate(ctx, p, address, opts)
	return t, nav, err
}

// acquireInstance returns the running instance. CloseIfUnused does not end it until release is
// called.
func (s *Session) acquireInstance(ctx context.Context) (e *instance, release func(), err error) {
	count := func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pendingCalls += n
	}
	count(1) // counted first, so that CloseIfUnused either sees the call or the call finds the next instance
	if e, err = s.browser.ensureInstance(ctx); err != nil {
		count(-1)
		return nil, nil, err
	}
	return e, func() { count(-1) }, nil
}

// concurrentOpenings is how many tabs a browser opens at once. Opening one takes its processes some
// 0.4 s of processor time; with all at once, each would be ready when the last one is.
func concurrentOpenings() int { return max(4, 2*runtime.NumCPU()) }

func (s *Session) newTab(ctx context.Context) (*Tab, error) {
	if err := s.browser.cfg.Holds.Wait(ctx, s.id); err != nil {
		return nil, err
	}
	e, release, err := s.acquireInstance(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	opened, err := s.browser.openings.Acquire(ctx, s.id)
	if err != nil {
		return nil, err
	}
	defer opened()
	in, err := s.browserContext(ctx, e)
	if err != nil {
		s.State.closePage()
		return nil, e.explain(err)
	}
	id, err := e.createTarget(ctx, in)
	s.State.closePage()
	if err != nil {
		return nil, e.explain(err)
	}
	t, fresh := e.newTab(s, id)
	if !fresh {
		return nil, fault.New(codes.Failed, "open a tab: another session has adopted the new page; try again")
	}
	if !s.addTab(t, true) {
		t.attachment.closeUnattached(ctx)
		return nil, s.endedError("open a tab")
	}
	if err := t.attachment.run(ctx); err != nil {
		why := "it did not open"
		t.end(&ClosedError{Tab: t.id, Reason: why}, why) // no call knows the tab
		return nil, e.explain(err)
	}
	return t, nil
}

// Join connects the session as if it had opened a tab and closed it. It starts the browser if none runs.
func (s *Session) Join(ctx context.Context) error {
	e, release, err := s.acquireInstance(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.instance != e {
		s.instance, s.browserGone = e, false
	}
	return nil
}

// Connected reports whether the session has opened a tab in the running browser, which may be
// closed by now. Other sessions' use of the browser does not matter.
func (s *Session) Connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.instance != nil
}

// BrowserGone reports whether the browser exited unexpectedly, and no tab was opened since.
func (s *Session) BrowserGone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.browserGone
}

// onBrowserExit records that an instance exited.
func (s *Session) onBrowserExit(e *instance, unexpected bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Downloads.Fail(e)
	if s.instance == e {
		s.instance, s.browserGone = nil, unexpected
	}
}

func (s *Session) isEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// endedError returns the error of an operation on an ended session.
func (s *Session) endedError(what string) error {
	return fault.New(codes.Failed, fmt.Sprintf("%s: session %q has ended", what, s.id))
}

// Tab returns the open tab with this id, or the current one for "". It launches nothing. The errors
// are NoTabError and UnknownTabError.
func (s *Session) Tab(_ context.Context, id string) (*Tab, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case id == "" && s.current != nil:
		return s.current, nil
	case id == "" && (s.gone == "" || s.browserGone):
		return nil, &NoTabError{BrowserGone: s.browserGone}
	}
	open := make([]string, 0, len(s.tabs))
	for _, t := range s.tabs {
		if t.id == id {
			return t, nil
		}
		open = append(open, t.id)
	}
	gone := cmp.Or(id, s.gone)
	return nil, &UnknownTabError{ID: gone, Closed: s.closed[gone], Open: open, Pinned: id == ""}
}

// Select makes an open tab the current one. It does not bring its window to the front.
func (s *Session) Select(ctx context.Context, id string) (*Tab, error) {
	if err := s.browser.cfg.Holds.Wait(ctx, s.id); err != nil {
		return nil, err
	}
	t, err := s.Tab(ctx, id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if slices.Contains(s.tabs, t) {
		s.current, s.gone = t, ""
	}
	s.mu.Unlock()
	s.browser.notifyChange(s.id)
	return t, nil
}

// CloseTab closes a tab; "" is the current one. It accepts a beforeunload dialog. The tab's opener
// becomes current, or else the newest open tab.
func (s *Session) CloseTab(ctx context.Context, id string) error {
	if err := s.browser.cfg.Holds.Wait(ctx, s.id); err != nil {
		return err
	}
	t, err := s.Tab(ctx, id)
	if err != nil {
		return err
	}
	if s.InPersonsProfile() {
		return t.closeOrRelease(ctx) // an adopted page stays
	}
	return t.close(ctx)
}

// addTab adds a tab to the list. It returns false when the session has ended.
func (s *Session) addTab(t *Tab, current bool) bool {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return false
	}
	s.tabs = append(s.tabs, t)
	if t.opener != "" {
		s.openers[t.id] = t.opener
	}
	s.instance, s.browserGone = t.instance, false
	if current || s.current == nil && s.gone == "" {
		s.current, s.gone = t, ""
	}
	s.mu.Unlock()
	s.browser.notifyChange(s.id)
	return true
}

// removeTab takes a closed tab from the list and records the reason.
func (s *Session) removeTab(t *Tab, why string) {
	s.mu.Lock()
	s.tabs = slices.DeleteFunc(s.tabs, func(o *Tab) bool { return o == t })
	s.closed[t.id] = why
	if s.current == t {
		if s.current = nil; s.browser.cfg.PinTab {
			s.gone = t.id
		}
		for _, o := range s.tabs {
			if s.gone != "" {
				break
			}
			if s.current = o; o.id == t.opener {
				break
			}
		}
	}
	s.mu.Unlock()
	s.browser.notifyChange(s.id)
}

func (s *Session) end(ctx context.Context) {
	s.mu.Lock()
	s.ended = true
	tabs := slices.Clone(s.tabs)
	s.mu.Unlock()
	disposed := make(chan struct{})
	go func() {
		defer close(disposed)
		s.disposeContext(tabs)
	}()
	select {
	case <-disposed:
	case <-ctx.Done(): // it goes on
	}
	var wg sync.WaitGroup
	for _, t := range tabs {
		wg.Go(func() {
			if err := t.closeOrRelease(ctx); err != nil {
				s.browser.log.Warn("close a tab of an ended session", "tab", t.id, "error", err)
			}
		})
	}
	wg.Wait()
}
