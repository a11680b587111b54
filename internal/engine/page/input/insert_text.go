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
	// inputTimeout bounds the wait for the browser's response to text when another document was
	// committed, and to prove that it delivers input.
	inputTimeout = time.Second
)

// insertText inserts text into the focused element, as an input method does.
//
// Chromium loses text that arrives while it swaps documents, and then delivers no input of any kind
// to the new document. Keys and the mouse do not cause that. So text waits for a pending commit,
// and where one happens anyway, the loss is detected and remembered.
func (d *dispatcher) insertText(ctx context.Context, text string) error {
	if err := d.waitForCommit(ctx); err != nil {
		return fmt.Errorf("inserting text: %w", err)
	}
	before := d.doc.Tracker.CommittedLoader()
	answer := make(chan error, 1)
	sending, giveUp := context.WithCancel(ctx)
	defer giveUp()
	go func() {
		_, err := cdp.Call(sending, d.doc.Session, input.InsertText, input.InsertTextParams{Text: text})
		answer <- err
	}()
	var late <-chan time.Time
	for {
		changed := d.doc.Tracker.NextEvent()
		if late == nil && d.doc.Tracker.CommittedLoader() != before {
			late = time.After(inputTimeout)
		}
		select {
		case err := <-answer:
			if err == nil {
				return nil
			}
			if now := d.doc.Tracker.CommittedLoader(); now != before {
				d.undeliveredLoader = now // perhaps; it is asked before the next input
			}
			return fmt.Errorf("inserting text: %w", err)
		case <-late:
			d.undeliveredLoader = d.doc.Tracker.CommittedLoader()
			return fmt.Errorf("inserting text: %w", document.ErrReplaced)
		case <-changed:
		}
	}
}

// waitForCommit waits, at most commitTimeout, until a pending navigation of the tab has ended. It
// fails with ErrReplaced when another document was committed.
func (d *dispatcher) waitForCommit(ctx context.Context) error {
	until := time.Now().Add(commitTimeout)
	for {
		what, _, changed, grace := d.doc.Tracker.Pending(0, 0)
		left := time.Until(until)
		if what == "" || left <= 0 {
			return d.doc.CheckSameDocument()
		}
		if err := track.WaitForEvent(ctx, what, changed, left, grace); err != nil {
			return err
		}
	}
}
