package page

import (
	"context"
	"errors"
	"time"
)

// idleTime is how long no request may be pending for the network to count as idle, as in Playwright
// and Lighthouse.
const idleTime = 500 * time.Millisecond

// waitForNetwork waits for the navigation and the idle network of WaitOptions.
func (p *Page) waitForNetwork(ctx context.Context, o WaitOptions) error {
	if _, err := p.topWorld(ctx); err != nil && !errors.Is(err, errDocumentReplaced) {
		return err
	}
	if o.Navigation {
		if err := p.waitForNavigation(ctx); err != nil {
			return err
		}
	}
	for o.Idle {
		idle, changed := p.tracker.idleFor()
		left := idleTime - idle
		if left <= 0 {
			return nil
		}
		if idle == 0 {
			left = pollInterval // something is under way; an event will tell of its end
		}
		if err := waitForSignal(ctx, changed, left); err != nil {
			return err
		}
	}
	return nil
}

// waitForNavigation waits for a navigation since the last action began. Before the first action,
// the load of the page itself counts.
func (p *Page) waitForNavigation(ctx context.Context) error {
	for p.tracker.actionCount() > 0 {
		navigated, changed := p.tracker.navigatedSinceAction()
		if navigated {
			break
		}
		if err := waitForSignal(ctx, changed, time.Second); err != nil {
			return err
		}
	}
	_, err := p.waitForEffect(ctx, action{frames: 1})
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
