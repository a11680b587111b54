package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/browser/scratch"
)

// openScratchPage opens a scratch page in a browser context; "" is the default one.
func (e *instance) openScratchPage(ctx context.Context, in cdp.BrowserContextID) (*scratch.Page, error) {
	id, err := e.createTarget(ctx, in)
	if err != nil {
		return nil, err
	}
	return scratch.Open(ctx, e.ctx, e.conn, id)
}

// WithScratchPage calls fn with the protocol session of a page that is no session's tab and that shows an
// empty document of an https origin, which no request is sent for. It launches the browser if none runs,
// and closes the page after fn. It is for scripts of this server that need a browser and no site. The
// errors are those of the browser and of fn.
func (b *Browser) WithScratchPage(ctx context.Context, origin string, fn func(cdp.Session) error) error {
	e, err := b.ensureInstance(ctx)
	if err != nil {
		return err
	}
	p, err := e.openScratchPage(ctx, "")
	if err != nil {
		return e.explain(err)
	}
	defer p.Close()
	if err := p.Show(ctx, origin); err != nil {
		return e.explain(err)
	}
	if err := fn(p.Session()); err != nil {
		return e.explain(err)
	}
	return nil
}
