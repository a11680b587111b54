package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
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

// HoldPopups makes the browser hold new pages until the tab that opened them has applied its
// instruments. An instrument calls it when AppliesToPopups becomes true.
func (t *Tab) HoldPopups(ctx context.Context) {
	e := t.instance
	if e.owner.profileKind() == AttachedProfile {
		return
	}
	e.holdMu.Lock()
	defer e.holdMu.Unlock()
	if e.holdsPages {
		return
	}
	if err := e.holdNewPages(ctx); err != nil {
		t.session.browser.log.Warn("hold new pages", "tab", t.id, "error", err)
		return
	}
	e.holdsPages = true
}

// holdNewPages makes the browser attach to every new page and hold it.
func (e *instance) holdNewPages(ctx context.Context) error {
	s, err := e.openBrowserSession(ctx)
	if err != nil {
		return fmt.Errorf("open a session with the browser: %w", err)
	}
	flat := true // the only form that sessions with the browser have
	return call(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat, Filter: target.Filter{{Type: "page"}},
	})
}

// releasePage releases a page after the instruments of its opener are applied.
func (e *instance) releasePage(s *heldSession, info *target.Info) {
	defer s.close()
	t := e.popupTab(info)
	var instruments []PopupInstrument
	if t != nil {
		instruments = t.openerInstruments()
	}
	switch {
	case len(instruments) == 0:
		s.release()
	case info.CanAccessOpener:
		ctx, cancel := context.WithTimeout(e.ctx, childSetupTimeout)
		t.waitUntilReady(ctx)
		cancel()
		s.release()
	default:
		e.preparePopup(t, s, instruments)
	}
}

// popupTab returns the tab of a held popup, or nil for another page. The event that makes the tab
// has been read when the browser answers a command.
func (e *instance) popupTab(info *target.Info) *Tab {
	if info.OpenerID == "" || e.tab(info.OpenerID) == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(e.ctx, queryTimeout)
	defer cancel()
	_ = call(ctx, e.conn, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: info.TargetID})
	return e.tab(info.TargetID)
}

// preparePopup applies instruments to a popup without a renderer, and releases it.
func (e *instance) preparePopup(t *Tab, s *heldSession, instruments []PopupInstrument) {
	var finish []func(context.Context)
	ctx, cancel := context.WithTimeout(e.ctx, childSetupTimeout)
	s.unanswered.Store(true)
	for _, i := range instruments {
		p := i.PreparePopup(ctx, t, s)
		if p.Event != nil {
			s.addListener(p.Event)
		}
		if p.Finish != nil {
			finish = append(finish, p.Finish)
		}
	}
	cancel()
	s.release()
	s.unanswered.Store(false)
	t.waitUntilReady(e.ctx)
	for _, f := range finish {
		f(e.ctx)
	}
}

// waitUntilReady waits until the tab has attached or failed to, or has ended.
func (t *Tab) waitUntilReady(ctx context.Context) {
	select {
	case <-t.ready:
	case <-t.done:
	case <-ctx.Done():
	}
}

// release lets a held page run. It has a timeout of its own, because the work before may have used
// up another.
func (s *heldSession) release() {
	ctx, cancel := context.WithTimeout(s.browser.instance.ctx, childSetupTimeout)
	defer cancel()
	_ = call(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{}) // fails only for a page that has closed
}
