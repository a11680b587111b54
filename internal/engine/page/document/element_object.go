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

const describeNodesFunction = "function(h,n,...nodes){this.acknowledge(h,n);return this.describeNodes(nodes)}\n" +
	"//# sourceURL=callsheet:describeNodes\n"

// DescribeNodes describes elements of a world by the handles of the debugger, and issues refs. An element
// that left the page is nil.
func (d *Document) DescribeNodes(ctx context.Context, w *World, handles []runtime.RemoteObjectID) ([]*Element, error) {
	yes := true
	numbers := d.Refs.numbers
	start := numbers.begin()
	next := start
	defer func() { numbers.end(start, next) }()
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: describeNodesFunction, ObjectID: w.Entry, ReturnByValue: &yes,
		Arguments: []*runtime.CallArgument{{Value: number(w.acknowledged)}, {Value: number(start)}},
	}
	for _, handle := range handles {
		params.Arguments = append(params.Arguments, &runtime.CallArgument{ObjectID: handle})
	}
	res, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, params)
	if err == nil && res.ExceptionDetails != nil {
		err = Exception(res.ExceptionDetails)
	}
	if err != nil {
		return nil, w.CallError(err)
	}
	a, err := d.decodeResponse(w, res.Result)
	if err != nil {
		return nil, err
	}
	next = a.Next
	var described []*Element
	err = a.Decode(&described)
	return described, err
}
