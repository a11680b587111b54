package protocol

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
)

// inactiveTimeout bounds the time in which a command is repeated because its page is not active.
const inactiveTimeout = time.Second

// Exec runs a command and drops its result.
func Exec[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}

// CallWhenActive repeats a command while a document moves to another process: for some milliseconds
// after the commit the browser refuses commands for want of an active page, and no event announces
// the end of that.
func CallWhenActive[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) (R, error) {
	limit := time.After(inactiveTimeout)
	for {
		res, err := cdp.Call(ctx, s, c, params)
		if !IsInactivePage(err) {
			return res, err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-limit:
			return res, err
		case <-ctx.Done():
			return res, context.Cause(ctx)
		}
	}
}

// IsInactivePage reports whether the browser refused a command because the page is not active.
func IsInactivePage(err error) bool { return IsRefusal(err, "Not attached to an active page") }

// IsRefusal reports whether the browser refused a command with a message that contains text.
func IsRefusal(err error, text string) bool {
	refused, ok := errors.AsType[*cdproto.Error](err)
	return ok && strings.Contains(refused.Message, text)
}
