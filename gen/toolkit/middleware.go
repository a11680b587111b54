package toolkit

import "context"

// Next runs a call: dispatch itself, or the layer below.
type Next func(ctx context.Context, v *Session, req Request) (Result, error)

// Around is a layer around every call of a surface, refused ones and unknown names too: a journal that writes down what
// was done, a filter that puts secrets into arguments and takes them out of results. A layer sees a request before it is
// judged and a result when it is final; it must call next at most once.
type Around func(next Next) Next

// surround puts layers around dispatch, the first outermost.
func surround(layers []Around) Next {
	next := Next(func(ctx context.Context, v *Session, req Request) (Result, error) { return v.dispatch(ctx, req) })
	for i := len(layers) - 1; i >= 0; i-- {
		next = layers[i](next)
	}
	return next
}

// RefusalResult is the result of a call that a layer refuses.
func RefusalResult(tool string, err error) Result { return refusalOf(&Tool{Name: tool}, err).result() }

// RefusalCode is the code of a refused result, or "".
func (r *Result) RefusalCode() Code {
	if !r.Refused {
		return ""
	}
	return r.code
}
