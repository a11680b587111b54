package document

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

// engineEntry is the engine of a document, as a call without the tab's lock may use it.
type engineEntry struct {
	session cdp.Session
	entry   runtime.RemoteObjectID
}

// CallShown calls a function with the engine of the top document as this, and decodes its result into
// out. It may run beside every other method, issues no ref and changes nothing. Before the first call that
// worked in the document it leaves out as it is.
func (d *Document) CallShown(ctx context.Context, function string, out any, arguments ...any) error {
	at := d.shown.Load()
	if at == nil {
		return nil
	}
	byValue := true
	params := runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: at.entry, ReturnByValue: &byValue, AwaitPromise: &byValue}
	for _, argument := range arguments {
		raw, err := json.Marshal(argument)
		if err != nil {
			return fmt.Errorf("encoding an argument: %w", err)
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: raw})
	}
	res, err := cdp.Call(ctx, at.session, runtime.CallFunctionOn, params)
	if err == nil && res.ExceptionDetails != nil {
		err = Exception(res.ExceptionDetails)
	}
	if err != nil {
		return Classify(err)
	}
	return json.Unmarshal(res.Result.Value, out)
}
