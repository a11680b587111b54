package toolkit

import "context"

// CallHandler runs a call: dispatch itself, or the layer below.
type CallHandler func(ctx context.Context, v *Session, req Request) (Result, error)

// Middleware wraps every call of a surface, refused ones and unknown names too: a journal that
// writes down what was done, a filter that puts secrets into arguments and takes them out of
// results. A layer gets a request before any check and a result after all changes; it must call
// next at most once.
type Middleware func(next CallHandler) CallHandler

// chain puts layers around dispatch, the first outermost.
func chain(layers []Middleware) CallHandler {
	next := CallHandler(func(ctx context.Context, v *Session, req Request) (Result, error) { return v.dispatch(ctx, req) })
	for i := len(layers) - 1; i >= 0; i-- {
		next = layers[i](next)
	}
	return next
}

// RefusalResult is the result of a call that a layer refuses.
func RefusalResult(tool string, err error) Result {
	return refusalOf(&Tool{Name: tool}, err, nil).result()
}

// RefusalCode is the code of a refused result, or "".
func (r *Result) RefusalCode() Code {
	if !r.Refused {
		return ""
	}
	return r.code
}
