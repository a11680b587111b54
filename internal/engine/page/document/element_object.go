package document

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

const elementFunction = "function(n){return this.element(n)}\n//# sourceURL=callsheet:element\n"

// ElementObject returns the debugger's handle of an element in the engine's world. The caller
// releases it: a handle keeps the element in memory, also after it left the page.
func (w *World) ElementObject(ctx context.Context, n int) (runtime.RemoteObjectID, error) {
	res, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: elementFunction, ObjectID: w.Entry, Arguments: []*runtime.CallArgument{{Value: number(n)}},
		ObjectGroup: ObjectGroup,
	})
	if err == nil && res.ExceptionDetails != nil {
		err = Exception(res.ExceptionDetails)
	}
	if err != nil {
		return "", fmt.Errorf("naming the element: %w", w.CallError(err))
	}
	if res.Result.ObjectID == "" {
		return "", ErrReplaced
	}
	return res.Result.ObjectID, nil
}
