package browser

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// A popup sends its first request before its tab can attach to it. From the first instrument that
// applies to popups on, the browser therefore holds every new page until this file releases it,
// which takes it a few milliseconds for a page of no interest:
//
//   - A popup with window.opener waits in its renderer, and the script of its opener waits too. Its
//     tab attaches meanwhile.
//   - Another page has no renderer yet, and the browser process defers its navigation. Commands of
//     the browser process take effect, but none is answered. Instruments prepare such a popup; its
//     tab attaches after the release.
//
// A browser that was launched elsewhere is never asked to hold pages: they may be another program's.

// PopupInstrument is an instrument whose effect extends to the popups of its tab.
type PopupInstrument interface {
	// AppliesToPopups reports whether it has an effect now.
	AppliesToPopups() bool
	// PreparePopup sets what the popup's first request needs in a session whose commands return
	// before they are answered. It is called for popups without window.opener, before ApplyToPopup.
	PreparePopup(ctx context.Context, popup *Tab, session cdp.Session) PopupPreparation
	// ApplyToPopup is called with the popup's session while the popup attaches; the popup itself
	// answers no commands yet.
	ApplyToPopup(ctx context.Context, popup *Tab, session cdp.Session)
}

// AgentInstrument is an instrument that a second session of the page disturbs when it ends: the
// browser then forgets navigator.platform.
type AgentInstrument interface {
	RestoreAgent(ctx context.Context, session cdp.Session)
}

// restoreAgent repairs the instruments of the tab after a second session of its page has ended.
func (t *Tab) restoreAgent() {
	if !t.isAttached() {
		return
	}
	ctx, cancel := context.WithTimeout(t.instance.ctx, childSetupTimeout)
	defer cancel()
	t.mu.Lock()
	instruments := slices.Collect(maps.Values(t.instruments))
	t.mu.Unlock()
	for _, v := range instruments {
		if a, ok := v.(AgentInstrument); ok {
			a.RestoreAgent(ctx, t.cdp)
		}
	}
}

// isAttached reports whether attaching has succeeded.
func (t *Tab) isAttached() bool {
	select {
	case <-t.ready:
		return t.attachErr == nil
	default:
		return false
	}
}

// PopupPreparation is what PreparePopup leaves to do. Each field may be nil.
type PopupPreparation struct {
	// Event receives the events of the session, under the rules of Listen.
	Event func(event any)
	// Finish is called when the popup has attached. The session ends when it returns.
	Finish func(ctx context.Context)
}

// popupInstruments returns the instruments that apply to the popups of the tab.
func (t *Tab) popupInstruments() (out []PopupInstrument) {
	t.mu.Lock()
	instruments := slices.Collect(maps.Values(t.instruments))
	t.mu.Unlock()
	for _, v := range instruments {
		if h, ok := v.(PopupInstrument); ok && h.AppliesToPopups() {
			out = append(out, h)
		}
	}
	return out
}

// openerInstruments returns the instruments that the tab takes over from its opener while it
// attaches.
func (t *Tab) openerInstruments() []PopupInstrument {
	t.mu.Lock()
	opener := t.openerTab
	t.mu.Unlock()
	if opener == nil {
		return nil
	}
	return opener.popupInstruments()
}

// inherit applies the instruments of the opener to a popup. In a browser that was launched
// elsewhere, the popup's first request has already started; see HoldPopups.
func (t *Tab) inherit(ctx context.Context) {
	for _, h := range t.openerInstruments() {
		h.ApplyToPopup(ctx, t, t.cdp)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.openerTab = nil // a closed opener is not kept alive by its popups
}

// HoldPopups makes the browser hold new pages until the tab that opened them has applied its
// instruments. An instrument calls it when AppliesToPopups becomes true.
func (t *Tab) HoldPopups(ctx context.Context) {
	e := t.instance
	if e.remote != nil {
		return
	}
	e.holdMu.Lock()
	defer e.holdMu.Unlock()
	if e.holdsPages.Load() {
		return
	}
	if err := e.conn.HoldNew(ctx, "page"); err != nil {
		t.session.browser.log.Warn("hold new pages", "tab", t.id, "error", err)
		return
	}
	e.holdsPages.Store(true)
}

// releasePage releases a page after the instruments of its opener are applied.
func (e *instance) releasePage(s *protocol.Session, info *target.Info) {
	t := e.popupTab(info)
	var instruments []PopupInstrument
	if t != nil {
		instruments = t.openerInstruments()
	}
	switch {
	case len(instruments) == 0:
		e.finishHeld(s.Release)
		if t != nil {
			close(t.released)
		}
		e.finishHeld(s.Close)
	case info.CanAccessOpener:
		e.releaseAttached(t, s)
	default:
		e.preparePopup(t, s, instruments)
	}
}

// releaseAttached releases a popup that waits in its renderer when its tab has attached. The tab's
// session can release it too, after the other session has ended.
func (e *instance) releaseAttached(t *Tab, s *protocol.Session) {
	ctx, cancel := context.WithTimeout(e.ctx, childSetupTimeout)
	defer cancel()
	defer close(t.released)
	t.waitUntilOpened(ctx)
	if !t.isAttached() {
		e.finishHeld(s.Release)
		e.finishHeld(s.Close)
		return
	}
	e.finishHeld(s.Close)
	t.restoreAgent()
	e.finishHeld(func(ctx context.Context) {
		_ = protocol.Exec(ctx, t.cdp, runtime.RunIfWaitingForDebugger, cdp.Empty{}) // fails only for a page that has closed
	})
}

// popupTab returns the tab of a held popup, or nil for another page. The event that makes the tab
// has been read when the browser answers a command.
func (e *instance) popupTab(info *target.Info) *Tab {
	if info.OpenerID == "" || e.tab(info.OpenerID) == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(e.ctx, queryTimeout)
	defer cancel()
	_ = protocol.Exec(ctx, e.conn, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: info.TargetID})
	return e.tab(info.TargetID)
}

