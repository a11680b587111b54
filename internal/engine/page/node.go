package page

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// Node is the element of a ref as instruments address it that speak the protocol. It holds as long
// as the call of [Page.WithNode].
type Node struct {
	// Backend identifies the element in every session with its target.
	Backend cdp.BackendNodeID
	// Target is the target of the out-of-process frame that has the element; "" for the page's own.
	Target target.ID
	// Tree is the document or shadow root that the element stands in; 0 if unknown.
	Tree cdp.BackendNodeID

	world  *world
	object runtime.RemoteObjectID
}

// WithNode runs fn with the element of a ref. The errors of the ref are those of an action.
func (p *Page) WithNode(ctx context.Context, ref string, fn func(Node) error) error {
	w, n, err := p.locateRef(ctx, ref)
	if err != nil {
		return err
	}
	// The ref must hold, as for any action.
	if _, err = p.evaluateRef(ctx, ref, "describe", nil, nil); err != nil {
		return err
	}
	object, err := w.elementObject(ctx, n)
	if err != nil {
		return p.translate(ctx, ref, err)
	}
	defer w.releaseObjects(ctx)
	described, err := cdp.Call(ctx, w.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object})
	if err != nil {
		return fmt.Errorf("naming %s: %w", ref, classify(err))
	}
	node := Node{Backend: described.Node.BackendNodeID, Target: p.frames.targetOf(w), world: w, object: object}
	node.Tree = node.tree(ctx)
	return fn(node)
}

// tree returns the root node of the element, or 0.
func (n Node) tree(ctx context.Context) cdp.BackendNodeID {
	root, err := cdp.Call(ctx, n.world.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: rootFunction, ObjectID: n.object, ObjectGroup: objectGroup,
	})
	if err != nil || root.Result.ObjectID == "" {
		return 0
	}
	described, err := cdp.Call(ctx, n.world.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: root.Result.ObjectID})
	if err != nil {
		return 0
	}
	return described.Node.BackendNodeID
}

const rootFunction = "function(){return this.getRootNode()}\n//# sourceURL=callsheet:root\n"

// Evaluate runs a function of the server in the isolated world of the element's document, with the
// element as this, and decodes its result into out. The page sees nothing of it.
func (n Node) Evaluate(ctx context.Context, function string, argument, out any) error {
	raw, err := json.Marshal(argument)
	if err != nil {
		return fmt.Errorf("encoding an argument: %w", err)
	}
	yes := true
	res, err := cdp.Call(ctx, n.world.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: function, ObjectID: n.object, ReturnByValue: &yes,
		Arguments: []*runtime.CallArgument{{Value: raw}},
	})
	if err == nil && res.ExceptionDetails != nil {
		err = exception(res.ExceptionDetails)
	}
	if err != nil {
		return fmt.Errorf("asking an element: %w", n.world.callError(err))
	}
	if err := json.Unmarshal(res.Result.Value, out); err != nil {
		return fmt.Errorf("reading the answer of an element: %w", err)
	}
	return nil
}

// Ancestors returns the elements that stand so many levels above a ref's element in the composed
// tree; 0 is the element itself. Levels above the root are left out.
func (p *Page) Ancestors(ctx context.Context, ref string, levels []int) (map[int]ElementInfo, error) {
	var found []struct {
		Level int `json:"level"`
		ElementInfo
	}
	_, err := p.evaluateRef(ctx, ref, "ancestors", map[string]any{"levels": levels}, &found)
	out := make(map[int]ElementInfo, len(found))
	for _, f := range found {
		out[f.Level] = f.ElementInfo
	}
	return out, err
}

// SharesTree reports whether another element stands in the same document or shadow tree.
func (n Node) SharesTree(ctx context.Context, other cdp.BackendNodeID) bool {
	found, err := cdp.Call(ctx, n.world.session, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: other, ExecutionContextID: n.world.context, ObjectGroup: objectGroup,
	})
	if err != nil {
		return false
	}
	yes := true
	res, err := cdp.Call(ctx, n.world.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: sharesTreeFunction, ObjectID: n.object, ReturnByValue: &yes,
		Arguments: []*runtime.CallArgument{{ObjectID: found.Object.ObjectID}},
	})
	return err == nil && string(res.Result.Value) == "true"
}

const sharesTreeFunction = "function(o){return this.getRootNode()===o.getRootNode()}\n//# sourceURL=callsheet:sharesTree\n"

// RemoteObject returns the debugger's handle of a ref's element in the page's own world, for
// scripts that work on it. The caller releases it.
func (p *Page) RemoteObject(ctx context.Context, ref string) (runtime.RemoteObjectID, error) {
	// The ref must hold, as for any action.
	w, err := p.evaluateRef(ctx, ref, "describe", nil, nil)
	if err != nil {
		return "", err
	}
	if w.session != p.session {
		reason := "it is in a frame of another process, where script of the page cannot reach it"
		return "", &NotActionableError{Ref: ref, Reason: reason}
	}
	own, err := w.elementObject(ctx, refNumber(ref))
	if err != nil {
		return "", p.translate(ctx, ref, err)
	}
	defer w.releaseObjects(ctx)
	described, err := cdp.Call(ctx, p.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: own})
	if err != nil {
		return "", fmt.Errorf("naming %s: %w", ref, classify(err))
	}
	node := dom.ResolveNodeParams{BackendNodeID: described.Node.BackendNodeID}
	resolved, err := cdp.Call(ctx, p.session, dom.ResolveNode, node)
	if err != nil {
		return "", fmt.Errorf("naming %s: %w", ref, classify(err))
	}
	return resolved.Object.ObjectID, nil
}
