package page

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

const elementFunction = "function(n){return this.element(n)}\n//# sourceURL=callsheet:element\n"

// elementObject returns the debugger's handle of an element in the engine's world. The caller
// releases it: a handle keeps the element in memory, also after it left the page.
func (w *world) elementObject(ctx context.Context, n int) (runtime.RemoteObjectID, error) {
	res, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: elementFunction, ObjectID: w.entry, Arguments: []*runtime.CallArgument{{Value: number(n)}},
		ObjectGroup: objectGroup,
	})
	if err == nil && res.ExceptionDetails != nil {
		err = exception(res.ExceptionDetails)
	}
	if err != nil {
		return "", fmt.Errorf("naming the element: %w", w.callError(err))
	}
	if res.Result.ObjectID == "" {
		return "", errDocumentReplaced
	}
	return res.Result.ObjectID, nil
}
