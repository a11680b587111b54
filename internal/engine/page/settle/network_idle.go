package settle

import (
	"context"
	"errors"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// idleTime is the time without a pending request after which the network is idle, as in Playwright
// and Lighthouse.
const idleTime = 500 * time.Millisecond

// waitForNetwork waits for the navigation and the idle network of WaitOptions.
func (wt *Waiter) waitForNetwork(ctx context.Context, o WaitOptions) error {
	if _, err := wt.doc.TopWorld(ctx); err != nil && !errors.Is(err, document.ErrReplaced) {
		return err
	}
	if o.Navigation {
		if err := wt.waitForNavigation(ctx); err != nil {
			return err
		}
	}
	for o.Idle {
		wt.endUnreadBodies(ctx)
		idle, changed := wt.doc.Tracker.IdleFor()
		left := idleTime - idle
		if left <= 0 {
			return nil
		}
		if idle == 0 {
			left = PollInterval // something is under way; an event will tell of its end
		}
		if err := waitForSignal(ctx, changed, left); err != nil {
			return err
		}
	}
	return nil
}

// waitForNavigation waits for a navigation since the last action began. Before the first action,
// the load of the page itself counts.
func (wt *Waiter) waitForNavigation(ctx context.Context) error {
	for wt.doc.Tracker.ActionCount() > 0 {
		navigated, changed := wt.doc.Tracker.NavigatedSinceAction()
		if navigated {
			break
		}
		if err := waitForSignal(ctx, changed, time.Second); err != nil {
			return err
		}
	}
	_, err := wt.WaitForEffect(ctx, Action{Frames: 1})
	return err
}

// waitForSignal waits until the channel is closed, at most for d.
func waitForSignal(ctx context.Context, changed <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
