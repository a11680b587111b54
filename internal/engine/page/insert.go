package page

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
)

const (
	// commitLimit bounds how long text waits for a document that is on its way.
	commitLimit = time.Second
	// answerLimit is how long the browser may take to answer for text when another document has come, and to show
	// that a document hears.
	answerLimit = time.Second
)

// insert gives text to what has the focus, as an input method does.
//
// Chromium loses inserted text that arrives while it swaps documents, and more with it: nothing answers, and no input of any
// kind reaches the new document any more. Keys and the mouse do not do that. So text waits for a document that is on its way, and where one comes all the
// same, the loss is recognised and remembered.
func (p *Page) insert(ctx context.Context, text string) error {
	if err := p.passNavigation(ctx); err != nil {
		return fmt.Errorf("inserting text: %w", err)
	}
	before := p.track.committed()
	answer := make(chan error, 1)
	sending, giveUp := context.WithCancel(ctx)
	defer giveUp()
	go func() {
		_, err := cdp.Call(sending, p.session, input.InsertText, input.InsertTextParams{Text: text})
		answer <- err
	}()
	var late <-chan time.Time
	for {
		moved := p.track.stirred()
		if late == nil && p.track.committed() != before {
			late = time.After(answerLimit)
		}
		select {
		case err := <-answer:
			if err == nil {
				return nil
			}
			if now := p.track.committed(); now != before {
				p.deaf = now // perhaps; it is asked before the next input
			}
			return fmt.Errorf("inserting text: %w", err)
		case <-late:
			p.deaf = p.track.committed()
			return fmt.Errorf("inserting text: %w", errWorldGone)
		case <-moved:
		}
	}
}

// passNavigation waits, for a while, until a navigation of the tab has led to its document or to nothing. It fails with
// errWorldGone when there is another document then.
func (p *Page) passNavigation(ctx context.Context) error {
	until := time.Now().Add(commitLimit)
	for {
		what, _, moved, grace := p.track.pending(0, 0)
		left := time.Until(until)
		if what == "" || left <= 0 {
			return p.sameDocument()
		}
		if err := awaitMove(ctx, what, moved, left, grace); err != nil {
			return err
		}
	}
}

// hears fails with a [DeafError] when the document takes no input; see insert. A move of the pointer outside the page, which
// the page does not see, is answered if it does.
func (p *Page) hears(ctx context.Context) error {
	if p.deaf == "" || p.deaf != p.track.committed() {
		p.deaf = ""
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	p.pointer = pointerPlace{} // it is not where it was put
	err := p.mouse(asking, input.DispatchMouseEventParams{Type: "mouseMoved", X: -1, Y: -1, Button: "none"})
	switch {
	case err == nil:
		p.deaf = ""
		return nil
	case ctx.Err() == nil && asking.Err() != nil:
		return &DeafError{}
	default:
		return err
	}
}
