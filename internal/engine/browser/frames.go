package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// attachFrame opens a session with a frame that runs in another process than its page.
// The browser lists such a frame as a target whose id is the frame's.
func (t *Tab) attachFrame(ctx context.Context, id target.ID) (cdp.Session, func(), error) {
	own, cancel := chromedp.NewContext(t.instance.ctx, chromedp.WithTargetID(id), chromedp.WithDetachOnCancel())
	leave := func() { go cancel() } // it waits for the browser
	attached := make(chan error, 1)
	go func() { attached <- chromedp.Do(own) }()
	select {
	case err := <-attached:
		if err != nil {
			leave()
			return nil, nil, err
		}
	case <-t.done:
		leave()
		return nil, nil, t.endError()
	case <-ctx.Done():
		leave()
		return nil, nil, context.Cause(ctx)
	}
	session := chromedp.FromContext(own).Target
	// Nobody reads what these tell about every mutation; failing to turn them off costs time only.
	_ = call(ctx, session, dom.Disable, cdp.Empty{})
	_ = call(ctx, session, css.Disable, cdp.Empty{})
	_ = call(ctx, session, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: false})
	return session, leave, nil
}
