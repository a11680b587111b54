// Package network intercepts and records the requests of one tab: rules that block, fulfill and
// modify requests, credentials for HTTP authentication, and a capture of requests and responses.
//
// A tab without rules, credentials and capture costs nothing. A paused request continues when its
// rule, its connection or the server ends. The package must not know tools, sessions, or the
// content of pages.
package network

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
)

// call runs a CDP command and drops its result.
func call[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}
