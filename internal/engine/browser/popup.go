package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/browser/children"
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

// releasePage releases a page after the instruments of its opener are applied.
func (e *instance) releasePage(s *protocol.Session, info *target.Info) {
	t := e.popupTab(info)
	var instruments []PopupInstrument
	if t != nil {
		instruments = t.Instruments.ofOpener()
	}
	switch {
	case len(instruments) == 0:
		e.finishHeld(s.Release)
		if t != nil {
			close(t.attachment.released)
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
	ctx, cancel := context.WithTimeout(e.ctx, children.SetupTimeout)
	defer cancel()
	defer close(t.attachment.released)
	t.attachment.waitUntilOpened(ctx)
	if !t.attachment.succeeded() {
		e.finishHeld(s.Release)
		e.finishHeld(s.Close)
		return
	}
	e.finishHeld(s.Close)
	t.Instruments.restoreAgent()
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
	ctx, cancel := context.WithTimeout(e.ctx, children.SetupTimeout)
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
	close(t.attachment.released)
	s.SetUnanswered(false)
	t.attachment.waitUntilOpened(e.ctx)
	for _, f := range finish {
		f(e.ctx)
	}
	e.finishHeld(s.Close)
	t.Instruments.restoreAgent()
}

// finishHeld runs a last command of a held page, with a timeout of its own, because the work before
// may have used up another.
func (e *instance) finishHeld(command func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(e.ctx, children.SetupTimeout)
	defer cancel()
	command(ctx)
}
