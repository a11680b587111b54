package input

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/track"
)

const (
	// commitTimeout bounds how long text waits for a pending commit.
	commitTimeout = time.Second
	// inputTimeout is how long the browser may take to answer for text when another document was
	// committed, and to prove that it delivers input.
	inputTimeout = time.Second
)

// insertText inserts text into the focused element, as an input method does.
//
// Chromium loses text that arrives while it swaps documents, and then delivers no input of any kind
// to the new document. Keys and the mouse do not cause that. So text waits for a pending commit,
// and where one happens anyway, the loss is detected and remembered.
func (p *dispatcher) insertText(ctx context.Context, text string) error {
	if err := p.waitForCommit(ctx); err != nil {
		return fmt.Errorf("inserting text: %w", err)
	}
	before := p.doc.Tracker.CommittedLoader()
	answer := make(chan error, 1)
	sending, giveUp := context.WithCancel(ctx)
	defer giveUp()
	go func() {
		_, err := cdp.Call(sending, p.doc.Session, input.InsertText, input.InsertTextParams{Text: text})
		answer <- err
	}()
	var late <-chan time.Time
	for {
		changed := p.doc.Tracker.NextEvent()
		if late == nil && p.doc.Tracker.CommittedLoader() != before {
			late = time.After(inputTimeout)
		}
		select {
		case err := <-answer:
			if err == nil {
				return nil
			}
			if now := p.doc.Tracker.CommittedLoader(); now != before {
				p.undeliveredLoader = now // perhaps; it is asked before the next input
			}
			return fmt.Errorf("inserting text: %w", err)
		case <-late:
			p.undeliveredLoader = p.doc.Tracker.CommittedLoader()
			return fmt.Errorf("inserting text: %w", document.ErrReplaced)
		case <-changed:
		}
	}
}

// waitForCommit waits, at most commitTimeout, until a pending navigation of the tab has ended. It
// fails with ErrReplaced when another document was committed.
func (p *dispatcher) waitForCommit(ctx context.Context) error {
	until := time.Now().Add(commitTimeout)
	for {
		what, _, changed, grace := p.doc.Tracker.Pending(0, 0)
		left := time.Until(until)
		if what == "" || left <= 0 {
			return p.doc.CheckSameDocument()
		}
		if err := track.WaitForEvent(ctx, what, changed, left, grace); err != nil {
			return err
		}
	}
}

// checkInputDelivery returns an [InputNotDeliveredError] when the document receives no input; see
// insertText. It moves the pointer outside of the page, which the page does not see: the browser
// answers if it delivers input.
func (p *dispatcher) checkInputDelivery(ctx context.Context) error {
	if p.undeliveredLoader == "" || p.undeliveredLoader != p.doc.Tracker.CommittedLoader() {
		p.undeliveredLoader = ""
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, inputTimeout)
	defer cancel()
	p.pointer = pointerPosition{} // it is not where it was put
	err := p.dispatchMouse(asking, input.DispatchMouseEventParams{Type: "mouseMoved", X: -1, Y: -1, Button: "none"})
	switch {
	case err == nil:
		p.undeliveredLoader = ""
		return nil
	case ctx.Err() == nil && asking.Err() != nil:
		return &InputNotDeliveredError{}
	default:
		return err
	}
}
