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

//go:embed js/input_barrier.js
var barrierScript string

// barrierTimeout bounds what is asked of the browser for a fence. It goes on past the end of the action: a fence that was asked
// for and given up on would stand in every document that comes.
const barrierTimeout = 30 * time.Second

// inputBarrier keeps an input out of documents that come while it is under way: between the look that found its target and the
// event that the browser delivers, or between the two presses of a double click, the page may go away. The guard in the
// page cannot see that, and a look at the last commit comes too early.
type inputBarrier struct {
	page   *Page
	ready  chan struct{} // closed when the browser has answered
	id     cdppage.ScriptIdentifier
	err    error
	remove func()
}

// startBarrier begins to raise a fence; the target is looked for meanwhile. It is to be taken down on every path.
func (p *Page) startBarrier(ctx context.Context) *inputBarrier {
	f := &inputBarrier{page: p, ready: make(chan struct{})}
	f.remove = sync.OnceFunc(func() { go f.removeScript(ctx) })
	go func() {
		defer close(f.ready)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), barrierTimeout)
		defer cancel()
		res, err := cdp.Call(ctx, p.session, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: barrierScript + "//# sourceURL=callsheet:inputBarrier\n", WorldName: worldName,
		})
		if err != nil {
			f.err = fmt.Errorf("fencing the input off: %w", classify(err))
			return
		}
		f.id = res.Identifier
	}()
	return f
}

// waitReady waits until the fence stands, and fails if the document that the input is meant for went away before that.
func (f *inputBarrier) waitReady(ctx context.Context, ref string) error {
	select {
	case <-f.ready:
	case <-ctx.Done():
		return fmt.Errorf("fencing the input off: %w", context.Cause(ctx))
	}
	if f.err != nil {
		return f.page.translate(ctx, ref, f.err)
	}
	return f.page.translate(ctx, ref, f.page.checkSameDocument())
}

// checkSameDocument fails with errDocumentReplaced when a document has come since the engine last looked.
func (p *Page) checkSameDocument() error {
	if seen := p.tracker.committedLoader(); seen != "" && p.world != nil && seen != p.world.loader {
		p.world = nil
		return errDocumentReplaced
	}
	return nil
}

func (f *inputBarrier) removeScript(ctx context.Context) {
	<-f.ready
	if f.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), barrierTimeout)
	defer cancel()
	params := cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: f.id}
	_, _ = cdp.Call(ctx, f.page.session, cdppage.RemoveScriptToEvaluateOnNewDocument, params) // a tab that is gone has none
}
