package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/browser/personhold"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// Calls are the calls that work on the page of a tab: one at a time, in order of arrival.
type Calls struct {
	tab     *Tab
	lock    chan struct{}           // one slot, held by the call that works on the page
	cancel  context.CancelCauseFunc // cancels the call that holds the lock
	blocked *tabBlock               // set by Block, or nil
	// commands are those of calls beside the one that holds the lock; see Tab.Protocol.
	commands dialog.Commands
}

// acquire takes the tab's lock for a call, when no person controls the session or the call may go on
// beside one.
func (c *Calls) acquire(ctx context.Context) error {
	for {
		if err := c.tab.session.browser.cfg.Holds.Wait(ctx, c.tab.session.id); err != nil {
			return err
		}
		select {
		case c.lock <- struct{}{}:
		case <-c.tab.done:
			return c.tab.endError()
		case <-ctx.Done():
			return fmt.Errorf("wait for tab %s: %w", c.tab.id, context.Cause(ctx))
		}
		if c.tab.session.browser.cfg.Holds.MayGoOn(ctx, c.tab.session.id) {
			return nil
		}
		<-c.lock // the hold began while the call waited for the lock
	}
}

// End waits until the call that works on the tab has ended, and interrupts it with a HeldError when
// ctx ends first. With a hold of the session, no call of an agent works on the tab afterwards.
func (c *Calls) End(ctx context.Context, hold *personhold.Hold) {
	select {
	case c.lock <- struct{}{}:
		<-c.lock
		return
	case <-c.tab.done:
		return
	case <-ctx.Done():
	}
	c.interruptForHold(hold)
	select {
	case c.lock <- struct{}{}:
		<-c.lock
	case <-c.tab.done:
	case <-time.After(detachGrace): // the call releases its lock when the browser lets it
	}
}

func (c *Calls) interruptForHold(hold *personhold.Hold) {
	c.tab.mu.Lock()
	defer c.tab.mu.Unlock()
	c.interruptLocked(&InterruptedError{Err: &personhold.HeldError{Since: hold.Since, Begun: true}})
}

// personPatience is how long a person's input waits for a call that reads the page, before that is
// interrupted.
const personPatience = 500 * time.Millisecond

// DoFirst is Do for the person of the hold: a call that reads the page is interrupted after half a second.
func (c *Calls) DoFirst(ctx context.Context, hold *personhold.Hold, fn func(ctx context.Context, p *page.Page) error) error {
	patience := time.NewTimer(personPatience)
	defer patience.Stop()
	for acquired := false; !acquired; {
		select {
		case c.lock <- struct{}{}:
			acquired = true
		case <-patience.C:
			c.interruptForHold(hold)
			patience.Reset(personPatience) // another call may have been next
		case <-c.tab.done:
			return c.tab.endError()
		case <-ctx.Done():
			return fmt.Errorf("wait for tab %s: %w", c.tab.id, context.Cause(ctx))
		}
	}
	return c.tab.report(c.tab.runLocked(ctx, nil, func(ctx context.Context) error { return fn(ctx, c.tab.page) }))
}

// start registers the call to be interrupted by events, unless the tab is blocked.
func (c *Calls) start(cancel context.CancelCauseFunc, recovers bool) error {
	c.tab.mu.Lock()
	defer c.tab.mu.Unlock()
	switch {
	case c.tab.endCause != nil:
		return c.tab.endCause
	case c.tab.attachment.err != nil:
		return c.tab.attachment.err
	case c.tab.Dialogs.open != nil:
		return &DialogError{Tab: c.tab.id, Dialog: *c.tab.Dialogs.open}
	case c.tab.lossReason != "" && !recovers:
		return &CrashedError{Tab: c.tab.id, Reason: c.tab.lossReason}
	case c.blocked != nil && !recovers:
		return c.blocked.cause
	}
	c.cancel = cancel
	return nil
}

// interruptLocked cancels the call that works on the page, if there is one. The caller holds mu.
func (c *Calls) interruptLocked(cause error) {
	if c.cancel != nil {
		c.cancel(cause)
	}
}

// Beside runs fn beside the call that holds the tab's lock. The context of fn ends when a dialog opens;
// with an open one fn is not called. The error is then a DialogError.
func (c *Calls) Beside(ctx context.Context, fn func(ctx context.Context) error) error {
	if err := c.tab.openerTree.dialogError(ctx); err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.tab.mu.Lock()
	if d := c.tab.Dialogs.open; d != nil {
		c.tab.mu.Unlock()
		return &DialogError{Tab: c.tab.id, Dialog: *d}
	}
	defer c.commands.Add(cancel)()
	c.tab.mu.Unlock()
	return c.tab.explain(ctx, inner, fn(inner))
}

// InterruptedError reports that the tab was blocked during a call. What the call started continues
// when the tab is unblocked; its result is lost.
type InterruptedError struct{ Err error }

func (e *InterruptedError) Error() string { return "the call was interrupted: " + e.Err.Error() }

// Unwrap returns the cause of the block.
func (e *InterruptedError) Unwrap() error { return e.Err }

// tabBlock stops calls on the page on behalf of another package, such as the debugger.
type tabBlock struct {
	cause   error
	release func(context.Context) error
}

// Block makes Do and all other calls on the page return cause at once, until Unblock. A running
// call ends with an InterruptedError around cause. Block may be called again to change the cause. A
// navigation and the closing of the tab ignore the block: they call release, which must unblock the
// tab or return why it cannot.
func (c *Calls) Block(cause error, release func(context.Context) error) {
	c.tab.mu.Lock()
	defer c.tab.mu.Unlock()
	c.blocked = &tabBlock{cause: cause, release: release}
	c.interruptLocked(&InterruptedError{Err: cause})
	c.tab.changes.notify()
}

// Unblock ends a block. Without one it does nothing.
func (c *Calls) Unblock() {
	c.tab.mu.Lock()
	defer c.tab.mu.Unlock()
	c.blocked = nil
	c.tab.changes.notify()
}

// Blocked returns the cause of the block, or nil.
func (c *Calls) Blocked() error {
	c.tab.mu.Lock()
	defer c.tab.mu.Unlock()
	if c.blocked == nil {
		return nil
	}
	return c.blocked.cause
}

// release calls the release function of the block, if there is one.
func (c *Calls) release(ctx context.Context) error {
	c.tab.mu.Lock()
	b := c.blocked
	c.tab.mu.Unlock()
	if b == nil {
		return nil
	}
	if err := b.release(ctx); err != nil {
		return fmt.Errorf("release tab %s: %w", c.tab.id, err)
	}
	return nil
}
