package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/track"
)

// stopTimeout bounds the wait for a page that stops a load: it parses what came before.
const stopTimeout = 20 * time.Second

// LimitDocuments stops the load of each document, of the page and of its frames, after so many bytes; 0 or less is
// no limit. stopped is called afterwards. The owner calls it before the first event.
func (p *Page) LimitDocuments(most int64, stopped func(cdp.FrameID, cdp.LoaderID)) {
	p.Document.Tracker.LimitDocuments(track.DocumentLimit{Most: most, Exceeded: func(d track.OversizedDocument) {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
			defer cancel()
			if d.Session == nil {
				d.Session = p.Document.Session
			}
			p.stopLoading(ctx, d)
			stopped(d.Frame, d.Loader)
		}()
	}})
}

// stopLoading stops the load of one document. The page may be gone.
func (p *Page) stopLoading(ctx context.Context, d track.OversizedDocument) {
	if main, _ := p.Document.Tracker.CommittedFrame(); d.Frame == main {
		_, _ = cdp.Call(ctx, d.Session, cdppage.StopLoading, cdp.Empty{})
		return
	}
	world, err := cdp.Call(ctx, d.Session, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: d.Frame, WorldName: "stop"})
	if err != nil {
		return
	}
	_, _ = cdp.Call(ctx, d.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: "window.stop()", ContextID: world.ExecutionContextID})
}
