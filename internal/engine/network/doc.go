// Package network stands in the way of the requests of one tab, or beside it: rules that block, answer and change them,
// credentials for HTTP authentication, and a record of what went over the wire.
//
// A tab without rules, credentials and capture pays nothing. Whatever a rule does, a request goes on when the rule, the
// connection or the server ends. The package must not know tools, nor what a page is for.
package network

import (
	"context"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/fault"
)

// InvalidError says why a rule, credential or filter is invalid. The call that returns it changes nothing.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

// Code implements fault.Coded.
func (e *InvalidError) Code() fault.Code { return fault.InvalidArguments }

// Fields implements fault.Coded.
func (e *InvalidError) Fields() []fault.Field { return nil }

// call runs a command whose result does not matter.
func call[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}
