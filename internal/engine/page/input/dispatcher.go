package input

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// dispatcher sends events of all devices of a tab and knows where they arrive.
type dispatcher struct {
	doc     *document.Document
	pointer pointerPosition
	// undeliveredLoader is the document that the browser may deliver no input to, or "".
	undeliveredLoader cdp.LoaderID
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
		WindowsVirtualKeyCode: virtualCode(key), NativeVirtualKeyCode: virtualCode(key),
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
