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

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// InvalidError says why a rule, credential or filter is invalid. The call that returns it changes
// nothing.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

// Code implements fault.Coded.
func (e *InvalidError) Code() codes.Code { return codes.InvalidArguments }

// Fields implements fault.Coded.
func (e *InvalidError) Fields() []fault.Field { return nil }

// call runs a CDP command and drops its result.
func call[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}
