package page

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/page/script"
)

// barrierTimeout bounds the calls that add and remove a barrier. They outlive the action: a barrier
// whose registration was abandoned would apply to every later document.
const barrierTimeout = 30 * time.Second

// inputBarrier keeps an input out of documents that are committed while the input is on its way:
// between the hit test and the event, or between the presses of a double click, the page may be
// replaced. The interceptor in the page cannot see that, and a check of the last commit comes too
// early.
type inputBarrier struct {
	page   *Page
	ready  chan struct{} // closed when the browser has answered
	id     cdppage.ScriptIdentifier
	err    error
	remove func()
}

// startBarrier registers a barrier in the background while the caller resolves the target. The
// caller calls remove on every path.
func (p *Page) startBarrier(ctx context.Context) *inputBarrier {
	b := &inputBarrier{page: p, ready: make(chan struct{})}
	b.remove = sync.OnceFunc(func() { go b.removeScript(ctx) })
	go func() {
		defer close(b.ready)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), barrierTimeout)
		defer cancel()
		params := cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: script.InputBarrier + "//# sourceURL=callsheet:inputBarrier\n", WorldName: worldName,
		}
		res, err := cdp.Call(ctx, p.session, cdppage.AddScriptToEvaluateOnNewDocument, params)
		if err != nil {
			b.err = fmt.Errorf("registering the input barrier: %w", classify(err))
			return
		}
		b.id = res.Identifier
	}()
	return b
}

// waitReady waits until the barrier is registered. It fails if the target document was replaced
// before.
func (b *inputBarrier) waitReady(ctx context.Context, ref string) error {
	select {
	case <-b.ready:
	case <-ctx.Done():
		return fmt.Errorf("registering the input barrier: %w", context.Cause(ctx))
	}
	if b.err != nil {
		return b.page.translate(ctx, ref, b.err)
	}
	return b.page.translate(ctx, ref, b.page.checkSameDocument())
}

func (b *inputBarrier) removeScript(ctx context.Context) {
	<-b.ready
	if b.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), barrierTimeout)
	defer cancel()
	params := cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: b.id}
	_, _ = cdp.Call(ctx, b.page.session, cdppage.RemoveScriptToEvaluateOnNewDocument, params)
}
