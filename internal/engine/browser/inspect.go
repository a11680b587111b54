package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// inspectCloseTimeout bounds the end of a session of [Tab.Inspect].
const inspectCloseTimeout = 2 * time.Second

// Inspect runs fn with a protocol session of its own: with the tab's page, or with an out-of-process
// frame of it where frame is not "". Domains whose events cost much, such as DOM and CSS, are enabled
// there and end with fn. onEvent receives the events of the session, in order and before the answers
// that follow them; it must return at once. The caller holds the tab's lock.
func (t *Tab) Inspect(
	ctx context.Context, frame target.ID, onEvent func(event any), fn func(ctx context.Context, s cdp.Session) error,
) error {
	if frame == "" {
		frame = t.target
	}
	s, err := t.instance.conn.Attach(ctx, frame)
	if err != nil {
		return fmt.Errorf("inspect tab %s: %w", t.id, err)
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), inspectCloseTimeout)
		defer cancel()
		s.Close(ending)
		t.Instruments.restoreAgent() // the end of a second session resets what emulation has set
	}()
	s.Listen(onEvent)
	return fn(ctx, s)
}
