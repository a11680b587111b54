package toolkit_test

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

// handler joins a decoder to a handler, as generated code does.
func handler[P any](
	decode func([]byte) (P, error), run func(context.Context, *toolkit.Call, P) (toolkit.Result, error),
) func(context.Context, *toolkit.Call, grant.Grant, []byte) (toolkit.CallResult, error) {
	return func(ctx context.Context, call *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
		in, err := decode(args)
		if err != nil {
			return toolkit.CallResult{}, err
		}
		return toolkit.Unstructured(run(ctx, call, in))
	}
}

// checker makes a tool's Check from a decoder, as generated code does.
func checker[P any](decode func([]byte) (P, error)) func([]byte) error {
	return func(args []byte) error {
		_, err := decode(args)
		return err
	}
}

// decode runs a reader over one call's arguments, as generated code does.
func decode[P any](args []byte, read func(*toolkit.Args) P) (P, error) {
	a := toolkit.ReadArgs(args)
	p := read(a)
	return p, a.Done()
}
