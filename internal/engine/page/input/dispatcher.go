package input

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/script"
)

// dispatcher sends events of all devices of a tab and knows where they arrive.
type dispatcher struct {
	doc     *document.Document
	pointer pointerPosition
	// undeliveredLoader is the document that the browser may deliver no input to, or "".
	undeliveredLoader cdp.LoaderID
	repeating         bool // keys that go down have been down
}

// dispatchMouse dispatches one mouse event.
func (d *dispatcher) dispatchMouse(ctx context.Context, event input.DispatchMouseEventParams) error {
	if _, err := cdp.Call(ctx, d.doc.Session, input.DispatchMouseEvent, event); err != nil {
		return fmt.Errorf("dispatching %s: %w", event.Type, err)
	}
	return nil
}

// dispatchKey dispatches one key event with the held modifiers.
func (d *dispatcher) dispatchKey(
	ctx context.Context, kind input.DispatchKeyEventType, key *kb.Key, held int64, text string,
) error {
	if key.Shift {
		held |= int64(kb.ModifierShift)
	}
	_, err := cdp.Call(ctx, d.doc.Session, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: kind, Key: key.Key, Code: key.Code, Modifiers: held, Text: text, UnmodifiedText: text,
		WindowsVirtualKeyCode: virtualCode(key), NativeVirtualKeyCode: virtualCode(key), AutoRepeat: &d.repeating,
	})
	if err != nil {
		return fmt.Errorf("dispatching %s %q: %w", kind, key.Key, err)
	}
	return nil
}

// virtualCode returns the key code without side: pages compare keyCode with 16 to 18.
func virtualCode(key *kb.Key) int64 {
	switch key.Key {
	case "Shift":
		return 16
	case "Control":
		return 17
	case "Alt":
		return 18
	}
	return key.Windows
}

// checkInputDelivery returns an [InputNotDeliveredError] when the document receives no input; see
// insertText. It moves the pointer outside of the page, which the page does not see: the browser
// answers if it delivers input.
func (d *dispatcher) checkInputDelivery(ctx context.Context) error {
	if d.undeliveredLoader == "" || d.undeliveredLoader != d.doc.Tracker.CommittedLoader() {
		d.undeliveredLoader = ""
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, inputTimeout)
	defer cancel()
	d.pointer = pointerPosition{} // it is not where it was put
	err := d.dispatchMouse(asking, input.DispatchMouseEventParams{Type: "mouseMoved", X: -1, Y: -1, Button: "none"})
	switch {
	case err == nil:
		d.undeliveredLoader = ""
		return nil
	case ctx.Err() == nil && asking.Err() != nil:
		return &InputNotDeliveredError{}
	default:
		return err
	}
}

// releaseTimeout bounds the release of a button or key after the call's own context has ended.
const releaseTimeout = 250 * time.Millisecond

// withReleaseDeadline runs a release that must happen although ctx may have ended.
func withReleaseDeadline(ctx context.Context, release func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	release(ctx)
}

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
