package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/node"
	"github.com/callsheet/callsheet/internal/fault"
)

// worldName names the isolated worlds of the audit. axe defines globals, so it shares no world with
// the page's engine.
const worldName = "callsheet-audit"

// objectGroup names the handles of an audit, so that they are released together.
const objectGroup = "callsheet-audit"

// frame is the audit's world in one document.
type frame struct {
	document node.FrameDocument
	context  runtime.ExecutionContextID
	api      runtime.RemoteObjectID
	hasAxe   bool
}

// enter creates the audit's world in a document.
func enter(ctx context.Context, d node.FrameDocument) (*frame, error) {
	world, err := cdp.Call(ctx, d.Session, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: d.Frame, WorldName: worldName})
	if err != nil {
		return nil, fmt.Errorf("enter the document: %w", err)
	}
	f := &frame{document: d, context: world.ExecutionContextID}
	script, err := frameScript()
	if err != nil {
		return nil, err
	}
	object, err := f.evaluate(ctx, script)
	if err != nil {
		return nil, err
	}
	f.api = object.ObjectID
	return f, nil
}

// loadAxe defines axe in the world.
func (f *frame) loadAxe(ctx context.Context) error {
	if f.hasAxe {
		return nil
	}
	script, err := axeScript()
	if err != nil {
		return err
	}
	if _, err := f.evaluate(ctx, script); err != nil {
		return fmt.Errorf("load axe-core: %w", err)
	}
	f.hasAxe = true
	return nil
}

func (f *frame) evaluate(ctx context.Context, script string) (*runtime.RemoteObject, error) {
	res, err := cdp.Call(ctx, f.document.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: script, ContextID: f.context, ObjectGroup: objectGroup})
	if err != nil {
		return nil, fmt.Errorf("run the audit's script: %w", err)
	}
	if res.ExceptionDetails != nil {
		return nil, exception(res.ExceptionDetails)
	}
	return res.Result, nil
}

// argument turns a value into an argument of a call. The protocol's encoder leaves out null, empty
// texts, lists and objects, so the script gets undefined for these.
func argument(v any) (*runtime.CallArgument, error) {
	if id, ok := v.(runtime.RemoteObjectID); ok {
		if id == "" {
			return &runtime.CallArgument{Value: []byte("null")}, nil
		}
		return &runtime.CallArgument{ObjectID: id}, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode an argument: %w", err)
	}
	return &runtime.CallArgument{Value: text}, nil
}

// call calls a method of the world's object.
func (f *frame) call(ctx context.Context, method string, byValue bool, arguments ...any) (*runtime.RemoteObject, error) {
	yes := true
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(...a){return this." + method + "(...a)}\n//# sourceURL=callsheet:audit-call\n",
		ObjectID:            f.api, ObjectGroup: objectGroup, AwaitPromise: &yes, ReturnByValue: &byValue,
	}
	for _, v := range arguments {
		a, err := argument(v)
		if err != nil {
			return nil, err
		}
		params.Arguments = append(params.Arguments, a)
	}
	res, err := cdp.Call(ctx, f.document.Session, runtime.CallFunctionOn, params)
	if err != nil {
		f.stop(ctx)
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if res.ExceptionDetails != nil {
		return nil, fmt.Errorf("%s: %w", method, exception(res.ExceptionDetails))
	}
	return res.Result, nil
}

// stop ends a script that still runs when the time of its call is over: the page would stay blocked.
func (f *frame) stop(ctx context.Context) {
	if ctx.Err() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	_, _ = cdp.Call(ctx, f.document.Session, runtime.TerminateExecution, cdp.Empty{})
}

// stopTimeout bounds the request to end a script.
const stopTimeout = 2 * time.Second

// text calls a method that returns a text.
func (f *frame) text(ctx context.Context, method string, arguments ...any) (string, error) {
	object, err := f.call(ctx, method, true, arguments...)
	if err != nil {
		return "", err
	}
	var text string
	if err := json.Unmarshal(object.Value, &text); err != nil {
		return "", fmt.Errorf("%s: read the result: %w", method, err)
	}
	return text, nil
}

// decode calls a method that returns JSON text.
func (f *frame) decode(ctx context.Context, out any, method string, arguments ...any) error {
	text, err := f.text(ctx, method, arguments...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return fmt.Errorf("%s: read the result: %w", method, err)
	}
	return nil
}

// nodes calls a method that returns a list of elements, and returns their nodes; 0 is null.
func (f *frame) nodes(ctx context.Context, method string, arguments ...any) ([]cdp.BackendNodeID, error) {
	list, err := f.call(ctx, method, false, arguments...)
	if err != nil {
		return nil, err
	}
	yes := true
	properties, err := cdp.Call(ctx, f.document.Session, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: list.ObjectID, OwnProperties: &yes})
	if err != nil {
		return nil, fmt.Errorf("%s: list the elements: %w", method, err)
	}
	var out []cdp.BackendNodeID
	for _, p := range properties.Result {
		at, err := strconv.Atoi(p.Name)
		if err != nil {
			continue
		}
		for len(out) <= at {
			out = append(out, 0)
		}
		if p.Value == nil || p.Value.ObjectID == "" {
			continue
		}
		node, err := cdp.Call(ctx, f.document.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: p.Value.ObjectID})
		if err == nil && node.Node != nil {
			out[at] = node.Node.BackendNodeID
		}
	}
	return out, nil
}

// release releases the handles of the audit. One that remains costs memory until the document is
// replaced.
func (f *frame) release(ctx context.Context) {
	_, _ = cdp.Call(ctx, f.document.Session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
}

func exception(d *runtime.ExceptionDetails) error {
	if d.Exception != nil && d.Exception.Description != "" {
		return fault.New(codes.Failed, d.Exception.Description)
	}
	return fault.New(codes.Failed, d.Text)
}

// errNoDocument says that a document has no root element.
var errNoDocument = errors.New("the document is empty")