// preparePopup applies instruments to a popup without a renderer, and releases it.
func (e *instance) preparePopup(t *Tab, s *protocol.Session, instruments []PopupInstrument) {
	var finish []func(context.Context)
	ctx, cancel := context.WithTimeout(e.ctx, childSetupTimeout)
	s.SetUnanswered(true)
	for _, i := range instruments {
		p := i.PreparePopup(ctx, t, s)
		if p.Event != nil {
			s.Listen(p.Event)
		}
		if p.Finish != nil {
			finish = append(finish, p.Finish)
		}
	}
	cancel()
	e.finishHeld(s.Release)
	close(t.released)
	s.SetUnanswered(false)
	t.waitUntilOpened(e.ctx)
	for _, f := range finish {
		f(e.ctx)
	}
	e.finishHeld(s.Close)
	t.restoreAgent()
}

// waitUntilReleased waits until the browser does not hold the page of the tab. The script that opened
// a popup would wait for ever if the popup closed before.
func (t *Tab) waitUntilReleased(ctx context.Context) {
	if !t.held {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*childSetupTimeout)
	defer cancel()
	select {
	case <-t.released:
	case <-t.done:
	case <-ctx.Done():
	}
}

// waitUntilOpened waits until a popup has attached or failed to, or has ended.
func (t *Tab) waitUntilOpened(ctx context.Context) {
	select {
	case <-t.opened:
	case <-t.done:
	case <-ctx.Done():
	}
}

// finishHeld runs a last command of a held page, with a timeout of its own, because the work before
// may have used up another.
func (e *instance) finishHeld(command func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(e.ctx, childSetupTimeout)
	defer cancel()
	command(ctx)
}

// WindowCount is how many windows pages tried to open, and how many of them were refused: by the
// browser, which opens one for each trusted action, or by the guard.
type WindowCount struct{ Tried, Refused int }

// Add adds the windows of another count.
func (n *WindowCount) Add(o WindowCount) {
	n.Tried += o.Tried
	n.Refused += o.Refused
}

// countWindow counts a window that the page tried to open. trusted says that an action allowed it.
func (t *Tab) countWindow(trusted bool) {
	blocked := !trusted && t.session.browser.blocksPopups()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.windows.Tried++
	if blocked {
		t.windows.Refused++
	}
}

// countRefusedWindow counts a window that the guard refused after the browser had opened it.
func (t *Tab) countRefusedWindow() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.windows.Refused++
	t.windows.Tried = max(t.windows.Tried, t.windows.Refused) // a click with Ctrl opens one without an event
}

// blocksPopups reports whether the browser refuses windows that no trusted action opens. A browser
// that was launched elsewhere does as its owner chose.
func (b *Browser) blocksPopups() bool {
	c := &b.cfg
	return b.remote.Load() == nil && !slices.ContainsFunc(c.Args, func(arg string) bool {
		return strings.TrimLeft(arg, "-") == "disable-popup-blocking"
	})
}

// TakeWindows returns how many windows the pages of the open tabs tried to open since the last call.
func (s *Session) TakeWindows() (out WindowCount) {
	s.mu.Lock()
	tabs := slices.Clone(s.tabs)
	s.mu.Unlock()
	for _, t := range tabs {
		t.mu.Lock()
		out.Add(t.windows)
		t.windows = WindowCount{}
		t.mu.Unlock()
	}
	return out
}
