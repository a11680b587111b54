package page

import (
	"context"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
)

//go:embed js/fence.js
var fenceScript string

// fenceLimit bounds what is asked of the browser for a fence. It goes on past the end of the action: a fence that was asked
// for and given up on would stand in every document that comes.
const fenceLimit = 30 * time.Second

// fence keeps an input out of documents that come while it is under way: between the look that found its target and the
// event that the browser delivers, or between the two presses of a double click, the page may go away. The guard in the
// page cannot see that, and a look at the last commit comes too early.
type fence struct {
	page *Page
	up   chan struct{} // closed when the browser has answered
	id   cdppage.ScriptIdentifier
	err  error
	down func()
}

// raise begins to raise a fence; the target is looked for meanwhile. It is to be taken down on every path.
func (p *Page) raise(ctx context.Context) *fence {
	f := &fence{page: p, up: make(chan struct{})}
	f.down = sync.OnceFunc(func() { go f.takeDown(ctx) })
	go func() {
		defer close(f.up)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fenceLimit)
		defer cancel()
		res, err := cdp.Call(ctx, p.session, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: fenceScript + "//# sourceURL=callsheet:fence\n", WorldName: worldName,
		})
		if err != nil {
			f.err = fmt.Errorf("fencing the input off: %w", classify(err))
			return
		}
		f.id = res.Identifier
	}()
	return f
}

// stands waits until the fence stands, and fails if the document that the input is meant for went away before that.
func (f *fence) stands(ctx context.Context, ref string) error {
	select {
	case <-f.up:
	case <-ctx.Done():
		return fmt.Errorf("fencing the input off: %w", context.Cause(ctx))
	}
	if f.err != nil {
		return f.page.refuse(ctx, ref, f.err)
	}
	return f.page.refuse(ctx, ref, f.page.sameDocument())
}

// sameDocument fails with errWorldGone when a document has come since the engine last looked.
func (p *Page) sameDocument() error {
	if seen := p.track.committed(); seen != "" && p.world != nil && seen != p.world.loader {
		p.world = nil
		return errWorldGone
	}
	return nil
}

func (f *fence) takeDown(ctx context.Context) {
	<-f.up
	if f.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fenceLimit)
	defer cancel()
	params := cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: f.id}
	_, _ = cdp.Call(ctx, f.page.session, cdppage.RemoveScriptToEvaluateOnNewDocument, params) // a tab that is gone has none
}
