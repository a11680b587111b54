package node

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Node is the element of a ref as instruments address it that speak the protocol. It holds as long
// as the call of [Nodes.With].
type Node struct {
	// Backend identifies the element in every session with its target.
	Backend cdp.BackendNodeID
	// Target is the target of the out-of-process frame that has the element; "" for the page's own.
	Target target.ID
	// Tree is the document or shadow root that the element stands in; 0 if unknown.
	Tree cdp.BackendNodeID

	world  *document.World
	object runtime.RemoteObjectID
}

// With runs fn with the element of a ref. The errors of the ref are those of an action.
func (ns *Nodes) With(ctx context.Context, ref string, fn func(Node) error) error {
	w, n, err := ns.doc.LocateRef(ctx, ref)
	if err != nil {
		return err
	}
	// The ref must hold, as for any action.
	if _, err = ns.doc.EvaluateRef(ctx, ref, "describe", nil, nil); err != nil {
		return err
	}
	object, err := w.ElementObject(ctx, n)
	if err != nil {
		return ns.doc.Translate(ctx, ref, err)
	}
	defer w.ReleaseObjects(ctx)
	described, err := cdp.Call(ctx, w.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object})
	if err != nil {
		return fmt.Errorf("naming %s: %w", ref, document.Classify(err))
	}
	node := Node{Backend: described.Node.BackendNodeID, Target: ns.doc.Frames.TargetOf(w), world: w, object: object}
	node.Tree = node.tree(ctx)
	return fn(node)
}

// tree returns the root node of the element, or 0.
func (n Node) tree(ctx context.Context) cdp.BackendNodeID {
	root, err := cdp.Call(ctx, n.world.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: rootFunction, ObjectID: n.object, ObjectGroup: document.ObjectGroup,
	})
	if err != nil || root.Result.ObjectID == "" {
		return 0
	}
	described, err := cdp.Call(ctx, n.world.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: root.Result.ObjectID})
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
	res, err := cdp.Call(ctx, n.world.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: function, ObjectID: n.object, ReturnByValue: &yes,
		Arguments: []*runtime.CallArgument{{Value: raw}},
	})
	if err == nil && res.ExceptionDetails != nil {
		err = document.Exception(res.ExceptionDetails)
	}
	if err != nil {
		return fmt.Errorf("asking an element: %w", n.world.CallError(err))
	}
	if err := json.Unmarshal(res.Result.Value, out); err != nil {
		return fmt.Errorf("reading the answer of an element: %w", err)
	}
	return nil
}

// SharesTree reports whether another element stands in the same document or shadow tree.
func (n Node) SharesTree(ctx context.Context, other cdp.BackendNodeID) bool {
	found, err := cdp.Call(ctx, n.world.Session, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: other, ExecutionContextID: n.world.Context, ObjectGroup: document.ObjectGroup,
	})
	if err != nil {
		return false
	}
	yes := true
	res, err := cdp.Call(ctx, n.world.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: sharesTreeFunction, ObjectID: n.object, ReturnByValue: &yes,
		Arguments: []*runtime.CallArgument{{ObjectID: found.Object.ObjectID}},
	})
	return err == nil && string(res.Result.Value) == "true"
}

const sharesTreeFunction = "function(o){return this.getRootNode()===o.getRootNode()}\n//# sourceURL=callsheet:sharesTree\n"

// RemoteObject returns the debugger's handle of a ref's element in the page's own world, for
// scripts that work on it. The caller releases it.
func (ns *Nodes) RemoteObject(ctx context.Context, ref string) (runtime.RemoteObjectID, error) {
	// The ref must hold, as for any action.
	w, err := ns.doc.EvaluateRef(ctx, ref, "describe", nil, nil)
	if err != nil {
		return "", err
	}
	if w.Session != ns.doc.Session {
		reason := "it is in a frame of another process, where script of the page cannot reach it"
		return "", &document.NotActionableError{Ref: ref, Reason: reason}
	}
	own, err := w.ElementObject(ctx, document.RefNumber(ref))
	if err != nil {
		return "", ns.doc.Translate(ctx, ref, err)
	}
	defer w.ReleaseObjects(ctx)
	described, err := cdp.Call(ctx, ns.doc.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: own})
	if err != nil {
		return "", fmt.Errorf("naming %s: %w", ref, document.Classify(err))
	}
	node := dom.ResolveNodeParams{BackendNodeID: described.Node.BackendNodeID}
	resolved, err := cdp.Call(ctx, ns.doc.Session, dom.ResolveNode, node)
	if err != nil {
		return "", fmt.Errorf("naming %s: %w", ref, document.Classify(err))
	}
	return resolved.Object.ObjectID, nil
}
