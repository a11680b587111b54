package input

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// pressAndRelease presses and releases the button Count times. The button comes up on every path.
func (m *Mouse) pressAndRelease(ctx context.Context, at actionPoint, o ClickOptions, modifiers int64) error {
	button := o.Button
	if button == "" {
		button = ButtonLeft
	}
	for i := int64(1); i <= int64(max(1, o.Count)); i++ {
		event := input.DispatchMouseEventParams{
			X: at.X, Y: at.Y, Button: input.MouseButton(button), ClickCount: i, Modifiers: modifiers,
		}
		event.Type = "mousePressed"
		event.Buttons = buttonBit(button)
		released := event
		released.Type = "mouseReleased"
		released.Buttons = 0
		if err := m.pressButton(ctx, event, released); err != nil {
			return err
		}
		if err := settle.Pause(ctx, o.Hold); err != nil {
			withReleaseDeadline(ctx, func(ctx context.Context) { _ = m.dispatchMouse(ctx, released) })
			return err
		}
		if err := m.dispatchMouse(ctx, released); err != nil {
			return err
		}
	}
	return nil
}

// pressButton presses the button. If ctx ends first, the button is released when the page has
// handled the press, which may be much later: a page that is paused in its own handler drops all
// input, and an earlier release would leave the button down. The browser answers at the latest when
// the page goes away.
func (m *Mouse) pressButton(ctx context.Context, pressed, released input.DispatchMouseEventParams) error {
	detached := context.WithoutCancel(ctx)
	answer := make(chan error, 1)
	go func() { answer <- m.dispatchMouse(detached, pressed) }()
	select {
	case err := <-answer:
		if err != nil {
			withReleaseDeadline(ctx, func(ctx context.Context) { _ = m.dispatchMouse(ctx, released) })
		}
		return err
	case <-ctx.Done():
	}
	up, w := make(chan struct{}), m.doc.Current()
	go func() {
		defer close(up)
		if <-answer == nil {
			waitForScripts(detached, m.doc.Session, w)
			withReleaseDeadline(detached, func(ctx context.Context) { _ = m.dispatchMouse(ctx, released) })
		}
	}()
	select {
	case <-up:
	case <-time.After(releaseTimeout):
	}
	return fmt.Errorf("dispatching %s: %w", pressed.Type, context.Cause(ctx))
}

// pausedTimeout bounds how long a release waits for a paused page.
const pausedTimeout = 10 * time.Minute

// waitForScripts waits until the page's scripts run: a page that is paused or waits for a dialog
// may have answered the press and still drop its release. A page that was replaced needs no
// release.
func waitForScripts(ctx context.Context, s cdp.Session, w *document.World) {
	ctx, cancel := context.WithTimeout(ctx, pausedTimeout)
	defer cancel()
	wait := true
	params := runtime.EvaluateParams{Expression: "new Promise(done => setTimeout(done))", AwaitPromise: &wait}
	if w != nil {
		params.ContextID = w.Context
	}
	_, _ = cdp.Call(ctx, s, runtime.Evaluate, params)
}

func buttonBit(b Button) int64 {
	switch b {
	case ButtonRight:
		return 2
	case ButtonMiddle:
		return 4
	default:
		return 1
	}
}

// modifierBits returns the bits of the modifiers that are held during an action of the mouse.
func modifierBits(names []string) (int64, error) {
	var bits int64
	for _, name := range names {
		key, err := modifierKey(name)
		if err != nil {
			return 0, err
		}
		bits |= modifierBit(key)
	}
	return bits, nil
}
