package input

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/script"
)

// barrierTimeout bounds the calls that add and remove a barrier. They outlive the action: a barrier
// whose registration was abandoned would apply to every later document.
const barrierTimeout = 30 * time.Second

// Barrier keeps an input out of documents that are committed while the input is on its way:
// between the hit test and the event, or between the presses of a double click, the page may be
// replaced. The interceptor in the page cannot see that, and a check of the last commit comes too
// early.
type Barrier struct {
	doc    *document.Document
	ready  chan struct{} // closed when the browser has answered
	id     cdppage.ScriptIdentifier
	err    error
	Remove func()
}

// StartBarrier registers a barrier in the background while the caller resolves the target. The
// caller calls Remove on every path.
func (d *dispatcher) StartBarrier(ctx context.Context) *Barrier {
	b := &Barrier{doc: d.doc, ready: make(chan struct{})}
	b.Remove = sync.OnceFunc(func() { go b.removeScript(ctx) })
	go func() {
		defer close(b.ready)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), barrierTimeout)
		defer cancel()
		params := cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: script.InputBarrier + "//# sourceURL=callsheet:inputBarrier\n", WorldName: document.WorldName,
		}
		res, err := cdp.Call(ctx, d.doc.Session, cdppage.AddScriptToEvaluateOnNewDocument, params)
		if err != nil {
			b.err = fmt.Errorf("registering the input barrier: %w", document.Classify(err))
			return
		}
		b.id = res.Identifier
	}()
	return b
}

// waitReady waits until the barrier is registered. It fails if the target document was replaced
// before.
func (b *Barrier) waitReady(ctx context.Context, ref string) error {
	select {
	case <-b.ready:
	case <-ctx.Done():
		return fmt.Errorf("registering the input barrier: %w", context.Cause(ctx))
	}
	if b.err != nil {
		return b.doc.Translate(ctx, ref, b.err)
	}
	return b.doc.Translate(ctx, ref, b.doc.CheckSameDocument())
}

func (b *Barrier) removeScript(ctx context.Context) {
	<-b.ready
	if b.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), barrierTimeout)
	defer cancel()
	params := cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: b.id}
	_, _ = cdp.Call(ctx, b.doc.Session, cdppage.RemoveScriptToEvaluateOnNewDocument, params)
}
