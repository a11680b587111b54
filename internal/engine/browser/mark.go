package browser

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/overlay"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// A tab that sessions use in a person's browser has a bar along its upper edge. The browser's own
// overlay draws it: the document has no node and no style of it, its scripts see nothing, and it is
// gone with the connection, however that ends. The overlay needs the DOM domain, whose events
// chromedp would answer by reading the document; the bar therefore has a session of its own.

const (
	markHeight = 4
	markWidth  = 10000 // wider than any window
)

// mark is a bar that is drawn.
type mark struct {
	session *protocol.Session
	mu      sync.Mutex // held while the bar is hidden
}

// bar is the bar of a tab; its mark is nil where tabs have none.
type bar struct {
	tab  *Tab
	mark atomic.Pointer[mark]
}

// start draws the bar and draws it again on each new document. A tab without it is used all the
// same.
func (b *bar) start(ctx context.Context) {
	r := b.tab.instance.remote
	if r == nil || !r.Person || r.Listed { // the extension shows which tabs are used
		return
	}
	if err := b.open(ctx); err != nil {
		b.tab.session.browser.log.Warn("mark a tab", "tab", b.tab.id, "error", err)
	}
}

func (b *bar) open(ctx context.Context) error {
	s, err := b.tab.instance.conn.Attach(ctx, b.tab.target)
	if err != nil {
		return err
	}
	m := &mark{session: s}
	s.Listen(func(ev any) {
		if ev, ok := ev.(*cdppage.EventFrameNavigated); ok && ev.Frame.ParentID == "" {
			go b.redraw(m)
		}
	})
	for _, enable := range []func() error{
		func() error { return protocol.Exec(ctx, s, cdppage.Enable, cdppage.EnableParams{}) },
		func() error { return protocol.Exec(ctx, s, dom.Enable, dom.EnableParams{}) },
		func() error { return protocol.Exec(ctx, s, overlay.Enable, cdp.Empty{}) },
		func() error { return m.show(ctx) },
	} {
		if err := enable(); err != nil {
			s.Close(ctx)
			return err
		}
	}
	b.mark.Store(m)
	return nil
}

// redraw draws the bar on a new document, and repairs what a second session resets when its
// page changes the process.
func (b *bar) redraw(m *mark) {
	ctx, cancel := context.WithTimeout(b.tab.instance.ctx, queryTimeout)
	defer cancel()
	m.mu.Lock()
	err := m.show(ctx)
	m.mu.Unlock()
	if err != nil && !m.session.Ended() {
		b.tab.session.browser.log.Debug("mark a new document", "tab", b.tab.id, "error", err)
	}
	b.tab.Instruments.restoreAgent()
}

func (m *mark) show(ctx context.Context) error {
	alpha := 0.9
	return protocol.Exec(ctx, m.session, overlay.HighlightRect, overlay.HighlightRectParams{
		Width: markWidth, Height: markHeight, Color: &cdp.RGBA{R: 255, G: 122, B: 0, A: alpha},
	})
}

// HideMark removes the bar until show is called, so that no picture has it.
func (t *Tab) HideMark(ctx context.Context) (show func()) {
	m := t.bar.mark.Load()
	if m == nil {
		return func() {}
	}
	m.mu.Lock()
	_ = protocol.Exec(ctx, m.session, overlay.HideHighlight, cdp.Empty{}) // fails only for a page that is gone
	return func() {
		defer m.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
		defer cancel()
		_ = m.show(ctx)
	}
}
