package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/target"
)

func (t *Tab) closeReason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return "it was closed"
	}
	return "its page closed itself"
}

// closeOrRelease ends the tab on our side only if its page was there before us, else with its page.
func (t *Tab) closeOrRelease(ctx context.Context) error {
	if t.adopted {
		t.end(&ClosedError{Tab: t.id, Reason: releasedReason}, releasedReason)
		return nil
	}
	return t.close(ctx)
}

// close closes the page and waits until it is gone. A page that asks to stay is
// not obeyed; see onDialog.
func (t *Tab) close(ctx context.Context) error {
	t.mu.Lock()
	t.closing = true
	t.mu.Unlock()
	if err := t.releaseBlock(ctx); err != nil {
		t.session.browser.log.Debug("close a blocked tab", "tab", t.id, "error", err)
	}
	if err := call(ctx, t.instance.conn, target.CloseTarget, target.CloseTargetParams{TargetID: t.target}); err != nil {
		select {
		case <-t.done:
			return nil
		default:
			return fmt.Errorf("close tab %s: %w", t.id, t.instance.explain(err))
		}
	}
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close tab %s: %w", t.id, context.Cause(ctx))
	}
}
