package toolkit

import "context"

// Handler joins a tool's generated decoder to the handler that answers with free content. It is for generated code.
func Handler[P any](
	decode func([]byte) (P, error), run func(context.Context, *Call, P) (Result, error),
) func(context.Context, *Call, []byte) (Result, error) {
	return func(ctx context.Context, call *Call, args []byte) (Result, error) {
		in, err := decode(args)
		if err != nil {
			return Result{}, err
		}
		return run(ctx, call, in)
	}
}

// StructuredHandler is Handler for a tool with a declared output: the handler returns the generated result struct.
func StructuredHandler[P, R any](
	decode func([]byte) (P, error), run func(context.Context, *Call, P) (R, error),
) func(context.Context, *Call, []byte) (Result, error) {
	return Handler(decode, func(ctx context.Context, call *Call, in P) (Result, error) {
		out, err := run(ctx, call, in)
		if err != nil {
			return Result{}, err
		}
		return Structured(out)
	})
}

// Checker makes a tool's Check from its generated decoder.
func Checker[P any](decode func([]byte) (P, error)) func([]byte) error {
	return func(args []byte) error {
		_, err := decode(args)
		return err
	}
}

// Decode runs a generated object reader over one call's arguments.
func Decode[P any](raw []byte, read func(*Args) P) (P, error) {
	a := ReadArgs(raw)
	p := read(a)
	return p, a.Done()
}
