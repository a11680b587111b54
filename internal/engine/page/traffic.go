package page

import (
	"context"
	"errors"
	"time"
)

// idleTime is how long no request may have been under way for the network to
// count as idle, as in Playwright and Lighthouse.
const idleTime = 500 * time.Millisecond

// awaitTraffic waits for what WaitOptions say of navigations and requests.
func (p *Page) awaitTraffic(ctx context.Context, o WaitOptions) error {
	if _, err := p.install(ctx); err != nil && !errors.Is(err, errWorldGone) {
		return err
	}
	if o.Navigation {
		if err := p.awaitTurn(ctx); err != nil {
			return err
		}
	}
	for o.Idle {
		quiet, moved := p.track.quiet()
		left := idleTime - quiet
		if left <= 0 {
			return nil
		}
		if quiet == 0 {
			left = heartbeat // something is under way; an event will tell of its end
		}
		if err := signalled(ctx, moved, left); err != nil {
			return err
		}
	}
	return nil
}

// awaitTurn waits for a navigation since the last action began; without any action
// yet, the page itself is one.
func (p *Page) awaitTurn(ctx context.Context) error {
	for p.acted {
		turned, moved := p.track.turned()
		if turned {
			break
		}
		if err := signalled(ctx, moved, time.Second); err != nil {
			return err
		}
	}
	_, err := p.settle(ctx, action{frames: 1})
	return err
}

// signalled waits for the channel, at most for d.
func signalled(ctx context.Context, moved <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-moved:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
